"""What can be kept of a history with damage in its middle: the revisions before it, and those behind it.

Works on the bytes and the events of a history; what becomes of the files is for `repair`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.errors import AcdlError, ChangeError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.changes import Change, applied, changes, unapplied
from acdl_mkdocs.playbook.report import Report
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.chain import chained
from acdl_mkdocs.store.events import Cause, events_of
from acdl_mkdocs.store.history import NO_PREVIOUS, SEEN, Event, History, hash_of, read_event, revisions
from acdl_mkdocs.store.replay import NOTHING, counted, expanded, state_at
from acdl_mkdocs.store.write_playbook import digest_of, is_digest_of

BRIDGED = "revisions of the history were damaged: what they made, all together"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A history without the damage."""

    data: bytes
    """Its lines, chained anew."""
    notes: tuple[str, ...]


def salvaged(data: bytes, history: History, file: Playbook | None, cause: Cause) -> Salvaged | None:
    """A damaged history as a whole one; `None` if no revision behind the damage can be kept.

    If every line is an event and all of them still lead where the last one says, all are kept. Otherwise one revision
    leads from the last good one to where the good ones behind the damage begin.

    Parameters:
        data: The damaged history.
        history: What was read of it.
        file: The playbook of the file, which says what the last revision led to.
        cause: Who repairs, and when.
    """
    lines = data.split(b"\n")[:-1]
    events = [read_event(line) for line in lines]
    first = history.damage[0].line
    if all(isinstance(event, Event) for event in events):
        whole = [event for event in events if isinstance(event, Event)]
        if _leads_where_it_says(whole):
            note = f"line {first} of the history was changed since it was written: kept as it is, and chained anew"
            return Salvaged(_chained(whole), (note,))
    behind = _behind(lines, events, history.revision)
    while behind:
        joined = _joined(history.events, behind, file, cause)
        if joined is not None:
            note = f"the history was damaged in line {first}: {_kept(behind)}"
            return Salvaged(joined, (note,))
        behind = _without_first(behind)
    return None


def _kept(behind: Sequence[Event]) -> str:
    n_revisions = sum(1 for _ in revisions(behind))
    what = "revision behind it was" if n_revisions == 1 else "revisions behind it were"
    return f"{n_revisions} {what} kept"


def _leads_where_it_says(events: Sequence[Event]) -> bool:
    if not _is_complete(events):
        return False
    try:
        return is_digest_of(events[-1].digest, state_at(events))
    except ChangeError:
        return False


def _is_complete(events: Sequence[Event]) -> bool:
    """Whether events are whole revisions, one after the other."""
    reached = -1
    for revision, made in revisions(events):
        if revision <= reached or [(each.n, each.of) for each in made] != [
            (number, len(made)) for number in range(1, len(made) + 1)
        ]:
            return False
        reached = revision
    return bool(events)


def _behind(lines: Sequence[bytes], events: Sequence[Event | str], reached: int) -> list[Event]:
    """The last events that follow each other unbroken, in whole revisions; not those of a writer that was killed."""
    found: list[Event] = []
    for place in range(len(lines) - 1, -1, -1):
        event = events[place]
        if isinstance(event, str) or event.revision <= reached:
            break
        if found and found[0].previous != hash_of(lines[place]):
            break
        found.insert(0, event)
    while found and found[0].n != 1:
        del found[0]
    while found and not found[-1].is_last:
        del found[-1]
    return found if _is_complete(found) else []


def _without_first(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.revision != events[0].revision]


def _joined(good: Sequence[Event], behind: Sequence[Event], file: Playbook | None, cause: Cause) -> bytes | None:
    """Good revisions, what leads on from them, and those behind the damage; `None` if they cannot be joined."""
    try:
        before = state_at(good) if good else NOTHING
        begin = _beginning(before, behind, file)
        wanted = replace(begin, revision=behind[0].revision - 1)
        bridge: tuple[Event, ...] = ()
        if changes(before, wanted) or not good:
            if wanted.revision <= (before.revision if good else -1):
                return None
            bridge = events_of(before, wanted, Report(), replace(cause, op="REPAIR", reason=BRIDGED))
        reached = state_at((*good, *bridge, *behind))
        is_file = file is not None and is_digest_of(behind[-1].digest, file)
        if is_file and not is_digest_of(behind[-1].digest, reached):
            return None
        last = replace(
            behind[-1], digest=digest_of(reached)
        )  # another one if only the damaged lines knew all that was there
        return _chained((*good, *bridge, *behind[:-1], last), wanted if bridge else None)
    except AcdlError:
        return None


def _beginning(before: Playbook, behind: Sequence[Event], file: Playbook | None) -> Playbook:
    """The playbook where revisions behind the damage begin: by the file, if they lead to it, else by what they say.

    Raises:
        AcdlError: That is no playbook.
    """
    made = list(_net(behind, file))
    if file is not None and is_digest_of(behind[-1].digest, file):
        return unapplied(file, made)
    now = {(each.kind, each.id): each.after for each in changes(NOTHING, before)}
    wanted = [Change(each.kind, each.id, now.get((each.kind, each.id)), each.before) for each in made]
    return applied(before, [each for each in wanted if each.before != each.after])


def _net(behind: Sequence[Event], file: Playbook | None) -> Iterable[Change]:
    """What events change in each part, all together."""
    last: dict[tuple[str, str], Json] = {}
    if file is not None:
        last = {(each.kind, each.id): each.after for each in changes(NOTHING, file)}
    found: dict[tuple[str, str], Change] = {}
    for event in expanded(behind, last):
        key = (event.kind, event.id)
        before = found[key].before if key in found else event.before
        found[key] = Change(event.kind, event.id, before, event.after)
    return (each for each in found.values() if each.before != each.after)


def _chained(events: Sequence[Event], bridge: Playbook | None = None) -> bytes:
    """Revisions, each chained to the one before; what they say of themselves stays."""
    data = []
    previous = NO_PREVIOUS
    for revision, made in revisions(events):
        is_bridge = bridge is not None and revision == bridge.revision
        digest = digest_of(bridge) if is_bridge and bridge is not None else made[-1].digest or ""
        lines = chained(made, previous, digest, made[-1].stamp)
        data.append(lines.data)
        previous = lines.last_hash
    return b"".join(data)


def replayable(events: Sequence[Event]) -> list[Event]:
    """The events of the revisions up to the first that does not fit those before."""
    good: list[Event] = []
    now: dict[tuple[str, str], Json] = {}
    bullets: dict[str, Json] = {}
    for _, made in revisions(events):
        try:
            for event in made:
                _follow(event, now, bullets)
        except ChangeError:
            break
        good += made
    while good and not _fits_digest(good):
        last = good[-1].revision
        good = [event for event in good if event.revision != last]
    return good


def _follow(event: Event, now: dict[tuple[str, str], Json], bullets: dict[str, Json]) -> None:
    """Note what an event made.

    Raises:
        ChangeError: What it changed was not as it says.
    """
    for each in counted(event, bullets) if event.kind == SEEN else (event,):
        key = (each.kind, each.id)
        if now.get(key, each.before) != each.before:
            raise ChangeError(f"{each.kind} `{each.id}` was not as the event says")
        now[key] = each.after
        if each.kind == "bullet":
            bullets[each.id] = each.after


def _fits_digest(events: Sequence[Event]) -> bool:
    """Whether the last revision leads to what it says."""
    try:
        return is_digest_of(events[-1].digest, state_at(events))
    except ChangeError:
        return False
