"""Playbooks and their histories as they are on the disk. Reading needs no lock: no file is ever half written."""

import errno
import json
import re
from pathlib import Path

from acdl_mkdocs.foundation.errors import ChangeError, DamagedHistoryError, PlaybookError, UnusablePlaybookError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.store import conflict
from acdl_mkdocs.store.history import History, read_history
from acdl_mkdocs.store.read_playbook import Loaded, read_playbook
from acdl_mkdocs.store.replay import state_at
from acdl_mkdocs.store.soundness import Settled, settle
from acdl_mkdocs.store.yaml_nodes import problem


def history_path(path: Path) -> Path:
    """Where the history of a playbook is: `playbook.yaml` has `playbook.history.jsonl`."""
    return path.with_name(f"{path.stem}.history.jsonl")


def target(path: Path) -> Path:
    """The file itself, if a path is a symbolic link to it."""
    return path.resolve() if path.is_symlink() else path


def load(path: Path) -> Loaded:
    """Read a playbook file. Problems are in `Loaded.problems`; never raises for what the file says.

    Raises:
        OSError: The file cannot be read.
    """
    return loaded_from(path.read_bytes(), str(path))


def loaded_from(data: bytes, name: str) -> Loaded:
    """The bytes of a playbook file, read. Problems are in `Loaded.problems`; never raises."""
    try:
        text = re.sub("\r(?!\n)", "\n", data.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        message = f"the file is not UTF-8: there is a byte 0x{data[fault.start]:02x} in line {line}"
        return Loaded(None, (problem(0, 0, message, "save it as UTF-8"),), Source("", name))
    at = conflict.place_of(data)
    if at is not None:
        start = len(data[:at].decode("utf-8-sig"))
        found = problem(start, start + 7, conflict.MESSAGE, conflict.CURE, "one side begins here")
        return Loaded(None, (found,), Source(text, name))
    return read_playbook(text, name)


def usable(loaded: Loaded) -> Playbook:
    """The playbook of a file without errors.

    Raises:
        UnusablePlaybookError: It has some.
    """
    if loaded.playbook is None:
        n_problems = len(loaded.problems)
        what = "an error" if n_problems == 1 else f"{n_problems} errors"
        raise UnusablePlaybookError(f"{loaded.source.name}: the file has {what}", loaded.problems, loaded.source)
    return loaded.playbook


def load_history(path: Path) -> History:
    """The history of a playbook file; empty if there is none. Never raises for what it says.

    Raises:
        OSError: It cannot be read.
    """
    return read_history(history_data(path) or b"")


def whole_history(path: Path) -> History:
    """The history of a playbook file, of which no committed revision is damaged.

    Raises:
        DamagedHistoryError: One is; what the history says would mislead.
        OSError: It cannot be read.
    """
    return check_whole(load_history(path), path)


def check_whole(history: History, path: Path) -> History:
    """The very history of a playbook file, if no committed revision is damaged.

    Raises:
        DamagedHistoryError: One is.
    """
    if history.damage and not history.is_torn:
        first = history.damage[0]
        message = f"{history_path(path)}:{first.line}: {first.message}"
        raise DamagedHistoryError(message, f"run `acdl playbook repair {path}`")
    return history


def history_data(path: Path) -> bytes | None:
    """The bytes of the history of a playbook file; `None` if there is none, or nothing in it.

    Raises:
        OSError: It cannot be read.
    """
    return settled_history(path).data or None


def settled_history(path: Path, revision: int | None = None) -> Settled:
    """The bytes of the history of a playbook file, and what was wrong with its line ends; empty if there is none.

    Parameters:
        path: The playbook file.
        revision: What it says of its revision.

    Raises:
        OSError: It cannot be read.
    """
    history = history_path(target(path))
    if history.is_symlink():  # nobody has named the file to which it leads
        raise OSError(errno.ELOOP, "is a link; put the history itself there, or delete the link", str(history))
    try:
        return settle(history.read_bytes(), revision)
    except FileNotFoundError:
        return Settled(b"")


def at(path: Path, revision: int) -> Playbook:
    """The playbook as it was at a revision.

    Raises:
        PlaybookError: The history does not have it, or is damaged.
        OSError: The history cannot be read.
    """
    events = whole_history(path).events
    if not events or not events[0].revision <= revision <= events[-1].revision:
        there = f"revisions {events[0].revision} to {events[-1].revision}" if events else "no revision"
        raise PlaybookError(f"{path}: there is no revision {revision}: the history has {there}")
    try:
        return state_at(events, revision)
    except ChangeError as reason:
        raise PlaybookError(f"{path}: {reason}", f"run `acdl playbook repair {path}`") from None


def has_trace(path: Path, trace: str) -> bool:
    """Whether a committed revision was caused by that trace.

    Raises:
        OSError: The history cannot be read.
    """
    data = history_data(path) or b""
    wanted = f'"trace":{json.dumps(trace, ensure_ascii=False)}'.encode()
    if wanted not in data:
        return False
    return any(event.trace == trace for event in read_history(data).events)
