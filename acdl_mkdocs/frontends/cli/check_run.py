"""acdl check-run: check recorded requests against a spec, line by line."""

import argparse
from functools import partial

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.messages import FROM_HELP, RANGE_HELP, RECORDINGS_HELP, StoppedError, print_error
from acdl_mkdocs.frontends.cli.output_format import add_format
from acdl_mkdocs.runs.report import RUN_REPORTS

_ABOUT = (
    "A line is confirmed, refuted, unexercised (no request reaches it) or uncontrollable (nothing decides it; a "
    "state would). The sample state beside a spec is not used unless --state names it, because its conversation is "
    "not the recorded one. Exit status: 0 if no request disagrees, 1 if one does or a required minimum is not "
    "reached, 2 if the check could not run or there is no request."
)
FAILING = ("uncontrollable", "unexercised", "unread", "cut")
DEFAULT_MUTANTS = 50

_ENDINGS = {
    "terminal": (".txt",),
    "json": (".json",),
    "junit": (".xml",),
    "markdown": (".md",),
    "badge": (".json",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument(
        "path", metavar="SPEC", help=".acdl file or page; `page.md#Name` is one spec; `-` is standard input"
    )
    parser.add_argument("traces", nargs="+", metavar="TRACE", help=RECORDINGS_HELP)
    add_format(parser, tuple(RUN_REPORTS), _ENDINGS, "terminal")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")
    parser.add_argument(
        "--spec", metavar="NAME", help="spec to use (default: the one named in the state, or the first)"
    )
    parser.add_argument("--state", metavar="FILE", help="known values, so that contents are checked too")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help=FROM_HELP)
    only = "use only some requests: `model=GLOB`, `episode=GLOB` or `system=WORDS`; can be repeated (default: all)"
    parser.add_argument("--only", action="append", default=[], metavar="KEY=WHAT", help=only)
    parser.add_argument("--manifest", metavar="FILE", help="JSON with the point and run of each request")
    parser.add_argument("--at", metavar="POINT", help="point of the first request of each run (default: derived)")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("overrides the text and the state")
    )
    mutants = "number of deliberate errors in the spec that requests should refute; 0 for none (default: %(default)s)"
    parser.add_argument("--mutants", type=_parse_number, default=DEFAULT_MUTANTS, metavar="N", help=mutants)
    parser.add_argument("--fail-on", action="append", choices=FAILING, default=[], help="additional reasons to fail")
    parser.add_argument("--strict", action="store_true", help="fail on uncontrollable, unexercised or unread")
    percent = partial(_parse_number, most=100)
    parser.add_argument(
        "--min-coverage", type=percent, metavar="PERCENT", help="share of lines that requests must confirm"
    )
    parser.add_argument(
        "--min-score", type=percent, metavar="PERCENT", help="share of deliberate errors that requests must refute"
    )
    parser.add_argument("--no-excerpts", action="store_true", help="show no contents of messages")
    parser.add_argument("--emit-state", metavar="FILE", help="write a sample state made from the run; `-` prints it")
    parser.add_argument("--force", action="store_true", help="overwrite an existing state")


def run(args: argparse.Namespace) -> int:
    """Show the result; return 0 if no request disagrees, 1 if one does, 2 if nothing could be checked."""
    from acdl_mkdocs.frontends.cli.run_checking import (
        check_recordings,
        emit_run_state,
        explain_wrong_combination,
        status_of,
        write_run_report,
    )

    if wrong := explain_wrong_combination(args):
        print_error(wrong)
        return 2
    try:
        checked = check_recordings(args)
        if not checked.found:
            return 2
        is_shown = write_run_report(checked.found, args)
        emit_run_state(checked, args)
    except (AcdlError, StoppedError) as reason:
        print_error(str(reason))
        return 2
    return status_of(checked.found, args) if is_shown else 2


def _parse_number(text: str, most: int | None = None) -> int:
    if not text.isdecimal() or (most is not None and int(text) > most):
        raise argparse.ArgumentTypeError(f"expected a number from 0{f' to {most}' if most else ''}, not `{text}`")
    return int(text)
