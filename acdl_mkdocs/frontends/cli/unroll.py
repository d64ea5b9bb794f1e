"""acdl unroll: show or export the messages of a spec at a point in time, with a state."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.drawing import write_figure
from acdl_mkdocs.frontends.cli.messages import RANGE_HELP, print_error
from acdl_mkdocs.frontends.cli.output_format import add_format

if TYPE_CHECKING:
    from acdl_mkdocs.app.unroll import Unrolled

_ABOUT = (
    "The state is a file as written by `acdl state new`; without --state, it is the file NAME.state.yaml beside "
    "NAME.acdl. Without any state, names represent unknown values; a request is then only written with `--missing "
    "placeholder`."
)

_ENDINGS = {
    **dict.fromkeys(("json", *EXPORTS), (".json",)),
    "transcript": (".txt",),
    "growth": (".txt",),
    "html": (".html", ".htm"),
    "pml": (".pml", ".xml"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument(
        "path", metavar="PATH", help=".acdl file or page; `page.md#Name` is one spec; `-` is standard input"
    )
    parser.add_argument("--state", metavar="FILE", help="state to fill the spec with, YAML or JSON")
    parser.add_argument("--at", metavar="POINTS", help="`3`, `3.2`, `1..3`, `2.*`, `*.*` (default: from the state)")
    parser.add_argument(
        "--spec", metavar="NAME", help="spec to use (default: the one named in the state, or the first)"
    )
    add_format(parser, tuple(TRANSCRIPTS), _ENDINGS, "transcript")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("overrides the text and the state")
    )
    parser.add_argument(
        "--missing",
        choices=("error", "placeholder", "empty"),
        help="what to do about values that the state lacks (default: error in requests, otherwise placeholder)",
    )
    parser.add_argument("--empty", choices=("drop", "keep"), help="what to do about messages without content")
    parser.add_argument("--joiner", metavar="TEXT", help=r"text between the pieces of a message (default: a newline)")
    parser.add_argument("--model", metavar="NAME", help="model to name in the request")
    parser.add_argument("--curl", action="store_true", help="print a command that sends the request")
    parser.add_argument(
        "--tokens", metavar="ENCODING", help="encoding for counting model tokens; `none` counts nothing"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Show everything; return 1 if the spec or the state has errors, 2 if something could not be done."""
    from acdl_mkdocs.frontends.cli.unrolling import explain_wrong_combination, print_problems, refusal_of, unroll_spec

    if wrong := explain_wrong_combination(args):
        print_error(wrong)
        return 2
    try:
        unrolled = unroll_spec(args)
        print_problems(unrolled.reported, args)
        if why := refusal_of(unrolled):
            print_error(f"nothing is sent: {why}")
            return 1
        return _show_points(unrolled, args)
    except AcdlError as reason:
        print_error(str(reason))
        return 2


def _show_points(unrolled: "Unrolled", args: argparse.Namespace) -> int:
    from acdl_mkdocs.app.unroll import write_unrolled
    from acdl_mkdocs.frontends.cli.unrolling import print_problems

    if not unrolled.transcripts:
        return 1
    output = write_unrolled(unrolled)
    print_problems(output.findings, args)
    for sentence in output.remarks:
        print_error(sentence)
    if not write_figure(output.text, Path(args.output) if args.output not in (None, "-") else None):
        return 2
    return int(unrolled.has_errors)
