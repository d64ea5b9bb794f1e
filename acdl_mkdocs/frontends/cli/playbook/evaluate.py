"""acdl playbook evaluate: ask a model the questions of a data set with a playbook, and compare it with another one."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import clear_bar, print_error, show_bar
from acdl_mkdocs.frontends.cli.playbook import models as shared
from acdl_mkdocs.frontends.cli.playbook.files import playbook_at, run_guarded
from acdl_mkdocs.frontends.cli.playbook.models import price_of
from acdl_mkdocs.frontends.cli.writing import replace_file
from acdl_mkdocs.playbook.learn.agents import WithAgent
from acdl_mkdocs.playbook.learn.baselines import BASELINES, N_EXAMPLES, NEED_TRAINING, BaselineSetup
from acdl_mkdocs.playbook.learn.report import Report
from acdl_mkdocs.playbook.learn.scorers import Judge
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.prompt_text import prompt_text

if TYPE_CHECKING:
    from acdl_mkdocs.playbook.learn.baselines import Baseline
    from acdl_mkdocs.playbook.learn.datasets import Sample
    from acdl_mkdocs.playbook.learn.evaluate import Evaluated, Outcome

MAX_AWAY = 5
"""Number of consecutive questions without an answer from the server after which the evaluation stops."""
_FORMATS = {".md": "markdown", ".markdown": "markdown", ".json": "json"}
_GOES_ON = "the same command resumes where it was, and pays for no reply twice"


@contextmanager
def keep_replies(
    args: argparse.Namespace,
    sides: "Sequence[Playbook | Baseline]",
    samples: "Sequence[Sample]",
    setup: "BaselineSetup",
) -> "Iterator[Path]":
    """Yield a folder that caches replies until the report is written, so that a repeated evaluation reuses them.

    Raises:
        RunError: Another process does this evaluation, or the folder cannot be used or has links in it.
    """
    from acdl_mkdocs.playbook.learn.run_file import FOR_ITS_OWNER, choose_folder

    facts = [
        [[each.id, each.question, each.context] for each in (*samples, *setup.training)],
        [each if isinstance(each, str) else [each.name, each.revision, prompt_text(each)] for each in sides],
        [getattr(setup.model, "description", setup.model.name), args.top, args.seed, setup.n_examples],
    ]
    name = f"{args.playbook.stem}.evaluation-{sha256(repr(facts).encode('utf-8', 'replace')).hexdigest()[:8]}"
    folder = choose_folder(args.folder, args.playbook.with_name(name))
    try:
        folder.mkdir(FOR_ITS_OWNER, parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", timeout=0)
        lock.acquire()
    except Timeout:
        raise RunError(
            f"{folder}: another process does this evaluation; wait for it, or give another `--run`"
        ) from None
    except OSError as fault:
        why = (fault.strerror or str(fault)).lower()
        raise RunError(f"{folder}: replies cannot be kept there: {why}; name another folder: `--run DIR`") from None
    try:
        yield folder
    finally:
        lock.release()
        if not _replies_in(folder):
            with suppress(OSError):
                (folder / ".lock").unlink(missing_ok=True)
                for path in (*folder.glob("side-*"), folder):
                    path.rmdir()


def drop_replies(folder: Path) -> None:
    """Delete the cached replies, and nothing else."""
    for path in _replies_in(folder):
        path.unlink()


def _replies_in(folder: Path) -> list[Path]:
    return [*folder.glob("side-*/*.jsonl")]


def evaluate_sides(
    args: argparse.Namespace,
    sides: "Sequence[Playbook | Baseline]",
    samples: "Sequence[Sample]",
    setup: "BaselineSetup",
    folder: Path,
) -> "Report":
    """Evaluate one playbook, or several sides, and return the report, whose subject is the last one.

    Parameters:
        args: The arguments of the command.
        sides: One or more.
        samples: The questions.
        setup: The model, and the scorer of answers.
        folder: Where replies are cached.

    Raises:
        AcdlError: Every question would fail in the same way, the server is away, or the scorer failed.
    """
    from acdl_mkdocs.playbook.learn.report import EvaluationConditions, Report

    done: list[list[Outcome]] = [[] for _ in sides]
    evaluations: list[Evaluated] = []
    try:
        for n, (side, outcomes) in enumerate(zip(sides, done, strict=True), 1):
            replies = folder / f"side-{n}"
            replies.mkdir(exist_ok=True)
            evaluations.append(_evaluate_side(side, args, samples, replace(setup, replies=replies), _note_to(outcomes)))
    except KeyboardInterrupt:
        clear_bar()
        _report_stopped(sides, done)
        raise
    clear_bar()
    notes = tuple(getattr(setup.model, "notes", ()))
    if args.top is not None:
        notes += (f"prompts have the {format_count(args.top, 'lesson')} nearest to the question",)
    conditions = EvaluationConditions(
        args.dataset.name, args.scorer, setup.model.name, args.seed, price_of(args), notes
    )
    return Report(conditions, evaluations[-1], tuple(evaluations[:-1]))


def _note_to(outcomes: "list[Outcome]") -> "Callable[[Outcome], None]":
    """Return a function that keeps outcomes, and stops when the server does not answer any more."""

    def note(outcome: "Outcome") -> None:
        outcomes.append(outcome)
        if len(outcomes) >= MAX_AWAY and all(each.is_away for each in outcomes[-MAX_AWAY:]):
            why = f"the server gave no answer to {MAX_AWAY} questions in a row ({outcome.failure})"
            raise RunError(f"{why}; {_GOES_ON}")

    return note


def _evaluate_side(
    side: "Playbook | Baseline",
    args: argparse.Namespace,
    samples: "Sequence[Sample]",
    setup: "BaselineSetup",
    note: "Callable[[Outcome], None]",
) -> "Evaluated":
    """Evaluate one side."""
    from acdl_mkdocs.playbook.learn.baselines import evaluate_baseline
    from acdl_mkdocs.playbook.learn.evaluate import CachedAnswers, GeneratedAnswer, evaluate, reply_file
    from acdl_mkdocs.playbook.learn.loop_playbook import find_background

    if isinstance(side, str):
        return evaluate_baseline(side, samples, setup, workers=args.workers, report_progress=show_bar, note=note)
    answer = GeneratedAnswer(setup.model, args.seed, args.top, find_background(samples, args.top))
    folder = setup.replies or Path()
    return evaluate(
        side,
        samples,
        CachedAnswers(answer, {each.id: reply_file(folder, each.id) for each in samples}),
        setup.judge.scorer,
        feedback=setup.judge.feedback,
        workers=args.workers,
        report_progress=show_bar,
        note=note,
    )


def _report_stopped(sides: "Sequence[Playbook | Baseline]", done: "Sequence[Sequence[Outcome]]") -> None:
    """Print the results up to an interruption."""
    print_error(f"stopped; no report is written; {_GOES_ON}")
    for side, outcomes in zip(sides, done, strict=True):
        if outcomes:
            n_right = sum(each.score.is_right for each in outcomes)
            tally = f"{n_right} of {format_count(len(outcomes), 'question')} right"
            name = side if isinstance(side, str) else f"{side.name}, revision {side.revision}"
            print_error(f"{name}: {tally} so far")


def is_writable(path: Path) -> bool:
    """Return whether a report file can be written, as far as this is known in advance; if not, print why."""
    folder = next(each for each in path.absolute().parents if each.exists())
    if path.is_dir():
        why = "it is a folder"
    elif not folder.is_dir():
        why = f"{folder} is not a folder"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        why = "there is no permission"
    else:
        return True
    print_error(f"{path}: cannot be written: {why}; name another file: `-o report.md`")
    return False


def format_report(report: "Report", args: argparse.Namespace) -> str:
    """Return the report in the requested format, or in that of the file's name."""
    from acdl_mkdocs.playbook.learn.report import report_data, report_markdown, report_terminal

    output_format = args.format or _FORMATS.get(args.output.suffix.lower() if args.output else "", "terminal")
    if output_format == "json":
        return json_text(report_data(report), 2) + "\n"
    return report_markdown(report) if output_format == "markdown" else report_terminal(report)


NO_PLAYBOOK = "none"
FAILING = ("regression", "failure")
"""The kinds of gates."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    shared.add_dataset_arguments(parser)
    parser.add_argument("--playbook", type=Path, required=True, metavar="PLAYBOOK", help="the playbook to evaluate")
    _add_comparisons(parser)
    parser.add_argument(
        "--run", dest="folder", type=Path, metavar="DIR",
        help="folder for replies until the report is written, so that the same command can resume (default: a folder "
        "beside the playbook)",
    )  # fmt: skip
    parser.add_argument(
        "--top",
        type=shared.parse_at_least(1),
        metavar="N",
        help="answer with the N lessons most relevant to the question (default: all lessons)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="file for the report (.md, .json)")
    parser.add_argument(
        "--format",
        choices=("terminal", "markdown", "json"),
        help="output format (default: from the suffix of FILE, or terminal)",
    )
    gate = parser.add_argument_group("gate")
    gate.add_argument(
        "--fail-below",
        type=_parse_share,
        metavar="ACCURACY",
        help="fail if the accuracy is below this: `0.8` or `80%%`",
    )
    gate.add_argument(
        "--fail-on", action="append", choices=FAILING, default=[],
        help="fail if the playbook does worse than any comparison, or if the model failed on any question",
    )  # fmt: skip
    shared.add_agent_argument(parser)
    shared.add_model_arguments(parser, is_required=False)


def _add_comparisons(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against", metavar="PLAYBOOK", action="append", default=[],
        help="compare with this playbook, or with a baseline: `none` has no bullets, `examples` has questions and "
        "answers from --train, `cheatsheet` rewrites notes after each question, `rewrite` after each question of "
        "--train; can be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--at", type=shared.parse_at_least(0), metavar="REVISION", action="append", default=[],
        help="compare with this earlier revision; can be repeated",
    )  # fmt: skip
    parser.add_argument("--train", type=Path, metavar="FILE", help="training set for `examples` and `rewrite`")
    parser.add_argument(
        "--examples",
        type=shared.parse_at_least(1),
        metavar="N",
        help="number of examples for `examples`, chosen by the seed (default: 10)",
    )


def run(args: argparse.Namespace) -> int:
    """Evaluate; return 1 if a gate fails, or without gates if the model failed on a question, 2 if it could not run.

    Return 130 if interrupted.
    """
    try:
        return run_guarded(_evaluate_playbook, args)
    finally:
        clear_bar()


def _evaluate_playbook(args: argparse.Namespace) -> int:
    if args.model is None and args.agent is None:
        print_error("nobody answers the questions; name a model, `--model NAME`, or your agent, `--agent COMMAND`")
        return 2
    baseline = next((each for each in args.against if each in BASELINES), None)
    if args.agent is not None and baseline is not None:
        print_error(f"--against {baseline} is about a model; an agent is compared with `none`, a playbook or `--at`")
        return 2
    if "regression" in args.fail_on and not args.against and not args.at:
        print_error("--fail-on regression needs something to compare with: add `--against PLAYBOOK` or `--at REVISION`")
        return 2
    agent = shared.agent_of(args)
    model = shared.model_of(args) if agent is None else WithAgent(None, agent)
    judge = Judge(shared.scorer_of(args), shared.feedback_of(args))
    sides = _read_sides(args)
    samples = shared.samples_of(args)
    training = () if args.train is None else shared.more_samples(args.train, args)
    if samples is None or training is None or not _has_training(args, training):
        return 2
    if judge.feedback is None and all(sample.answer is None for sample in samples):
        print_error(f"{args.dataset}: no record has a known answer; name its field: `--answer FIELD`")
        return 2
    if args.output is not None and not is_writable(args.output):
        return 2
    n_examples = args.examples or N_EXAMPLES
    setup = BaselineSetup(model=model, judge=judge, training=training, n_examples=n_examples, seed=args.seed)
    with keep_replies(args, sides, samples, setup) as folder:
        report = evaluate_sides(args, sides, samples, setup, folder)
        text = format_report(report, args)
        if args.output is None:
            sys.stdout.write(text)
        elif not replace_file(args.output, text.encode()):
            sys.stdout.write(text)  # it was paid for
            return 2
        drop_replies(folder)
    return _status_of(report, args)


def _status_of(report: Report, args: argparse.Namespace) -> int:
    """Return 0 if every gate is passed; without a gate, if the model failed on no question."""
    n_failed = sum(side.n_failed for side in report.sides)
    has_gate = args.fail_below is not None or bool(args.fail_on)
    failing = []
    if args.fail_below is not None and report.after.accuracy < args.fail_below:
        failing.append(f"the accuracy is {report.after.accuracy:.2%}, and at least {args.fail_below:.2%} is wanted")
    for each in report.comparisons if "regression" in args.fail_on else ():
        if each.is_regression:
            message = f"the accuracy fell from {each.before.accuracy:.2%} to {each.after.accuracy:.2%}"
            before = f"{each.before.playbook}, revision {each.before.revision}"
            failing.append(f"{message}, compared with {before}; {each.chance}")
    if "failure" in args.fail_on and n_failed:
        failing.append(f"the model failed on {format_count(n_failed, 'question')}")
    for reason in failing:
        print_error(f"gate: {reason}")
    return int(bool(failing) or (not has_gate and n_failed > 0))


def _parse_share(text: str) -> float:
    """Parse a share, as `0.8` or `80%`."""
    number, sign, rest = text.partition("%")
    try:
        value = float(number) / (100 if sign else 1)
    except ValueError:
        value = -1.0
    if rest or not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a part from 0 to 1, or from 0% to 100%")
    return value


def _has_training(args: argparse.Namespace, training: "Sequence[Sample]") -> bool:
    """Return whether a baseline that needs a training set has one; if not, print that."""
    baseline = next((each for each in args.against if each in NEED_TRAINING), None)
    if baseline is None:
        for name in ("train", "examples"):
            if getattr(args, name) is not None:
                print_error(f"--{name} is for `--against examples`, and a training set also for `--against rewrite`")
                return False
        return True
    if any(sample.answer is not None for sample in training):
        return True
    why = "needs questions with answers: add `--train FILE`" if args.train is None else "finds no answer in --train"
    print_error(f"--against {baseline} {why}")
    return False


def _read_sides(args: argparse.Namespace) -> "list[Playbook | Baseline]":
    """Return the sides to compare with, and then the playbook to evaluate."""
    after = playbook_at(args.playbook)
    return [
        *(_read_side(each) for each in dict.fromkeys(args.against)),
        *(playbook_at(args.playbook, each) for each in dict.fromkeys(args.at)),
        after,
    ]


def _read_side(against: str) -> "Playbook | Baseline":
    baseline = next((each for each in BASELINES if each == against), None)
    if baseline is not None:
        return baseline
    return Playbook(NO_PLAYBOOK) if against == NO_PLAYBOOK else playbook_at(Path(against))
