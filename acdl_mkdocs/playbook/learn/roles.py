"""Generator and reflector: one call of a model each, and the lessons cited in a reply."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn import role_prompts
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import MAX_SENT_BACK, Model, json_reply, shorten_text
from acdl_mkdocs.playbook.learn.role_prompts import (
    ACCEPTED_ANSWER,
    ACCEPTED_REFLECTION,
    ANSWER,
    REFLECTION,
    is_true,
    role_prompt,
    write_value,
)
from acdl_mkdocs.playbook.model.bullets import TagName
from acdl_mkdocs.prompts.prompt import Json, Prompt

_CITED = re.compile(r"\[([A-Za-z][A-Za-z0-9_-]{1,63})\](?! helpful=)")
"""An id in brackets; before its counters it is a lesson in the prompt, not a citation."""
_LIKE_AN_ID = re.compile(r"[A-Za-z]+-(?=[0-9a-z]*[0-9])[0-9a-z]{4,}")
"""A word in brackets that is probably an id, rather than a citation or a placeholder."""


@dataclass(frozen=True, slots=True)
class Citations:
    """The lessons cited in a reply."""

    known: tuple[str, ...]
    """Ids of bullets, each once."""
    unknown: tuple[str, ...]
    """Ids of bullets that were not in the prompt: dropped."""


def find_citations(listed: Iterable[str], words: str, ids: Mapping[str, str]) -> Citations:
    """Find the lessons cited in a reply.

    Parameters:
        listed: Ids that it lists, with or without brackets.
        words: Its text.
        ids: Maps ids that may be cited to those of the bullets.
    """
    names = dict.fromkeys(name for each in listed if (name := each.strip().strip("[]").strip()))
    cited = [*names, *_CITED.findall(words)]
    unknown = [each for each in cited if each not in ids and (each in names or _LIKE_AN_ID.fullmatch(each))]
    return Citations(tuple(dict.fromkeys(ids[each] for each in cited if each in ids)), tuple(dict.fromkeys(unknown)))


MAX_REFLECTOR_ROUNDS = 5
"""Rounds of refinement of one reflection. Source: arXiv:2510.04618, section 4.1, "maximum number of Reflector
refinement rounds"."""


@dataclass(frozen=True, slots=True)
class PromptLessons:
    """The lessons for the generator."""

    playbook: str
    """The lessons, in the form for prompts; empty if there are none."""
    ids: Mapping[str, str]
    """Maps ids that may be cited, including those of merged bullets, to those of the bullets."""


@dataclass(frozen=True, slots=True)
class GeneratorReply:
    """A reply of the generator."""

    text: str
    """Its JSON, without thoughts and text around it; of an agent, what it did and its answer."""
    answer: str
    bullet_ids: tuple[str, ...]
    """The lessons that it used: from its list and from its text, in order, each once."""
    unknown_ids: tuple[str, ...]
    """Cited ids that were not in its prompt: dropped."""


@dataclass(frozen=True, slots=True)
class ReflectorReply:
    """A reply of the reflector."""

    text: str
    """Its JSON."""
    error: str
    cause: str
    approach: str
    insight: str
    """The lesson; empty if there is none."""
    tags: Mapping[str, TagName]
    """By bullet: the first tag of each."""
    dropped: tuple[str, ...]
    """Tags of bullets that were not used, and tags that do not exist."""
    is_final: bool

    @property
    def words(self) -> str:
        """The reflection for the other roles."""
        parts = {
            "Error": self.error,
            "Root cause": self.cause,
            "Correct approach": self.approach,
            "Insight": self.insight,
        }
        return "\n".join(f"{name}: {text}" for name, text in parts.items() if text)


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """One attempt and its outcome, for the reflector."""

    text: str
    """Reply of the generator; empty if there was no new attempt."""
    outcome: str


def generate_answer(
    model: Model,
    sample: Sample,
    lessons: PromptLessons,
    earlier: Sequence[tuple[str, ReflectorReply]] = (),
    *,
    seed: int | None = None,
) -> GeneratorReply:
    """Answer a question with a playbook.

    Parameters:
        model: The generator.
        sample: The question.
        lessons: The lessons.
        earlier: Replies to this question so far, each with its reflection.
        seed: For models that accept one.

    Raises:
        ModelError: There is no usable answer.
    """
    steps = {str(n): reflected.words for n, (_, reflected) in enumerate(earlier, 1)}
    prompt = role_prompt(
        "generator",
        len(earlier) + 1,
        env={"question": sample.question, "context": sample.context or "", "reflection": steps},
        sys={"playbook": lessons.playbook},
        resp={"reply": {str(n): text for n, (text, _) in enumerate(earlier, 1)}},
    )
    data, raw = _ask_json(model, prompt, ANSWER, ACCEPTED_ANSWER, seed)
    cited = find_citations(role_prompts.read_ids(data.get("bullet_ids")), raw, lessons.ids)
    return GeneratorReply(_as_text(data), write_value(data.get("final_answer")), cited.known, cited.unknown)


def reflect_on(
    model: Model,
    sample: Sample,
    lessons: str,
    ids: Collection[str],
    attempts: Sequence[AttemptOutcome],
    earlier: Sequence[ReflectorReply] = (),
    *,
    seed: int | None = None,
) -> ReflectorReply:
    """Reflect on attempts in one round: what went wrong or right.

    Parameters:
        model: The reflector.
        sample: The question.
        lessons: The lessons that the attempts used, in the form for prompts.
        ids: Their ids: no others may be tagged.
        attempts: The attempts so far.
        earlier: The reflections of earlier rounds.
        seed: For models that accept one.

    Raises:
        ModelError: There is no usable reflection.
    """
    at = len(earlier) + 1
    steps = {str(n): attempts[n - 1] if n <= len(attempts) else AttemptOutcome("", "") for n in range(1, at + 1)}
    prompt = role_prompt(
        "reflector",
        at,
        env={
            "question": sample.question,
            "context": sample.context or "",
            "reply": {step: each.text for step, each in steps.items()},
            "outcome": {step: each.outcome for step, each in steps.items()},
        },
        sys={"lessons_used": lessons},
        resp={"reflection": {str(n): each.text for n, each in enumerate(earlier, 1)}},
    )
    data, _ = _ask_json(model, prompt, REFLECTION, ACCEPTED_REFLECTION, seed)
    tags, dropped = role_prompts.read_tags(data.get("bullet_tags"), ids)
    keys = ("error_identification", "root_cause_analysis", "correct_approach", "key_insight")
    error, cause, approach, insight = (write_value(data.get(key)) for key in keys)
    return ReflectorReply(_as_text(data), error, cause, approach, insight, tags, dropped, is_true(data.get("is_final")))


def _ask_json(
    model: Model, prompt: Prompt, schema: Mapping[str, Json], accepted: Mapping[str, Json], seed: int | None
) -> tuple[Mapping[str, Json], str]:
    """Return the object in a model's reply, and its text."""
    replied = json_reply(model, prompt, schema, accepted=accepted, seed=seed)
    return (replied.value if isinstance(replied.value, dict) else {}), replied.reply.text


def _as_text(data: Mapping[str, Json]) -> str:
    """Return a reply for other roles, with a text that is too long cut."""
    cut = {key: shorten_text(value) if isinstance(value, str) else value for key, value in data.items()}
    return shorten_text(write_value(json.dumps(cut, ensure_ascii=False)), 2 * MAX_SENT_BACK)
