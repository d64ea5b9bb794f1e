"""The history of a playbook as pages tell it: revisions, each with its steps.

Takes the events of `store.history`; the hashes and the places of events in their file do not matter here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import groupby
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
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
    seen: Mapping[str, int] = field(default_factory=dict)
    """By how much it moved the count of how often each bullet was in a prompt, where it did nothing else to it."""


def day_of(revision: Revision) -> str:
    """The date of a revision: `2026-11-20`; empty if unknown."""
    return revision.time.partition("T")[0]


def revisions(events: Iterable[Event]) -> tuple[Revision, ...]:
    """Events as revisions, in the order of the history."""
    return tuple(_revision(number, tuple(each)) for number, each in groupby(events, key=lambda event: event.revision))


def _revision(number: int, events: tuple[Event, ...]) -> Revision:
    first = events[0]
    time = short_time(first.time) or ""
    steps = tuple(_step(event) for event in events if event.kind != SEEN)
    seen = _seen(event for event in events if event.kind == SEEN)
    return Revision(number, steps, time, first.actor or "", first.trace or "", first.reasoning or "", seen)


def _seen(events: Iterable[Event]) -> dict[str, int]:
    """What events counted for each bullet."""
    found: dict[str, int] = {}
    for event in events:
        was, now = _data(event.before) or {}, _data(event.after) or {}
        for name in {**was, **now}:
            found[name] = found.get(name, 0) + _number(now.get(name)) - _number(was.get(name))
    return found


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _step(event: Event) -> Step:
    return Step(
        event.op, event.kind, event.id, _data(event.before), _data(event.after), event.reason or "", event.guards
    )


def _data(value: Json) -> Data | None:
    return value if isinstance(value, dict) else None
