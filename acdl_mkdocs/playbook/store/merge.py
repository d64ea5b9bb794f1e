"""Merge two branches of a playbook file and its history, for git and after its conflicts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.changes import Change, find_changes, frame_data
from acdl_mkdocs.playbook.model.merge_branches import Merged, merge_playbooks, merge_values
from acdl_mkdocs.playbook.store.comments import STRAY_CURE, Comments, Owner
from acdl_mkdocs.playbook.store.events import FOUND
from acdl_mkdocs.playbook.store.history import (
    CONFLICT_MESSAGE,
    STAMP_LENGTH,
    Event,
    History,
    chain_revision,
    common_lines,
    data_of,
    find_conflict,
    group_revisions,
    is_conflict_mark,
    normalize_line_ends,
    read_event,
    read_history,
    split_conflict,
)
from acdl_mkdocs.playbook.store.load import load_bytes, state_at
from acdl_mkdocs.playbook.store.read_playbook import Loaded
from acdl_mkdocs.playbook.store.write_playbook import digest_of, text_of
from acdl_mkdocs.prompts.prompt import Json


@dataclass(frozen=True, slots=True)
class StampedPlaybook:
    """A playbook, and the stamp of the revision that made it."""

    playbook: Playbook | None
    stamp: str | None = None


def merge_stamped(base: StampedPlaybook, ours: StampedPlaybook, theirs: StampedPlaybook) -> tuple[Merged, str | None]:
    """Merge two branches and their stamps; the same for a playbook file and for its history.

    Branches with different stamps committed independently, even if their playbooks are equal: their counts are added. A
    merge that results in the playbook of one branch has the stamp of that branch.

    Parameters:
        base: The common base; its playbook is `None` if both branches created it.
        ours: One branch.
        theirs: The other.
    """
    one, two = ours.playbook, theirs.playbook
    if one is None or two is None:
        raise ValueError("a branch has no playbook")
    both = merge_playbooks(base.playbook, one, two, is_independent=len({base.stamp, ours.stamp, theirs.stamp}) > 2)
    same = {side.stamp for side in (ours, theirs) if side.playbook == both.playbook}
    stamp = (
        min(same, key=lambda stamp: (stamp is None, stamp or ""))
        if same
        else merge_values(base.stamp, ours.stamp, theirs.stamp, _join_stamps)
    )
    return both, stamp


def _join_stamps(one: str | None, two: str | None) -> str:
    """Return the stamp of a merge, independent of the order of the branches."""
    return sha256(" ".join(sorted((one or "", two or ""))).encode()).hexdigest()[:STAMP_LENGTH]


MERGED_BRANCH = "MERGED_BRANCH"
_ACTOR = "merge"


@dataclass(frozen=True, slots=True)
class MergedHistory:
    """The merged history of two branches."""

    data: bytes | None
    """The lines of the file; `None` if one of the histories cannot be read."""
    playbook: Playbook | None = None
    """The playbook at the end of the merged history."""
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def merge_histories(base: bytes, ours: bytes, theirs: bytes) -> MergedHistory:
    """Merge the files of two histories.

    Parameters:
        base: The common history of the branches; empty if both of them began one.
        ours: The history of the branch that is kept.
        theirs: The history of the branch that is merged into it.
    """
    base, ours, theirs = (normalize_line_ends(data).data for data in (base, ours, theirs))
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
    base_side = StampedPlaybook(before, old[-1].stamp) if old else StampedPlaybook(None)
    sides = (StampedPlaybook(one, read[1].stamp), StampedPlaybook(two, read[2].stamp))
    both, stamp = merge_stamped(base_side, *sides)
    for side, side_history, data in zip(sides, read[1:], (ours, theirs), strict=True):
        if (side.playbook, side.stamp) == (both.playbook, stamp):
            return MergedHistory(data[: side_history.good_bytes], both.playbook, both.notes)
    revision = chain_revision(
        _make_merge_events(a, b, one, both.playbook), read[1].last_hash, digest_of(both.playbook), stamp
    )
    return MergedHistory(ours[: read[1].good_bytes] + revision.data, both.playbook, both.notes)


_NAMES = ("the common", "our", "their")


def _problems(name: str, history: History) -> Iterator[str]:
    if not history.is_torn:
        for each in history.damage:
            yield f"{name} history, line {each.line}: {each.message}"


def _common_beginning(a: Sequence[Event], b: Sequence[Event]) -> tuple[Event, ...]:
    """Return the first revision of both histories if each branch began one for the same playbook file."""
    first = [next((events for _, events in group_revisions(side)), ()) for side in (a, b)]
    is_found = all(events[0].reason == FOUND for events in first if events) and all(first)
    return first[0] if is_found and state_at(first[0]) == state_at(first[1]) else ()


def _make_merge_events(a: Sequence[Event], b: Sequence[Event], before: Playbook, after: Playbook) -> list[Event]:
    """Return the events of the merge revision; the first one holds the events of the merged branch."""
    changes = find_changes(before, after) or (_make_empty_change(before),)
    carried: list[Json] = list(_find_missing_events(a, b))
    time = max((event.time for event in (*a[-1:], *b[-1:]) if event.time), default=None, key=_time_key)
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
            branch=carried if index == 0 else None,
        )
        for index, change in enumerate(changes)
    ]


def _time_key(time: str) -> str:
    """Return a sort key of times of the same second, with or without a fraction."""
    return time.removesuffix("Z")


def _make_empty_change(playbook: Playbook) -> Change:
    """Return a change that leaves a playbook unchanged."""
    frame = frame_data(playbook)
    return Change("playbook", "", frame, frame)


def _find_missing_events(a: Sequence[Event], b: Sequence[Event]) -> Iterator[dict[str, Json]]:
    """Yield the events of a history that the other one lacks, including those of earlier merged branches."""
    keys = {_key(event) for event in _flatten_branches(data_of(a))}
    for event in _flatten_branches(data_of(b)):
        if _key(event) not in keys:
            yield event


def _flatten_branches(events: Iterable[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    """Yield events with those of merged branches before the one that merged them, without branches."""
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
    """The result of merging a file."""

    data: bytes | None
    """Its bytes; `None` if one of the three files cannot be read."""
    notes: tuple[str, ...] = ()
    """Things to review."""
    problems: tuple[str, ...] = ()


def merge_contents(base: bytes, ours: bytes, theirs: bytes, name: str = "playbook.yaml") -> MergedFile:
    """Merge the contents of a playbook file or of a history.

    Parameters:
        base: The common version of the file; empty if both branches created it.
        ours: The file of one branch.
        theirs: The file of the other.
        name: The name of the file in the repository.
    """
    if name.endswith(_HISTORY) or ours.startswith(b'{"revision":'):
        history = merge_histories(base, ours, theirs)
        return MergedFile(history.data, history.notes, tuple(f"{name}: {each}" for each in history.problems))
    old = load_bytes(base, f"{name} (common)") if base.strip() else None
    one, two = load_bytes(ours, f"{name} (ours)"), load_bytes(theirs, f"{name} (theirs)")
    problems = tuple(problem for each in (old, one, two) if each is not None for problem in _reading_problems(each))
    if problems or one.playbook is None or two.playbook is None:
        return MergedFile(None, problems=problems)
    base_side, *sides = (
        StampedPlaybook(each.playbook, each.stamp) if each else StampedPlaybook(None) for each in (old, one, two)
    )
    both, stamp = merge_stamped(base_side, *sides)
    comments = _comments(old.comments.above if old else {}, one.comments.above, two.comments.above)
    return MergedFile(text_of(both.playbook, comments, stamp).encode(), both.notes)


def _reading_problems(loaded: Loaded) -> tuple[str, ...]:
    source = loaded.source
    problems = [
        "; ".join((f"{source.name}, line {source.find_place(each.label.span.start).line}: {each.message}", *each.help))
        for each in loaded.problems
    ]
    if loaded.comments.stray is not None:
        line = source.find_place(loaded.comments.stray).line
        problems.append(f"{source.name}, line {line}: the comment would be lost; {STRAY_CURE}")
    return tuple(problems)


_Above = Mapping[Owner, tuple[str, ...]]


def _comments(base: _Above, a: _Above, b: _Above) -> Comments:
    """Merge the comments of both branches; if both changed those of one part, keep all lines of both."""
    owners = sorted({*base, *a, *b})
    by_owner = {
        owner: merge_values(base.get(owner, ()), a.get(owner, ()), b.get(owner, ()), _join_lines) for owner in owners
    }
    return Comments({owner: lines for owner, lines in by_owner.items() if lines})


def _join_lines(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    first, second = sorted((one, two))
    return (*first, *(line for line in second if line not in first))


_AGAIN = "`git merge --abort`, `acdl playbook merge --setup`, and merge again"


def merge_conflicted_history(data: bytes, path: Path) -> MergedHistory | None:
    """Merge both sides of a history; `None` if git left no conflict in it.

    Raises:
        PlaybookError: They cannot be merged.
    """
    if find_conflict(data) is None:
        return None
    sides = split_conflict(data)
    if sides is None:
        raise PlaybookError(f"{path}: {CONFLICT_MESSAGE}, and its marks do not follow each other", _AGAIN)
    merged = merge_histories(_find_common_revisions(*sides), *sides)
    if merged.data is None:
        raise PlaybookError(f"{path}: {CONFLICT_MESSAGE}, and {merged.problems[0]}", _AGAIN)
    return merged


def merge_conflicted_file(path: Path, data: bytes, history: bytes) -> Loaded:
    """Return what to keep of a file with a git conflict: its comments. Its playbook comes from the history.

    Raises:
        PlaybookError: The file contains something that is in neither history.
    """
    events = read_history(history).events
    if not events:
        raise PlaybookError(f"{path}: {CONFLICT_MESSAGE}, and there is no history that tells what happened", _AGAIN)
    try:
        recorded_lines = {
            line.strip() for playbook in _replay_branches(events) for line in text_of(playbook).splitlines()
        }
    except ChangeError as reason:
        raise PlaybookError(
            f"{path}: {CONFLICT_MESSAGE}, and its history contradicts itself: {reason}", _AGAIN
        ) from None
    comments: list[str] = []
    lines = data.decode("utf-8-sig", "replace").split("\n")
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if is_conflict_mark(line.encode()) or text.startswith("stamp: "):
            continue
        if text.startswith("#"):
            comments += [text] if text not in comments else []
        elif text not in recorded_lines:
            message = f"{path}:{number}: {CONFLICT_MESSAGE}, and this line is in the history of neither branch"
            raise PlaybookError(message, _AGAIN)
    kept_comments = Comments({("key", "schema_version"): tuple(comments)})
    return replace(load_bytes(data, str(path)), comments=_choose_comments(data, str(path), kept_comments))


def _choose_comments(data: bytes, name: str, fallback: Comments) -> Comments:
    """Return the comments of one side at their places, if that side has them all; else all of them at the top."""
    for side in split_conflict(data) or ():
        loaded = load_bytes(side, name)
        if loaded.playbook is None or loaded.comments.stray is not None:
            continue
        lines = {line.strip() for above in loaded.comments.above.values() for line in above}
        if lines.issuperset(fallback.above["key", "schema_version"]):
            return loaded.comments
    return fallback


def _find_common_revisions(one: bytes, two: bytes) -> bytes:
    """Return the revisions that both histories begin with."""
    same = common_lines(one, two)
    return same[: read_history(same).good_bytes]


def _replay_branches(events: tuple[Event, ...]) -> list[Playbook]:
    """Return the playbook after the merge, and before it on each branch, if there was one."""
    playbooks = [state_at(events)]
    last = events[-1].revision
    last_events = [event for event in events if event.revision == last]
    before = tuple(event for event in events if event.revision < last)
    if last_events[0].op != MERGED_BRANCH or not before:
        return playbooks
    playbooks.append(state_at(before))
    branch = last_events[0].branch if isinstance(last_events[0].branch, list) else []
    branch_events = [read_event(_line(each)) for each in branch]
    theirs = [event for event in branch_events if isinstance(event, Event)]
    return playbooks + _find_their_playbook(before, theirs)


def _find_their_playbook(before: tuple[Event, ...], theirs: list[Event]) -> list[Playbook]:
    """Return the playbooks of the other branch: the common revisions, then its own."""
    if not theirs:
        return []
    common = [event for _, each in group_revisions(before) for event in each if event.revision < theirs[0].revision]
    return [state_at((*common, *theirs))]


def _line(event: object) -> bytes:
    import json

    return json.dumps(event).encode()
