"""Making a playbook file and its history whole again. Nothing is deleted: what is dropped is kept beside."""

from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.changes import changes
from acdl_mkdocs.playbook.report import Report
from acdl_mkdocs.store import files
from acdl_mkdocs.store.comments import NO_COMMENTS
from acdl_mkdocs.store.confidential import refuse_secrets
from acdl_mkdocs.store.conflict import place_of
from acdl_mkdocs.store.events import Cause, events_of
from acdl_mkdocs.store.history import NO_PREVIOUS, History, hash_of, read_history
from acdl_mkdocs.store.load import history_data, history_path, loaded_from, settled_history, target
from acdl_mkdocs.store.merge_conflict import both_files, both_histories
from acdl_mkdocs.store.new_file import MODELINE
from acdl_mkdocs.store.read_playbook import Loaded
from acdl_mkdocs.store.reconcile import Agreed, agreed, started, with_revision
from acdl_mkdocs.store.replay import state_at
from acdl_mkdocs.store.salvage import replayable, salvaged
from acdl_mkdocs.store.save import Opened
from acdl_mkdocs.store.write_playbook import text_of

Side: TypeAlias = Literal["history", "file"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done, each a sentence; nothing if all was well."""

    notes: tuple[str, ...]
    playbook: Playbook


def repair(path: Path, side: Side | None = None, *, time: str | None = None, actor: str | None = "person") -> Repaired:
    """See that file and history are whole and agree.

    Parameters:
        path: The file.
        side: Which of both is right where they contradict each other. Without it, changes that were made in the file
            are kept as a revision, as every writer does.
        time: When.
        actor: Who repairs.

    Raises:
        PlaybookError: Nothing is left to repair it from, or somebody has to choose.
        OSError: A file cannot be read.
    """
    path = target(path)
    if not path.exists() and history_data(path) is None:
        cure = f"`acdl playbook init {path}` makes a new one"
        raise PlaybookError(f"{path}: there is neither a file nor a history", cure)
    cause = Cause(actor, time)
    with files.locked(path):
        return _Repair(path, cause).run(side)


class _Repair:
    def __init__(self, path: Path, cause: Cause) -> None:
        self.path = path
        self.cause = cause
        self.notes: list[str] = []
        self.data = path.read_bytes() if path.exists() else None
        self.loaded = loaded_from(self.data or b"", str(path))
        self.has_read = self.data is not None and self.loaded.playbook is not None
        settled = settled_history(path)
        self.history_data = settled.data or None
        self.notes += [f"{history_path(path)}: {note}" for note in settled.notes]
        self.is_rewritten = bool(settled.notes)
        """Whether the history has to be written as a whole."""

    def run(self, side: Side | None) -> Repaired:
        self._take_both_sides()
        history, kept = self._whole_history()
        if not history.events and not self.has_read:
            raise self._hopeless()
        if self.has_read:
            self._check_comments()
        both = self._both(history, side)
        refuse_secrets(str(self.path), both.events)
        if kept:
            self._reject(kept)
        if self.is_rewritten:
            files.replace_file(history_path(self.path), self.history_data or b"")
        opened = Opened(
            self.path, self._kept_comments(), both.playbook, history.good_bytes, history.last_hash, history.stamp
        )
        self.notes += both.notes
        if both.events:
            opened.commit(both.playbook, both.events)
        else:
            self._cut(history)
            self._write(opened, both.playbook, side)
        return Repaired(tuple(self.notes), both.playbook)

    def _take_both_sides(self) -> None:
        """Merge what git left as a conflict.

        Raises:
            PlaybookError: Something of a branch would be lost.
        """
        if self.history_data is not None:
            both = both_histories(self.history_data, history_path(self.path))
            if both is not None:
                self.history_data, self.is_rewritten = both.data, True
                self.notes += [f"{self.path}: {note}" for note in both.notes]
                self.notes.append("both branches of the history are kept: one revision merges them")
        if self.data is not None and place_of(self.data) is not None:
            self.loaded = both_files(self.path, self.data, self.history_data or b"")
            self.has_read = False

    def _whole_history(self) -> tuple[History, bytes]:
        """As much of the history as can be replayed, and what is behind that."""
        data = self.history_data or b""
        history = read_history(data)
        if history.damage and not history.is_torn:
            file = self.loaded.playbook if self.has_read else None
            found = salvaged(data, history, file, self.cause)
            if found is not None:
                self.history_data, self.is_rewritten = found.data, True
                self.notes += found.notes
                return read_history(found.data), data
        good = tuple(replayable(history.events))
        if len(good) < len(history.events):
            n_lines = len(good)
            n_bytes = sum(len(line) + 1 for line in data.split(b"\n")[:n_lines])
            lines = data[:n_bytes].split(b"\n")[:-1]
            last_hash = hash_of(lines[-1]) if lines else NO_PREVIOUS
            history = History(good, history.damage, n_bytes, last_hash)
        return history, data[history.good_bytes :]

    def _both(self, history: History, side: Side | None) -> Agreed:
        """What both shall be."""
        file = self.loaded.playbook
        if file is None:
            return Agreed(state_at(history.events))
        if not history.events:
            return started(file, replace(self.cause, op=None))
        last = state_at(history.events)
        if side == "history":
            return Agreed(last)
        try:
            return agreed(self.loaded, file, history.events, self.cause)
        except ChangeError as reason:
            if side is None and file.revision <= last.revision:
                cure = f"choose with `acdl playbook repair {self.path} --from history` or `--from file`"
                raise PlaybookError(f"{self.path}: {reason}", cure) from None
            return self._as_file(file, last)

    def _as_file(self, file: Playbook, last: Playbook) -> Agreed:
        """Everything as the file has it, behind everything that the history has."""
        made = changes(replace(last, revision=file.revision), file)
        wanted = with_revision(file, last, made)
        cause = replace(self.cause, op="REPAIR", reason="taken from the file")
        events = events_of(last, wanted, Report(), cause)
        if not events:
            return Agreed(last, (), (f"the file said revision {file.revision}, which no history has",))
        return Agreed(wanted, events, (f"revision {wanted.revision} is what the file says",))

    def _reject(self, kept: bytes) -> None:
        """Keep what is cut off from the history."""
        rejected = self.path.with_name(f"{self.path.stem}.history.rejected.jsonl")
        size = rejected.stat().st_size if rejected.exists() else 0
        end = b"" if kept.endswith(b"\n") else b"\n"
        files.append(rejected, kept + end, size)
        n_lines = (kept + end).count(b"\n")
        what = "1 line" if n_lines == 1 else f"{n_lines} lines"
        self.notes.append(f"{what} of the history could not be kept: moved to {rejected}")

    def _cut(self, history: History) -> None:
        if self.history_data is not None and history.good_bytes < len(self.history_data):
            files.append(history_path(self.path), b"", history.good_bytes)

    def _write(self, opened: Opened, playbook: Playbook, side: Side | None) -> None:
        """Write the file, unless it says that already; what it said is kept if it is not in the history."""
        if self.loaded.playbook == playbook and self.loaded.stamp in (None, opened.stamp):
            return
        if self.data is not None and (self.loaded.playbook is None or side == "history"):
            self._back_up(self.data)
        opened.write(text_of(playbook, opened.loaded.comments, opened.stamp))
        self.notes.append(f"{self.path} was written from the history: revision {playbook.revision}")

    def _back_up(self, data: bytes) -> None:
        for number in range(1, 1000):
            kept = self.path.with_name(f"{self.path.name}.bak{'' if number == 1 else number}")
            if not kept.exists():
                files.replace_file(kept, data)
            elif kept.read_bytes() != data:
                continue
            self.notes.append(f"what the file said is kept in {kept}")
            return
        raise PlaybookError(f"{self.path}: there are a thousand backups beside it", "remove some")

    def _kept_comments(self) -> Loaded:
        has_comments = self.has_read or self.loaded.comments != NO_COMMENTS
        return self.loaded if has_comments else replace(self.loaded, comments=MODELINE)

    def _check_comments(self) -> None:
        if self.loaded.playbook is not None:
            Opened(self.path, self.loaded, self.loaded.playbook, 0, "").check_comments()

    def _hopeless(self) -> PlaybookError:
        if self.data is None:
            return PlaybookError(f"{self.path}: there is no file, and its history cannot be read")
        first = self.loaded.problems[0]
        line = self.loaded.source.place(first.label.span.start).line
        why = f"the file cannot be read (line {line}: {first.message}), and there is no history to take it from"
        return PlaybookError(f"{self.path}: {why}", "mend the file")
