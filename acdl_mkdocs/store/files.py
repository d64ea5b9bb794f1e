"""Files that are never half written: one writer at a time, appends and replacements that are on the disk afterwards.

Knows nothing about playbooks.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from acdl_mkdocs.errors import PlaybookError, UnwritablePlaybookError

LOCKS = ".acdl-locks"
"""The folder of locks, beside the files."""
LOCK_TIMEOUT_S = 60.0
"""How long a writer waits for others."""
_DRAFT = ".tmp"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_POLL_S = 0.005
_RETRIES, _RETRY_S = 50, 0.02


@contextmanager
def locked(path: Path, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Keep other writers of a file out.

    The lock is a file in a folder beside it, which stays and means nothing when left over. The folder tells git to
    ignore it, so nobody has to name it anywhere.

    Raises:
        PlaybookError: Others have the file for too long, or nothing can be written beside it.
    """
    from filelock import FileLock, Timeout

    folder = path.parent / LOCKS
    lock = FileLock(folder / f"{path.name}.lock", timeout=timeout_s)
    try:
        folder.mkdir(exist_ok=True)
        ignored = folder / ".gitignore"
        if not (ignored.exists() and ignored.stat().st_size):  # a full disk leaves an empty one
            ignored.write_text("*\n", "utf-8")
        lock.acquire(poll_interval=_POLL_S)
    except Timeout:
        raise PlaybookError(
            f"{path}: another program has been writing for {timeout_s:g} s", "wait for it, or stop it"
        ) from None
    except OSError as fault:
        raise unwritable(folder, fault) from None
    try:
        _remove_drafts(path)
        yield
    finally:
        lock.release()


def replace_file(path: Path, data: bytes) -> None:
    """Give a file other contents at once; its permissions stay. Its lock must be held.

    Raises:
        PlaybookError: It cannot be written; it is then as before.
    """
    take_draft(write_draft(path, data), path)


def write_draft(path: Path, data: bytes) -> Path:
    """Have the next contents of a file on the disk, beside it. Its lock must be held.

    The draft has a name that nobody can know before, and is never an existing file or link.

    Raises:
        PlaybookError: It cannot be written; nothing is left then.
    """
    draft = path.with_name(f".{path.name}.{token_hex(4)}{_DRAFT}")
    try:
        descriptor = os.open(draft, _NEW, 0o666)
    except OSError as fault:
        raise unwritable(path, fault) from None
    try:
        with open(descriptor, "wb", buffering=0) as file:
            _write_all(file.fileno(), data)
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
    except OSError as fault:
        drop_draft(draft)
        raise unwritable(path, fault) from None
    return draft


def take_draft(draft: Path, path: Path) -> None:
    """Put a draft where the file is.

    Raises:
        PlaybookError: That cannot be done; the file is then as before, and the draft is gone.
    """
    try:
        _replace(draft, path)
    except OSError as fault:
        drop_draft(draft)
        raise unwritable(path, fault) from None
    sync_folder(path.parent)


def drop_draft(draft: Path) -> None:
    """Remove a draft that is not wanted."""
    with suppress(OSError):
        draft.unlink(missing_ok=True)


def _remove_drafts(path: Path) -> None:
    """Remove what killed writers of a file left."""
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if name.startswith(f".{path.name}.") and name.endswith(_DRAFT):
                drop_draft(path.with_name(name))


def append(path: Path, data: bytes, at: int) -> None:
    """Write behind the first `at` bytes of a file, cut off what follows them, and wait until it is on the disk.

    Raises:
        PlaybookError: It cannot be written; it is then as before, as far as the disk allows.
    """
    is_new = not path.exists()
    try:
        with path.open("ab" if is_new else "r+b", buffering=0) as file:
            try:
                file.truncate(at)
                file.seek(at)
                _write_all(file.fileno(), data)
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(at)
                raise
    except OSError as fault:
        raise unwritable(path, fault) from None
    if is_new:
        sync_folder(path.parent)


def cut(path: Path, n_bytes: int) -> None:
    """Take back what was appended to a file behind so many bytes; all of a file that was not there before.

    Does what it can: whoever cannot do it has nothing better to say than why he has to.
    """
    with suppress(OSError, PlaybookError):
        if n_bytes:
            append(path, b"", n_bytes)
        else:
            path.unlink()


def unwritable(path: Path, fault: OSError) -> UnwritablePlaybookError:
    """The error that says why a file could not be written."""
    reason = (fault.strerror or str(fault)).lower()
    cure = ""
    if isinstance(fault, PermissionError):
        is_its_own = path.exists() and not os.access(path, os.W_OK)
        cure = f"make `{path}` writable" if is_its_own else f"make the folder `{path.parent}` writable"
    return UnwritablePlaybookError(f"{path}: cannot be written: {reason}", cure)


def sync_folder(folder: Path) -> None:
    """Have the names of a folder on the disk, where the system can do that."""
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _replace(draft: Path, path: Path) -> None:
    """Replace a file; Windows refuses while somebody reads it, which passes."""
    for attempt in range(_RETRIES):
        try:
            draft.replace(path)
            return
        except PermissionError:
            if os.name != "nt" or attempt == _RETRIES - 1:
                raise
            time.sleep(_RETRY_S)
