"""acdl playground: write the playground, a page where visitors can write ACDL, as files that any host can serve."""

import argparse
import os
import sys
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.writing import print_sentence

_ABOUT = (
    "The folder is a static site: add it to a documentation site (Sphinx: `html_extra_path`), or preview it with "
    "`python -m http.server --directory DIR`. The first time, Node.js and npm bundle it; the extra `playground` can "
    "provide them. The bundle is kept in the user's cache."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument(
        "folder",
        metavar="DIR",
        help="folder to write; unchanged files are left alone, files of an older version are removed",
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help=".acdl files, or folders of them, to offer as examples"
    )
    parser.add_argument("--name", default="", help="name of the site, shown at the top")
    parser.add_argument(
        "--home", default="../", metavar="ADDRESS", help="target of the link back to the site (default: ../)"
    )
    parser.add_argument(
        "--rule-url", default="", metavar="ADDRESS", help="address of a rule's page, with {rule} for its name"
    )


def run(args: argparse.Namespace) -> int:
    """Write the files; return 2 if it cannot be built."""
    from acdl_mkdocs.frontends.playground.bundle import build_bundle
    from acdl_mkdocs.frontends.playground.own_files import examples_of
    from acdl_mkdocs.frontends.playground.site import SiteFacts, list_former_files, remove_files, site_files, write_site

    folder = Path(args.folder)
    reason = _explain_unwritable(folder)
    if reason:  # reported before half a minute's work
        print_error(f"{args.folder} cannot be written: {reason}; name another folder")
        return 2
    try:
        examples = tuple(examples_of([Path(path) for path in args.paths]))
        bundle = build_bundle(Path.cwd(), lambda words: print(words, file=sys.stderr))
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    facts = SiteFacts(args.name, args.home, args.rule_url)
    try:
        former = list_former_files(folder, bundle.version)
        n_written = write_site(folder, site_files(bundle, facts, examples))
        remove_files(former, folder)
    except OSError as reason:
        print_error(f"{reason.filename or args.folder} cannot be written: {reason.strerror}; name another folder")
        return 2
    size = f"{bundle.transfer_bytes / 1_000_000:.1f} MB for a first visit"
    print_sentence(
        f"{args.folder}: wrote {format_count(n_written, 'file')}, {format_count(len(examples), 'example')}, {size}"
    )
    return 0


def _explain_unwritable(folder: Path) -> str:
    """Explain why a folder surely cannot be written; empty if it may be."""
    nearest = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file"
    return "" if os.access(nearest, os.W_OK | os.X_OK) else f"{nearest} does not let you"
