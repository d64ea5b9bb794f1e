"""acdl inspect: show what recorded requests sent at each step, what was new, and where the prompt cache was lost."""

import argparse

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.messages import FROM_HELP, RECORDINGS_HELP, print_error
from acdl_mkdocs.frontends.cli.output_format import add_format
from acdl_mkdocs.runs.inspect import INSPECTIONS
from acdl_mkdocs.runs.inspect.options import Price

_ABOUT = (
    "No spec is needed. Each request is compared with the one before it in its run: a prompt cache can reuse their "
    "common prefix. Model tokens are counted offline. Exit status: 0 on success, 2 if it could not run or there is "
    "no request."
)

_ENDINGS = {"terminal": (".txt",), "json": (".json",), "html": (".html", ".htm")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument("recordings", nargs="+", metavar="RECORDING", help=RECORDINGS_HELP)
    add_format(parser, tuple(INSPECTIONS), _ENDINGS, "terminal")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help=FROM_HELP)
    only = "use only some requests: `model=GLOB`, `episode=GLOB` or `system=WORDS`; can be repeated (default: all)"
    parser.add_argument("--only", action="append", default=[], metavar="KEY=WHAT", help=only)
    parser.add_argument("--manifest", metavar="FILE", help="JSON with the point and run of each request")
    parser.add_argument("--at", metavar="POINT", help="point of the first request of each run (default: derived)")
    parser.add_argument("--tokens", metavar="ENCODING", help="encoding for counting model tokens (default: o200k_base)")
    price = "price of a million input tokens, and of a million cached ones: `2.50,0.25`"
    parser.add_argument("--price", type=_parse_price, metavar="INPUT,CACHED", help=price)
    parser.add_argument("--no-excerpts", action="store_true", help="show no contents of messages")


def run(args: argparse.Namespace) -> int:
    """Show the result; 0, or 2 if nothing could be inspected."""
    from acdl_mkdocs.frontends.cli.inspecting import inspected, write_inspection

    if args.recordings.count("-") > 1:
        print_error("standard input can be named only once")
        return 2
    try:
        return 0 if write_inspection(inspected(args), args) else 2
    except AcdlError as reason:
        print_error(str(reason))
        return 2


def _parse_price(text: str) -> Price:
    price = Price.parse_price(text)
    if price is None:
        raise argparse.ArgumentTypeError(
            f"expected two numbers such as `2.50,0.25`, the larger one first, not `{text}`"
        )
    return price
