"""Two branches of a playbook file and its history become one, for git and after its conflicts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.changes import Change, changes, frame_data
from acdl_mkdocs.playbook.model.merge import Merged, changed, merged
from acdl_mkdocs.playbook.store import history as conflict
from acdl_mkdocs.playbook.store.events import FOUND
from acdl_mkdocs.playbook.store.history import (
    STAMP_LENGTH,
    Event,
    History,
    chained,
    data_of,
    read_event,
    read_history,
    revisions,
    settle,
)
from acdl_mkdocs.playbook.store.load import loaded_from, state_at
from acdl_mkdocs.playbook.store.read_playbook import Loaded
from acdl_mkdocs.playbook.store.write_playbook import digest_of, text_of
from acdl_mkdocs.playbook.store.yaml_nodes import Comments, Owner
from acdl_mkdocs.prompts.prompt import Json


@dataclass(frozen=True, slots=True)
class Stamped:
    """A playbook, and the stamp of the revision that made it."""

    playbook: Playbook | None
    stamp: str | None = None


def merged_stamped(base: Stamped, ours: Stamped, theirs: Stamped) -> tuple[Merged, str | None]:
    """What two branches make together, and its stamp; the same for a playbook file and for its history.

    Branches whose stamps differ committed each for itself, even if their playbooks are equal: what they counted is
    added. A merge that gives the playbook of one branch has the stamp of that branch.

    Parameters:
        base: Where the branches part; its playbook is `None` if both of them made it.
        ours: One branch.
        theirs: The other.
    """
    one, two = ours.playbook, theirs.playbook
    if one is None or two is None:
        raise ValueError("a branch has no playbook")
    both = merged(base.playbook, one, two, is_apart=len({base.stamp, ours.stamp, theirs.stamp}) > 2)
    same = {side.stamp for side in (ours, theirs) if side.playbook == both.playbook}
    stamp = (
        min(same, key=lambda stamp: (stamp is None, stamp or ""))
        if same
        else changed(base.stamp, ours.stamp, theirs.stamp, _joined)
    )
    return both, stamp


def _joined(one: str | None, two: str | None) -> str:
    """The stamp of a merge, whichever branch is merged into the other."""
    return sha256(" ".join(sorted((one or "", two or ""))).encode()).hexdigest()[:STAMP_LENGTH]


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


_HISTORY = ".jsonl"


@dataclass(frozen=True, slots=True)
class MergedFile:
    """What becomes of a file."""

    data: bytes | None
    """Its bytes; `None` if one of the three files cannot be understood."""
    notes: tuple[str, ...] = ()
    """What somebody should look at."""
    problems: tuple[str, ...] = ()


def merged_file(base: bytes, ours: bytes, theirs: bytes, name: str = "playbook.yaml") -> MergedFile:
    """Merge the contents of a playbook file or of a history, whichever it is.

    Parameters:
        base: The file where the branches part; empty if both of them made it.
        ours: The file of one branch.
        theirs: The file of the other.
        name: What the file is called in the repository.
    """
    if name.endswith(_HISTORY) or ours.startswith(b'{"revision":'):
        history = merged_history(base, ours, theirs)
        return MergedFile(history.data, history.notes, tuple(f"{name}: {each}" for each in history.problems))
    old = loaded_from(base, f"{name} (common)") if base.strip() else None
    one, two = loaded_from(ours, f"{name} (ours)"), loaded_from(theirs, f"{name} (theirs)")
    problems = tuple(problem for each in (old, one, two) if each is not None for problem in _reading_problems(each))
    if problems or one.playbook is None or two.playbook is None:
        return MergedFile(None, problems=problems)
    base_side, *sides = (Stamped(each.playbook, each.stamp) if each else Stamped(None) for each in (old, one, two))
    both, stamp = merged_stamped(base_side, *sides)
    comments = _comments(old.comments.above if old else {}, one.comments.above, two.comments.above)
    return MergedFile(text_of(both.playbook, comments, stamp).encode(), both.notes)


def _reading_problems(loaded: Loaded) -> tuple[str, ...]:
    source = loaded.source
    found = [
        f"{source.name}, line {source.place(each.label.span.start).line}: {each.message}" for each in loaded.problems
    ]
    if loaded.comments.stray is not None:
        line = source.place(loaded.comments.stray).line
        found.append(f"{source.name}, line {line}: the comment would be lost; put it on a line above a bullet")
    return tuple(found)


_Above = Mapping[Owner, tuple[str, ...]]


def _comments(base: _Above, a: _Above, b: _Above) -> Comments:
    """The comments of both branches; where both changed those of one thing, all lines of both."""
    owners = sorted({*base, *a, *b})
    found = {owner: changed(base.get(owner, ()), a.get(owner, ()), b.get(owner, ()), _both) for owner in owners}
    return Comments({owner: lines for owner, lines in found.items() if lines})


def _both(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    first, second = sorted((one, two))
    return (*first, *(line for line in second if line not in first))


_AGAIN = "`git merge --abort`, `acdl playbook merge --setup`, and merge again"


def both_histories(data: bytes, path: Path) -> MergedHistory | None:
    """The history of both branches; `None` if git left no conflict in it.

    Raises:
        PlaybookError: They cannot be merged.
    """
    if conflict.place_of(data) is None:
        return None
    sides = conflict.sides_of(data)
    if sides is None:
        raise PlaybookError(f"{path}: {conflict.MESSAGE}, and its marks do not follow each other", _AGAIN)
    merged = merged_history(_common(*sides), *sides)
    if merged.data is None:
        raise PlaybookError(f"{path}: {conflict.MESSAGE}, and {merged.problems[0]}", _AGAIN)
    return merged


def both_files(path: Path, data: bytes, history: bytes) -> Loaded:
    """What to keep of a file in which git left a conflict: its comments. Its playbook is what the history leads to.

    Raises:
        PlaybookError: The file says something that the history of neither branch has.
    """
    events = read_history(history).events
    if not events:
        raise PlaybookError(f"{path}: {conflict.MESSAGE}, and there is no history that tells what happened", _AGAIN)
    try:
        known = {line.strip() for playbook in _states(events) for line in text_of(playbook).splitlines()}
    except ChangeError as reason:
        raise PlaybookError(
            f"{path}: {conflict.MESSAGE}, and its history contradicts itself: {reason}", _AGAIN
        ) from None
    comments: list[str] = []
    lines = data.decode("utf-8-sig", "replace").split("\n")
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if conflict.is_mark(line.encode()) or text.startswith("stamp: "):
            continue
        if text.startswith("#"):
            comments += [text] if text not in comments else []
        elif text not in known:
            message = f"{path}:{number}: {conflict.MESSAGE}, and this line is in the history of neither branch"
            raise PlaybookError(message, _AGAIN)
    kept = Comments({("key", "schema_version"): tuple(comments)})
    return replace(loaded_from(data, str(path)), comments=_placed(data, str(path), kept))


def _placed(data: bytes, name: str, otherwise: Comments) -> Comments:
    """The comments where one side has them, if that has all of them; else all of them at the top."""
    for side in conflict.sides_of(data) or ():
        found = loaded_from(side, name)
        if found.playbook is None or found.comments.stray is not None:
            continue
        lines = {line.strip() for above in found.comments.above.values() for line in above}
        if lines.issuperset(otherwise.above["key", "schema_version"]):
            return found.comments
    return otherwise


def _common(one: bytes, two: bytes) -> bytes:
    """The revisions that both histories begin with."""
    same = conflict.common_lines(one, two)
    return same[: read_history(same).good_bytes]


def _states(events: tuple[Event, ...]) -> list[Playbook]:
    """The playbook after the merge, and as each branch had it before; a playbook of which neither is left out."""
    found = [state_at(events)]
    last = events[-1].revision
    made = [event for event in events if event.revision == last]
    before = tuple(event for event in events if event.revision < last)
    if made[0].op != MERGED_BRANCH or not before:
        return found
    found.append(state_at(before))
    branch = made[0].branch if isinstance(made[0].branch, list) else []
    told = [read_event(_line(each)) for each in branch]
    theirs = [event for event in told if isinstance(event, Event)]
    return found + _theirs(before, theirs)


def _theirs(before: tuple[Event, ...], theirs: list[Event]) -> list[Playbook]:
    """The playbook as the other branch had it: the revisions that both have, then its own."""
    if not theirs:
        return []
    common = [event for _, each in revisions(before) for event in each if event.revision < theirs[0].revision]
    return [state_at((*common, *theirs))]


def _line(event: object) -> bytes:
    import json

    return json.dumps(event).encode()
