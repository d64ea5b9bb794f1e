"""Undo a revision: make a new revision that reverts the changes of an old one.

Only the changes of the old revision are reverted. If a later operation of a person or of a delta depends on it, nothing
is reverted, and the error names the revisions to undo first. Actions of the curator itself never block an undo: links
between near bullets, pruning, prompt counts. Counts are subtracted, regardless of later ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import COUNTERS, Playbook
from acdl_mkdocs.playbook.model.changes import Change, apply_changes, find_changes, pair_id
from acdl_mkdocs.playbook.model.plain import pair_data
from acdl_mkdocs.playbook.model.report import Applied, Report
from acdl_mkdocs.playbook.store.checks import Flaw, find_flaws
from acdl_mkdocs.playbook.store.events import with_revision
from acdl_mkdocs.playbook.store.history import Event
from acdl_mkdocs.playbook.store.load import (
    EMPTY_PLAYBOOK,
    expand_counts,
    load_revision,
    load_whole_history,
    resolve_link,
)
from acdl_mkdocs.playbook.store.save import Warn, update
from acdl_mkdocs.prompts.prompt import Json

_AUTOMATIC = frozenset(("QUEUED", "UNLINKED", "PRUNED", "REJECTED", "SEEN"))
"""Operations that nobody requested, because they follow from others."""
_LINKS = frozenset(("review", "conflict"))
"""Verdicts of pairs that nobody requested, in histories of earlier versions."""
_TAKES_BACK = "takes back revision "
_TAKEN_BACK = re.compile(f"{_TAKES_BACK}([0-9]+)")
_NOT_COMPARED = frozenset(("updated",))
_SHOWN_COUNTERS = frozenset(("helpful", "harmful"))
"""Counters that every bullet has, even if they are 0."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A playbook with a revision undone."""

    playbook: Playbook
    revision: int
    """The revision that was undone, or returned to."""
    changes: tuple[Change, ...]
    report: Report


def undo(
    path: Path,
    revision: int | None = None,
    *,
    time: str | None = None,
    actor: str | None = "person",
    warn: Warn | None = None,
) -> Undone:
    """Undo a revision, by default the last one.

    Raises:
        PlaybookError: There is no such revision, or later changes depend on it.
        DamagedHistoryError: The history is damaged.
        UnusablePlaybookError: The file has errors.
        OSError: A file cannot be read.
    """
    path = resolve_link(path)
    if path.is_file() and not load_whole_history(path).events:
        cure = f"`acdl playbook repair {path}` begins one"
        raise PlaybookError(f"{path} has no history, so there is nothing to take back", cure)

    def change(playbook: Playbook) -> Undone:
        return undo_revision(playbook, load_whole_history(path).events, revision, str(path))

    return update(path, change, time=time, actor=actor, warn=warn, op="UNDO")


def return_to(
    path: Path,
    revision: int,
    *,
    reason: str = "",
    trace: str | None = None,
    time: str | None = None,
    actor: str | None = "person",
    warn: Warn | None = None,
    by: str | None = None,
) -> Undone:
    """Restore a playbook to a revision: undo everything later by one new revision.

    Parameters:
        path: The file.
        revision: The revision to return to.
        reason: The reason, for the history.
        trace: The cause.
        time: When.
        actor: Who returns.
        warn: Called with sentences about findings.
        by: Undo only changes with this cause: the beginning of traces.

    Raises:
        PlaybookError: There is no such revision, or something else than `by` changed the playbook since.
        DamagedHistoryError: The history is damaged.
        UnusablePlaybookError: The file has errors.
        OSError: A file cannot be read.
    """
    path = resolve_link(path)
    why = f"is again as at revision {revision}" + (f": {reason}" if reason else "")

    def change(playbook: Playbook) -> Undone:
        earlier = load_revision(path, revision)
        later = [event for event in load_whole_history(path).events if event.revision > revision]
        others = sorted({event.revision for event in later if by and not (event.trace or "").startswith(by)})
        if others:
            numbers = ", ".join(map(str, others))
            message = f"{path}: was changed by somebody else since revision {revision}: in revision {numbers}"
            raise PlaybookError(message, f"`acdl playbook undo {path} --to {revision}` takes that back too")
        changes = find_changes(playbook, earlier)
        changed = (
            with_revision(replace(earlier, revision=playbook.revision), playbook, changes) if changes else playbook
        )
        return Undone(changed, revision, changes, _make_report(playbook, changed, changes, why))

    return update(path, change, time=time, trace=trace, actor=actor, warn=warn, op="UNDO")


def undo_revision(playbook: Playbook, events: Sequence[Event], revision: int | None, name: str) -> Undone:
    """Return the playbook with a revision undone.

    Raises:
        PlaybookError: There is no such revision, or later changes depend on it.
    """
    first, last = events[0].revision, events[-1].revision
    number = last if revision is None else revision
    events = tuple(expand_counts(events))
    revision_events = [event for event in events if event.revision == number]
    if not revision_events:
        raise PlaybookError(f"{name}: there is no revision {number}", f"`acdl playbook log {name}` lists them")
    if number == first:
        raise PlaybookError(f"{name}: revision {first} began the history, so there is nothing before it")
    later = _LaterChanges(tuple(event for event in events if event.revision > number))
    now = {(each.kind, each.id): each.after for each in find_changes(EMPTY_PLAYBOOK, playbook)}
    wanted_changes = []
    for each in _net_changes(revision_events):
        current = now.get((each.kind, each.id))
        fields, opposite = _reverse_change(each, current)
        is_absorbed = current is None and each.kind == "bullet" and each.id in playbook.by_id
        if (opposite != current or is_absorbed) and not later.record_dependency(each.kind, each.id, fields):
            wanted_changes.append(Change(each.kind, each.id, current, opposite))
    wanted_changes += _remove_links(playbook, wanted_changes, later)
    edited = _apply_wanted(playbook, wanted_changes, number, name)
    for flaw in find_flaws(edited) if not later.dependents else ():
        later.record_flaw(flaw, edited)
    if later.dependents:
        raise _make_dependency_error(later, number, name)
    if not wanted_changes:
        raise PlaybookError(f"{name}: revision {number} changed nothing that is still there")
    changed = with_revision(edited, playbook, wanted_changes)
    return Undone(
        changed,
        number,
        tuple(wanted_changes),
        _make_report(playbook, changed, wanted_changes, f"{_TAKES_BACK}{number}"),
    )


class _LaterChanges:
    """The events after a revision, and which of them depend on it."""

    def __init__(self, events: Sequence[Event]) -> None:
        cancelled = _find_cancelled(events)
        self.events = tuple(event for event in events if event.revision not in cancelled)
        self.dependents: dict[str, tuple[int, ...]] = {}
        """The revisions that depend on it, by a description of their changes."""

    def record_dependency(self, kind: str, name: str, fields: Sequence[str]) -> bool:
        """Record and return whether fields of a part were changed since; automatic changes do not count."""
        revisions = sorted({event.revision for event in self._find_requested(kind, name) if _is_about(event, fields)})
        if fields and revisions:
            self.dependents[f"{kind} `{name}` ({', '.join(fields)})".replace(" ``", "")] = tuple(revisions)
        return bool(fields and revisions)

    def record_flaw(self, flaw: Flaw, edited: Playbook) -> None:
        """Record the part that cannot exist without the revision."""
        name = edited.bullets[flaw.index].id if flaw.kind == "bullets" else ""
        kind = "bullet" if name else "playbook"
        is_known = any(key.startswith(f"{kind} `{name}` ") for key in self.dependents)
        if not is_known and not self.record_dependency(kind, name, (flaw.key,)):
            self.dependents[flaw.message] = ()

    def _find_requested(self, kind: str, name: str) -> Iterator[Event]:
        """Yield the events of a part that somebody requested; a removed or undecided pair does not count."""
        for event in self.events:
            is_link = kind == "pair" and _map(event.after).get("verdict", "review") in _LINKS
            is_wish = event.op not in _AUTOMATIC and not is_link
            if is_wish and (event.kind, event.id) == (kind, name):
                yield event


def _find_cancelled(events: Sequence[Event]) -> set[int]:
    """Return the revisions that were undone since, and those that undid them: nothing depends on them any more."""
    revisions = {event.revision for event in events}
    cancelled: set[int] = set()
    for event in reversed(events):
        taken = _TAKEN_BACK.fullmatch(event.reason or "") if event.op == "UNDO" else None
        if taken and event.revision not in cancelled and int(taken[1]) in revisions:
            cancelled |= {event.revision, int(taken[1])}
    return cancelled


def _is_about(event: Event, fields: Sequence[str]) -> bool:
    """Return whether an event added or removed a part, or changed one of its fields."""
    if event.before is None or event.after is None:
        return True
    return any(_map(event.before).get(key) != _map(event.after).get(key) for key in fields)


def _make_dependency_error(later: _LaterChanges, revision: int, name: str) -> PlaybookError:
    parts = "; ".join(
        what + (f" in revision {', '.join(map(str, revisions))}" if revisions else "")
        for what, revisions in later.dependents.items()
    )
    order = sorted({each for revisions in later.dependents.values() for each in revisions}, reverse=True)
    first = ", then ".join(f"`acdl playbook undo {name} {each}`" for each in order)
    message = f"{name}: revision {revision} cannot be taken back, because later changes depend on it: {parts}"
    return PlaybookError(message, f"undo the later revisions first: {first}" if first else "")


def _remove_links(playbook: Playbook, changes: Sequence[Change], later: _LaterChanges) -> Iterator[Change]:
    """Yield the removal of the links of bullets that are removed; a decision about a pair depends on its bullets."""
    removed = {each.id for each in changes if each.kind == "bullet" and each.after is None}
    pair_ids = {each.id for each in changes if each.kind == "pair"}
    for pair in playbook.pairs:
        name = pair_id(pair)
        if removed.isdisjoint((pair.a, pair.b)) or name in pair_ids:
            continue
        if not later.record_dependency("pair", name, ("verdict",)):
            yield Change("pair", name, pair_data(pair), None)


def _make_report(before: Playbook, after: Playbook, changes: Sequence[Change], why: str) -> Report:
    """Return a report with a line for each part that was reverted."""
    was = {bullet.id: bullet for bullet in before.bullets}
    now = {bullet.id: bullet for bullet in after.bullets}
    lines = []
    for each in changes:
        name, _, other = each.id.partition(" ")
        is_bullet = each.kind == "bullet"
        old, new = (was.get(name), now.get(name)) if is_bullet else (None, None)
        lines.append(Applied("UNDO", "", name, old, new, why, other=other))
    return Report(tuple(lines))


def _apply_wanted(playbook: Playbook, changes: Sequence[Change], revision: int, name: str) -> Playbook:
    try:
        return apply_changes(playbook, changes)
    except AcdlError as reason:
        raise PlaybookError(f"{name}: revision {revision} cannot be taken back: {reason}") from None


def _net_changes(events: Sequence[Event]) -> list[Change]:
    """Return the net change of each part by a revision."""
    changes: dict[tuple[str, str], Change] = {}
    for event in events:
        key = (event.kind, event.id)
        before = changes[key].before if key in changes else event.before
        changes[key] = Change(event.kind, event.id, before, event.after)
    return [each for each in changes.values() if each.before != each.after]


def _reverse_change(change: Change, now: Json) -> tuple[list[str], Json]:
    """Return the fields that were changed since, and the part without the change."""
    was, became, current = _map(change.before), _map(change.after), _map(now)
    if change.before is None or change.after is None:
        keys = {*became, *current} - _NOT_COMPARED
        changed = sorted(key for key in keys if became.get(key) != current.get(key))
        is_gone = (change.after is None) != (now is None)
        return (["it is there"] if is_gone and change.after is None else changed), change.before
    touched = {key for key in {*was, *became} if was.get(key) != became.get(key)}
    if now is None:
        return ["it is gone"], None
    counts = {key: _subtract_count(key, was, became, current) for key in touched.intersection(COUNTERS)}
    changed = sorted(
        key
        for key in touched - _NOT_COMPARED
        if became.get(key) != current.get(key) and (key not in counts or counts[key] < 0)
    )
    opposite: dict[str, Json] = {key: value for key, value in current.items() if key not in touched}
    opposite |= {key: was[key] for key in touched if key in was}
    opposite |= counts
    unsaid = {key for key, count in counts.items() if not count and key not in _SHOWN_COUNTERS}
    return changed, {key: value for key, value in opposite.items() if key not in unsaid}


def _subtract_count(key: str, was: Mapping[str, Json], became: Mapping[str, Json], now: Mapping[str, Json]) -> int:
    """Subtract what was counted from a count; others may have counted since."""
    before, after, current = (int(each.get(key) or 0) for each in (was, became, now))  # type: ignore[arg-type]
    return current - (after - before)


def _map(data: Json) -> Mapping[str, Json]:
    return data if isinstance(data, dict) else {}
