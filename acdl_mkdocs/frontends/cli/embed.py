"""acdl embed: put figures into Markdown pages for tools that do not support ACDL, and keep them up to date.

Writes the figure of each `acdl` block beside the page, and shows it below the block, between two comments. A second run
changes nothing; `--remove` takes everything out again.
"""

import argparse
import shlex
from collections import Counter

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.drawing import parse_scale
from acdl_mkdocs.frontends.cli.messages import map_with_progress, print_error, print_outcome
from acdl_mkdocs.workspace.settings import EMBEDDED_FORMATS, EMBEDDED_SCHEMES

_ABOUT = (
    "Defaults come from the table `[embed]` in acdl.toml or `[tool.acdl.embed]` in pyproject.toml. The exit status "
    "is 1 if `--check` finds something outdated, and 2 if a block has errors or a page could not be updated."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument(
        "paths", nargs="+", metavar="PAGE_OR_FOLDER", help="Markdown pages (.md, .markdown, .mdx, .qmd), and folders"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--check", action="store_true", help="write nothing; list what is outdated")
    kind.add_argument("--remove", action="store_true", help="remove embedded figures again")
    parser.add_argument(
        "--assets", metavar="DIR", help="folder for figures, relative to the page's folder (default: beside the page)"
    )
    parser.add_argument("--format", choices=EMBEDDED_FORMATS, help="format of figures (default: svg)")
    parser.add_argument(
        "--scheme",
        choices=EMBEDDED_SCHEMES,
        help="two files in a `<picture>`, or one in plain Markdown that follows the page, is light, or is dark "
        "(default: both)",
    )
    parser.add_argument(
        "--link",
        metavar="URL",
        help="address of the project's files, for links to sources; `none`: no links (default: relative links to the "
        "files that blocks name)",
    )
    parser.add_argument(
        "--scale",
        type=parse_scale,
        metavar="N",
        help="PNG pixels per CSS px (default: 2 in a `<picture>`, otherwise 1)",
    )
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )


def run(args: argparse.Namespace) -> int:
    """Embed everything; return 1 if something is out of date and is not written, 2 if something could not be done."""
    from acdl_mkdocs.app.check import check_each
    from acdl_mkdocs.frontends.cli.embedding import Embedding
    from acdl_mkdocs.workspace.search import find_files

    embedding = Embedding(args)
    files, problems = find_files([path for path in args.paths if path != "-"], embedding.settings_of)
    problems += ["- is not a page: name a file, beside which figures are written"] if "-" in args.paths else []
    pages, unread = embedding.gather_pages(files)
    for problem in (problems := problems + unread):
        print_error(problem)
    counts = Counter[str]()
    try:
        for planned in map_with_progress(pages, lambda page: embedding.plan_page(*page, list(check_each(page[1])))):
            counts += embedding.write_plan(planned)
    except AcdlError as reason:  # what is missing for one figure is missing for all
        print_error(str(reason))
        return 2
    _summarize_counts(counts, args)
    if problems or counts["failed"]:
        return 2
    return int(bool(args.check and (counts["pages"] or counts["figures"])))


def _summarize_counts(counts: Counter[str], args: argparse.Namespace) -> None:
    parts = [format_count(counts["pages"], "page"), format_count(counts["figures"], "figure")]
    written = f"{' and '.join(parts)} {'out of date' if args.check else 'written'}"
    parts = [written, *([f"{counts['removed']} removed"] if counts["removed"] else []), f"{counts['same']} unchanged"]
    parts += [f"{counts['failed']} with errors"] if counts["failed"] else []
    is_stale = args.check and (counts["pages"] or counts["figures"])
    print_outcome(", ".join(parts) + (f"; to update, run `{_command_to_write(args)}`" if is_stale else ""))


def _command_to_write(args: argparse.Namespace) -> str:
    """Return the command that writes what `--check` found missing."""
    words = ["acdl", "embed"]
    for name in ("config", "assets", "format", "scheme", "link", "scale", "range"):
        value = getattr(args, name)
        words += [f"--{name}", f"{value:g}" if name == "scale" else str(value)] if value is not None else []
    return shlex.join([*words, *args.paths])
