"""Two branches of a history become one: ours goes on unchanged, and one revision more leads to the merged playbook.

That revision (its operation is `MERGED_BRANCH`) holds the events of the other branch as they were written there, so
nothing of what happened is lost. The merged playbook is that of `playbook.merge`, of the states that the histories
tell; so it is the one that a merge of the playbook files gives.
"""

import json
from collections.abc import Iterable, Iterator, Sequence

from acdl_mkdocs.foundation.errors import ChangeError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.changes import Change, changes, frame_data
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.chain import chained
from acdl_mkdocs.store.history import Event, History, data_of, read_history, revisions
from acdl_mkdocs.store.merge_stamped import Stamped, merged_stamped
from acdl_mkdocs.store.reconcile import FOUND
from acdl_mkdocs.store.replay import state_at
from acdl_mkdocs.store.soundness import settle
from acdl_mkdocs.store.write_playbook import digest_of

MERGED_BRANCH = "MERGED_BRANCH"
_ACTOR = "merge"


@dataclass(frozen=True, slots=True)
class MergedHistory:
    """The history of two branches together."""

    data: bytes | None
    """The lines of the file; `None` if one of the histories cannot be understood."""
    playbook: Playbook | None = None
    """What the merged history leads to."""
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def merged_history(base: bytes, ours: bytes, theirs: bytes) -> MergedHistory:
    """Merge the files of two histories.

    Parameters:
        base: The history where the branches part; empty if both of them began it.
        ours: That of the branch that goes on.
        theirs: That of the branch that is merged into it.
    """
    base, ours, theirs = (settle(data).data for data in (base, ours, theirs))
    read = [read_history(data) for data in (base, ours, theirs)]
    problems = [problem for name, history in zip(_NAMES, read, strict=True) for problem in _problems(name, history)]
    if problems:
        return MergedHistory(None, problems=tuple(problems))
    old, a, b = (history.events for history in read)
    old = old or _common_beginning(a, b)
    try:
        before, one, two = (state_at(events) for events in (old, a, b))
    except ChangeError as reason:
        return MergedHistory(None, problems=(f"a history contradicts itself: {reason}",))
    base_side = Stamped(before, old[-1].stamp) if old else Stamped(None)
    sides = (Stamped(one, read[1].stamp), Stamped(two, read[2].stamp))
    both, stamp = merged_stamped(base_side, *sides)
    for side, kept, data in zip(sides, read[1:], (ours, theirs), strict=True):
        if (side.playbook, side.stamp) == (both.playbook, stamp):
            return MergedHistory(data[: kept.good_bytes], both.playbook, both.notes)
    revision = chained(_events(a, b, one, both.playbook), read[1].last_hash, digest_of(both.playbook), stamp)
    return MergedHistory(ours[: read[1].good_bytes] + revision.data, both.playbook, both.notes)


_NAMES = ("the common", "our", "their")


def _problems(name: str, history: History) -> Iterator[str]:
    if not history.is_torn:
        for each in history.damage:
            yield f"{name} history, line {each.line}: {each.message}"


def _common_beginning(a: Sequence[Event], b: Sequence[Event]) -> tuple[Event, ...]:
    """The first revision of both histories if each branch began one for the playbook file that was there."""
    first = [next((events for _, events in revisions(side)), ()) for side in (a, b)]
    is_found = all(events[0].reason == FOUND for events in first if events) and all(first)
    return first[0] if is_found and state_at(first[0]) == state_at(first[1]) else ()


def _events(a: Sequence[Event], b: Sequence[Event], before: Playbook, after: Playbook) -> list[Event]:
    """The events of the revision that merges a branch; the first carries what happened there."""
    made = changes(before, after) or (_nothing_changed(before),)
    carried: list[Json] = list(_unknown(a, b))
    time = max((event.time for event in (*a[-1:], *b[-1:]) if event.time), default=None, key=_moment)
    return [
        Event(
            revision=after.revision,
            n=1,
            of=1,
            op=MERGED_BRANCH,
            kind=change.kind,
            id=change.id,
            before=change.before,
            after=change.after,
            actor=_ACTOR,
            time=time,
            branch=carried if place == 0 else None,
        )
        for place, change in enumerate(made)
    ]


def _moment(time: str) -> str:
    """What times of the same second are ordered by, whether they have a fraction or not."""
    return time.removesuffix("Z")


def _nothing_changed(playbook: Playbook) -> Change:
    """A change that has something to say of a playbook and leaves it as it is."""
    frame = frame_data(playbook)
    return Change("playbook", "", frame, frame)


def _unknown(a: Sequence[Event], b: Sequence[Event]) -> Iterator[dict[str, Json]]:
    """The events of a history that another does not have, whether of its own or of branches merged before."""
    known = {_key(event) for event in _flat(data_of(a))}
    for event in _flat(data_of(b)):
        if _key(event) not in known:
            yield event


def _flat(events: Iterable[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    """Events with those of merged branches before the one that merged them, each without a branch."""
    for event in events:
        branch = event.get("branch")
        if isinstance(branch, list):
            yield from (each for each in branch if isinstance(each, dict))
        yield {key: value for key, value in event.items() if key != "branch"}


def _key(event: dict[str, Json]) -> str:
    return json.dumps(event, sort_keys=True)
