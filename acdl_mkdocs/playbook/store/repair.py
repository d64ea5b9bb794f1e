"""Repair a playbook file and its history, and keep what can be kept of a damaged one. Nothing is lost."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.errors import AcdlError, ChangeError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.changes import Change, apply_changes, find_changes, revert_changes
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import files
from acdl_mkdocs.playbook.store.checks import refuse_secrets
from acdl_mkdocs.playbook.store.comments import NO_COMMENTS
from acdl_mkdocs.playbook.store.events import (
    Cause,
    Reconciled,
    events_of,
    reconcile_history,
    start_history,
    with_revision,
)
from acdl_mkdocs.playbook.store.history import (
    NO_PREVIOUS,
    SEEN,
    Event,
    History,
    chain_revision,
    find_conflict,
    group_revisions,
    hash_of,
    read_event,
    read_history,
)
from acdl_mkdocs.playbook.store.load import (
    EMPTY_PLAYBOOK,
    expand_count,
    expand_counts,
    history_data,
    history_path,
    load_bytes,
    load_normalized_history,
    resolve_link,
    state_at,
)
from acdl_mkdocs.playbook.store.merge import merge_conflicted_file, merge_conflicted_history
from acdl_mkdocs.playbook.store.read_playbook import Loaded
from acdl_mkdocs.playbook.store.save import MODELINE, OpenStore
from acdl_mkdocs.playbook.store.write_playbook import digest_of, is_digest_of, text_of
from acdl_mkdocs.prompts.prompt import Json

BRIDGED = "revisions of the history were damaged: what they made, all together"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A history without the damage."""

    data: bytes
    """Its lines, chained again."""
    notes: tuple[str, ...]


def salvage_history(data: bytes, history: History, file: Playbook | None, cause: Cause) -> Salvaged | None:
    """Repair a damaged history; `None` if no revision after the damage can be kept.

    If every line is an event and all of them still result in the digest of the last one, all are kept. Otherwise one
    revision leads from the last good one to the first good one after the damage.

    Parameters:
        data: The damaged history.
        history: The part of it that was read.
        file: The playbook of the file, which is the result of the last revision.
        cause: Who repairs, and when.
    """
    lines = data.split(b"\n")[:-1]
    events = [read_event(line) for line in lines]
    first = history.damage[0].line
    if all(isinstance(event, Event) for event in events):
        valid_events = [event for event in events if isinstance(event, Event)]
        if _has_matching_digest(valid_events):
            note = f"line {first} of the history was changed since it was written: kept as it is, and chained anew"
            return Salvaged(_chain_revisions(valid_events), (note,))
    behind = _find_undamaged_end(lines, events, history.revision)
    while behind:
        joined = _join_revisions(history.events, behind, file, cause)
        if joined is not None:
            note = f"the history was damaged in line {first}: {_describe_kept(behind)}"
            return Salvaged(joined, (note,))
        behind = _without_first(behind)
    return None


def _describe_kept(behind: Sequence[Event]) -> str:
    n_revisions = sum(1 for _ in group_revisions(behind))
    what = "revision behind it was" if n_revisions == 1 else "revisions behind it were"
    return f"{n_revisions} {what} kept"


def _has_matching_digest(events: Sequence[Event]) -> bool:
    if not _is_complete(events):
        return False
    try:
        return is_digest_of(events[-1].digest, state_at(events))
    except ChangeError:
        return False


def _is_complete(events: Sequence[Event]) -> bool:
    """Return whether events are consecutive complete revisions."""
    reached = -1
    for revision, group in group_revisions(events):
        if revision <= reached or [(each.n, each.of) for each in group] != [
            (number, len(group)) for number in range(1, len(group) + 1)
        ]:
            return False
        reached = revision
    return bool(events)


def _find_undamaged_end(lines: Sequence[bytes], events: Sequence[Event | str], reached: int) -> list[Event]:
    """Return the last events that form unbroken complete revisions, without those of a killed writer."""
    end_events: list[Event] = []
    for index in range(len(lines) - 1, -1, -1):
        event = events[index]
        if isinstance(event, str) or event.revision <= reached:
            break
        if end_events and end_events[0].previous != hash_of(lines[index]):
            break
        end_events.insert(0, event)
    while end_events and end_events[0].n != 1:
        del end_events[0]
    while end_events and not end_events[-1].is_last:
        del end_events[-1]
    return end_events if _is_complete(end_events) else []


def _without_first(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.revision != events[0].revision]


def _join_revisions(
    good: Sequence[Event], behind: Sequence[Event], file: Playbook | None, cause: Cause
) -> bytes | None:
    """Join the good revisions, a revision that leads on, and those after the damage; `None` if that is impossible."""
    try:
        before = state_at(good) if good else EMPTY_PLAYBOOK
        begin = _find_start_of_end(before, behind, file)
        base = replace(begin, revision=behind[0].revision - 1)
        bridge: tuple[Event, ...] = ()
        if find_changes(before, base) or not good:
            if base.revision <= (before.revision if good else -1):
                return None
            bridge = events_of(before, base, Report(), replace(cause, op="REPAIR", reason=BRIDGED))
        reached = state_at((*good, *bridge, *behind))
        is_file = file is not None and is_digest_of(behind[-1].digest, file)
        if is_file and not is_digest_of(behind[-1].digest, reached):
            return None
        last = replace(behind[-1], digest=digest_of(reached))  # another one if only the damaged lines had everything
        return _chain_revisions((*good, *bridge, *behind[:-1], last), base if bridge else None)
    except AcdlError:
        return None


def _find_start_of_end(before: Playbook, behind: Sequence[Event], file: Playbook | None) -> Playbook:
    """Return the playbook before the revisions after the damage: derived from the file, if possible, or from them.

    Raises:
        AcdlError: The result is not a playbook.
    """
    changes = list(_net_changes(behind, file))
    if file is not None and is_digest_of(behind[-1].digest, file):
        return revert_changes(file, changes)
    now = {(each.kind, each.id): each.after for each in find_changes(EMPTY_PLAYBOOK, before)}
    wanted = [Change(each.kind, each.id, now.get((each.kind, each.id)), each.before) for each in changes]
    return apply_changes(before, [each for each in wanted if each.before != each.after])


def _net_changes(behind: Sequence[Event], file: Playbook | None) -> Iterable[Change]:
    """Return the net change of each part."""
    last: dict[tuple[str, str], Json] = {}
    if file is not None:
        last = {(each.kind, each.id): each.after for each in find_changes(EMPTY_PLAYBOOK, file)}
    changes: dict[tuple[str, str], Change] = {}
    for event in expand_counts(behind, last):
        key = (event.kind, event.id)
        before = changes[key].before if key in changes else event.before
        changes[key] = Change(event.kind, event.id, before, event.after)
    return (each for each in changes.values() if each.before != each.after)


def _chain_revisions(events: Sequence[Event], bridge: Playbook | None = None) -> bytes:
    """Chain revisions again; their stamps and digests are kept."""
    data = []
    previous = NO_PREVIOUS
    for revision, group in group_revisions(events):
        is_bridge = bridge is not None and revision == bridge.revision
        digest = digest_of(bridge) if is_bridge and bridge is not None else group[-1].digest or ""
        lines = chain_revision(group, previous, digest, group[-1].stamp)
        data.append(lines.data)
        previous = lines.last_hash
    return b"".join(data)


def select_replayable(events: Sequence[Event]) -> list[Event]:
    """Return the events of the revisions up to the first that contradicts the previous ones."""
    good: list[Event] = []
    now: dict[tuple[str, str], Json] = {}
    bullets: dict[str, Json] = {}
    for _, group in group_revisions(events):
        try:
            for event in group:
                _replay_event(event, now, bullets)
        except ChangeError:
            break
        good += group
    while good and not _fits_digest(good):
        last = good[-1].revision
        good = [event for event in good if event.revision != last]
    return good


def _replay_event(event: Event, now: dict[tuple[str, str], Json], bullets: dict[str, Json]) -> None:
    """Record the result of an event.

    Raises:
        ChangeError: The state before differs from what it records.
    """
    for each in expand_count(event, bullets) if event.kind == SEEN else (event,):
        key = (each.kind, each.id)
        if now.get(key, each.before) != each.before:
            raise ChangeError(f"{each.kind} `{each.id}` was not as the event says")
        now[key] = each.after
        if each.kind == "bullet":
            bullets[each.id] = each.after


def _fits_digest(events: Sequence[Event]) -> bool:
    """Return whether the last revision results in its digest."""
    try:
        return is_digest_of(events[-1].digest, state_at(events))
    except ChangeError:
        return False


Side: TypeAlias = Literal["history", "file"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The result of a repair."""

    notes: tuple[str, ...]
    playbook: Playbook


def repair(path: Path, side: Side | None = None, *, time: str | None = None, actor: str | None = "person") -> Repaired:
    """Make file and history complete and consistent.

    Parameters:
        path: The file.
        side: Which of them is right if they contradict each other. Without it, changes in the file are kept as a
            revision, as every writer does.
        time: When.
        actor: Who repairs.

    Raises:
        PlaybookError: There is nothing to repair it from, or a person has to choose.
        OSError: A file cannot be read.
    """
    path = resolve_link(path)
    if not path.exists() and history_data(path) is None:
        cure = f"`acdl playbook init {path}` makes a new one"
        raise PlaybookError(f"{path}: there is neither a file nor a history", cure)
    cause = Cause(actor, time)
    with files.lock_file(path):
        return _Repair(path, cause).repair_files(side)


class _Repair:
    def __init__(self, path: Path, cause: Cause) -> None:
        self.path = path
        self.cause = cause
        self.notes: list[str] = []
        self.data = path.read_bytes() if path.exists() else None
        self.loaded = load_bytes(self.data or b"", str(path))
        self.has_read = self.data is not None and self.loaded.playbook is not None
        settled = load_normalized_history(path)
        self.history_data = settled.data or None
        self.notes += [f"{history_path(path)}: {note}" for note in settled.notes]
        self.is_rewritten = bool(settled.notes)
        """Whether the whole history has to be written."""

    def repair_files(self, side: Side | None) -> Repaired:
        self._take_both_sides()
        history, rejected = self._whole_history()
        if not history.events and not self.has_read:
            raise self._make_hopeless_error()
        if self.has_read:
            self._check_comments()
        both = self._reconcile(history, side)
        refuse_secrets(str(self.path), both.events)
        if rejected:
            self._save_rejected_lines(rejected)
        if self.is_rewritten:
            files.replace_file(history_path(self.path), self.history_data or b"")
        opened = OpenStore(
            self.path, self._find_comments(), both.playbook, history.good_bytes, history.last_hash, history.stamp
        )
        self.notes += both.notes
        if both.events:
            opened.commit_revision(both.playbook, both.events)
        else:
            self._cut(history)
            self._write(opened, both.playbook, side)
        return Repaired(tuple(self.notes), both.playbook)

    def _take_both_sides(self) -> None:
        """Merge a conflict that git left.

        Raises:
            PlaybookError: A part of a branch would be lost.
        """
        if self.history_data is not None:
            both = merge_conflicted_history(self.history_data, history_path(self.path))
            if both is not None:
                self.history_data, self.is_rewritten = both.data, True
                self.notes += [f"{self.path}: {note}" for note in both.notes]
                self.notes.append("both branches of the history are kept: one revision merges them")
        if self.data is not None and find_conflict(self.data) is not None:
            self.loaded = merge_conflicted_file(self.path, self.data, self.history_data or b"")
            self.has_read = False

    def _whole_history(self) -> tuple[History, bytes]:
        """Return as much of the history as can be replayed, and the bytes after that."""
        data = self.history_data or b""
        history = read_history(data)
        if history.damage and not history.is_torn:
            file = self.loaded.playbook if self.has_read else None
            salvaged = salvage_history(data, history, file, self.cause)
            if salvaged is not None:
                self.history_data, self.is_rewritten = salvaged.data, True
                self.notes += salvaged.notes
                return read_history(salvaged.data), data
        good = tuple(select_replayable(history.events))
        if len(good) < len(history.events):
            n_lines = len(good)
            n_bytes = sum(len(line) + 1 for line in data.split(b"\n")[:n_lines])
            lines = data[:n_bytes].split(b"\n")[:-1]
            last_hash = hash_of(lines[-1]) if lines else NO_PREVIOUS
            history = History(good, history.damage, n_bytes, last_hash)
        return history, data[history.good_bytes :]

    def _reconcile(self, history: History, side: Side | None) -> Reconciled:
        """Return the state that file and history should have."""
        file = self.loaded.playbook
        if file is None:
            return Reconciled(state_at(history.events))
        if not history.events:
            return start_history(file, replace(self.cause, op=None))
        last = state_at(history.events)
        if side == "history":
            return Reconciled(last)
        try:
            return reconcile_history(self.loaded, file, history.events, self.cause)
        except ChangeError as reason:
            if side is None and file.revision <= last.revision:
                cure = f"choose with `acdl playbook repair {self.path} --from history` or `--from file`"
                raise PlaybookError(f"{self.path}: {reason}", cure) from None
            return self._follow_file(file, last)

    def _follow_file(self, file: Playbook, last: Playbook) -> Reconciled:
        """Take everything from the file, after everything in the history."""
        changes = find_changes(replace(last, revision=file.revision), file)
        following = with_revision(file, last, changes)
        cause = replace(self.cause, op="REPAIR", reason="taken from the file")
        events = events_of(last, following, Report(), cause)
        if not events:
            return Reconciled(last, (), (f"the file said revision {file.revision}, which no history has",))
        return Reconciled(following, events, (f"revision {following.revision} is what the file says",))

    def _save_rejected_lines(self, lines: bytes) -> None:
        """Keep a copy of the part that is cut off from the history."""
        rejected = self.path.with_name(f"{self.path.stem}.history.rejected.jsonl")
        size = rejected.stat().st_size if rejected.exists() else 0
        end = b"" if lines.endswith(b"\n") else b"\n"
        files.append_data(rejected, lines + end, size)
        n_lines = (lines + end).count(b"\n")
        what = "1 line" if n_lines == 1 else f"{n_lines} lines"
        self.notes.append(f"{what} of the history could not be kept: moved to {rejected}")

    def _cut(self, history: History) -> None:
        if self.history_data is not None and history.good_bytes < len(self.history_data):
            files.append_data(history_path(self.path), b"", history.good_bytes)

    def _write(self, opened: OpenStore, playbook: Playbook, side: Side | None) -> None:
        """Write the file if it differs; keep its text if the history lacks it."""
        if self.loaded.playbook == playbook and self.loaded.stamp in (None, opened.stamp):
            return
        if self.data is not None and (self.loaded.playbook is None or side == "history"):
            self._back_up(self.data)
        opened.write_text(text_of(playbook, opened.loaded.comments, opened.stamp))
        self.notes.append(f"{self.path} was written from the history: revision {playbook.revision}")

    def _back_up(self, data: bytes) -> None:
        for number in range(1, 1000):
            backup = self.path.with_name(f"{self.path.name}.bak{'' if number == 1 else number}")
            if not backup.exists():
                files.replace_file(backup, data)
            elif backup.read_bytes() != data:
                continue
            self.notes.append(f"what the file said is kept in {backup}")
            return
        raise PlaybookError(f"{self.path}: there are a thousand backups beside it", "remove some")

    def _find_comments(self) -> Loaded:
        has_comments = self.has_read or self.loaded.comments != NO_COMMENTS
        return self.loaded if has_comments else replace(self.loaded, comments=MODELINE)

    def _check_comments(self) -> None:
        if self.loaded.playbook is not None:
            OpenStore(self.path, self.loaded, self.loaded.playbook, 0, "").check_comments()

    def _make_hopeless_error(self) -> PlaybookError:
        if self.data is None:
            return PlaybookError(f"{self.path}: there is no file, and its history cannot be read")
        first = self.loaded.problems[0]
        line = self.loaded.source.find_place(first.label.span.start).line
        why = f"the file cannot be read (line {line}: {first.message}), and there is no history to take it from"
        return PlaybookError(f"{self.path}: {why}", "fix the file")
