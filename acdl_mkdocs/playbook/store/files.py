"""Files that are never half written, with one writer at a time and durable appends and replacements.

Knows nothing about playbooks.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.foundation.errors import PlaybookError, UnwritablePlaybookError

LOCKS = ".acdl-locks"
"""The folder of locks, beside the files."""
LOCK_TIMEOUT_S = 60.0
"""How long a writer waits for others."""
_POLL_S = 0.005


@contextmanager
def lock_file(path: Path, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Lock a file against other writers.

    The lock is a file in a folder beside it, which is kept and has no effect when left over. The folder has its own
    git ignore file.

    Raises:
        PlaybookError: Others hold the lock for too long, or the lock cannot be written.
    """
    from filelock import FileLock, Timeout

    folder = path.parent / LOCKS
    lock = FileLock(folder / f"{path.name}.lock", timeout=timeout_s)
    try:
        _check_links(folder, Path(lock.lock_file))
        folder.mkdir(exist_ok=True)
        atomic.keep_out_of_git(folder)
        lock.acquire(poll_interval=_POLL_S)
    except Timeout:
        raise PlaybookError(
            f"{path}: another program has been writing for {timeout_s:g} s", "wait for it, or stop it"
        ) from None
    except OSError as fault:
        raise make_write_error(folder, fault) from None
    try:
        atomic.drop_drafts(path)
        yield
    finally:
        lock.release()


def replace_file(path: Path, data: bytes) -> None:
    """Replace the contents of a file atomically and keep its permissions. Its lock must be held.

    Raises:
        PlaybookError: It cannot be written; it is then unchanged.
    """
    commit_draft(write_draft(path, data), path)


def write_draft(path: Path, data: bytes) -> Path:
    """Write the next contents of a file to disk, beside it. Its lock must be held.

    Raises:
        PlaybookError: It cannot be written; no draft is left then.
    """
    try:
        return atomic.write_draft(path, data, is_durable=True)
    except OSError as fault:
        raise make_write_error(path, fault) from None


def commit_draft(draft: Path, path: Path) -> None:
    """Move a draft into the place of the file.

    Raises:
        PlaybookError: It cannot be moved; the file is then unchanged, and the draft is removed.
    """
    try:
        atomic.take_draft(draft, path)
    except OSError as fault:
        raise make_write_error(path, fault) from None
    atomic.sync_folder(path.parent)


def append_data(path: Path, data: bytes, at: int) -> None:
    """Write after the first `at` bytes of a file, cut off what follows them, and sync the file to disk.

    Raises:
        PlaybookError: It is a link, or cannot be written; it is then restored, as far as the disk allows.
    """
    _check_links(path)
    is_new = not path.exists()
    try:
        with path.open("ab" if is_new else "r+b", buffering=0) as file:
            try:
                file.truncate(at)
                file.seek(at)
                atomic.write_all(file.fileno(), data)
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(at)
                raise
    except OSError as fault:
        raise make_write_error(path, fault) from None
    if is_new:
        atomic.sync_folder(path.parent)


def truncate_file(path: Path, n_bytes: int) -> None:
    """Undo an append by truncating a file; delete it if it did not exist before.

    Errors are ignored: the caller reports the reason for the undo, which matters more.
    """
    with suppress(OSError, PlaybookError):
        if n_bytes:
            append_data(path, b"", n_bytes)
        else:
            path.unlink()


def _check_links(*paths: Path) -> None:
    """Refuse symbolic links: a foreign repository may link to any file.

    Raises:
        PlaybookError: A path is a link.
    """
    for path in paths:
        if path.is_symlink():
            raise PlaybookError(f"{path} is a link, and must be a file of its own", "delete the link")


def make_write_error(path: Path, fault: OSError) -> UnwritablePlaybookError:
    """Return the error for a file that could not be written."""
    reason = (fault.strerror or str(fault)).lower()
    cure = ""
    if isinstance(fault, PermissionError):
        is_its_own = path.exists() and not os.access(path, os.W_OK)
        cure = f"make `{path}` writable" if is_its_own else f"make the folder `{path.parent}` writable"
    return UnwritablePlaybookError(f"{path}: cannot be written: {reason}", cure)
