"""The work of `acdl playbook evaluate`: ask, show how far it is, and write the report as it is wanted."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from acdl_mkdocs.cli.messages import clear_bar, complain, show_bar
from acdl_mkdocs.cli.playbook_models import price_of
from acdl_mkdocs.counted import counted
from acdl_mkdocs.json_text import json_text

if TYPE_CHECKING:
    from acdl_mkdocs.learning.agents import Agent
    from acdl_mkdocs.learning.datasets import Sample
    from acdl_mkdocs.learning.evaluate import Answering, Outcome
    from acdl_mkdocs.learning.report import Report
    from acdl_mkdocs.learning.scorers import Scorer
    from acdl_mkdocs.models import Model
    from acdl_mkdocs.playbook.bullets import Playbook

STOPPED = 130
"""Status of a program that was interrupted, as shells have it."""
_FORMATS = {".md": "markdown", ".markdown": "markdown", ".json": "json"}


def evaluated(
    args: argparse.Namespace,
    playbooks: "Sequence[Playbook]",
    samples: "Sequence[Sample]",
    model: "Model | None",
    agent: "Agent | None",
    score: "Scorer",
) -> "Report | None":
    """The report of one playbook, or of two: the last is the one that it is about. `None` if it was interrupted.

    Parameters:
        args: The words of the command.
        playbooks: One or two.
        samples: The questions.
        model: Answers, if there is no agent.
        agent: Answers in its place.
        score: How right an answer is.

    Raises:
        AcdlError: Every question would fail in the same way, or the scorer failed.
    """
    from acdl_mkdocs.learning.agents import name_of
    from acdl_mkdocs.learning.evaluate import evaluate
    from acdl_mkdocs.learning.generated_answer import AgentAnswer, GeneratedAnswer
    from acdl_mkdocs.learning.report import Conditions, Report

    assert agent is not None or model is not None  # noqa: S101 - the command has looked
    answer: Answering
    if agent is not None:
        answer, who = AgentAnswer(agent, args.seed, args.top), name_of(agent)
    else:
        answer, who = GeneratedAnswer(cast("Model", model), args.seed, args.top), args.model
    done: list[list[Outcome]] = [[] for _ in playbooks]
    try:
        sides = [
            evaluate(each, samples, answer, score, workers=args.workers, tell=show_bar, note=outcomes.append)
            for each, outcomes in zip(playbooks, done, strict=True)
        ]
    except KeyboardInterrupt:
        clear_bar()
        _tell_stopped(playbooks, done)
        return None
    clear_bar()
    notes = tuple(getattr(model, "notes", ()))
    if args.top is not None:
        notes += (f"prompts have the {counted(args.top, 'lesson')} nearest to the question",)
    conditions = Conditions(args.dataset.name, args.scorer, who, args.seed, price_of(args), notes)
    return Report(conditions, sides[-1], sides[0] if len(sides) > 1 else None)


def _tell_stopped(playbooks: "Sequence[Playbook]", done: "Sequence[Sequence[Outcome]]") -> None:
    """Say what was found out until somebody interrupted it."""
    complain("stopped; no report is written, and the same command begins anew")
    for playbook, outcomes in zip(playbooks, done, strict=True):
        if outcomes:
            n_right = sum(each.score.is_right for each in outcomes)
            asked = f"{n_right} of {counted(len(outcomes), 'question')} right"
            complain(f"{playbook.name}, revision {playbook.revision}: {asked} so far")


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
