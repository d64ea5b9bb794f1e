"""Read playbooks and their histories from disk. Reading needs no lock: no file is ever half written."""

import errno
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.errors import (
    AcdlError,
    ChangeError,
    DamagedHistoryError,
    PlaybookError,
    UnusablePlaybookError,
)
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.changes import Change, apply_changes
from acdl_mkdocs.playbook.store.history import (
    CONFLICT_CURE,
    CONFLICT_MESSAGE,
    SEEN,
    Event,
    History,
    NormalizedHistory,
    find_conflict,
    normalize_line_ends,
    read_history,
)
from acdl_mkdocs.playbook.store.read_playbook import PLAYBOOK_FILE, Loaded, read_playbook
from acdl_mkdocs.prompts.prompt import Json

EMPTY_PLAYBOOK = Playbook(name="", sections=())
"""The initial state of every history."""


def expand_counts(events: Iterable[Event], later: Mapping[tuple[str, str], Json] | None = None) -> Iterator[Event]:
    """Expand the events that count prompts into an event for each bullet.

    Parameters:
        events: A history, or a part of it.
        later: The later state of parts, for a history that begins in the middle.

    Raises:
        ChangeError: A counted bullet does not exist, or had another count.
    """
    events = tuple(events)
    now: dict[str, Json] = _bullets_before(events, later) if later else {}
    for event in events:
        if event.kind == SEEN:
            yield from expand_count(event, now)
            continue
        if event.kind == "bullet":
            now[event.id] = event.after
        yield event


def expand_count(event: Event, now: dict[str, Json]) -> Iterator[Event]:
    """Expand an event that counts prompts into an event for each bullet; `now` gets the new states.

    Raises:
        ChangeError: A counted bullet does not exist, or had another count.
    """
    was = event.before if isinstance(event.before, dict) else {}
    counts_after = event.after if isinstance(event.after, dict) else {}
    for name in sorted({*was, *counts_after}):
        bullet = now.get(name)
        if not isinstance(bullet, dict) or bullet.get("seen", 0) != was.get(name):
            raise ChangeError(f"revision {event.revision} counts bullet `{name}`, which was not as it says")
        now[name] = with_seen(bullet, counts_after.get(name))
        yield replace(event, kind="bullet", id=name, before=bullet, after=now[name])


def with_seen(bullet: Mapping[str, Json], count: Json) -> dict[str, Json]:
    """Return the data of a bullet with another prompt count."""
    data = {**bullet, "seen": count}
    if not count:
        del data["seen"]
    return data


def _bullets_before(events: Iterable[Event], later: Mapping[tuple[str, str], Json]) -> dict[str, Json]:
    """Return the bullets before events that lead to their later states."""
    now = {name: data for (kind, name), data in later.items() if kind == "bullet"}
    for event in reversed(tuple(events)):
        if event.kind == "bullet":
            now[event.id] = event.before
        elif event.kind == SEEN and isinstance(event.before, dict):
            for name, count in event.before.items():
                bullet = now.get(name)
                now[name] = with_seen(bullet, count) if isinstance(bullet, dict) else None
    return now


def state_at(events: Iterable[Event], revision: int | None = None) -> Playbook:
    """Return the playbook after a revision, by default the last one.

    Only the net change of each part is applied, so it takes as long as reading the events.

    Raises:
        ChangeError: An event contradicts the previous events.
    """
    changes: dict[tuple[str, str], Change] = {}
    reached = 0
    for event in expand_counts(event for event in events if revision is None or event.revision <= revision):
        reached = event.revision
        key = (event.kind, event.id)
        before = changes.get(key)
        if before is not None and before.after != event.before:
            raise ChangeError(f"revision {event.revision} changes {event.kind} `{event.id}`, which was not as it says")
        changes[key] = Change(event.kind, event.id, before.before if before else event.before, event.after)
    try:
        return apply_changes(
            EMPTY_PLAYBOOK, [change for change in changes.values() if change.before != change.after], revision=reached
        )
    except AcdlError as reason:
        raise ChangeError(str(reason)) from None


def history_path(path: Path) -> Path:
    """Return the path of the history of a playbook: `playbook.history.jsonl` for `playbook.yaml`."""
    return path.with_name(f"{path.stem}.history.jsonl")


def resolve_link(path: Path) -> Path:
    """Return the file itself if a path is a symbolic link."""
    return path.resolve() if path.is_symlink() else path


def load(path: Path) -> Loaded:
    """Read a playbook file. Problems are in `Loaded.problems`; never raises for the content of the file.

    Raises:
        OSError: The file cannot be read.
    """
    return load_bytes(path.read_bytes(), str(path))


def load_bytes(data: bytes, name: str) -> Loaded:
    """Read the bytes of a playbook file. Problems are in `Loaded.problems`; never raises."""
    try:
        text = re.sub("\r(?!\n)", "\n", data.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        message = f"the file is not UTF-8: there is a byte 0x{data[fault.start]:02x} in line {line}"
        return Loaded(None, (PLAYBOOK_FILE.make_problem(0, 0, message, "save it as UTF-8"),), Source("", name))
    at = find_conflict(data)
    if at is not None:
        start = len(data[:at].decode("utf-8-sig"))
        problem = PLAYBOOK_FILE.make_problem(start, start + 7, CONFLICT_MESSAGE, CONFLICT_CURE, "one side begins here")
        return Loaded(None, (problem,), Source(text, name))
    return read_playbook(text, name)


def get_usable_playbook(loaded: Loaded) -> Playbook:
    """Return the playbook of a file, which must have no errors.

    Raises:
        UnusablePlaybookError: It has errors.
    """
    if loaded.playbook is None:
        n_problems = len(loaded.problems)
        what = "an error" if n_problems == 1 else f"{n_problems} errors"
        raise UnusablePlaybookError(f"{loaded.source.name}: the file has {what}", loaded.problems, loaded.source)
    return loaded.playbook


def load_history(path: Path) -> History:
    """Read the history of a playbook file; empty if there is none. Never raises for its content.

    Raises:
        OSError: It cannot be read.
    """
    return read_history(history_data(path) or b"")


def load_whole_history(path: Path) -> History:
    """Read the history of a playbook file, which must have no damaged committed revision.

    Raises:
        DamagedHistoryError: It has one, so its content would mislead.
        OSError: It cannot be read.
    """
    return check_whole(load_history(path), path)


def check_whole(history: History, path: Path) -> History:
    """Return a history after checking that no committed revision is damaged.

    Raises:
        DamagedHistoryError: One is.
    """
    if history.damage and not history.is_torn:
        first = history.damage[0]
        message = f"{history_path(path)}:{first.line}: {first.message}"
        raise DamagedHistoryError(message, f"run `acdl playbook repair {path}`")
    return history


def history_data(path: Path) -> bytes | None:
    """Read the bytes of the history of a playbook file; `None` if it is missing or empty.

    Raises:
        OSError: It cannot be read.
    """
    return load_normalized_history(path).data or None


def load_normalized_history(path: Path, revision: int | None = None) -> NormalizedHistory:
    """Read the history of a playbook file with normalized line ends; empty if there is none.

    Parameters:
        path: The playbook file.
        revision: The revision in it.

    Raises:
        OSError: It cannot be read.
    """
    history = history_path(resolve_link(path))
    if history.is_symlink():  # a link may lead to any file
        raise OSError(errno.ELOOP, "is a link; put the history itself there, or delete the link", str(history))
    try:
        return normalize_line_ends(history.read_bytes(), revision)
    except FileNotFoundError:
        return NormalizedHistory(b"")


def load_revision(path: Path, revision: int) -> Playbook:
    """Return the playbook at a revision.

    Raises:
        PlaybookError: The history lacks the revision, or is damaged.
        OSError: The history cannot be read.
    """
    events = load_whole_history(path).events
    if not events or not events[0].revision <= revision <= events[-1].revision:
        available = f"revisions {events[0].revision} to {events[-1].revision}" if events else "no revision"
        raise PlaybookError(f"{path}: there is no revision {revision}: the history has {available}")
    try:
        return state_at(events, revision)
    except ChangeError as reason:
        raise PlaybookError(f"{path}: {reason}", f"run `acdl playbook repair {path}`") from None


def has_trace(path: Path, trace: str) -> bool:
    """Return whether a committed revision was caused by that trace.

    Raises:
        OSError: The history cannot be read.
    """
    data = history_data(path) or b""
    wanted = f'"trace":{json.dumps(trace, ensure_ascii=False)}'.encode()
    if wanted not in data:
        return False
    return any(event.trace == trace for event in read_history(data).events)
