"""acdl format: write specs and the blocks of pages in their normal form.

A definition that holds an error is left as it is, and the error is printed.
"""

import argparse
import re
from functools import cache
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import map_with_progress, print_error, print_outcome
from acdl_mkdocs.workspace.settings import load_settings

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.search import NamedFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="files and folders (default: the working folder); `-` is standard input, and output then",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; name the files that would change")
    parser.add_argument("--diff", action="store_true", help="write nothing; print what would change")
    parser.add_argument(
        "--range-lines", type=_parse_line_range, metavar="A:B", help="format only the statements on these lines"
    )
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )


def run(args: argparse.Namespace) -> int:
    """Format everything; return 1 if something would change and is not written, 2 if something has errors."""
    from acdl_mkdocs.frontends.cli.formatting import FormattedFile, format_file, texts_of, write_formatted
    from acdl_mkdocs.workspace.search import find_files

    settings_of = cache(load_settings)
    files, problems = find_files(args.paths, settings_of)
    if args.range_lines and (len(files) != 1 or not files[0].is_argument):
        problems, files = ["--range-lines needs one file"], []
    for problem in problems:
        print_error(problem)

    files, texts = texts_of(files, settings_of, args.range)

    def work(named: "NamedFile") -> FormattedFile:
        try:
            mode = args.range or settings_of(named.folder).config.range
            return format_file(named, texts.get(named.name, ()), mode, args.range_lines)
        except SettingsError as reason:
            return FormattedFile(named, complaint=str(reason))

    n_changed = n_same = n_failed = n_partly = 0
    for file in map_with_progress(files, work):
        is_done = write_formatted(file, args)
        n_failed += not is_done and not file.is_changed
        n_partly += not is_done and file.is_changed
        n_changed += is_done and file.is_changed
        n_same += is_done and not file.is_changed
    is_dry = args.check or args.diff
    if [named.path for named in files] != [None]:
        parts = [f"{format_count(n_changed, 'file')} {'would be formatted' if is_dry else 'formatted'}"]
        parts += [f"{n_same} unchanged", *([f"{n_partly} in part"] if n_partly else [])]
        parts += [f"{n_failed} not formatted"] if n_failed else []
        print_outcome(", ".join(parts))
    if problems or n_failed or n_partly:
        return 2
    return int(is_dry and n_changed > 0)


def _parse_line_range(value: str) -> tuple[int, int]:
    """Parse the value of `--range-lines`: two lines, or one."""
    match = re.fullmatch(r"(\d+)(?::(\d+))?", value)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise argparse.ArgumentTypeError(f"expected the first and the last line, as 3:7, not {value}")
    return first, last
