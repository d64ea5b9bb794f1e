"""acdl playbook refine: merge equal lessons, and let a judge decide about similar ones."""

import argparse

from acdl_mkdocs.frontends.cli.playbook import models
from acdl_mkdocs.frontends.cli.playbook.curating import add_curating_arguments
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, run_guarded
from acdl_mkdocs.frontends.cli.playbook.refining import add_judge_arguments, judge_of, print_refined, refine_file

_ABOUT = (
    "Covers all bullets. Without a judge, only bullets with the same text are merged. Decisions are kept, and a pair "
    "is not asked about again as long as both texts stay the same. A person decides with `acdl playbook review`."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.epilog = _ABOUT
    add_playbook(parser)
    parser.add_argument(
        "--limit", type=models.parse_at_least(1), metavar="N", help="ask about the N most similar pairs (default: all)"
    )
    add_curating_arguments(parser)
    add_judge_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Refine; return 1 if a decision was refused, 2 if a file could not be read or written, or the model failed."""
    return run_guarded(_refine_playbook, args)


def _refine_playbook(args: argparse.Namespace) -> int:
    return print_refined(refine_file(args, judge_of(args)), args)
