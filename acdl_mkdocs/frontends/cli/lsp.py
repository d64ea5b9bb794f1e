"""acdl lsp: run the language server, which editors start and use over standard input and output."""

import argparse
import sys

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation.errors import MissingExtraError
from acdl_mkdocs.foundation.extras import import_extra
from acdl_mkdocs.frontends.cli.messages import print_error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="use standard input and output (always on; accepted because editors pass it)",
    )
    parser.add_argument("--version", action="store_true", help="print the version if the server can run here")


def run(args: argparse.Namespace) -> int:
    """Serve until the editor ends; return 2 if it cannot start."""
    if not args.version and (sys.stdin is None or sys.stdin.isatty()):
        print_error("`acdl lsp` is started by an editor: see the page of yours under Editors")
        return 2
    try:
        import_extra("pygls", "lsp")
    except MissingExtraError as reason:
        print_error(str(reason))
        return 2
    if args.version:
        print(f"acdl {__version__}")
        return 0
    from acdl_mkdocs.frontends.lsp.serve import serve_editor

    return serve_editor()
