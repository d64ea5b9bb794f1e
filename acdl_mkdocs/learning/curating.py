"""The curator: one call of a model that proposes what a playbook should learn from a reflection.

What it is sent is in `prompts/`. It knows nothing about files, epochs or how a playbook changes.
Source: arXiv:2510.04618, section 3.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.proposals import MAX_CHANGES, MAX_OPERATIONS, Proposals, is_by_person
from acdl_mkdocs.learning.reply_values import words
from acdl_mkdocs.learning.role_prompts import role_prompt
from acdl_mkdocs.learning.roles import Reflected
from acdl_mkdocs.learning.schemas import ACCEPTED_DELTA, DELTA
from acdl_mkdocs.models import Model, json_reply
from acdl_mkdocs.playbook.bullets import Bullet, Playbook, TagName
from acdl_mkdocs.playbook.prompt_text import archived_text, prompt_text
from acdl_mkdocs.playbook.relevance import ranking
from acdl_mkdocs.playbook.retrieval import top
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.tokens import counter

MAX_ARCHIVED = 50
"""Lessons out of use that the curator is shown: of more, those nearest to the reflection."""
_HEAD = re.compile(r"^\[([^\[\]\s]+)\] helpful=\d+ harmful=\d+(?= ::)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A reply of the curator."""

    reasoning: str
    operations: tuple[dict[str, Json], ...]
    """Those that it may propose; whether they can be applied is seen when they are."""
    refused: tuple[str, ...]
    """The others, in words."""
    notes: tuple[str, ...] = ()
    """What of the operations was ignored."""


@dataclass(frozen=True, slots=True)
class Taught:
    """A question of the run, and what was concluded from it."""

    n: int
    """Which question of the run it is, from 1."""
    sample: Sample
    reflected: Reflected
    tags: Mapping[str, TagName]
    """Of the lessons that were used: those of all rounds."""

    @property
    def words(self) -> str:
        """The reflection, with what became of the lessons that were used."""
        used = ", ".join(f"[{name}] {tag}" for name, tag in self.tags.items())
        return "\n".join(part for part in (self.reflected.words, f"Lessons used: {used}" if used else "") if part)


@dataclass(frozen=True, slots=True)
class Curating:
    """What the curator is told beside the playbook."""

    taught: tuple[Taught, ...]
    """The questions that one delta is made of, in their order; at least one."""
    size: int
    """Model tokens of the playbook in its form for prompts."""
    top: int | None = None
    """How many lessons it is shown; `None` for all."""

    @property
    def words(self) -> str:
        """All reflections."""
        return "\n".join(each.words for each in self.taught)


def propose(model: Model, playbook: Playbook, curating: Curating, *, seed: int | None = None) -> Proposed:
    """Say which operations the playbook needs.

    Parameters:
        model: Who curates.
        playbook: As it is.
        curating: What is known about the questions.
        seed: For models that take one.

    Raises:
        ModelError: There is no reply that could be used.
    """
    taught = {each.n: each for each in curating.taught}
    first, last, n_taught = min(taught), max(taught), len(taught)
    at, told = str(last), curating.words
    shown = _shown(playbook, curating)
    n_more = len(playbook.sent) - len(shown)
    asked = {str(n): taught[n].sample.question if n in taught else "" for n in range(first, last + 1)}
    prompt = role_prompt(
        "curator",
        last,
        env={"question": asked, "reflection": {str(n): each.words for n, each in taught.items()}},
        sys={
            "first": {at: first},
            "several": {at: str(n_taught) if n_taught > 1 else ""},
            "most": {at: str(MAX_OPERATIONS * n_taught)},
            "most_changes": {at: str(MAX_CHANGES * n_taught)},
            "sections": {at: "\n".join(f"{each.id}: {each.title}" for each in playbook.sections)},
            "playbook": {at: curator_text(playbook, shown)},
            "more": {at: str(n_more or "")},
            "archived": {at: archived_text(_archive(playbook, told))},
            "size": {at: str(curating.size)},
            "budget": {at: str(playbook.policy.budget_model_tokens or "")},
        },
    )
    replied = json_reply(model, prompt, DELTA, accepted=ACCEPTED_DELTA, seed=seed).value
    data = replied if isinstance(replied, dict) else {}
    found = Proposals(playbook, n_taught)
    found.add_all(data.get("operations"))
    return Proposed(words(data.get("reasoning")), tuple(found.taken), tuple(found.refused), tuple(found.notes))


def curator_text(playbook: Playbook, bullets: Sequence[Bullet]) -> str:
    """The lessons in the form for prompts; before `::` stands why only people change one."""

    def marked(head: re.Match[str]) -> str:
        bullet = playbook.by_id[head[1]]
        marks = {"pinned": bullet.pinned, "critical": bullet.severity == "critical", "person": is_by_person(bullet)}
        why = ", ".join(name for name, is_so in marks.items() if is_so)
        return f"{head[0]} ({why})" if why else head[0]

    return _HEAD.sub(marked, prompt_text(playbook, bullets=bullets))


def _shown(playbook: Playbook, curating: Curating) -> tuple[Bullet, ...]:
    """The lessons that the curator sees: all, or those that were used or are nearest to the reflection."""
    if curating.top is None or curating.top >= len(playbook.sent):
        return playbook.sent
    count = counter.counter("estimate").count
    found = {each.id for each in top(playbook, curating.words, curating.top, count)}
    tagged = {name for each in curating.taught for name in each.tags}
    found |= {playbook.by_id[name].id for name in tagged if name in playbook.by_id}
    return tuple(each for each in playbook.sent if each.id in found)


def _archive(playbook: Playbook, task: str) -> Playbook:
    """The bullets that are out of use; of many those that are nearest to a text."""
    bullets = tuple(each for each in playbook.bullets if each.status == "archived")
    if len(bullets) > MAX_ARCHIVED:
        near = [place for place, _ in ranking(tuple(each.content for each in bullets)).nearest(task)]
        places = dict.fromkeys([*near, *reversed(range(len(bullets)))])
        bullets = tuple(bullets[place] for place in sorted([*places][:MAX_ARCHIVED]))
    return replace(playbook, bullets=bullets)
