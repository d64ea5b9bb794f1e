"""The states of a playbook that its history tells: each is what the events up to a revision make of nothing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.foundation.errors import AcdlError, ChangeError
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.changes import Change, applied
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.history import SEEN, Event

NOTHING = Playbook(name="", sections=())
"""What every history begins with."""


def expanded(events: Iterable[Event], later: Mapping[tuple[str, str], Json] | None = None) -> Iterator[Event]:
    """Events in which what counts how often bullets were in a prompt is an event for each bullet.

    Parameters:
        events: A history, or a part of it.
        later: What parts are afterwards, for a part of a history that begins in its middle.

    Raises:
        ChangeError: A bullet is counted that there is not, or that was counted otherwise.
    """
    events = tuple(events)
    now: dict[str, Json] = _before(events, later) if later else {}
    for event in events:
        if event.kind == SEEN:
            yield from counted(event, now)
            continue
        if event.kind == "bullet":
            now[event.id] = event.after
        yield event


def counted(event: Event, now: dict[str, Json]) -> Iterator[Event]:
    """An event that counts for many bullets as an event for each; what they are then is put into `now`.

    Raises:
        ChangeError: A bullet is counted that there is not, or that was counted otherwise.
    """
    was = event.before if isinstance(event.before, dict) else {}
    became = event.after if isinstance(event.after, dict) else {}
    for name in sorted({*was, *became}):
        bullet = now.get(name)
        if not isinstance(bullet, dict) or bullet.get("seen", 0) != was.get(name):
            raise ChangeError(f"revision {event.revision} counts bullet `{name}`, which was not as it says")
        now[name] = with_seen(bullet, became.get(name))
        yield replace(event, kind="bullet", id=name, before=bullet, after=now[name])


def with_seen(bullet: Mapping[str, Json], count: Json) -> dict[str, Json]:
    """The data of a bullet with another count."""
    data = {**bullet, "seen": count}
    if not count:
        del data["seen"]
    return data


def _before(events: Iterable[Event], later: Mapping[tuple[str, str], Json]) -> dict[str, Json]:
    """What bullets were before events that lead to what they are later."""
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
    """The playbook after a revision; after the last if none is given.

    Only the net change of each part is made, so that it takes as long as reading the events.

    Raises:
        ChangeError: An event does not fit what the events before it made.
    """
    found: dict[tuple[str, str], Change] = {}
    reached = 0
    for event in expanded(event for event in events if revision is None or event.revision <= revision):
        reached = event.revision
        key = (event.kind, event.id)
        before = found.get(key)
        if before is not None and before.after != event.before:
            raise ChangeError(f"revision {event.revision} changes {event.kind} `{event.id}`, which was not as it says")
        found[key] = Change(event.kind, event.id, before.before if before else event.before, event.after)
    try:
        return applied(
            NOTHING, [change for change in found.values() if change.before != change.after], revision=reached
        )
    except AcdlError as reason:
        raise ChangeError(str(reason)) from None
