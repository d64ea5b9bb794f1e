"""`learn()` and `evaluate_agent()`: a playbook and your own agent, in one call each.

`loop` and `evaluate` have more options, and a model of this package as generator.
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
from acdl_mkdocs.playbook.learn.loop import Around, RunResult, Settings
from acdl_mkdocs.playbook.learn.loop_playbook import find_background
from acdl_mkdocs.playbook.learn.models import MODELS, Model
from acdl_mkdocs.playbook.learn.models.endpoint import OPENAI_URL
from acdl_mkdocs.playbook.learn.role_models import ByRole, by_role
from acdl_mkdocs.playbook.learn.scorers import Scorer, Watch, exact
from acdl_mkdocs.playbook.learn.user_programs import load_agent
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import create, load
from acdl_mkdocs.playbook.store.load import get_usable_playbook

Questions: TypeAlias = "str | PathLike[str] | Sequence[Sample | Mapping[str, str]]"
"""A data set: its file, samples, or maps with `question` and, if known, `answer`."""


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
) -> RunResult:
    """Let a playbook learn from the work of an agent.

    Parameters:
        playbook: Its file; an empty one is created if it is missing.
        questions: The questions for the agent: the path of a data set, samples, or maps with `question` and, if known,
            `answer`.
        agent: A callable that takes a `Task` and returns a text or an `AgentReply`, or the command of a program.
        model: Reflects and curates, or one for each role; a text names a model of OpenAI, or of the server that
            `OPENAI_BASE_URL` names.
        feedback: Judges an answer, for example by a test: takes the sample and the answer, and returns a `Feedback`.
            Needed if the right answer is not known.
        scorer: Takes an answer and the right one, and returns a `Score`.
        settings: The settings that the result depends on, such as the number of epochs.
        around: The environment, which it does not depend on, such as the folder of the run.
        is_online: Whether each question is asked once and in order.

    Raises:
        RunError: The run cannot begin or resume, or the agent or the model failed too often: call it again to resume.
        PlaybookError: The playbook cannot be read or written.
        OSError: The data set cannot be read.
    """
    path = Path(playbook)
    if not path.exists():
        create(path, Playbook(path.stem), time=_now())
    roles = with_agent(by_role(_model(model)), load_agent(agent) if isinstance(agent, str) else agent)
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
    """Measure how well an agent answers with a playbook; needs no model and changes nothing.

    Parameters:
        playbook: Its file, a playbook, or `None` for an agent without lessons.
        questions: The questions, as for `learn`; without feedback, those without an answer are skipped.
        agent: A callable that takes a `Task` and returns a text or an `AgentReply`, or the command of a program.
        scorer: Takes an answer and the right one, and returns a `Score`.
        feedback: Judges an answer to a question without a right one: takes the sample and the answer, and returns a
            `Feedback`.
        top: How many lessons nearest to the question the agent gets; `None` means all.
        workers: The number of threads, or an executor.

    Raises:
        AgentError: The agent cannot be run at all.
        PlaybookError: The playbook cannot be read.
        OSError: The data set cannot be read.
    """
    if playbook is None:
        lessons = Playbook("none")
    else:
        lessons = playbook if isinstance(playbook, Playbook) else get_usable_playbook(load(Path(playbook)))
    samples = _samples(questions)
    answers = WithAgent(None, load_agent(agent) if isinstance(agent, str) else agent)
    answer = GeneratedAnswer(answers, top=top, background=find_background(samples, top))
    return evaluate(lessons, samples, answer, scorer, feedback=feedback, workers=workers)


def _samples(questions: Questions) -> Sequence[Sample]:
    if isinstance(questions, (str, PathLike)):
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
