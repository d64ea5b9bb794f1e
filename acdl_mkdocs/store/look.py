"""Looking into a history: what happened (`log`), what differs between revisions (`diff`), who wrote what (`blame`)."""

import json
import re
from collections.abc import Sequence

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.changes import Change, changes
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.store.history import Event, read_event, revisions

GROUPS = ("added", "changed", "archived", "removed", "merged", "counters", "other")
_COUNTERS = frozenset(("helpful", "harmful", "neutral", "seen", "updated"))


@dataclass(frozen=True, slots=True)
class Difference:
    """How one part differs between two revisions."""

    group: str
    """One of `GROUPS`."""
    kind: str
    id: str
    before: Json
    after: Json
    fields: tuple[str, ...]
    """The keys that differ, `updated` apart."""


@dataclass(frozen=True, slots=True)
class Blamed:
    """Who wrote the content of a bullet as it is."""

    bullet: Bullet
    event: Event | None
    """The event that did; `None` if the history does not have it."""


def log(events: Sequence[Event], *, bullet: str | None = None, most: int | None = None) -> list[tuple[Event, ...]]:
    """The events of each revision, the last revision first.

    Parameters:
        events: A history.
        bullet: Only events about this bullet and its pairs.
        most: Only so many revisions.
    """
    found = []
    for _, made in revisions(events):
        kept = tuple(each for each in made if bullet is None or bullet in each.id.split(" "))
        if kept:
            found.append(kept)
    found.reverse()
    return found if most is None else found[:most]


def diff(before: Playbook, after: Playbook) -> list[Difference]:
    """What differs between two playbooks, by group, then by part."""
    found = [_difference(each, after) for each in changes(before, after)]
    return sorted(found, key=lambda each: GROUPS.index(each.group))


def blame(playbook: Playbook, events: Sequence[Event]) -> list[Blamed]:
    """For each bullet the event that gave it the content that it has."""
    found: dict[str, Event] = {}
    for event in events:
        if event.kind == "bullet" and _text(event.before) != _text(event.after):
            found[event.id] = _on_branch(event) or event
    return [Blamed(bullet, found.get(bullet.id)) for bullet in playbook.bullets]


def short_time(time: str | None) -> str | None:
    """A time for people, to the second."""
    return re.sub(r"\.[0-9]+", "", time) if time else time


def _on_branch(event: Event) -> Event | None:
    """The event of a merged branch that wrote the content that the merge brought."""
    wanted = _text(event.after)
    told = [read_event(json.dumps(each).encode()) for each in event.branch] if isinstance(event.branch, list) else []
    wrote = (each for each in told if isinstance(each, Event) and (each.kind, each.id) == ("bullet", event.id))
    found = [each for each in wrote if _text(each.after) == wanted != _text(each.before)]
    return found[-1] if found else None


def _difference(change: Change, after: Playbook) -> Difference:
    was = change.before if isinstance(change.before, dict) else {}
    now = change.after if isinstance(change.after, dict) else {}
    fields = tuple(key for key in {**was, **now} if was.get(key) != now.get(key) and key != "updated")
    return Difference(
        _group(change, was, now, fields, after), change.kind, change.id, change.before, change.after, fields
    )


def _group(change: Change, was: dict[str, Json], now: dict[str, Json], fields: Sequence[str], after: Playbook) -> str:
    if change.kind != "bullet":
        return "other"
    if change.after is None:
        return "merged" if change.id in after.by_id else "removed"
    if change.before is None:
        return "added"
    if was.get("aliases") != now.get("aliases"):
        return "merged"
    if was.get("status", "active") == "active" != now.get("status", "active"):
        return "archived"
    return "counters" if _COUNTERS.issuperset(fields) else "changed"


def _text(data: Json) -> Json:
    return data.get("content") if isinstance(data, dict) else None
