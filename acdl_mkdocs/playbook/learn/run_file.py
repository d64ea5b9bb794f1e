"""The folder of a run: `run.json` has its settings and progress, `trajectory.jsonl` a record for each question.

The trajectory is authoritative: a question is finished when its record exists. `pending.json` has the records whose
changes are being committed to the playbook, `replies/` the replies of models to unfinished questions, and
`validation.jsonl` the results on a validation set. Only one process at a time works on a run.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from filelock import FileLock, Timeout

from acdl_mkdocs.foundation.atomic import drop_drafts, replace_durably
from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.curve import RUN_FILE
from acdl_mkdocs.playbook.learn.replay_cache import append_line, cut_torn_line, read_lines
from acdl_mkdocs.playbook.learn.trajectory import Record
from acdl_mkdocs.prompts.prompt import Json

SCHEMA_VERSION = 1
FOR_ITS_OWNER = 0o700
"""Mode of a new folder: only the owner may read questions and replies."""
Begin: TypeAlias = Literal["auto", "resume", "restart"]
"""Resume if possible; only resume; or restart, and keep the old trajectory under another name."""
_NO_RUN = "{}: there is no run to go on with; leave out `--resume` to begin one"
_BEGIN_ANEW = "begin anew: `--restart`; the playbook keeps what it learned"


@dataclass
class Run:
    """A run that this process may work on."""

    folder: Path
    id: str
    """Prefix of the traces in the history of the playbook."""
    settings: Mapping[str, Json]
    revision: int
    """Revision of the playbook when the run began."""
    records: list[Record] = field(default_factory=list)
    validations: list[Record] = field(default_factory=list)
    is_finished: bool = False

    def replies_file(self, n: int) -> Path:
        """Return the file of the replies to question `n` so far."""
        return self.folder / "replies" / f"{n:06}.jsonl"

    def append_record(self, record: Record) -> None:
        """Record that a question is finished."""
        append_line(self.folder / _TRAJECTORY, record)
        self.records.append(record)
        n = record.get("n")
        if isinstance(n, int):
            self.replies_file(n).unlink(missing_ok=True)

    def append_validation(self, record: Record) -> None:
        """Record a validation of the playbook."""
        append_line(self.folder / _VALIDATION, record)
        self.validations.append(record)
        self.drop_validation_replies()

    def drop_validation_replies(self) -> None:
        """Delete the replies to validations that are done."""
        n_done = max((n for each in self.validations if isinstance(n := each.get("n"), int)), default=-1)
        for path in (self.folder / "replies").glob(f"{_VALIDATING}*.jsonl"):
            if path.stem.removeprefix(_VALIDATING) < f"{n_done + 1:06}":
                path.unlink()

    def validation_replies(self, n: int, name: str) -> Path:
        """Return the file of the reply to a question of the validation set, after `n` questions of the run."""
        return self.folder / "replies" / f"{_VALIDATING}{n:06}-{sha256(name.encode()).hexdigest()[:16]}.jsonl"

    def set_pending(self, trace: str | None, records: Sequence[Record]) -> None:
        """Save records that are complete once the playbook has their changes; without a trace there are none."""
        _write(self.folder / _PENDING, {"trace": trace, "records": list(records)})

    def read_pending(self, is_committed: Callable[[str], bool]) -> list[Record]:
        """Return the unwritten records of a killed process whose changes are in the playbook."""
        data = _read(self.folder / _PENDING)
        trace, records = data.get("trace"), data.get("records")
        left = [each for each in (records if isinstance(records, list) else ()) if isinstance(each, dict)]
        left = [each for each in left if isinstance(n := each.get("n"), int) and n > len(self.records)]
        is_next = bool(left) and left[0].get("n") == len(self.records) + 1
        is_done = trace is None or (isinstance(trace, str) and is_committed(trace))
        return left if is_next and is_done else []

    def clear_pending(self) -> None:
        """Delete the pending records, which are written."""
        (self.folder / _PENDING).unlink(missing_ok=True)

    def write_state(self, progress: Mapping[str, Json]) -> None:
        """Save the progress of the run, for people and programs."""
        identity: dict[str, Json] = {"schema_version": SCHEMA_VERSION, "id": self.id, "revision": self.revision}
        done: dict[str, Json] = {"is_finished": self.is_finished, "n_done": len(self.records)}
        _write(self.folder / RUN_FILE, {**identity, **done, **progress, "settings": dict(self.settings)})


_TRAJECTORY, _PENDING, _VALIDATION = "trajectory.jsonl", "pending.json", "validation.jsonl"
_VALIDATING = "validation-"


@contextmanager
def open_run(
    folder: Path, settings: Mapping[str, Json], name: str, revision: int, begin: Begin = "auto"
) -> Iterator[Run]:
    """Open a run, new or resumed, exclusively for this process.

    Parameters:
        folder: Its folder; created if it is missing.
        settings: The settings that its result depends on.
        name: The name of the playbook.
        revision: The revision of the playbook.
        begin: Whether to resume.

    Raises:
        RunError: It cannot be begun or resumed; the message has the reason and the cure.
        OSError: The folder cannot be used.
    """
    if begin == "resume" and not folder.exists():
        raise RunError(_NO_RUN.format(folder))
    folder.mkdir(FOR_ITS_OWNER, parents=True, exist_ok=True)
    (folder / "replies").mkdir(exist_ok=True)
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RunError(f"{folder}: another process works on this run; wait for it, or give another `--run`") from None
    try:
        yield _begin_run(folder, settings, name, revision, begin)
    finally:
        lock.release()


def choose_folder(named: Path | None, usual: Path) -> Path:
    """Choose the folder of a run, and refuse links in it: a foreign repository may link to any file.

    Parameters:
        named: The folder that a person named, if any.
        usual: The default folder, which must not be a link itself.

    Raises:
        RunError: There is a link.
    """
    folder = named or usual
    if named is None and folder.is_symlink():
        raise RunError(f"{folder}: is a link; delete it, or name the folder with `--run`")
    for root, folders, names in os.walk(folder):
        for path in (Path(root, name) for name in sorted((*folders, *names))):
            if path.is_symlink():
                raise RunError(f"{path}: is a link, and must be a file of its own; delete it, or give another `--run`")
    return folder


def _begin_run(folder: Path, settings: Mapping[str, Json], name: str, revision: int, begin: Begin) -> Run:
    state = _read(folder / RUN_FILE)
    if begin == "restart":
        _set_aside_run(folder, state)
        state = {}
    if state:
        return _resume_run(folder, settings, state)
    if begin == "resume":
        raise RunError(_NO_RUN.format(folder))
    if (folder / _TRAJECTORY).exists():
        raise RunError(f"{folder}: there is a trajectory and no {RUN_FILE} that says of what; {_BEGIN_ANEW}")
    key = json.dumps([dict(settings), name, revision], sort_keys=True).encode()
    run = Run(folder, f"run-{sha256(key).hexdigest()[:8]}", settings, revision)
    (folder / _PENDING).unlink(missing_ok=True)
    _clean(folder, None)
    run.write_state({})
    return run


def _resume_run(folder: Path, settings: Mapping[str, Json], state: Mapping[str, Json]) -> Run:
    if state.get("schema_version") != SCHEMA_VERSION:
        raise RunError(
            f"{folder / RUN_FILE}: this program reads runs of schema_version {SCHEMA_VERSION}; {_BEGIN_ANEW}"
        )
    before = state.get("settings")
    differing = _differences(before if isinstance(before, dict) else {}, settings)
    if differing:
        raise RunError(f"{folder}: the run was begun with other settings: {differing}; ask for these, or {_BEGIN_ANEW}")
    if state.get("is_finished") is True:
        raise RunError(f"{folder}: the run is finished; {_BEGIN_ANEW}")
    revision = state.get("revision")
    records, validations = _records(folder / _TRAJECTORY), _records(folder / _VALIDATION)
    _clean(folder, len(records))
    began_at = revision if isinstance(revision, int) else 0
    run = Run(folder, str(state.get("id")), settings, began_at, records, validations)
    run.drop_validation_replies()
    return run


def _records(path: Path) -> list[Record]:
    cut_torn_line(path)
    records = list(read_lines(path))
    if path.exists() and (n_lines := path.read_bytes().count(b"\n")) != len(records):
        raise RunError(f"{path}: line {len(records) + 1} of {n_lines} cannot be read; take it out, or {_BEGIN_ANEW}")
    return records


def _differences(before: Mapping[str, Json], now: Mapping[str, Json]) -> str:
    return ", ".join(
        f"{key} was {json.dumps(before.get(key))} and is {json.dumps(now.get(key))}"
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    )


def _set_aside_run(folder: Path, state: Mapping[str, Json]) -> None:
    """Keep the files of an earlier run, under its id."""
    for name in (RUN_FILE, _TRAJECTORY, _VALIDATION):
        path = folder / name
        if path.exists():
            path.replace(folder / f"{path.stem}.{state.get('id') or 'before'}{path.suffix}")


def _clean(folder: Path, n_done: int | None) -> None:
    """Delete drafts and the replies to finished questions; for a new run, delete all replies."""
    drop_drafts(folder / RUN_FILE)
    drop_drafts(folder / _PENDING)
    for path in (folder / "replies").glob("*.jsonl"):
        if n_done is None or (path.stem.isdigit() and int(path.stem) <= n_done):
            path.unlink()


def _read(path: Path) -> dict[str, Json]:
    """Read a small file of one object; empty if it is missing or invalid."""
    try:
        data = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _write(path: Path, data: Mapping[str, Json]) -> None:
    """Replace a small file atomically."""
    text = json.dumps(data, ensure_ascii=True, indent=1, allow_nan=False)
    replace_durably(path, f"{text}\n".encode("ascii"))
