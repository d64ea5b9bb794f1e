"""`learn()` and `evaluate_agent()`: a playbook and your own agent, in one call each.

What they do in more detail, with the model of this package as generator too, is in `loop` and `evaluate`.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.playbook.learn import loop
from acdl_mkdocs.playbook.learn.agents import Agent, WithAgent, with_agent
from acdl_mkdocs.playbook.learn.datasets import Sample, read_samples, samples_of
from acdl_mkdocs.playbook.learn.evaluate import Evaluated, GeneratedAnswer, evaluate
from acdl_mkdocs.playbook.learn.loop import Around, Ran, Settings
from acdl_mkdocs.playbook.learn.loop_playbook import in_common
from acdl_mkdocs.playbook.learn.models import MODELS, Model
from acdl_mkdocs.playbook.learn.models.endpoint import OPENAI_URL
from acdl_mkdocs.playbook.learn.role_models import ByRole, by_role
from acdl_mkdocs.playbook.learn.scorers import Scorer, Watch, exact
from acdl_mkdocs.playbook.learn.user_programs import agent_named
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import create, load
from acdl_mkdocs.playbook.store.load import usable

Questions: TypeAlias = "str | PathLike[str] | Sequence[Sample | Mapping[str, str]]"
"""A data set: its file, samples, or maps with `question` and, if it is known, `answer`."""


def learn(
    playbook: str | PathLike[str],
    questions: Questions,
    agent: Agent | str,
    *,
    model: Model | ByRole | str,
    feedback: Watch | None = None,
    scorer: Scorer = exact,
    settings: Settings | None = None,
    around: Around | None = None,
    is_online: bool = False,
) -> Ran:
    """Let a playbook learn from what an agent does.

    Parameters:
        playbook: Its file; an empty one is made if it is not there.
        questions: What the agent is asked.
        agent: Answers: any callable, or the command of a program.
        model: Reflects and curates, or one for each role; a text names a model of OpenAI, or of the server that
            `OPENAI_BASE_URL` names.
        feedback: Says what came of an answer, such as the result of a test: needed where the right one is not known.
        scorer: Compares an answer with the right one.
        settings: What the result depends on.
        around: What it does not depend on.
        is_online: Whether questions come once and in their order.

    Raises:
        RunError: The run cannot begin or resume, or the agent or the model failed too often: call it again to resume.
        PlaybookError: The playbook cannot be read or written.
        OSError: The data set cannot be read.
    """
    path = Path(playbook)
    if not path.exists():
        create(path, Playbook(path.stem), time=_now())
    roles = with_agent(by_role(_model(model)), agent_named(agent) if isinstance(agent, str) else agent)
    run = loop.online if is_online else loop.offline
    return run(path, _samples(questions), roles, settings, around or Around(now=_now), scorer=scorer, feedback=feedback)


def evaluate_agent(
    playbook: str | PathLike[str] | Playbook | None,
    questions: Questions,
    agent: Agent | str,
    *,
    scorer: Scorer = exact,
    feedback: Watch | None = None,
    top: int | None = None,
    workers: int | Executor = 1,
) -> Evaluated:
    """How well an agent answers with a playbook; no model is needed, and nothing changes.

    Parameters:
        playbook: Its file, a playbook, or `None` for an agent without lessons.
        questions: What the agent is asked; without feedback, questions without an answer are not.
        agent: Answers: any callable, or the command of a program.
        scorer: Compares an answer with the right one.
        feedback: Says what came of an answer to a question without a right one.
        top: How many lessons nearest to the question the agent gets; `None` is all.
        workers: Threads, or any executor.

    Raises:
        AgentError: The agent cannot be run at all.
        PlaybookError: The playbook cannot be read.
        OSError: The data set cannot be read.
    """
    if playbook is None:
        lessons = Playbook("none")
    else:
        lessons = playbook if isinstance(playbook, Playbook) else usable(load(Path(playbook)))
    samples = _samples(questions)
    answers = WithAgent(None, agent_named(agent) if isinstance(agent, str) else agent)
    answer = GeneratedAnswer(answers, top=top, among=in_common(samples, top))
    return evaluate(lessons, samples, answer, scorer, feedback=feedback, workers=workers)


def _samples(questions: Questions) -> Sequence[Sample]:
    if isinstance(questions, str | PathLike):
        read, name = read_samples(Path(questions)), str(questions)
    else:
        samples = [each for each in questions if isinstance(each, Sample)]
        if len(samples) == len(questions):
            return samples
        read, name = samples_of(json_text([each for each in questions if isinstance(each, Mapping)], None)), "questions"
    if read.problems:
        raise RunError(f"{name}: {read.problems[0]}")
    return read.samples


def _model(model: Model | ByRole | str) -> Model | ByRole:
    if not isinstance(model, str):
        return model
    return MODELS["chat_completions"](model, os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
