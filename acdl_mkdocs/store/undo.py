"""Taking a revision back: a new revision that makes the opposite of what an old one made.

Only what the old revision changed is changed back; if a later one changed the same, nothing is. What was counted is
taken off, whatever was counted since.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from acdl_mkdocs.errors import AcdlError, PlaybookError
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.changes import Change, applied, changes
from acdl_mkdocs.playbook.report import Applied, Report
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.store.consistency import flaws
from acdl_mkdocs.store.history import Event
from acdl_mkdocs.store.load import target, whole_history
from acdl_mkdocs.store.reconcile import with_revision
from acdl_mkdocs.store.replay import NOTHING, expanded
from acdl_mkdocs.store.save import Tell, update

_NOT_COMPARED = frozenset(("updated",))
_SHOWN_COUNTERS = frozenset(("helpful", "harmful"))
"""What every bullet says, even if it is nothing."""
_COUNTERS = _SHOWN_COUNTERS | {"neutral", "seen"}


@dataclass(frozen=True, slots=True)
class Undone:
    """A playbook in which a revision was taken back."""

    playbook: Playbook
    revision: int
    """The one that was taken back."""
    changes: tuple[Change, ...]
    report: Report


def undo(
    path: Path,
    revision: int | None = None,
    *,
    time: str | None = None,
    actor: str | None = "person",
    tell: Tell | None = None,
) -> Undone:
    """Take a revision back, the last one if none is given.

    Raises:
        PlaybookError: There is no such revision, or later revisions changed the same.
        DamagedHistoryError: The history is damaged.
        UnusablePlaybookError: The file has errors.
        OSError: A file cannot be read.
    """
    path = target(path)
    if path.is_file() and not whole_history(path).events:
        cure = f"`acdl playbook repair {path}` begins one"
        raise PlaybookError(f"{path} has no history, so there is nothing to take back", cure)

    def change(playbook: Playbook) -> Undone:
        return without(playbook, whole_history(path).events, revision, str(path))

    return update(path, change, time=time, actor=actor, tell=tell, op="UNDO")


def without(playbook: Playbook, events: Sequence[Event], revision: int | None, name: str) -> Undone:
    """The playbook with the opposite of a revision made to it.

    Raises:
        PlaybookError: There is no such revision, or later revisions changed the same.
    """
    first, last = events[0].revision, events[-1].revision
    wanted = last if revision is None else revision
    events = tuple(expanded(events))
    made = [event for event in events if event.revision == wanted]
    if not made:
        raise PlaybookError(f"{name}: there is no revision {wanted}", f"`acdl playbook log {name}` lists them")
    if wanted == first:
        raise PlaybookError(f"{name}: revision {first} began the history, so there is nothing before it")
    back = _net(made)
    now = {(each.kind, each.id): each.after for each in changes(NOTHING, playbook)}
    clashes: list[str] = []
    wanted_changes = []
    for each in back:
        current = now.get((each.kind, each.id))
        clash, opposite = _opposite(each, current)
        if clash:
            later = _later(events, each, wanted, clash)
            clashes.append(f"{each.kind} `{each.id}`".replace(" ``", "") + f" ({', '.join(clash)}){later}")
        elif opposite != current:
            wanted_changes.append(Change(each.kind, each.id, current, opposite))
    if clashes:
        raise PlaybookError(
            f"{name}: revision {wanted} cannot be taken back, because what it changed was changed later: "
            f"{'; '.join(clashes)}",
            "undo the later revisions first",
        )
    changed = _changed(playbook, wanted_changes, wanted, name)
    return Undone(changed, wanted, tuple(wanted_changes), _report(playbook, changed, wanted_changes, wanted))


def _report(before: Playbook, after: Playbook, made: Sequence[Change], revision: int) -> Report:
    """A line for each part that was changed back."""
    was = {bullet.id: bullet for bullet in before.bullets}
    now = {bullet.id: bullet for bullet in after.bullets}
    lines = []
    for each in made:
        name, _, other = each.id.partition(" ")
        is_bullet = each.kind == "bullet"
        old, new = (was.get(name), now.get(name)) if is_bullet else (None, None)
        lines.append(Applied("UNDO", "", name, old, new, f"takes back revision {revision}", other=other))
    return Report(tuple(lines))


def _changed(playbook: Playbook, wanted: Sequence[Change], revision: int, name: str) -> Playbook:
    try:
        edited = applied(playbook, wanted)
    except AcdlError as reason:
        raise PlaybookError(f"{name}: revision {revision} cannot be taken back: {reason}") from None
    flaw = next(flaws(edited), None)
    if flaw:
        cure = "undo the later revisions first"
        raise PlaybookError(f"{name}: revision {revision} cannot be taken back: {flaw.message}", cure)
    return with_revision(edited, playbook, wanted)


def _net(events: Sequence[Event]) -> list[Change]:
    """What a revision changed in each part, all its events together."""
    found: dict[tuple[str, str], Change] = {}
    for event in events:
        key = (event.kind, event.id)
        before = found[key].before if key in found else event.before
        found[key] = Change(event.kind, event.id, before, event.after)
    return [each for each in found.values() if each.before != each.after]


def _opposite(made: Change, now: Json) -> tuple[list[str], Json]:
    """The fields that were changed since, and what a part would be if the change had not been made."""
    was, became, current = _map(made.before), _map(made.after), _map(now)
    if made.before is None or made.after is None:
        keys = {*became, *current} - _NOT_COMPARED
        changed = sorted(key for key in keys if became.get(key) != current.get(key))
        is_gone = (made.after is None) != (now is None)
        return (["it is there"] if is_gone and made.after is None else changed), made.before
    touched = {key for key in {*was, *became} if was.get(key) != became.get(key)}
    if now is None:
        return ["it is gone"], None
    counts = {key: _less(key, was, became, current) for key in touched & _COUNTERS}
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


def _less(key: str, was: Mapping[str, Json], became: Mapping[str, Json], now: Mapping[str, Json]) -> int:
    """A count without what was counted; others may have counted since."""
    before, after, current = (int(each.get(key) or 0) for each in (was, became, now))  # type: ignore[arg-type]
    return current - (after - before)


def _later(events: Sequence[Event], made: Change, revision: int, fields: Sequence[str]) -> str:
    """Which later revisions changed the same fields."""
    found = sorted(
        {
            event.revision
            for event in events
            if event.revision > revision
            and (event.kind, event.id) == (made.kind, made.id)
            and (
                event.before is None
                or event.after is None
                or any(_map(event.before).get(key) != _map(event.after).get(key) for key in fields)
            )
        }
    )
    return f" in revision {', '.join(map(str, found))}" if found else ""


def _map(data: Json) -> Mapping[str, Json]:
    return data if isinstance(data, dict) else {}
