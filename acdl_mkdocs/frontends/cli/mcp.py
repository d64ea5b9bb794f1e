"""acdl mcp: serve the tools of this package to coding agents, over standard input and output."""

import argparse
import logging
import math
import sys
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.messages import print_error

_DEFAULT_LIMIT_S = 30.0
_ABOUT = (
    "Agents start this command themselves; see https://modelcontextprotocol.io for how to set them up. Without "
    "--root, it reads in the folders that the agent works in, or in the working folder. Log messages go to standard "
    "error."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument(
        "--root", action="append", default=[], metavar="DIR", help="folder that may be read; can be repeated"
    )
    parser.add_argument(
        "--allow-writes", action="store_true", help="let tools write files in these folders if an agent asks"
    )
    parser.add_argument(
        "--timeout",
        type=_parse_seconds,
        default=_DEFAULT_LIMIT_S,
        metavar="SECONDS",
        help="maximum time for one call (default: 30)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until the client goes away; return 2 if it cannot start."""
    missing = [each for each in args.root if not Path(each).is_dir()]
    if missing:
        print_error(f"{missing[0]}: is not a folder; name one with --root")
        return 2
    if sys.stdin is None:
        print_error("standard input is closed; `acdl mcp` is started by a coding agent")
        return 2
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING, format="acdl mcp: %(message)s")
    try:
        from acdl_mkdocs.frontends.mcp.folders import Folders
        from acdl_mkdocs.frontends.mcp.server import serve_client

        folder = Path.cwd()
        own = () if folder == folder.parent else (folder,)  # a start in `/` does not mean the whole disk
        roots = tuple(map(Path, args.root)) or own
        if sys.stdin.isatty():
            print_error("serving an agent on standard input and output, and this is a terminal; Ctrl-C ends it")
        serve_client(Folders(roots, args.allow_writes), args.timeout, takes_client_roots=not args.root)
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    return 0


def _parse_seconds(text: str) -> float:
    number = float(text) if text.replace(".", "", 1).isdecimal() else math.nan
    if not 0 < number <= 3600:
        raise argparse.ArgumentTypeError(f"expected seconds from 1 to 3600, not `{text}`")
    return number
