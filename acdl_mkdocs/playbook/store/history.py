"""The history of a playbook: one event a line, each chained to the previous ones, and the integrity of its bytes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from hashlib import sha256
from itertools import groupby
from typing import Any, cast, get_args

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.changes import Change, Kind
from acdl_mkdocs.playbook.model.plain import migrate_bullet
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

CONFLICT_CURE = (
    "`acdl playbook repair` takes both sides; or `git merge --abort`, `acdl playbook merge --setup`, and merge again"
)
CONFLICT_MESSAGE = "git left a conflict in this file"
_OURS, _BASE, _MIDDLE, _THEIRS = b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"
_MARK = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: [^\n]*)?|={7}")


def is_conflict_mark(line: bytes) -> bool:
    """Return whether a line is a conflict marker of git."""
    return _MARK.fullmatch(line.rstrip(b"\r")) is not None


def find_conflict(data: bytes) -> int | None:
    """Return the offset of the first conflict marker; `None` if a file has no conflict."""
    if _OURS not in data or _THEIRS not in data:
        return None
    match = re.search(rb"(?m)^<{7}(?: |\r?$)", data)
    is_whole = match and re.search(rb"(?m)^={7}\r?$", data) and re.search(rb"(?m)^>{7}(?: |\r?$)", data)
    return match.start() if match and is_whole else None


def split_conflict(data: bytes) -> tuple[bytes, bytes] | None:
    """Return our and their version of a file; `None` if the conflict markers are not in the order that git writes."""
    ours: list[bytes] = []
    theirs: list[bytes] = []
    side = b""
    follows = {b"": (_OURS,), _OURS: (_BASE, _MIDDLE), _BASE: (_MIDDLE,), _MIDDLE: (_THEIRS,)}
    for line in _lines(data):
        if is_conflict_mark(line.rstrip(b"\n")):
            mark = line[:7]
            if mark not in follows[side]:
                return None
            side = b"" if mark == _THEIRS else mark
            continue
        if side in (b"", _OURS):
            ours.append(line)
        if side in (b"", _MIDDLE):
            theirs.append(line)
    return None if side else (b"".join(ours), b"".join(theirs))


def common_lines(one: bytes, two: bytes) -> bytes:
    """Return the lines that both begin with."""
    lines = []
    for a, b in zip(_lines(one), _lines(two), strict=False):
        if a.rstrip(b"\r\n") != b.rstrip(b"\r\n"):
            break
        lines.append(a)
    return b"".join(lines)


def _lines(data: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


NO_PREVIOUS = "0" * 64
"""The previous hash of the first line."""
SEEN: Kind = "seen"
"""The kind of event that counts prompts for many bullets; before and after are maps by id."""
_KINDS = get_args(Kind)
_KEYS_THAT_MAY_MISS = frozenset(
    ("reason", "reasoning", "actor", "trace", "guards", "time", "digest", "stamp", "branch")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One change of one revision."""

    revision: int
    n: int
    """Index of the event in the revision, from 1."""
    of: int
    """Number of events in the revision."""
    op: str
    """An operation of a delta, an action of a curator, or `INIT`, `EDIT`, `UNDO`, `REPAIR`, `MERGED_BRANCH`."""
    kind: Kind
    id: str
    before: Json
    after: Json
    reason: str | None = None
    reasoning: str | None = None
    """The reasoning of the delta for the whole revision; only its first event may have it."""
    actor: str | None = None
    trace: str | None = None
    """The cause: `run/epoch/sample` of a learning loop."""
    guards: tuple[str, ...] = ()
    """The findings of guards."""
    time: str | None = None
    previous: str = NO_PREVIOUS
    """Hash of the previous line."""
    digest: str | None = None
    """Hash of the whole playbook after the revision; only its last event has it."""
    stamp: str | None = None
    """A unique id of the revision among all branches; only its last event has it."""
    branch: Json = None
    """The original events of a branch that was merged."""

    @property
    def change(self) -> Change:
        """The event as a change that can be applied."""
        return Change(self.kind, self.id, self.before, self.after)

    @property
    def is_last(self) -> bool:
        """True if the event completes its revision."""
        return self.n == self.of


_KEYS = tuple(each.name for each in fields(Event))


@dataclass(frozen=True, slots=True)
class Damage:
    """A fault of a history."""

    line: int
    """From 1."""
    message: str


@dataclass(frozen=True, slots=True)
class History:
    """The contents of a history file."""

    events: tuple[Event, ...] = ()
    """The events of complete revisions up to the first damage."""
    damage: tuple[Damage, ...] = ()
    """The faults; an incomplete last line is also one, see `is_torn`."""
    good_bytes: int = 0
    """Size in bytes of these events."""
    last_hash: str = NO_PREVIOUS
    is_torn: bool = False
    """Whether the only fault is an incomplete last revision, as a killed writer leaves it."""

    @property
    def revision(self) -> int:
        """The last complete one; -1 if there is none."""
        return self.events[-1].revision if self.events else -1

    @property
    def stamp(self) -> str | None:
        """The stamp of the last complete revision, if it has one."""
        return self.events[-1].stamp if self.events else None


def line_of(event: Event) -> bytes:
    """Write an event as a line, without unknown fields."""
    data: dict[str, Json] = {}
    for key in _KEYS:
        value = getattr(event, key)
        if key in _KEYS_THAT_MAY_MISS and (value is None or value == ()):
            continue
        data[key] = list(value) if isinstance(value, tuple) else value
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def hash_of(line: bytes) -> str:
    """Return the hash of a line for the next line; its line end is ignored, since git may change it on Windows."""
    return sha256(line.rstrip(b"\r\n")).hexdigest()


def read_event(line: bytes) -> Event | str:
    """Read the event of a line, or return what is wrong with it."""
    try:
        data: Any = strict_json(line.decode("utf-8"))
        if b"\\u" in line:
            json.dumps(data, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        return "is not UTF-8"
    except UnicodeEncodeError:
        return "has half of a character, which no file can hold"
    except JsonFault as fault:
        return f"is not JSON: {CONFLICT_MESSAGE if is_conflict_mark(line) else fault}"
    if not isinstance(data, dict):
        return "is not a map"
    unknown = [key for key in data if key not in _KEYS]
    missing = [key for key in _KEYS if key not in data and key not in _KEYS_THAT_MAY_MISS]
    if unknown or missing:
        return f"has an unknown key `{unknown[0][:40]}`" if unknown else f"has no `{missing[0]}`"
    wrong = [key for key in data if not _is_valid(key, data[key])]
    if not wrong and data["kind"] == SEEN:
        wrong = [key for key in ("before", "after") if not _is_counts(data[key])]
    if wrong:
        return f"has a `{wrong[0]}` that means nothing"
    if data["kind"] == "bullet":
        data["before"], data["after"] = migrate_bullet(data["before"]), migrate_bullet(data["after"])
    data["guards"] = tuple(data.get("guards", ()))
    return Event(**data)


def _is_counts(value: object) -> bool:
    """Return whether a value is a map from ids to numbers."""
    return isinstance(value, dict) and all(
        isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in value.values()
    )


def _is_valid(key: str, value: object) -> bool:
    if key in ("revision", "n", "of"):
        return isinstance(value, int) and not isinstance(value, bool) and value >= (key != "revision")
    if key in ("before", "after"):
        return value is None or isinstance(value, dict)
    if key == "guards":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if key == "kind":
        return value in _KINDS
    return key == "branch" or isinstance(value, str) or (value is None and key in _KEYS_THAT_MAY_MISS)


def read_history(data: bytes) -> History:
    """Read the bytes of a history file. Problems are in `History.damage`; never raises."""
    reading = _HistoryReader()
    for line in data.split(b"\n")[:-1]:
        reading.read_line(line)
    return reading.build_history(data)


class _HistoryReader:
    """Reads a history line by line."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.damage: list[Damage] = []
        self.marks = [(0, 0, NO_PREVIOUS)]
        """Number of events and of bytes, and the hash of the last line, after each complete revision."""
        self.previous = NO_PREVIOUS
        self.n_lines = self.at = 0

    def read_line(self, line: bytes) -> None:
        self.n_lines += 1
        self.at += len(line) + 1
        event = read_event(line)
        if isinstance(event, str):
            self.damage.append(Damage(self.n_lines, event))
        elif event.previous != self.previous:
            self._drop_revision()
        elif not self.damage:
            wrong = self._find_disorder(event)
            if wrong:
                self.damage.append(Damage(self.n_lines, wrong))
            else:
                self._keep_event(event, line)
        self.previous = hash_of(line)

    def _keep_event(self, event: Event, line: bytes) -> None:
        self.events.append(event)
        if event.is_last:
            self.marks.append((len(self.events), self.at, hash_of(line)))

    def _drop_revision(self) -> None:
        """Drop the revision of the previous line, which this line does not continue."""
        if self.n_lines == 1:
            self.damage.append(Damage(1, "names a line before, and there is none: lines above it are missing"))
            return
        if not self.damage and len(self.marks) > 1 and self.marks[-1][0] == len(self.events):
            self.marks.pop()
        message = "was changed, or lines after it are missing: the next line has another hash of the line before"
        self.damage.append(Damage(self.n_lines - 1, message))

    def _find_disorder(self, event: Event) -> str | None:
        """Return what is inconsistent with the previous events."""
        position = f"is event {event.n} of {event.of} of revision {event.revision}"
        is_first = len(self.events) == self.marks[-1][0]
        last = self.events[-1] if self.events else None
        if event.n > event.of:
            return position
        if is_first:
            if event.n != 1:
                return f"{position}, and event 1 is missing"
            if last is not None and event.revision <= last.revision:
                return f"{position}, and revision {last.revision} came before"
        elif last is not None and (event.revision, event.n, event.of) != (last.revision, last.n + 1, last.of):
            return f"{position}, and event {last.n + 1} of {last.of} of revision {last.revision} is missing"
        return None

    def build_history(self, data: bytes) -> History:
        n_complete, good_bytes, last_hash = self.marks[-1]
        is_torn = not self.damage and good_bytes < len(data)
        if is_torn:
            what = "the last line has no end" if self.at < len(data) else "the last revision is not complete"
            message = f"{what}: a writer was stopped before it was committed"
            self.damage.append(Damage(self.n_lines - (len(self.events) - n_complete) + 1, message))
        return History(tuple(self.events[:n_complete]), tuple(self.damage), good_bytes, last_hash, is_torn)


def group_revisions(events: Iterable[Event]) -> Iterator[tuple[int, tuple[Event, ...]]]:
    """Group events by revision, in order."""
    for revision, group in groupby(events, key=lambda event: event.revision):
        yield revision, tuple(group)


def last_event(data: bytes) -> Event | None:
    """Return the last event if it completes its revision and nothing follows it; reads one line only."""
    if not data.endswith(b"\n"):
        return None
    event = read_event(data[data.rfind(b"\n", 0, len(data) - 1) + 1 :].rstrip(b"\r\n"))
    return event if isinstance(event, Event) and event.is_last else None


def data_of(events: Sequence[Event]) -> tuple[dict[str, Json], ...]:
    """Return events as plain data, for programs."""
    return tuple(cast(dict[str, Json], json.loads(line_of(event))) for event in events)


STAMP_LENGTH = 12
"""Hex digits of a stamp."""


@dataclass(frozen=True, slots=True)
class ChainedRevision:
    """The lines of one revision, as they are appended to a history."""

    data: bytes
    last_hash: str
    """The hash of its last line."""
    stamp: str


def chain_revision(events: Sequence[Event], previous: str, digest: str, stamp: str | None = None) -> ChainedRevision:
    """Number the events of one revision and chain them to the previous line.

    Parameters:
        events: At least one; their `n`, `of`, `previous`, `digest` and `stamp` are set here.
        previous: Hash of the previous line.
        digest: Hash of the playbook after them.
        stamp: The stamp of the revision; without it, it is derived from the events and the previous lines.
    """
    lines = []
    for number, event in enumerate(events, 1):
        placed = replace(event, n=number, of=len(events), previous=previous, digest=None, stamp=None)
        if number == len(events):
            placed = replace(placed, digest=digest)
            stamp = stamp or hash_of(line_of(placed))[:STAMP_LENGTH]
            placed = replace(placed, stamp=stamp)
        lines.append(line_of(placed))
        previous = hash_of(lines[-1])
    return ChainedRevision(b"".join(lines), previous, stamp or "")


_CR = re.compile(rb"\r(?!\n)")
_PREVIOUS = b'"previous":"'
NEW_ID = "give the bullet in the file another id"
"""The cure for an id that was used before."""
_BULLET_ID = re.compile(rb'"kind":"bullet","id":"([^"]+)"')


@dataclass(frozen=True, slots=True)
class NormalizedHistory:
    """The bytes of a history with normalized line ends."""

    data: bytes
    notes: tuple[str, ...] = ()
    """What was wrong, each a clause about the file; empty if the bytes are those of the file."""


def normalize_line_ends(data: bytes, revision: int | None = None) -> NormalizedHistory:
    """Normalize the line ends of a history: a CR alone ends no line, and editors omit the last line end.

    A last line without an end is accepted if it is a whole event that completes its revision; otherwise an interrupted
    writer left it.

    Parameters:
        data: The bytes of the file.
        revision: The revision of the playbook file, if known: a last line of a later one was never committed.
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
    return NormalizedHistory(data, tuple(notes))


def _hash_before(data: bytes, start: int) -> str:
    """Return the hash of the line before an offset where a line begins."""
    return hash_of(data[data.rfind(b"\n", 0, start - 1) + 1 : start]) if start else NO_PREVIOUS


def is_chained(data: bytes) -> bool:
    """Return whether each line has the hash of the previous one, so that only the last one may have been edited."""
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


def find_used_ids(data: bytes) -> frozenset[str]:
    """Return the ids of all bullets in a history, including removed ones."""
    return frozenset(match.decode() for match in _BULLET_ID.findall(data))


def find_removed_bullets(events: Sequence[Event]) -> Mapping[str, Json]:
    """Return the bullets that are removed after events, by id, in their last state."""
    removed: dict[str, Json] = {}
    for event in events:
        if event.kind == "bullet" and event.after is None:
            removed[event.id] = event.before
        elif event.kind == "bullet":
            removed.pop(event.id, None)
    return removed


def describe_reused_id(name: str) -> str:
    """Describe a bullet that has the id of another, removed one."""
    return f"the id `{name}` was used before, by a bullet that is gone: ids are never used again"


def is_other_lesson(one: Json, two: Json) -> bool:
    """Return whether two states of a bullet are different lessons."""
    return _text(one) != _text(two)


def _text(data: Json) -> Json:
    return data.get("content") if isinstance(data, dict) else None
