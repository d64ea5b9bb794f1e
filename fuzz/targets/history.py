"""Any lines as the history of a playbook: as they are, and with the hashes that they would have."""

import json
from dataclasses import replace

from acdl_mkdocs.foundation.errors import ChangeError
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Section
from acdl_mkdocs.playbook.model.changes import find_changes
from acdl_mkdocs.playbook.store.history import (
    NO_PREVIOUS,
    Event,
    History,
    data_of,
    hash_of,
    last_event,
    line_of,
    read_history,
)
from acdl_mkdocs.playbook.store.load import state_at
from acdl_mkdocs.playbook.store.look import blame_bullets, list_revisions
from acdl_mkdocs.playbook.store.merge import merge_histories
from acdl_mkdocs.playbook.store.repair import select_replayable
from fuzz.target import Target, lines_of, told
from fuzz.words import playbook


def run(data: bytes) -> None:
    """Read it, go through its revisions, merge it with itself."""
    for lines in (data, _chained(data)):
        found = read_history(lines)
        assert all(each.message for each in found.damage)
        last_event(lines)
        json.dumps(data_of(found.events), allow_nan=False, ensure_ascii=False).encode()
        select_replayable(found.events)
        list_revisions(found.events)
        _write(found)
        _replay(found)
        merge_histories(b"", lines, lines)
        merge_histories(lines, lines, lines)


def _write(found: History) -> None:
    """Events that are written one behind the other are read as they are, and nothing is wrong with them."""
    events, lines, previous = [], [], NO_PREVIOUS
    for event in found.events:
        events.append(replace(event, previous=previous))
        lines.append(line_of(events[-1]))
        previous = hash_of(lines[-1])
    again = read_history(b"".join(lines))
    assert again.events == tuple(events)
    assert again.damage == ()


def _replay(found: History) -> None:
    try:
        playbook = state_at(found.events)
        state_at(found.events, 0)
    except ChangeError as reason:
        told(reason)
        return
    blame_bullets(playbook, found.events)


def _chained(data: bytes) -> bytes:
    """The lines that are objects with the hash of the line before, so that what is read is more than the first."""
    previous = ""
    made = []
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            value = value | ({"previous": previous} if previous else {})
            made.append(json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode())
            previous = hash_of(made[-1])
    return b"".join(line + b"\n" for line in made)


def _seeds() -> list[bytes]:
    empty = Playbook(name="b")
    book = Playbook(name="b", sections=(Section("g", "G"),), bullets=(Bullet(id="g-00001", section="g", content="A."),))
    found = find_changes(empty, book)
    events = [
        Event(
            revision=0, n=n, of=len(found), op="INIT", kind=each.kind, id=each.id, before=each.before, after=each.after
        )
        for n, each in enumerate(found, 1)
    ]
    seen = Event(
        revision=1, n=1, of=1, op="SEEN", kind="seen", id="", before={"g-00001": 0}, after={"g-00001": 2}, time="2025"
    )
    lines = b"".join(map(line_of, (*events, seen)))
    return [lines, *lines_of("examples/playbook/playbook.history.jsonl", most_bytes=2000, most_lines=20)]


TARGET = Target(
    run=run,
    promise="is events and the damage after them; what can be replayed leads to a playbook or a clear error",
    seeds=_seeds,
    words=playbook(),
    max_bytes=3000,
)
