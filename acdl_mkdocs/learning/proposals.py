"""Which of the operations that a model proposes are taken: those that a model may propose, and so few at a time.

Whether one can be applied is seen when it is; this looks at the kind, the number, and whose lessons they are about.
"""

from collections.abc import Mapping
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning import reply_values
from acdl_mkdocs.learning.schemas import CURATOR_OPERATIONS
from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.delta import FIELDS
from acdl_mkdocs.prompts.prompt import Json

MAX_OPERATIONS = 10
"""Operations that one question may lead to."""
MAX_CHANGES = 2
"""Of these, how many may rewrite lessons or take them out."""
PERSON = "person"
"""In `source.by` of a lesson: a model leaves its words alone."""
_CHANGES = ("UPDATE", "REMOVE")
_OTHER_NAMES = {"id": "bullet_id"}
"""What models call a field of an operation that has none of that name."""
_MAX_SHOWN = 40


@dataclass
class Proposals:
    """What is taken of a reply, gathered one operation after another.

    Parameters:
        playbook: What it is about.
        n_questions: How many questions led to it: each may lead to so many operations.
    """

    playbook: Playbook
    n_questions: int = 1
    taken: list[dict[str, Json]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Operations that a model may not propose, in words."""
    notes: list[str] = field(default_factory=list)
    """What was left out of operations that are taken."""

    def add_all(self, given: Json) -> None:
        """Look at the operations of a reply, in their order; behind the most that are taken none is looked at."""
        operations = given if isinstance(given, list) else []
        most = MAX_OPERATIONS * self.n_questions
        for idx, each in enumerate(operations):
            if len(self.taken) == most or len(self.refused) == most:
                said = f"at most {most} of {self._questions} are taken"
                self.refused.append(f"{len(operations) - idx} more operations: {said}")
                return
            self._add(each)

    def _add(self, operation: Json) -> None:
        if not isinstance(operation, dict):
            self.refused.append("an operation is a map")
            return
        kind = reply_values.words(operation.get("type")).upper()[:_MAX_SHOWN]
        if kind not in CURATOR_OPERATIONS:
            self.refused.append(f"{kind} is not for the curator; there are {', '.join(CURATOR_OPERATIONS)}")
            return
        fields, ignored = _fields(operation, kind)
        why = self._refusal(kind, fields)
        if why:
            self.refused.append(why)
            return
        self.taken.append({"type": kind, **fields})
        if ignored:
            self.notes.append(f"{kind}: {', '.join(ignored)} ignored")

    @property
    def _questions(self) -> str:
        return "one question" if self.n_questions == 1 else f"{self.n_questions} questions"

    def _refusal(self, kind: str, fields: Mapping[str, Json]) -> str | None:
        """Why a model may not do something, if so."""
        if kind not in _CHANGES:
            return None
        name = next(iter(reply_values.ids([fields.get("bullet_id")])), "nothing")
        bullet = self.playbook.by_id.get(name)
        if bullet is not None and is_by_person(bullet):
            return f"{kind} of {name}: a person wrote it, and only people change it"
        most = MAX_CHANGES * self.n_questions
        if sum(each["type"] in _CHANGES for each in self.taken) == most:
            verb = "changes" if self.n_questions == 1 else "change"
            return f"{kind} of {name}: {self._questions} {verb} at most {most} lessons"
        return None


def is_by_person(bullet: Bullet) -> bool:
    """Whether a person wrote a lesson, or a part of it."""
    return any(each.by == PERSON for each in bullet.source)


def _fields(operation: Mapping[str, Json], kind: str) -> tuple[dict[str, Json], list[str]]:
    """What an operation of a kind can have, under its own names, and the names of what else it says."""
    needed, optional = FIELDS[kind]
    known = (*needed, *optional)
    given = {
        key: value
        for key, value in operation.items()
        if key != "type" and value is not None and (key in needed or value not in ("", []))
    }
    found: dict[str, Json] = {key: value for key, value in given.items() if key in known}
    ignored = []
    for key, value in given.items():
        name = _OTHER_NAMES.get(key, key)
        if key in known:
            continue
        if name in known and name not in found:
            found[name] = value
        else:
            ignored.append(f"`{key[:_MAX_SHOWN]}`")
    return found, ignored
