"""The events of one revision of a curation; and how a file and its history are reconciled."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, sort_playbook
from acdl_mkdocs.playbook.model.changes import Change, apply_changes, find_changes, frame_data
from acdl_mkdocs.playbook.model.plain import bullet_data
from acdl_mkdocs.playbook.model.report import Applied, Report
from acdl_mkdocs.playbook.store.history import (
    NEW_ID,
    SEEN,
    Event,
    describe_reused_id,
    find_removed_bullets,
    is_other_lesson,
)
from acdl_mkdocs.playbook.store.load import EMPTY_PLAYBOOK, state_at
from acdl_mkdocs.playbook.store.read_playbook import Loaded
from acdl_mkdocs.playbook.store.write_playbook import text_of
from acdl_mkdocs.prompts.prompt import Json

_COUNTING = frozenset(("SEEN", "EDIT"))
"""Operations that may only count prompts."""
_DECISIONS = frozenset(("KEEP", "CONFLICT"))
_PLAIN_OPS = {"section": "SECTION", "playbook": "SECTION"}
"""Operations that change parts without an entry in a report."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The author, time and reason of a change."""

    actor: str | None = None
    time: str | None = None
    """As ISO 8601 in UTC; `None` leaves it out."""
    trace: str | None = None
    op: str | None = None
    """The operation of an event that no report names."""
    reason: str | None = None


def events_of(before: Playbook, after: Playbook, report: Report, cause: Cause) -> tuple[Event, ...]:
    """Return the events from one playbook to the other; none if they are equal and of the same revision.

    Each operation of the report that changed a bullet is one event, in order. Other changes, such as pairs, are events
    with the related operation.
    """
    applied_events = list(_make_events(before, report, cause))
    by_id = {event.id: event for event in applied_events}
    rest = find_changes(before, after)
    events = [_event(each, report, cause, after.revision) for each in rest if each.kind in ("playbook", "section")]
    events += [_number_event(event, after.revision) for event in applied_events]
    changed = {each.id: each for each in rest if each.kind == "bullet"}
    last = {bullet.id: bullet for bullet in after.bullets if bullet.id in by_id} if by_id else {}
    for name in sorted({*by_id, *changed}):
        reached = by_id[name].after if name in by_id else changed[name].before
        expected = changed[name].after if name in changed else _data(last.get(name))
        if reached != expected:
            events.append(_event(Change("bullet", name, reached, expected), report, cause, after.revision))
    events = _combine_counts(events, cause)
    events += [_event(each, report, cause, after.revision) for each in rest if each.kind == "pair"]
    if not events and after.revision > before.revision:
        events.append(_make_space_event(after, report, cause))
    if events and report.reasoning:
        events[0] = replace(events[0], reasoning=report.reasoning)
    return tuple(events)


def _make_space_event(playbook: Playbook, report: Report, cause: Cause) -> Event:
    """Make the event of a revision without changes: there was no space, and new lessons age by one revision."""
    frame = frame_data(playbook)
    why = next((str(each) for each in report.rejected if each.is_for_space), cause.reason)
    change = Change("playbook", "", frame, frame)
    return _make_event(change, cause, op="REJECTED", reason=why, revision=playbook.revision)


def _combine_counts(events: list[Event], cause: Cause) -> list[Event]:
    """Combine the events that only count prompts into one, at the end."""
    last = {event.id: event for event in events if event.kind == "bullet"}
    counts = {name: seen for name in sorted(last) if (seen := _seen_of(last[name])) is not None}
    if not counts:
        return events
    others = [event for event in events if event.id not in counts or event is not last[event.id]]
    before: dict[str, Json] = {name: each[0] for name, each in counts.items()}
    after: dict[str, Json] = {name: each[1] for name, each in counts.items()}
    revision = last[next(iter(counts))].revision
    change = Change(SEEN, "", before, after)
    return [*others, _make_event(change, cause, op=cause.op or "SEEN", reason=cause.reason, revision=revision)]


def _seen_of(event: Event) -> tuple[int, int] | None:
    """Return the prompt count of a bullet before and after; `None` if the event is about anything else."""
    was, now = event.before, event.after
    if not isinstance(was, dict) or not isinstance(now, dict) or event.op not in _COUNTING or event.guards:
        return None
    if any(was.get(key) != now.get(key) for key in {*was, *now} - {"seen"}):
        return None
    before, after = was.get("seen", 0), now.get("seen", 0)
    return (before, after) if isinstance(before, int) and isinstance(after, int) else None


def _make_events(before: Playbook, report: Report, cause: Cause) -> Iterator[Event]:
    """Yield an event for each change of a bullet in a report, as long as each continues the last."""
    started = {each.id for each in report.applied if each.is_change}
    now: dict[str, Bullet | None] = {bullet.id: bullet for bullet in before.bullets if bullet.id in started}
    for each in report.applied:
        if each.is_change and now.get(each.id) == each.before:
            now[each.id] = each.after
            change = Change("bullet", each.id, _data(each.before), _data(each.after))
            yield _event_by(change, each, cause)


def _event(change: Change, report: Report, cause: Cause, revision: int) -> Event:
    """Make the event of a change, with the related operation."""
    ids = frozenset(change.id.split(" "))
    about = [each for each in report.applied if _is_about(each, change.kind, ids)]
    about = [each for each in report.applied if change.kind == "pair" and _is_decision(each, change, ids)] or about
    if about:
        return _number_event(_event_by(change, about[-1], cause), revision)
    op = cause.op or _PLAIN_OPS.get(change.kind, "EDIT")
    return _make_event(change, cause, op=op, reason=cause.reason, revision=revision)


def _is_about(each: Applied, kind: str, ids: frozenset[str]) -> bool:
    if kind in ("playbook", "section"):
        return kind == "section" and each.id in ids and each.before is None and each.after is None
    named = {each.id, each.other} - {""}
    return bool(named & ids) if kind == "bullet" else named == ids or (each.op == "MERGE" and bool(named & ids))


def _is_decision(each: Applied, change: Change, ids: frozenset[str]) -> bool:
    """Return whether an operation decided about a pair, one of whose bullets a merge may have replaced since."""
    named = {each.id, each.other}
    is_moved = isinstance(change.after, dict) and change.after.get("why") == each.reason and bool(named & ids)
    return each.op in _DECISIONS and (named == ids or is_moved)


def _event_by(change: Change, each: Applied, cause: Cause) -> Event:
    return _make_event(change, cause, op=each.op, reason=each.reason or cause.reason)


def _make_event(change: Change, cause: Cause, *, op: str, reason: str | None, revision: int = 0) -> Event:
    return Event(
        revision=revision,
        n=1,
        of=1,
        op=op,
        kind=change.kind,
        id=change.id,
        before=change.before,
        after=change.after,
        reason=reason or None,
        actor=cause.actor,
        trace=cause.trace,
        time=cause.time,
    )


def _number_event(event: Event, revision: int) -> Event:
    return replace(event, revision=revision)


def _data(bullet: Bullet | None) -> Json:
    return None if bullet is None else bullet_data(bullet)


_ELEMENTS = ("- ", "\n- ", "pairs:")
BY_HAND = "changed in the file by hand"
FOUND = "the file was there before its history"
"""Why a history begins in the middle of the life of a playbook."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The playbook that file and history agree on."""

    playbook: Playbook
    events: tuple[Event, ...] = ()
    """The events to add to the history first: one revision."""
    notes: tuple[str, ...] = ()
    """Findings, each a sentence."""


class ClashError(ChangeError):
    """File and history were both changed, and the changes conflict."""


def start_history(file: Playbook, cause: Cause) -> Reconciled:
    """Start a history for a playbook without one; its first revision has the whole playbook."""
    events = events_of(EMPTY_PLAYBOOK, file, Report(), replace(cause, op="INIT", reason=FOUND))
    note = f"there was no history: it begins with revision {file.revision}"
    return Reconciled(file, events, (note,))


def reconcile_history(loaded: Loaded, file: Playbook, events: Sequence[Event], cause: Cause) -> Reconciled:
    """Reconcile a file with the complete revisions of its history.

    A killed writer leaves a history that is ahead of the file: its last revisions are used. The same holds for a file
    that ends in the middle of a bullet, as other programs may leave it. Changes that a person made in the file become
    a separate revision at the end of the history.

    Parameters:
        loaded: The file.
        file: Its playbook.
        events: At least one.
        cause: Who reconciles them.

    Raises:
        ClashError: Both changed the same, or the file is ahead of its history.
        ChangeError: The history contradicts itself.
    """
    last = state_at(events)
    if file == last:
        is_other = loaded.stamp not in (None, events[-1].stamp)
        note = f"its stamp was not that of revision {last.revision} in the history: taken from there"
        return Reconciled(file, (), (note,) if is_other else ())
    if file.revision > last.revision:
        ahead = f"the file is at revision {file.revision}, and its history ends with revision {last.revision}"
        raise ClashError(ahead)
    base = last if file.revision == last.revision else state_at(events, file.revision)
    notes: tuple[str, ...] = ()
    if base.revision < last.revision:
        note = f"the file was at revision {file.revision}: taken from the history up to revision {last.revision}"
        notes = (note,)
    by_hand = find_changes(replace(base, revision=file.revision), file)
    if not by_hand or (notes and with_revision(file, base, by_hand) == state_at(events, base.revision + 1)):
        return Reconciled(last, (), notes)  # also if a writer was killed after it recorded these changes
    if is_truncated(loaded.source.text, text_of(base, loaded.comments, loaded.stamp)):
        note = f"the file ended too early: taken from the history up to revision {last.revision}"
        return Reconciled(last, (), (note,))
    try:
        _check_ids(by_hand, events, loaded.source.name)
        edited = apply_changes(last, by_hand)
    except ChangeError as reason:
        raise ClashError(f"the file was changed by hand, and its history went on meanwhile: {reason}") from None
    recorded = with_revision(edited, last, by_hand)
    edit_events = events_of(
        last, recorded, Report(), replace(cause, op="EDIT", actor="person", reason=BY_HAND, trace=None)
    )
    note = f"changes that were made in the file by hand are revision {recorded.revision}"
    return Reconciled(recorded, edit_events, (*notes, note))


def _check_ids(by_hand: Sequence[Change], events: Sequence[Event], name: str) -> None:
    """Refuse a bullet that a person wrote with the id of another one that was removed.

    Raises:
        PlaybookError: There is one.
    """
    new = [each for each in by_hand if each.kind == "bullet" and each.before is None]
    removed = find_removed_bullets(events) if new else {}
    for each in new:
        if each.id in removed and is_other_lesson(each.after, removed[each.id]):
            raise PlaybookError(f"{name}: {describe_reused_id(each.id)}", NEW_ID)


def is_truncated(text: str, full_text: str) -> bool:
    """Return whether a text is a beginning of the full one, unless a person could have removed the last elements."""
    rest = full_text[len(text) :]
    return bool(rest) and full_text.startswith(text) and not (text[-1:] in ("", "\n") and rest.startswith(_ELEMENTS))


def with_revision(edited: Playbook, last: Playbook, changes: Sequence[Change]) -> Playbook:
    """Return a playbook with the next revision, which also becomes the revision of the changed bullets."""
    revision = max(edited.revision, last.revision) + 1
    touched = {each.id for each in changes if each.kind == "bullet"}
    ids = {bullet.id for bullet in last.bullets}
    bullets = tuple(
        replace(bullet, updated=revision, added=bullet.added if bullet.id in ids else bullet.added or revision)
        if bullet.id in touched
        else bullet
        for bullet in edited.bullets
    )
    return sort_playbook(replace(edited, revision=revision, bullets=bullets))
