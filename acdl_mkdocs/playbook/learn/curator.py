"""The curator: one call of a model that proposes operations, and the selection of the accepted ones."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn import role_prompts
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import Model, json_reply
from acdl_mkdocs.playbook.learn.role_prompts import ACCEPTED_DELTA, CURATOR_OPERATIONS, DELTA, role_prompt, write_value
from acdl_mkdocs.playbook.learn.roles import ReflectorReply
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, TagName
from acdl_mkdocs.playbook.model.delta import FIELDS
from acdl_mkdocs.playbook.model.prompt_text import archived_text, prompt_text
from acdl_mkdocs.playbook.model.retrieval import prepare_ranking, select_bullets
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.tokens import counter

MAX_OPERATIONS = 10
"""Limit of operations for one question."""
MAX_CHANGES = 2
"""Limit of those that rewrite or remove lessons."""
PERSON = "person"
"""Values of `source.by` of lessons whose text models do not change."""
_CHANGES = ("UPDATE", "REMOVE")
_OTHER_NAMES = {"id": "bullet_id"}
"""Other names that models use for a field of an operation."""
_IDS = ("bullet_id", "superseded_by")
"""Fields with an id, which models copy from the prompt with its brackets."""
_MAX_SHOWN = 40


@dataclass
class Proposals:
    """Collects the accepted operations of a reply.

    Parameters:
        playbook: The playbook to change.
        n_questions: The number of questions, each of which allows a number of operations.
    """

    playbook: Playbook
    n_questions: int = 1
    accepted: list[dict[str, Json]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Operations that a model may not propose, in words."""
    notes: list[str] = field(default_factory=list)
    """What was dropped from accepted operations."""

    def add_all(self, data: Json) -> None:
        """Check the operations of a reply, in order, up to the limit of accepted ones."""
        operations = data if isinstance(data, list) else []
        most = MAX_OPERATIONS * self.n_questions
        for idx, each in enumerate(operations):
            if len(self.accepted) == most or len(self.refused) == most:
                limit = f"at most {most} of {self._questions} are taken"
                self.refused.append(f"{len(operations) - idx} more operations: {limit}")
                return
            self._take_operation(each)

    def _take_operation(self, operation: Json) -> None:
        if not isinstance(operation, dict):
            self.refused.append("an operation is a map")
            return
        kind = role_prompts.write_value(operation.get("type")).upper()[:_MAX_SHOWN]
        if kind not in CURATOR_OPERATIONS:
            self.refused.append(f"{kind} is not for the curator; there are {', '.join(CURATOR_OPERATIONS)}")
            return
        fields, ignored = _fields(operation, kind)
        why = self._explain_refusal(kind, fields)
        if why:
            self.refused.append(why)
            return
        self.accepted.append({"type": kind, **fields})
        if ignored:
            self.notes.append(f"{kind}: {', '.join(ignored)} ignored")

    @property
    def _questions(self) -> str:
        return "one question" if self.n_questions == 1 else f"{self.n_questions} questions"

    def _explain_refusal(self, kind: str, fields: Mapping[str, Json]) -> str | None:
        """Explain why a model may not do something, if so."""
        if kind not in _CHANGES:
            return None
        name = next(iter(role_prompts.read_ids([fields.get("bullet_id")])), "nothing")
        bullet = self.playbook.by_id.get(name)
        if bullet is not None and is_by_person(bullet):
            return f"{kind} of {name}: a person wrote it, and only people change it"
        most = MAX_CHANGES * self.n_questions
        if sum(each["type"] in _CHANGES for each in self.accepted) == most:
            verb = "changes" if self.n_questions == 1 else "change"
            return f"{kind} of {name}: {self._questions} {verb} at most {most} lessons"
        return None


def is_by_person(bullet: Bullet) -> bool:
    """Return whether a person wrote a lesson, or a part of it."""
    return any(each.by == PERSON for each in bullet.source)


def _fields(operation: Mapping[str, Json], kind: str) -> tuple[dict[str, Json], list[str]]:
    """Return the fields of an operation of a kind, under their canonical names, and the names of other fields."""
    needed, optional = FIELDS[kind]
    names = (*needed, *optional)
    values = {
        key: value
        for key, value in operation.items()
        if key != "type" and value is not None and (key in needed or value not in ("", []))
    }
    fields: dict[str, Json] = {key: value for key, value in values.items() if key in names}
    ignored = []
    for key, value in values.items():
        name = _OTHER_NAMES.get(key, key)
        if key in names:
            continue
        if name in names and name not in fields:
            fields[name] = value
        else:
            ignored.append(f"`{key[:_MAX_SHOWN]}`")
    fields.update(
        {name: next(role_prompts.read_ids([fields.get(name)]), fields[name]) for name in _IDS if name in fields}
    )
    return fields, ignored


MAX_ARCHIVED = 50
"""Limit of archived lessons that the curator is shown; of more, those nearest to the reflection."""
_HEAD = re.compile(r"^\[([^\[\]\s]+)\] helpful=\d+ harmful=\d+(?= ::)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CuratorReply:
    """A reply of the curator."""

    reasoning: str
    operations: tuple[dict[str, Json], ...]
    """Operations that it may propose; whether they can be applied is known later."""
    refused: tuple[str, ...]
    """Rejected operations, in words."""
    notes: tuple[str, ...] = ()
    """Ignored parts of the operations."""


@dataclass(frozen=True, slots=True)
class ReflectedQuestion:
    """A question of the run, and its reflection."""

    n: int
    """Index of the question in the run, from 1."""
    sample: Sample
    reflected: ReflectorReply
    tags: Mapping[str, TagName]
    """Tags of the used lessons, of all rounds."""

    @property
    def words(self) -> str:
        """The reflection, with the outcome of the lessons that were used."""
        used = ", ".join(f"[{name}] {tag}" for name, tag in self.tags.items())
        return "\n".join(part for part in (self.reflected.words, f"Lessons used: {used}" if used else "") if part)


@dataclass(frozen=True, slots=True)
class CuratorInput:
    """The input of the curator beside the playbook."""

    questions: tuple[ReflectedQuestion, ...]
    """The questions for one delta, in order; at least one."""
    size: int
    """Model tokens of the prompt form of the playbook."""
    top: int | None = None
    """How many lessons it is shown; `None` means all."""

    @property
    def words(self) -> str:
        """All reflections."""
        return "\n".join(each.words for each in self.questions)


def propose_operations(
    model: Model, playbook: Playbook, curating: CuratorInput, *, seed: int | None = None
) -> CuratorReply:
    """Ask the curator which operations the playbook needs.

    Parameters:
        model: The curator.
        playbook: The current playbook.
        curating: The input about the questions.
        seed: For models that accept one.

    Raises:
        ModelError: There is no usable reply.
    """
    taught = {each.n: each for each in curating.questions}
    first, last, n_taught = min(taught), max(taught), len(taught)
    at, reflection = str(last), curating.words
    lessons = _select_lessons(playbook, curating)
    n_more = len(playbook.sent) - len(lessons)
    questions = {str(n): taught[n].sample.question if n in taught else "" for n in range(first, last + 1)}
    prompt = role_prompt(
        "curator",
        last,
        env={"question": questions, "reflection": {str(n): each.words for n, each in taught.items()}},
        sys={
            "first": {at: first},
            "several": {at: str(n_taught) if n_taught > 1 else ""},
            "most": {at: str(MAX_OPERATIONS * n_taught)},
            "most_changes": {at: str(MAX_CHANGES * n_taught)},
            "sections": {at: "\n".join(f"{each.id}: {each.title}" for each in playbook.sections)},
            "playbook": {at: curator_text(playbook, lessons)},
            "more": {at: str(n_more or "")},
            "archived": {at: archived_text(_select_archived(playbook, reflection))},
            "size": {at: str(curating.size)},
            "budget": {at: str(playbook.policy.budget_model_tokens or "")},
        },
    )
    replied = json_reply(model, prompt, DELTA, accepted=ACCEPTED_DELTA, seed=seed).value
    data = replied if isinstance(replied, dict) else {}
    proposals = Proposals(playbook, n_taught)
    proposals.add_all(data.get("operations"))
    return CuratorReply(
        write_value(data.get("reasoning")), tuple(proposals.accepted), tuple(proposals.refused), tuple(proposals.notes)
    )


def curator_text(playbook: Playbook, bullets: Sequence[Bullet]) -> str:
    """Write the lessons in the form for prompts; before `::` it is noted why only people change one."""

    def marked(head: re.Match[str]) -> str:
        bullet = playbook.by_id[head[1]]
        marks = {"pinned": bullet.pinned, "critical": bullet.severity == "critical", "person": is_by_person(bullet)}
        why = ", ".join(name for name, is_so in marks.items() if is_so)
        return f"{head[0]} ({why})" if why else head[0]

    return _HEAD.sub(marked, prompt_text(playbook, bullets=bullets))


def _select_lessons(playbook: Playbook, curating: CuratorInput) -> tuple[Bullet, ...]:
    """Select the lessons for the curator: all, or those that were used or are nearest to the reflection."""
    if curating.top is None or curating.top >= len(playbook.sent):
        return playbook.sent
    count = counter.counter("estimate").count
    ids = {each.id for each in select_bullets(playbook, curating.words, curating.top, count)}
    tagged = {name for each in curating.questions for name in each.tags}
    ids |= {playbook.by_id[name].id for name in tagged if name in playbook.by_id}
    return tuple(each for each in playbook.sent if each.id in ids)


def _select_archived(playbook: Playbook, task: str) -> Playbook:
    """Select the archived bullets; of many, those nearest to a text."""
    bullets = tuple(each for each in playbook.bullets if each.status == "archived")
    if len(bullets) > MAX_ARCHIVED:
        near = [index for index, _ in prepare_ranking(tuple(each.content for each in bullets)).find_nearest(task)]
        places = dict.fromkeys([*near, *reversed(range(len(bullets)))])
        bullets = tuple(bullets[index] for index in sorted([*places][:MAX_ARCHIVED]))
    return replace(playbook, bullets=bullets)
