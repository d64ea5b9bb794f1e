"""acdl playbook curate: apply deltas to a playbook, and refine it if its policy requires that."""

import argparse
from pathlib import Path

from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.curating import NamedDelta, add_curating_arguments, apply_deltas
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, run_guarded, standard_input
from acdl_mkdocs.frontends.cli.playbook.refining import add_judge_arguments, judge_of, refine_if_due
from acdl_mkdocs.playbook.model.delta import MAX_CHARACTERS, read_delta

_ABOUT = (
    "Deltas need no model. If the policy (`refine`) requires it, the playbook is refined after a delta: bullets with "
    "the same text become one; similar pairs are decided by --answers or --model, or wait for a person (`acdl "
    "playbook review`)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument(
        "deltas", metavar="DELTA", nargs="+", help="JSON or YAML files, one revision each; `-` is standard input"
    )
    parser.add_argument("--lenient", action="store_true", help="find the delta in a model's answer")
    add_curating_arguments(parser)
    add_judge_arguments(parser)
    parser.epilog = _ABOUT


def run(args: argparse.Namespace) -> int:
    """Apply the deltas; return 1 if something was rejected or not judged, 2 if a file could not be read or written."""
    return run_guarded(_curate_deltas, args)


def _curate_deltas(args: argparse.Namespace) -> int:
    deltas: list[NamedDelta] = []
    for name in args.deltas:
        try:
            text = _read_delta(name)
        except (OSError, UnicodeDecodeError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "is not UTF-8"
            print_error(f"{name}: {(reason or str(problem)).lower()}")
            return 2
        deltas.append(NamedDelta(name, read_delta(text, is_lenient=args.lenient)))
    chosen = judge_of(args)
    return apply_deltas(deltas, args, lambda before, after: refine_if_due(before, after, chosen, args))


def _read_delta(name: str) -> str:
    """Return the text of a delta; if it is far too long, only enough to show that."""
    limit = 4 * MAX_CHARACTERS + 8
    if name == "-":
        return standard_input().read(limit).decode("utf-8")
    with Path(name).open("rb") as file:
        return file.read(limit).decode("utf-8", "replace" if file.read(1) else "strict")
