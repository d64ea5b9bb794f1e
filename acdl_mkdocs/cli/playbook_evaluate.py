"""acdl playbook evaluate: ask a model the questions of a data set with a playbook, and compare with another one."""

import argparse
import sys
from pathlib import Path

from acdl_mkdocs.cli import playbook_models as shared
from acdl_mkdocs.cli.messages import clear_bar, complain
from acdl_mkdocs.cli.playbook_evaluating import STOPPED, evaluated, is_writable, written
from acdl_mkdocs.cli.playbook_files import guarded, playbook_at
from acdl_mkdocs.cli.writing import replace_file
from acdl_mkdocs.playbook.bullets import Playbook

NO_PLAYBOOK = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the action takes."""
    shared.add_dataset_arguments(parser)
    parser.add_argument("--playbook", type=Path, required=True, metavar="PLAYBOOK", help="the playbook to evaluate")
    before = parser.add_mutually_exclusive_group()
    before.add_argument("--against", metavar="PLAYBOOK", help="compare it with this one; `none` has no bullet")
    before.add_argument("--at", type=shared.at_least(0), metavar="REVISION", help="compare it with itself, earlier")
    parser.add_argument(
        "--top",
        type=shared.at_least(1),
        metavar="N",
        help="answer with the N lessons nearest to the question (default: with all)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the report there (.md, .json)")
    parser.add_argument(
        "--format", choices=("terminal", "markdown", "json"), help="default: as FILE is called, else terminal"
    )
    shared.add_agent_argument(parser)
    shared.add_model_arguments(parser, is_required=False)


def run(args: argparse.Namespace) -> int:
    """Evaluate; 1 if the model failed on some question, 2 if it could not run, 130 if interrupted."""
    try:
        return guarded(_evaluate, args)
    finally:
        clear_bar()


def _evaluate(args: argparse.Namespace) -> int:
    if args.model is None and args.agent is None:
        complain("nobody answers the questions; name a model, `--model NAME`, or your agent, `--agent COMMAND`")
        return 2
    agent, score = shared.agent_of(args), shared.scorer_of(args)
    model = None if agent is not None else shared.model_of(args)
    playbooks = _playbooks(args)
    samples = shared.samples_of(args)
    if samples is None:
        return 2
    if all(sample.answer is None for sample in samples):
        complain(f"{args.dataset}: no record has a known answer; name its field: `--answer FIELD`")
        return 2
    if args.output is not None and not is_writable(args.output):
        return 2
    report = evaluated(args, playbooks, samples, model, agent, score)
    if report is None:
        return STOPPED
    text = written(report, args)
    if args.output is None:
        sys.stdout.write(text)
    elif not replace_file(args.output, text.encode()):
        sys.stdout.write(text)  # it was paid for
        return 2
    return 1 if any(side.n_failed for side in (report.before, report.after) if side) else 0


def _playbooks(args: argparse.Namespace) -> list[Playbook]:
    """The playbook before, if there is one, and the one to evaluate."""
    after = playbook_at(args.playbook)
    if args.at is not None:
        return [playbook_at(args.playbook, args.at), after]
    if args.against == NO_PLAYBOOK:
        return [Playbook(NO_PLAYBOOK), after]
    return [after] if args.against is None else [playbook_at(Path(args.against)), after]
