"""Whether the bytes of a history are as a writer left them; what other programs did to its lines is put right.

Reads no more of each line than it must: every command that writes asks this first.
"""

import re
from collections.abc import Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.history import NO_PREVIOUS, Event, hash_of, read_event

_CR = re.compile(rb"\r(?!\n)")
_PREVIOUS = b'"previous":"'
NEW_ID = "give the bullet in the file another id"
"""The cure for an id that was used before."""
_BULLET_ID = re.compile(rb'"kind":"bullet","id":"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Settled:
    """The bytes of a history with the line ends that it should have."""

    data: bytes
    notes: tuple[str, ...] = ()
    """What was wrong, each a clause about the file; none if the bytes are those of the file."""


def settle(data: bytes, revision: int | None = None) -> Settled:
    """Give every line of a history its end: CR alone ends none, and editors leave out that of the last line.

    A last line without an end is taken if it is a whole event that completes its revision; any other is what a writer
    left that was stopped.

    Parameters:
        data: The bytes of the file.
        revision: That of the playbook file, if it is known: a last line of a later one was never committed.
    """
    notes = []
    if b"\r" in data and _CR.search(data):
        data = _CR.sub(b"\n", data)
        notes.append("its lines ended in CR: they end in LF now")
    start = data.rfind(b"\n") + 1
    event = read_event(data[start:]) if start < len(data) else ""
    if (
        isinstance(event, Event)
        and event.is_last
        and event.previous == _hash_before(data, start)
        and (revision is None or event.revision <= revision)
    ):
        data += b"\n"
        notes.append("its last line had no end: it has one now")
    return Settled(data, tuple(notes))


def _hash_before(data: bytes, start: int) -> str:
    """The hash of the line before an offset where a line begins."""
    return hash_of(data[data.rfind(b"\n", 0, start - 1) + 1 : start]) if start else NO_PREVIOUS


def is_chained(data: bytes) -> bool:
    """Whether each line has the hash of the line before: whether nobody has edited one that is not the last."""
    previous = NO_PREVIOUS.encode()
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        line = data[start:end]
        at = line.find(_PREVIOUS) + len(_PREVIOUS)
        if line[at : at + len(previous)] != previous:
            return False
        previous = hash_of(line).encode()
        start = end + 1
    return True


def used_ids(data: bytes) -> frozenset[str]:
    """The ids of all bullets that a history names, also of those that are gone."""
    return frozenset(found.decode() for found in _BULLET_ID.findall(data))


def gone_bullets(events: Sequence[Event]) -> Mapping[str, Json]:
    """The bullets that are gone after events, by id, each as it was last."""
    found: dict[str, Json] = {}
    for event in events:
        if event.kind == "bullet" and event.after is None:
            found[event.id] = event.before
        elif event.kind == "bullet":
            found.pop(event.id, None)
    return found


def say_reused(name: str) -> str:
    """What is wrong with a bullet that has the id of another one that is gone."""
    return f"the id `{name}` was used before, by a bullet that is gone: ids are never used again"


def is_other(one: Json, two: Json) -> bool:
    """Whether two states of a bullet are those of different lessons."""
    return _text(one) != _text(two)


def _text(data: Json) -> Json:
    return data.get("content") if isinstance(data, dict) else None
