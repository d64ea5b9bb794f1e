"""The history of a playbook as pages tell it: revisions, each with its steps.

Takes the events of `store.history`; the hashes and the places of events in their file do not matter here.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TypeAlias

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.store.history import SEEN, Event
from acdl_mkdocs.store.look import short_time

Data: TypeAlias = Mapping[str, Json]
"""A bullet, section or pair as plain data."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that changed."""

    op: str
    kind: str
    id: str
    before: Data | None
    after: Data | None
    reason: str = ""
    guards: tuple[str, ...] = ()

    def text(self, *, is_before: bool) -> str:
        """The words of the bullet on one side; empty if there are none."""
        content = (self.before if is_before else self.after) or {}
        return str(content.get("content", ""))

    @property
    def is_rewritten(self) -> bool:
        """Whether the bullet was there and has other words since."""
        return bool(self.before and self.after) and self.text(is_before=True) != self.text(is_before=False)


@dataclass(frozen=True, slots=True)
class Revision:
    """What one delta did."""

    number: int
    steps: tuple[Step, ...]
    time: str = ""
    actor: str = ""
    trace: str = ""
    reasoning: str = ""


def revisions(events: Iterable[Event]) -> tuple[Revision, ...]:
    """Events as revisions, in the order of the history."""
    return tuple(_revision(number, tuple(each)) for number, each in groupby(events, key=lambda event: event.revision))


def _revision(number: int, events: tuple[Event, ...]) -> Revision:
    first = events[0]
    time = short_time(first.time) or ""
    told = (event for event in events if event.kind != SEEN)  # bullets say themselves how often they were in a prompt
    return Revision(number, tuple(map(_step, told)), time, first.actor or "", first.trace or "", first.reasoning or "")


def _step(event: Event) -> Step:
    return Step(
        event.op, event.kind, event.id, _data(event.before), _data(event.after), event.reason or "", event.guards
    )


def _data(value: Json) -> Data | None:
    return value if isinstance(value, dict) else None
