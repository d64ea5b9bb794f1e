"""The work of `acdl playbook evaluate`: ask, show how far it is, and write the report as it is wanted."""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.cli.messages import clear_bar, complain, show_bar
from acdl_mkdocs.cli.playbook_models import price_of
from acdl_mkdocs.counted import counted
from acdl_mkdocs.json_text import json_text

if TYPE_CHECKING:
    from acdl_mkdocs.learning.baselines import Baseline, Setup
    from acdl_mkdocs.learning.datasets import Sample
    from acdl_mkdocs.learning.evaluate import Evaluated, Outcome
    from acdl_mkdocs.learning.report import Report
    from acdl_mkdocs.playbook.bullets import Playbook

STOPPED = 130
"""Status of a program that was interrupted, as shells have it."""
_FORMATS = {".md": "markdown", ".markdown": "markdown", ".json": "json"}


def evaluated(
    args: argparse.Namespace, sides: "Sequence[Playbook | Baseline]", samples: "Sequence[Sample]", setup: "Setup"
) -> "Report | None":
    """The report of one playbook, or of two sides: the last is the one that it is about. `None` if interrupted.

    Parameters:
        args: The words of the command.
        sides: One or two.
        samples: The questions.
        setup: Who answers, and what says how right an answer is.

    Raises:
        AcdlError: Every question would fail in the same way, or the scorer failed.
    """
    from acdl_mkdocs.learning.report import Conditions, Report

    done: list[list[Outcome]] = [[] for _ in sides]
    try:
        found = [
            _evaluated(side, args, samples, setup, outcomes.append) for side, outcomes in zip(sides, done, strict=True)
        ]
    except KeyboardInterrupt:
        clear_bar()
        _tell_stopped(sides, done)
        return None
    clear_bar()
    notes = tuple(getattr(setup.model, "notes", ()))
    if args.top is not None:
        notes += (f"prompts have the {counted(args.top, 'lesson')} nearest to the question",)
    conditions = Conditions(args.dataset.name, args.scorer, setup.model.name, args.seed, price_of(args), notes)
    return Report(conditions, found[-1], found[0] if len(found) > 1 else None)


def _evaluated(
    side: "Playbook | Baseline",
    args: argparse.Namespace,
    samples: "Sequence[Sample]",
    setup: "Setup",
    note: "Callable[[Outcome], None]",
) -> "Evaluated":
    """How one side did."""
    from acdl_mkdocs.learning.baselines import evaluate_baseline
    from acdl_mkdocs.learning.evaluate import evaluate
    from acdl_mkdocs.learning.generated_answer import GeneratedAnswer
    from acdl_mkdocs.learning.retrieved import in_common

    if isinstance(side, str):
        return evaluate_baseline(side, samples, setup, workers=args.workers, tell=show_bar, note=note)
    return evaluate(
        side,
        samples,
        GeneratedAnswer(setup.model, args.seed, args.top, in_common(samples, args.top)),
        setup.judge.scorer,
        feedback=setup.judge.feedback,
        workers=args.workers,
        tell=show_bar,
        note=note,
    )


def _tell_stopped(sides: "Sequence[Playbook | Baseline]", done: "Sequence[Sequence[Outcome]]") -> None:
    """Say what was found out until somebody interrupted it."""
    complain("stopped; no report is written, and the same command begins anew")
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
    from acdl_mkdocs.learning.report import report_data
    from acdl_mkdocs.learning.report_text import report_markdown, report_terminal

    wanted = args.format or _FORMATS.get(args.output.suffix.lower() if args.output else "", "terminal")
    if wanted == "json":
        return json_text(report_data(report), 2) + "\n"
    return report_markdown(report) if wanted == "markdown" else report_terminal(report)
