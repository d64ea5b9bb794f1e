"""acdl state: write a first state for a spec, or check states."""

import argparse
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.reports import CheckedFile
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli import state_from_pml
from acdl_mkdocs.frontends.cli.findings import (
    FORMATS,
    print_document,
    print_findings,
    print_on_terminal,
    print_summary,
    print_unread,
)
from acdl_mkdocs.frontends.cli.messages import map_with_progress, print_error
from acdl_mkdocs.frontends.cli.writing import print_sentence

_SCHEMA = "state.schema.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="write a state with everything that a spec reads, for you to fill in")
    new.add_argument(
        "path", metavar="SPEC", help=".acdl file or page; `page.md#Name` is one spec; `-` is standard input"
    )
    new.add_argument("--spec", metavar="NAME", help="spec to use (default: the first in the file)")
    new.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")
    schema = f"address of the schema for editors (default: {_SCHEMA}, which -o writes beside FILE)"
    new.add_argument("--schema", metavar="ADDRESS", help=schema)
    new.set_defaults(act=_write_new)
    state_from_pml.add_arguments(actions.add_parser("from-pml", help=state_from_pml.SUMMARY))
    check = actions.add_parser("check", help="report problems in states, and values that their specs do not read")
    check.add_argument("paths", nargs="+", metavar="FILE", help="states, YAML or JSON; `-` is standard input")
    check.add_argument(
        "--spec-file",
        metavar="PATH",
        help="file of the specs (default: the file beside the state that defines its spec)",
    )
    check.add_argument("--format", choices=FORMATS, default="terminal", help="output format")
    check.add_argument("--strict", action="store_true", help="fail on warnings too")
    check.set_defaults(act=_check_states, fix=False)


def run(args: argparse.Namespace) -> int:
    """Run the action; return 1 if a state has errors, 2 if something could not be read or written."""
    return int(args.act(args))


def _write_new(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.spec_and_state import UnusableStateError, first_state, parse_spec_name, write_state

    path, name = parse_spec_name(args)
    try:
        result = first_state(path, name, args.schema or _SCHEMA)
        if result.errors:
            print_on_terminal(result.errors, args)
            print_error("nothing was made: solve the errors of the spec first")
            return 1
        if args.output in (None, "-"):
            print(result.text, end="")
        else:
            print_sentence(write_state(Path(args.output), result.text, schema=None if args.schema else _SCHEMA))
    except (UnusableStateError, AcdlError) as reason:
        print_error(str(reason))
        return 2
    return 0


def _check_states(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.spec_and_state import UnusableStateError, check_state

    checked: list[CheckedFile] = []
    unread: list[str] = []

    def work(path: str) -> CheckedFile | UnusableStateError:
        try:
            return check_state(path, args.spec_file)
        except UnusableStateError as reason:
            return reason

    for done in map_with_progress(tuple(dict.fromkeys(args.paths)), work):
        if isinstance(done, UnusableStateError):
            unread.append(str(done))
            print_error(str(done))
            continue
        checked.append(done)
        print_findings(done.findings, args)
    print_unread(unread, args)
    print_document(tuple(checked), tuple(unread), args)
    if not checked:
        return 2
    summary = print_summary(checked, format_count(len(checked), "state"), has_all=True, args=args)
    return 2 if unread else int(not summary.is_fine(is_strict=args.strict))
