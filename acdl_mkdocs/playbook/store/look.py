"""Query a history: the revisions (`log`), the differences between them (`diff`), the authors (`blame`)."""

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import COUNTERS, Bullet, Playbook
from acdl_mkdocs.playbook.model.changes import Change, find_changes
from acdl_mkdocs.playbook.store.history import Event, group_revisions, read_event
from acdl_mkdocs.playbook.store.merge import MERGED_BRANCH
from acdl_mkdocs.prompts.prompt import Json

GROUPS = ("added", "changed", "archived", "removed", "merged", "counters", "other")
_MERGES = frozenset(("MERGE", MERGED_BRANCH))
"""Operations that give a bullet a text by another author."""
_COUNTERS = frozenset((*COUNTERS, "updated", "source"))
"""Keys that do not affect the lesson itself; a bullet that is learned again counts, and has one more source."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of one part between two revisions."""

    group: str
    """One of `GROUPS`."""
    kind: str
    id: str
    before: Json
    after: Json
    fields: tuple[str, ...]
    """The keys that differ, except `updated`."""


@dataclass(frozen=True, slots=True)
class BulletBlame:
    """The author of the current content of a bullet."""

    bullet: Bullet
    event: Event | None
    """The event that wrote it; `None` if the history lacks it."""
    others: tuple[Event, ...] = ()
    """The events that wrote the bullets merged into it, the oldest first."""


def list_revisions(
    events: Sequence[Event], *, bullet: str | None = None, most: int | None = None
) -> list[tuple[Event, ...]]:
    """Return the events of each revision, the last revision first.

    Parameters:
        events: A history.
        bullet: Only events about this bullet and its pairs.
        most: The most revisions to return.
    """
    revisions = []
    for _, group in group_revisions(events):
        selected = tuple(each for each in group if bullet is None or bullet in each.id.split(" "))
        if selected:
            revisions.append(selected)
    revisions.reverse()
    return revisions if most is None else revisions[:most]


def diff_playbooks(before: Playbook, after: Playbook) -> list[Difference]:
    """Return the differences of two playbooks, by group, then by part."""
    return group_differences(find_changes(before, after), after.by_id)


def group_differences(changes: Iterable[Change], names: Container[str]) -> list[Difference]:
    """Sort the changes between two states by group, then in their order; one of `updated` alone is no difference.

    Parameters:
        changes: The net change of each part.
        names: The ids of the bullets of the later state, including merged ones.
    """
    differences = (_difference(each, names) for each in changes)
    return sorted((each for each in differences if each.fields), key=lambda each: GROUPS.index(each.group))


def blame_bullets(playbook: Playbook, events: Sequence[Event]) -> list[BulletBlame]:
    """Find for each bullet the event that wrote its current content, and those that wrote what was merged into it."""
    wrote: dict[tuple[str, Json], Event] = {}
    writers: dict[Json, Event] = {}
    last: dict[str, Event] = {}
    earlier: dict[str, list[Event]] = {}
    for event in (each for recorded in events for each in _expand_branch(recorded)):
        text = _text(event.after)
        if event.kind != "bullet" or text is None or text == _text(event.before):
            continue
        key = event.id, text
        is_merge = event.op in _MERGES
        if is_merge and event.id in last:
            earlier.setdefault(event.id, []).append(last[event.id])
        wrote[key] = wrote.get(key, writers.get(text, event)) if is_merge else event
        last[event.id] = wrote[key]
        if not is_merge:
            writers[text] = event
    return [
        _blame_bullet(
            wrote.get((each.id, each.content)), [*earlier.get(each.id, ()), *_find_alias_events(each, last)], each
        )
        for each in playbook.bullets
    ]


def _find_alias_events(bullet: Bullet, last: Mapping[str, Event]) -> list[Event]:
    return [last[name] for name in (bullet.id, *bullet.aliases) if name in last]


def _blame_bullet(own: Event | None, others: list[Event], bullet: Bullet) -> BulletBlame:
    """Blame one bullet, naming nobody twice for the same revision."""
    others = list({(each.actor, each.revision, each.id): each for each in others if each is not own}.values())
    others = [each for each in others if own is None or (each.actor, each.revision) != (own.actor, own.revision)]
    first = own or next(iter(others), None)
    return BulletBlame(bullet, first, tuple(sorted((each for each in others if each is not first), key=_age)))


def _age(event: Event) -> tuple[str, int]:
    return event.time or "", event.revision


def _expand_branch(event: Event) -> Iterator[Event]:
    """Yield the original events of a merged branch, then the one that merged it."""
    for each in event.branch if isinstance(event.branch, list) else []:
        original = read_event(json.dumps(each).encode())
        if isinstance(original, Event):
            yield original
    yield event


def shorten_time(time: str | None) -> str | None:
    """Shorten a time to seconds, for people."""
    return re.sub(r"\.[0-9]+", "", time) if time else time


def _difference(change: Change, names: Container[str]) -> Difference:
    was = change.before if isinstance(change.before, dict) else {}
    now = change.after if isinstance(change.after, dict) else {}
    fields = tuple(key for key in {**was, **now} if was.get(key) != now.get(key) and key != "updated")
    return Difference(
        _group(change, was, now, fields, names), change.kind, change.id, change.before, change.after, fields
    )


def _group(
    change: Change, was: dict[str, Json], now: dict[str, Json], fields: Sequence[str], names: Container[str]
) -> str:
    if change.kind != "bullet":
        return "other"
    if change.after is None:
        return "merged" if change.id in names else "removed"
    if change.before is None:
        return "added"
    if was.get("aliases") != now.get("aliases"):
        return "merged"
    if was.get("status", "active") == "active" != now.get("status", "active"):
        return "archived"
    return "counters" if _COUNTERS.issuperset(fields) else "changed"


def _text(data: Json) -> Json:
    return data.get("content") if isinstance(data, dict) else None
