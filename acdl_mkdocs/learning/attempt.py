"""`attempt()`: one question answered, reflected on, and answered again: what may run anywhere, in any order.

Takes plain values and gives plain values, so that threads, processes and machines can do it; it changes no playbook.
"""

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol, runtime_checkable

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.agents import agent_of, generate_with
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.heard import Heard, Said
from acdl_mkdocs.learning.judge import Judge, Verdict
from acdl_mkdocs.learning.roles import Generated, Reflected, Told, Tried, generate, reflect
from acdl_mkdocs.models import Model, ModelError, Usage
from acdl_mkdocs.playbook.bullets import Playbook, TagName
from acdl_mkdocs.playbook.prompt_text import prompt_text


@dataclass(frozen=True, slots=True)
class Job:
    """One question to work on."""

    model: Model
    sample: Sample
    playbook: Playbook
    told: Told
    judge: Judge
    rounds: int
    seed: int | None = None
    replies: Path | None = None
    """File of the replies that were got so far."""
    reflector: Model | None = None
    """Who reflects; `None` is who answers."""


@runtime_checkable
class HasLessons(Protocol):
    """An agent that knows which lessons it had, such as one that was recorded."""

    def lessons(self, playbook: Playbook, sample: Sample) -> Told:
        """What it was told about a sample."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a question was given up."""

    role: str
    kind: str
    """Class of the error: `CutReplyError`."""
    message: str
    is_final: bool = False
    """Whether every other question will fail in the same way."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer and what came of it."""

    generated: Generated
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Attempted:
    """What was done about one question."""

    revision: int
    """Of the playbook that it was done with."""
    attempts: tuple[Attempt, ...] = ()
    """The first is the answer that counts."""
    reflections: tuple[Reflected, ...] = ()
    said: tuple[Said, ...] = ()
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None
    shown: tuple[str, ...] = ()
    """Ids of the bullets in the prompt of the generator."""

    @property
    def tags(self) -> dict[str, TagName]:
        """One tag a bullet: that of the last reflection which has one."""
        return {name: tag for each in self.reflections for name, tag in each.tags.items()}


def attempt(job: Job) -> Attempted:
    """Answer and reflect, round after round; a model that fails is told in the result.

    Reflection ends when the answer is right, when the reflector says that it has nothing to add, or after the last
    round. Between two rounds the question is answered again where it can be known whether that is better.
    """
    heard = Heard(job.model, job.replies)
    agent = agent_of(job.model)
    answers_again = getattr(agent, "answers_again", True)
    lessons = agent.lessons(job.playbook, job.sample) if isinstance(agent, HasLessons) else job.told
    attempts: list[Attempt] = []
    reflections: list[Reflected] = []
    failure: Failure | None = None
    role = "generator"
    try:
        attempts.append(_answered(job, lessons, heard, []))
        role = "reflector"
        while len(reflections) < job.rounds:
            reflections.append(_reflected(job, heard, attempts, reflections))
            if _is_enough(job, attempts, reflections):
                break
            if attempts[-1].verdict.score is not None and answers_again:
                role = "generator"
                earlier = [(each.generated, reflections[idx]) for idx, each in enumerate(attempts)]
                attempts.append(_answered(job, lessons, heard, earlier))
                role = "reflector"
                if attempts[-1].verdict.is_right:
                    break
    except ModelError as error:
        failure = Failure(role, type(error).__name__, str(error), error.is_final)
    return Attempted(
        job.playbook.revision,
        tuple(attempts),
        tuple(reflections),
        tuple(heard.said),
        heard.usage,
        failure,
        tuple(dict.fromkeys(lessons.ids.values())),
    )


def _answered(job: Job, lessons: Told, heard: Heard, earlier: Sequence[tuple[Generated, Reflected]]) -> Attempt:
    """The answer of the model, or of the agent that answers in its place."""
    agent = agent_of(job.model)
    if agent is not None:
        generated = generate_with(agent, heard, job.sample, lessons, earlier, seed=job.seed)
    else:
        said = [(each.text, reflected) for each, reflected in earlier]
        generated = generate(heard, job.sample, lessons, said, seed=job.seed)
    return Attempt(generated, job.judge.look(job.sample, generated.answer))


def _reflected(job: Job, heard: Heard, attempts: Sequence[Attempt], earlier: Sequence[Reflected]) -> Reflected:
    """One round: lessons that any attempt used may be tagged."""
    used = [name for each in attempts for name in each.generated.bullet_ids]
    bullets = [job.playbook.by_id[name] for name in dict.fromkeys(used)]
    lessons = prompt_text(job.playbook, bullets=bullets) if bullets else ""
    tried = [Tried(each.generated.text, each.verdict.words) for each in attempts]
    return reflect(
        heard.through(job.reflector or job.model),
        job.sample,
        lessons,
        {each.id for each in bullets},
        tried,
        earlier,
        seed=job.seed,
    )


def _is_enough(job: Job, attempts: Sequence[Attempt], reflections: Sequence[Reflected]) -> bool:
    """Whether nothing would come of another round."""
    last = reflections[-1]
    is_same = len(reflections) > 1 and last.words == reflections[-2].words
    return attempts[-1].verdict.is_right or last.is_final or is_same or len(reflections) >= job.rounds
