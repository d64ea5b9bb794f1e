"""acdl playbook evaluate: ask a model the questions of a data set with a playbook, and compare with another one."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.cli import playbook_models as shared
from acdl_mkdocs.cli.messages import clear_bar, complain
from acdl_mkdocs.cli.playbook_evaluating import drop_replies, evaluated, is_writable, kept_replies, written
from acdl_mkdocs.cli.playbook_files import guarded, playbook_at
from acdl_mkdocs.cli.writing import replace_file
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.playbook.learn.agents import WithAgent
from acdl_mkdocs.playbook.learn.baselines import BASELINES, N_EXAMPLES, NEED_TRAINING, Setup
from acdl_mkdocs.playbook.learn.report import Report
from acdl_mkdocs.playbook.learn.scorers import Judge
from acdl_mkdocs.playbook.model.bullets import Playbook

if TYPE_CHECKING:
    from acdl_mkdocs.playbook.learn.baselines import Baseline
    from acdl_mkdocs.playbook.learn.datasets import Sample

NO_PLAYBOOK = "none"
FAILING = ("regression", "failure")
"""What a gate may be about."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the action takes."""
    shared.add_dataset_arguments(parser)
    parser.add_argument("--playbook", type=Path, required=True, metavar="PLAYBOOK", help="the playbook to evaluate")
    _add_comparisons(parser)
    parser.add_argument(
        "--run", dest="folder", type=Path, metavar="DIR",
        help="where replies are kept until the report is written, so that the same command goes on where it was "
        "stopped (default: a folder beside the playbook)",
    )  # fmt: skip
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
    gate = parser.add_argument_group("gate")
    gate.add_argument(
        "--fail-below", type=_part, metavar="ACCURACY", help="fail if the accuracy is below this: `0.8` or `80%%`"
    )
    gate.add_argument(
        "--fail-on", action="append", choices=FAILING, default=[],
        help="fail if it does worse than what it is compared with, or if the model failed on some question",
    )  # fmt: skip
    shared.add_agent_argument(parser)
    shared.add_model_arguments(parser, is_required=False)


def _add_comparisons(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against", metavar="PLAYBOOK", action="append", default=[],
        help="compare it with this one, or with the model alone: `none` has no bullet, `examples` has questions and "
        "answers of --train, `cheatsheet` rewrites notes after each question, `rewrite` after each of --train; may be "
        "given several times",
    )  # fmt: skip
    parser.add_argument(
        "--at", type=shared.at_least(0), metavar="REVISION", action="append", default=[],
        help="compare it with itself, earlier; may be given several times",
    )  # fmt: skip
    parser.add_argument("--train", type=Path, metavar="FILE", help="training set for `examples` and `rewrite`")
    parser.add_argument(
        "--examples",
        type=shared.at_least(1),
        metavar="N",
        help="how many for `examples`, chosen by the seed (default: 10)",
    )


def run(args: argparse.Namespace) -> int:
    """Evaluate; 1 if a gate fails, or without one if the model failed on some question, 2 if it could not run.

    130 if interrupted.
    """
    try:
        return guarded(_evaluate, args)
    finally:
        clear_bar()


def _evaluate(args: argparse.Namespace) -> int:
    if args.model is None and args.agent is None:
        complain("nobody answers the questions; name a model, `--model NAME`, or your agent, `--agent COMMAND`")
        return 2
    baseline = next((each for each in args.against if each in BASELINES), None)
    if args.agent is not None and baseline is not None:
        complain(f"--against {baseline} is about a model; an agent is compared with `none`, a playbook or `--at`")
        return 2
    if "regression" in args.fail_on and not args.against and not args.at:
        complain("--fail-on regression needs something to compare with: add `--against PLAYBOOK` or `--at REVISION`")
        return 2
    agent = shared.agent_of(args)
    model = shared.model_of(args) if agent is None else WithAgent(None, agent)
    judge = Judge(shared.scorer_of(args), shared.feedback_of(args))
    sides = _sides(args)
    samples = shared.samples_of(args)
    training = () if args.train is None else shared.more_samples(args.train, args)
    if samples is None or training is None or not _has_training(args, training):
        return 2
    if judge.feedback is None and all(sample.answer is None for sample in samples):
        complain(f"{args.dataset}: no record has a known answer; name its field: `--answer FIELD`")
        return 2
    if args.output is not None and not is_writable(args.output):
        return 2
    n_examples = args.examples or N_EXAMPLES
    setup = Setup(model=model, judge=judge, training=training, n_examples=n_examples, seed=args.seed)
    with kept_replies(args, sides, samples, setup) as folder:
        report = evaluated(args, sides, samples, setup, folder)
        text = written(report, args)
        if args.output is None:
            sys.stdout.write(text)
        elif not replace_file(args.output, text.encode()):
            sys.stdout.write(text)  # it was paid for
            return 2
        drop_replies(folder)
    return _status(report, args)


def _status(report: Report, args: argparse.Namespace) -> int:
    """0 if every gate is passed; without a gate, if the model failed on no question."""
    n_failed = sum(side.n_failed for side in report.sides)
    has_gate = args.fail_below is not None or bool(args.fail_on)
    failing = []
    if args.fail_below is not None and report.after.accuracy < args.fail_below:
        failing.append(f"the accuracy is {report.after.accuracy:.2%}, and at least {args.fail_below:.2%} is wanted")
    for each in report.comparisons if "regression" in args.fail_on else ():
        if each.is_regression:
            said = f"the accuracy fell from {each.before.accuracy:.2%} to {each.after.accuracy:.2%}"
            before = f"{each.before.playbook}, revision {each.before.revision}"
            failing.append(f"{said}, compared with {before}; {each.chance}")
    if "failure" in args.fail_on and n_failed:
        failing.append(f"the model failed on {counted(n_failed, 'question')}")
    for reason in failing:
        complain(f"gate: {reason}")
    return int(bool(failing) or (not has_gate and n_failed > 0))


def _part(text: str) -> float:
    """A part of a whole, as `0.8` or `80%`."""
    number, sign, rest = text.partition("%")
    try:
        value = float(number) / (100 if sign else 1)
    except ValueError:
        value = -1.0
    if rest or not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a part from 0 to 1, or from 0% to 100%")
    return value


def _has_training(args: argparse.Namespace, training: "Sequence[Sample]") -> bool:
    """Whether a baseline that needs a training set has one; if not, that is said."""
    baseline = next((each for each in args.against if each in NEED_TRAINING), None)
    if baseline is None:
        for name in ("train", "examples"):
            if getattr(args, name) is not None:
                complain(f"--{name} is for `--against examples`, and a training set also for `--against rewrite`")
                return False
        return True
    if any(sample.answer is not None for sample in training):
        return True
    why = "needs questions with answers: add `--train FILE`" if args.train is None else "finds no answer in --train"
    complain(f"--against {baseline} {why}")
    return False


def _sides(args: argparse.Namespace) -> "list[Playbook | Baseline]":
    """What it is compared with, and then the playbook to evaluate."""
    after = playbook_at(args.playbook)
    return [
        *(_side(each) for each in dict.fromkeys(args.against)),
        *(playbook_at(args.playbook, each) for each in dict.fromkeys(args.at)),
        after,
    ]


def _side(against: str) -> "Playbook | Baseline":
    baseline = next((each for each in BASELINES if each == against), None)
    if baseline is not None:
        return baseline
    return Playbook(NO_PLAYBOOK) if against == NO_PLAYBOOK else playbook_at(Path(against))
