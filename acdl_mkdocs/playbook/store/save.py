"""Change and create playbooks on disk: one writer at a time, never half written."""

import json
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError, UnusablePlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Playbook, sort_playbook
from acdl_mkdocs.playbook.model.content import clean_content
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import files, write_playbook
from acdl_mkdocs.playbook.store.checks import find_flaws, refuse_secrets
from acdl_mkdocs.playbook.store.comments import STRAY_CURE, Comments
from acdl_mkdocs.playbook.store.events import Cause, ClashError, Reconciled, events_of, reconcile_history, start_history
from acdl_mkdocs.playbook.store.history import (
    NO_PREVIOUS,
    Event,
    chain_revision,
    describe_reused_id,
    find_used_ids,
    hash_of,
    is_chained,
    last_event,
    read_history,
)
from acdl_mkdocs.playbook.store.load import (
    EMPTY_PLAYBOOK,
    check_whole,
    get_usable_playbook,
    history_data,
    history_path,
    load_bytes,
    load_normalized_history,
    resolve_link,
)
from acdl_mkdocs.playbook.store.read_playbook import PLAYBOOK_FILE, Loaded
from acdl_mkdocs.playbook.store.write_playbook import (
    Known,
    add_comments,
    add_stamp,
    digest_of_pieces,
    is_digest_of,
    pieces_of,
    text_of,
)

_LONGEST_WAIT = timedelta(minutes=1)
"""Longest wait for the lock; a writer takes its time before it has the lock, so another may commit a later time."""

Warn = Callable[[str], None]
"""Receives sentences about findings and side effects."""


class CurateResult(Protocol):
    """A result of `curate`: a playbook and a report."""

    @property
    def playbook(self) -> Playbook:
        """The playbook afterwards; the same object or an equal one if nothing changed."""
        ...

    @property
    def report(self) -> Report:
        """The report of the changes."""
        ...


Curated = TypeVar("Curated", bound=CurateResult)


@dataclass(slots=True)
class OpenStore:
    """A playbook whose lock is held."""

    path: Path
    loaded: Loaded
    playbook: Playbook
    """The playbook that file and history agree on."""
    n_bytes: int
    """Committed bytes of the history."""
    last_hash: str
    """The hash of its last line."""
    stamp: str | None = None
    """The stamp of its last revision."""
    known: Known = field(default_factory=dict)
    """Texts of bullets that were written before."""
    time: str | None = None
    """When the last revision was made."""

    def commit_revision(self, after: Playbook, events: Sequence[Event]) -> None:
        """Add one revision to the history and write the file: both, or neither if one cannot be written.

        The text is on the disk before the history has the revision, so that only a rename remains afterwards.

        Raises:
            PlaybookError: A comment would be lost, or nothing can be written.
        """
        self.check_comments()
        pieces = pieces_of(after, self.known)
        revision = chain_revision(events, self.last_hash, digest_of_pieces(pieces))
        text = add_comments(after, self.loaded.comments, add_stamp(pieces, revision.stamp))
        draft = files.write_draft(self.path, text.encode())
        history = history_path(self.path)
        try:
            files.append_data(history, revision.data, self.n_bytes)
        except BaseException:  # also on an interrupt: the next writer handles a history that is ahead without a draft
            atomic.drop_draft(draft)
            raise
        try:
            files.commit_draft(draft, self.path)
        except PlaybookError:
            files.truncate_file(history, self.n_bytes)
            raise
        self.n_bytes += len(revision.data)
        self.last_hash, self.stamp = revision.last_hash, revision.stamp
        self.playbook = after
        self.loaded = replace(self.loaded, source=replace(self.loaded.source, text=text))

    def write_text(self, text: str) -> None:
        """Write a text to the file if it differs."""
        if text != self.loaded.source.text:
            files.replace_file(self.path, text.encode())
            self.loaded = replace(self.loaded, source=replace(self.loaded.source, text=text))

    def check_comments(self) -> None:
        """Refuse to rewrite a file that has a comment where none can be kept."""
        at = self.loaded.comments.stray
        if at is None:
            return
        source = self.loaded.source
        line = source.find_place(at).line
        problem = PLAYBOOK_FILE.make_problem(
            at,
            at + 1,
            f"the comment in line {line} would be lost when the file is written",
            STRAY_CURE,
            "a comment cannot stay here",
        )
        raise UnusablePlaybookError(f"{source.name}: {problem.message}", (problem,), source)


def update(
    path: Path,
    change: Callable[[Playbook], Curated],
    *,
    time: str | None = None,
    trace: str | None = None,
    actor: str | None = "person",
    warn: Warn | None = None,
    op: str | None = None,
) -> Curated:
    """Change a playbook: read it, call `change`, commit the result. One writer at a time.

    Unfinished work of a killed writer is completed first; manual changes of the file become a separate revision.

    Parameters:
        path: The file; a symbolic link to it is kept.
        change: Returns the next playbook. Without a change, nothing is written.
        time: When, as ISO 8601 in UTC; the store has no clock.
        trace: The cause, such as `run/epoch/sample`.
        actor: Who changes it.
        warn: Called with sentences about findings.
        op: The operation of changes that the report does not name.

    Raises:
        UnusablePlaybookError: The file has errors.
        PlaybookError: It cannot be written, or it contradicts its history.
        OSError: It cannot be read.
    """
    cause = Cause(actor, time, trace, op)
    path = resolve_link(path)
    path.stat()  # so that no lock is left beside a missing file
    with files.lock_file(path):
        opened = open_store(path, cause, warn or _ignore)
        before = opened.playbook
        curated = change(before)
        after = curated.playbook
        is_same = after is before or replace(after, revision=before.revision) == before
        if is_same and not _is_aged(before, after, curated.report):
            return curated
        if after.revision <= before.revision:
            after = replace(after, revision=before.revision + 1)
            curated = cast(Curated, replace(cast(Any, curated), playbook=after))
        check_playbook(before, after, path)
        _check_ids(before, curated.report, opened)
        if time and opened.time and _goes_back(opened.time, time):
            (warn or _ignore)(f"{path}: the clock goes back: the last revision is of {opened.time}, and now is {time}")
        opened.commit_revision(after, events_of(before, after, curated.report, cause))
        return curated


def _goes_back(earlier: str, now: str) -> bool:
    """Return whether a time is before another by more than a wait for the lock."""
    try:
        return datetime.fromisoformat(earlier) - datetime.fromisoformat(now) > _LONGEST_WAIT
    except (TypeError, ValueError):
        return now.removesuffix("Z") < earlier.removesuffix("Z")


def _check_ids(before: Playbook, report: Report, opened: OpenStore) -> None:
    """Refuse a new bullet with the id of a removed one; undoing a revision may bring that one back.

    Raises:
        PlaybookError: There is one.
        OSError: The history cannot be read.
    """
    added = (each for each in report.applied if each.before is None and each.after is not None and each.op != "UNDO")
    new = {each.id for each in added} - before.by_id.keys()
    path = opened.path
    reused = new & find_used_ids((history_data(path) or b"")[: opened.n_bytes]) if new else set()
    if reused:
        raise PlaybookError(f"{path}: {describe_reused_id(min(reused))}", "leave the id out: a new one is made")


def _is_aged(before: Playbook, after: Playbook, report: Report) -> bool:
    """Return whether a revision is made though nothing changed: because there was no space."""
    return after.revision > before.revision and any(each.is_for_space for each in report.rejected)


def open_store(path: Path, cause: Cause, warn: Warn) -> OpenStore:
    """Read file and history, and write what is missing so that they agree.

    Raises:
        UnusablePlaybookError: The file has errors.
        PlaybookError: It contradicts its history.
        OSError: It cannot be read.
    """
    content = path.read_bytes()
    loaded = load_bytes(content, str(path))
    file = get_usable_playbook(loaded)
    data = _normalize_history(path, file, warn)
    if b"\r" in content:
        warn(f"{path}: its lines end in CR: what is written ends in LF")
    line = data[data.rfind(b"\n", 0, len(data) - 1) + 1 :]
    last = last_event(line) if is_chained(data) else None
    texts = loaded.known
    is_known = last is not None and last.revision == file.revision and loaded.stamp in (None, last.stamp)
    if last is not None and is_known and is_digest_of(last.digest, file, texts):
        return OpenStore(path, loaded, file, len(data), hash_of(line), last.stamp, texts, last.time)
    history = check_whole(read_history(data), path)
    if history.is_torn:
        warn(f"{history_path(path)}: cut off what a writer left that was stopped before it committed")
    try:
        both = reconcile_history(loaded, file, history.events, cause) if history.events else start_history(file, cause)
    except ChangeError as reason:
        cure = f"choose with `acdl playbook repair {path} --from history` or `--from file`"
        cure = cure if isinstance(reason, ClashError) else f"run `acdl playbook repair {path}`"
        raise PlaybookError(f"{path}: {reason}", cure) from None
    refuse_secrets(str(path), both.events)
    for note in both.notes:
        warn(f"{path}: {note}")
    opened = OpenStore(path, loaded, both.playbook, history.good_bytes, history.last_hash, history.stamp)
    opened.time = history.events[-1].time if history.events else None
    _write_missing(opened, both)
    return opened


def _normalize_history(path: Path, file: Playbook, warn: Warn) -> bytes:
    """Return the history with normalized line ends, and report what other programs did to them."""
    history = history_path(path)
    settled = load_normalized_history(path, file.revision)
    if settled.notes:
        files.replace_file(history, settled.data)
    for note in settled.notes:
        warn(f"{history}: {note}")
    if b"\r\n" in settled.data:
        warn(f"{history}: its lines end in CR LF; in git, `acdl playbook merge --setup` keeps them as they are")
    return settled.data


def _write_missing(opened: OpenStore, both: Reconciled) -> None:
    """Write what file and history lack."""
    if both.events:
        opened.commit_revision(both.playbook, both.events)
    elif both.notes:
        opened.check_comments()
        opened.write_text(text_of(both.playbook, opened.loaded.comments, opened.stamp))


def check_playbook(before: Playbook, after: Playbook, path: Path) -> None:
    """Refuse a playbook that could not be read again, which is a bug of the caller.

    Raises:
        PlaybookError: It could not.
    """
    flaw = next(find_flaws(after), None)
    ids = {id(bullet) for bullet in before.bullets} if after is not before else set()
    new = (each for each in after.bullets if id(each) not in ids)
    wrong = [
        f"the content of `{each.id}` {problem}" for each in new for problem in clean_content(each.content).problems
    ]
    message = flaw.message if flaw else wrong[0] if wrong else None
    if message:
        raise PlaybookError(f"{path}: the change makes a playbook that cannot be: {message}", flaw.help if flaw else "")


def _ignore(sentence: str) -> None:
    del sentence


MODELINE = Comments({("key", "schema_version"): (write_playbook.MODELINE,)})
"""The comments of a new file."""


def create(path: Path, playbook: Playbook, *, time: str | None = None, actor: str | None = "person") -> None:
    """Write a new playbook, its history and, beside them, the schema for editors.

    Raises:
        PlaybookError: There is such a file already, or it cannot be written.
    """
    playbook = sort_playbook(playbook)
    if not path.parent.is_dir():
        raise PlaybookError(f"{path}: there is no folder `{path.parent}`", "make it first")
    check_playbook(playbook, playbook, path)
    with files.lock_file(path):
        for each in (path, history_path(path)):
            if each.exists() or each.is_symlink():
                raise PlaybookError(f"{each} exists already{_owner(path, each)}", _suggest_cure(path, each))
        write_schema(path.parent)
        empty = Loaded(None, (), source=load_bytes(b"", str(path)).source, comments=MODELINE)
        new = OpenStore(path, empty, playbook, 0, NO_PREVIOUS)
        try:
            new.commit_revision(playbook, events_of(EMPTY_PLAYBOOK, playbook, Report(), Cause(actor, time, op="INIT")))
        except BaseException:  # also on an interrupt: a history alone would block the same command
            if not path.exists():
                files.truncate_file(history_path(path), 0)
            raise


def write_schema(folder: Path) -> None:
    """Write the schema of playbooks to a folder if it is missing; replace that of another version.

    Raises:
        PlaybookError: Another file has its name, or it cannot be written.
    """
    schema = folder / write_playbook.SCHEMA_FILE
    text = write_playbook.schema_text().encode()
    current = schema.read_bytes() if schema.is_file() else None  # a link can lead to a device
    if current == text:
        return
    if current and _title_of(current) != _title_of(text):
        raise PlaybookError(f"{schema} is not the schema of playbooks", "rename it: editors look for the schema there")
    files.replace_file(schema, text)


def _title_of(schema: bytes) -> object:
    """Return the title of a schema."""
    try:
        data = json.loads(schema)
    except (ValueError, RecursionError):
        return None
    return data.get("title") if isinstance(data, dict) else None


def _suggest_cure(path: Path, blocking_path: Path) -> str:
    """Explain what to do about a file that blocks a new playbook."""
    is_history_alone = blocking_path != path and not _owner(path, blocking_path)
    restore = f"`acdl playbook repair {path}` makes the playbook of this history, or " if is_history_alone else ""
    return f"{restore}choose another name, or remove it"


def _owner(path: Path, history: Path) -> str:
    """Describe whose history blocks a new playbook."""
    others = sorted(each for each in path.parent.glob("*.y*ml") if history_path(each) == history and each != path)
    return f": it is the history of {others[0]}" if history != path and others else ""
