"""acdl playbook import: add the bullets of a file in another format, through the curator."""

import argparse

from acdl_mkdocs.frontends.cli.playbook.files import add_format, add_playbook, add_time, run_guarded
from acdl_mkdocs.playbook.exchange import EXCHANGES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("file", metavar="FILE", help="file to read; `-` is standard input")
    parser.add_argument(
        "--from",
        dest="source_format",
        choices=["yaml", *(name for name, each in EXCHANGES.items() if each.is_read)],
        help="format of FILE (default: auto-detect)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only print what would happen")
    parser.add_argument(
        "--trust",
        action="store_true",
        help="keep `pinned`, `severity: critical` and `by: person` (always kept when a whole playbook is imported as "
        "a new one)",
    )
    add_format(parser)
    add_time(parser)
    parser.set_defaults(actor="import")


def run(args: argparse.Namespace) -> int:
    """Read and add; return 1 if something was left out or rejected, 2 if something could not be read or written."""
    from acdl_mkdocs.frontends.cli.playbook.importing import import_file

    return run_guarded(import_file, args)
