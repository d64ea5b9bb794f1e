"""acdl infer: infer a spec from recorded requests, and verify it."""

import argparse

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.messages import FROM_HELP, RECORDINGS_HELP, StoppedError, print_error

_ABOUT = (
    "Each agent in the recordings becomes a prompt; a comment above it says which requests it describes, so that "
    "`acdl check-run SPEC RECORDING` checks each request against its prompt. With -o, the state of the longest run is "
    "written beside the spec. With --into, an existing spec is refined: names, comments and lines that no request "
    "refutes are kept, and the changes are printed as by `acdl diff`. Exit status: 0 if the spec sends every request "
    "(with --into, if it agrees with every request), 1 if it does not, or if --check is given and it would change, 2 "
    "if inference could not run or there is no request."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument("recordings", nargs="+", metavar="RECORDING", help=RECORDINGS_HELP)
    parser.add_argument("-o", "--output", metavar="FILE", help="spec file to write (default: standard output)")
    into = "refine this spec: change only what the requests refute; written in place, or to -o"
    parser.add_argument("--into", metavar="SPEC", help=into)
    parser.add_argument("--check", action="store_true", help="with --into: write nothing; print what would change")
    parser.add_argument("--state", metavar="FILE", help="state file to write (default: FILE.state.yaml beside -o)")
    parser.add_argument("--all-states", action="store_true", help="also write the states of the other runs")
    texts = "write long constant texts to files in FOLDER, and refer to them in the states"
    parser.add_argument("--texts", metavar="FOLDER", help=texts)
    parser.add_argument("--name", metavar="NAME", help="name of the spec, if there is only one agent (default: Agent)")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help=FROM_HELP)
    only = "use only some requests: `model=GLOB`, `episode=GLOB` or `system=WORDS`; can be repeated (default: all)"
    parser.add_argument("--only", action="append", default=[], metavar="KEY=WHAT", help=only)
    parser.add_argument("--manifest", metavar="FILE", help="JSON with the point and run of each request")
    parser.add_argument("--at", metavar="POINT", help="point of the first request of each run (default: derived)")
    mutants = "number of deliberate errors in the spec that requests should refute; 0 for none (default: %(default)s)"
    parser.add_argument("--mutants", type=_parse_number, default=50, metavar="N", help=mutants)
    parser.add_argument(
        "--report", metavar="FILE", help="write the verification and open choices as JSON; `-` prints it"
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


def run(args: argparse.Namespace) -> int:
    """Write the spec; return 0 if it sends every request, 1 if it does not, 2 if nothing could be inferred."""
    from acdl_mkdocs.frontends.cli.inferring import explain_wrong_combination, infer_recordings, write_inferred
    from acdl_mkdocs.frontends.cli.refining import write_refined

    if wrong := explain_wrong_combination(args):
        print_error(wrong)
        return 2
    try:
        inferred = infer_recordings(args)
        if inferred.refinement is None:
            write_inferred(inferred, args)
        else:
            write_refined(inferred, inferred.refinement, args)
    except (AcdlError, StoppedError) as reason:
        print_error(str(reason))
        return 2
    would_change = args.check and inferred.refinement is not None and inferred.refinement.is_changed
    return 0 if inferred.is_proven and not would_change else 1


def _parse_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number from 0, not `{text}`")
    return int(text)
