"""The work of `acdl playbook evaluate`: ask, show how far it is, and write the report as it is wanted."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from acdl_mkdocs.cli.messages import clear_bar, complain, show_bar
from acdl_mkdocs.cli.playbook_models import price_of
from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.playbook.model.prompt_text import prompt_text

if TYPE_CHECKING:
    from acdl_mkdocs.playbook.learn.baselines import Baseline, Setup
    from acdl_mkdocs.playbook.learn.datasets import Sample
    from acdl_mkdocs.playbook.learn.evaluate import Evaluated, Outcome
    from acdl_mkdocs.playbook.learn.report import Report
    from acdl_mkdocs.playbook.model.bullets import Playbook

MAX_AWAY = 5
"""Questions in a row that a server may give no answer to before the evaluation stops."""
_FORMATS = {".md": "markdown", ".markdown": "markdown", ".json": "json"}
_GOES_ON = "the same command goes on where it was, and pays for no reply twice"


@contextmanager
def kept_replies(
    args: argparse.Namespace, sides: "Sequence[Playbook | Baseline]", samples: "Sequence[Sample]", setup: "Setup"
) -> "Iterator[Path]":
    """A folder where replies are kept until the report is written; the same evaluation finds them there.

    Raises:
        RunError: Another process does this evaluation, or the folder cannot be used or has links in it.
    """
    from acdl_mkdocs.playbook.learn.run_file import FOR_ITS_OWNER, choose_folder

    told = [
        [[each.id, each.question, each.context] for each in (*samples, *setup.training)],
        [each if isinstance(each, str) else [each.name, each.revision, prompt_text(each)] for each in sides],
        [getattr(setup.model, "description", setup.model.name), args.top, args.seed, setup.n_examples],
    ]
    name = f"{args.playbook.stem}.evaluation-{sha256(repr(told).encode('utf-8', 'replace')).hexdigest()[:8]}"
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
    """Take away the replies that were kept, and nothing else."""
    for path in _replies_in(folder):
        path.unlink()


def _replies_in(folder: Path) -> list[Path]:
    return [*folder.glob("side-*/*.jsonl")]


def evaluated(
    args: argparse.Namespace,
    sides: "Sequence[Playbook | Baseline]",
    samples: "Sequence[Sample]",
    setup: "Setup",
    folder: Path,
) -> "Report":
    """The report of one playbook, or of several sides: the last is the one that it is about.

    Parameters:
        args: The words of the command.
        sides: One or more.
        samples: The questions.
        setup: Who answers, and what says how right an answer is.
        folder: Where replies are kept.

    Raises:
        AcdlError: Every question would fail in the same way, the server is away, or the scorer failed.
    """
    from acdl_mkdocs.playbook.learn.report import Conditions, Report

    done: list[list[Outcome]] = [[] for _ in sides]
    found: list[Evaluated] = []
    try:
        for n, (side, outcomes) in enumerate(zip(sides, done, strict=True), 1):
            replies = folder / f"side-{n}"
            replies.mkdir(exist_ok=True)
            found.append(_evaluated(side, args, samples, replace(setup, replies=replies), _note_to(outcomes)))
    except KeyboardInterrupt:
        clear_bar()
        _tell_stopped(sides, done)
        raise
    clear_bar()
    notes = tuple(getattr(setup.model, "notes", ()))
    if args.top is not None:
        notes += (f"prompts have the {counted(args.top, 'lesson')} nearest to the question",)
    conditions = Conditions(args.dataset.name, args.scorer, setup.model.name, args.seed, price_of(args), notes)
    return Report(conditions, found[-1], tuple(found[:-1]))


def _note_to(outcomes: "list[Outcome]") -> "Callable[[Outcome], None]":
    """What keeps outcomes, and stops when the server gives no answer any more."""

    def note(outcome: "Outcome") -> None:
        outcomes.append(outcome)
        if len(outcomes) >= MAX_AWAY and all(each.is_away for each in outcomes[-MAX_AWAY:]):
            why = f"the server gave no answer to {MAX_AWAY} questions in a row ({outcome.failure})"
            raise RunError(f"{why}; {_GOES_ON}")

    return note


def _evaluated(
    side: "Playbook | Baseline",
    args: argparse.Namespace,
    samples: "Sequence[Sample]",
    setup: "Setup",
    note: "Callable[[Outcome], None]",
) -> "Evaluated":
    """How one side did."""
    from acdl_mkdocs.playbook.learn.baselines import evaluate_baseline
    from acdl_mkdocs.playbook.learn.evaluate import GeneratedAnswer, KeptAnswers, evaluate, reply_file
    from acdl_mkdocs.playbook.learn.loop_playbook import in_common

    if isinstance(side, str):
        return evaluate_baseline(side, samples, setup, workers=args.workers, tell=show_bar, note=note)
    answer = GeneratedAnswer(setup.model, args.seed, args.top, in_common(samples, args.top))
    folder = setup.replies or Path()
    return evaluate(
        side,
        samples,
        KeptAnswers(answer, {each.id: reply_file(folder, each.id) for each in samples}),
        setup.judge.scorer,
        feedback=setup.judge.feedback,
        workers=args.workers,
        tell=show_bar,
        note=note,
    )


def _tell_stopped(sides: "Sequence[Playbook | Baseline]", done: "Sequence[Sequence[Outcome]]") -> None:
    """Say what was found out until somebody interrupted it."""
    complain(f"stopped; no report is written; {_GOES_ON}")
    for side, outcomes in zip(sides, done, strict=True):
        if outcomes:
            n_right = sum(each.score.is_right for each in outcomes)
            asked = f"{n_right} of {counted(len(outcomes), 'question')} right"
            name = side if isinstance(side, str) else f"{side.name}, revision {side.revision}"
            complain(f"{name}: {asked} so far")


def is_writable(path: Path) -> bool:
    """Whether a report can be written to a file, as far as can be known before; if not, that is said."""
    folder = next(each for each in path.absolute().parents if each.exists())
    if path.is_dir():
        why = "it is a folder"
    elif not folder.is_dir():
        why = f"{folder} is no folder"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        why = "there is no permission"
    else:
        return True
    complain(f"{path}: cannot be written: {why}; name another file: `-o report.md`")
    return False


def written(report: "Report", args: argparse.Namespace) -> str:
    """The report in the asked format, or in that of the file's name."""
    from acdl_mkdocs.playbook.learn.report import report_data, report_markdown, report_terminal

    wanted = args.format or _FORMATS.get(args.output.suffix.lower() if args.output else "", "terminal")
    if wanted == "json":
        return json_text(report_data(report), 2) + "\n"
    return report_markdown(report) if wanted == "markdown" else report_terminal(report)
