"""acdl playbook refine: make equal lessons one, and have a judge decide about those that are near each other."""

import argparse
from pathlib import Path

from acdl_mkdocs.cli import playbook_models
from acdl_mkdocs.cli.playbook_curating import add_curating_arguments
from acdl_mkdocs.cli.playbook_files import add_playbook, guarded
from acdl_mkdocs.cli.playbook_refining import Answers, print_refined, refine_file
from acdl_mkdocs.playbook.edits import PERSON

_ABOUT = (
    "Goes over all bullets. Without a judge, only those are made one that are the same text, which needs nobody. What "
    "is decided is kept, and nobody is asked again while both texts stay. A person decides with `acdl playbook review`."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the action takes."""
    parser.epilog = _ABOUT
    add_playbook(parser)
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="decide as it says: JSON with a, b, verdict and reason for each pair",
    )
    parser.add_argument(
        "--limit", type=playbook_models.at_least(1), metavar="N", help="ask about N pairs, the nearest (default: all)"
    )
    add_curating_arguments(parser)
    playbook_models.add_model_arguments(parser, is_required=False)


def run(args: argparse.Namespace) -> int:
    """Refine; 1 if a decision was refused, 2 if something could not be read or written, or the model gave no answer."""
    return guarded(_refine, args)


def _refine(args: argparse.Namespace) -> int:
    if args.answers is not None:
        judge = Answers(args.answers, args.actor)
        return print_refined(refine_file(args, judge, is_person=args.actor == PERSON), args)
    if args.model is None:
        return print_refined(refine_file(args, None, is_person=True), args)
    from acdl_mkdocs.learning.pair_judge import ModelJudge
    from acdl_mkdocs.models import ModelError

    model = ModelJudge(playbook_models.model_of(args), args.seed)
    return print_refined(refine_file(args, model, is_person=False, stops=(ModelError,)), args)
