"""Files that are never half written: a draft beside the file replaces it in one step.

A concurrent reader gets either all of the old or all of the new contents. A draft has an unpredictable name, and is
never an existing file or link; an error names the intended file.
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from acdl_mkdocs.foundation.real_path import check_link

DRAFT = ".tmp"
"""The ending of the name of a draft; the name begins with a point and the name of the file."""
_LONGEST_NAME = 200
"""Bytes of a name that a draft's begins with; systems allow 255 for all of it."""
_OLD_S = 3600.0
"""A draft that has not changed for this long was left by a killed writer."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_IS_WINDOWS = os.name == "nt"
_RETRIES, _RETRY_S = 50, 0.02


def replace_file(path: Path, data: bytes) -> None:
    """Replace the contents of a file in one step; its permissions stay, and a missing folder is created.

    Raises:
        OSError: It cannot be written; it is then unchanged, and no draft is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    take_draft(write_draft(path, data), path)


def replace_below(folder: Path, path: Path, data: bytes) -> None:
    """Replace a file below a folder like `replace_file`, but refuse a path whose links lead out of the folder.

    Raises:
        OSError: A link does, or the file cannot be written.
    """
    check_link(path, folder)
    replace_file(path, data)


def replace_durably(path: Path, data: bytes) -> None:
    """Replace a file like `replace_file`, and wait until contents and name are on the disk. The folder must exist.

    Raises:
        OSError: As `replace_file`.
    """
    take_draft(write_draft(path, data, is_durable=True), path)
    sync_folder(path.parent)


def write_draft(path: Path, data: bytes, *, is_durable: bool = False) -> Path:
    """Write the new contents of a file beside it, with its permissions.

    Parameters:
        path: The file, which need not exist.
        data: All of the contents.
        is_durable: Whether to wait until they are on the disk.

    Raises:
        OSError: They cannot be written; nothing is left then.
    """
    draft = path.with_name(f".{_draft_prefix(path)}.{os.urandom(4).hex()}{DRAFT}")
    mode = 0o600 if path.exists() else 0o666
    with (
        name_file_in_errors(path),
        _remove_draft_on_error(draft),
        open(os.open(draft, _NEW, mode), "wb", buffering=0) as file,
    ):
        if mode == 0o600:  # before it has any content
            import shutil  # few writes need it, and importing it takes longer than drawing a spec

            shutil.copymode(path, draft)
        write_all(file.fileno(), data)
        if is_durable:
            os.fsync(file.fileno())
    return draft


def take_draft(draft: Path, path: Path) -> None:
    """Move a draft over its file. On Windows this is retried while another program has the file open.

    Raises:
        OSError: It cannot be moved; the file is then unchanged, and the draft is removed.
    """
    n_retries = _RETRIES if _IS_WINDOWS else 0
    with name_file_in_errors(path), _remove_draft_on_error(draft):
        for n_before in range(n_retries + 1):
            try:
                draft.replace(path)
                return
            except PermissionError:
                if n_before == n_retries:
                    raise
                time.sleep(_RETRY_S)


def copy_new(draft: Path, path: Path) -> None:
    """Link a draft to a second name that no file has; the draft stays.

    On a disk without links the file is a copy, of which a reader may see the beginning.

    Raises:
        FileExistsError: There is one; it stays.
        OSError: That cannot be done.
    """
    with name_file_in_errors(path):
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:  # a disk without links: the name is reserved first
            with path.open("xb") as file, _remove_draft_on_error(path):
                file.write(draft.read_bytes())


def drop_draft(draft: Path) -> None:
    """Remove a draft, or a file made from it, if it exists, even if it is read-only."""
    with suppress(OSError):
        try:
            draft.unlink(missing_ok=True)
        except PermissionError:
            draft.chmod(stat.S_IWRITE)
            draft.unlink(missing_ok=True)


def drop_drafts(path: Path) -> None:
    """Remove the drafts that killed writers left beside a file. No other process may be writing the file."""
    drafts = re.compile(rf"\.{re.escape(_draft_prefix(path))}\.[0-9a-f]{{8}}{re.escape(DRAFT)}")
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if drafts.fullmatch(name):
                drop_draft(path.with_name(name))


def drop_old_drafts(folder: Path) -> None:
    """Remove the drafts that killed writers left in a folder, but none that may still be in use."""
    now = time.time()
    for draft in folder.glob(f"*{DRAFT}"):
        with suppress(OSError):
            if abs(now - draft.stat().st_mtime) > _OLD_S:
                drop_draft(draft)


def keep_out_of_git(folder: Path) -> None:
    """Create a folder that git ignores, so that it needs no entry in any `.gitignore` file.

    Raises:
        OSError: It cannot be made, or not be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ignored = folder / ".gitignore"
    if not (ignored.exists() and ignored.stat().st_size):  # a full disk leaves an empty one
        ignored.unlink(missing_ok=True)  # it may be a link, whose target would be written
        ignored.write_text("*\n", "utf-8")


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, where the system may take them by pieces.

    Raises:
        OSError: The disk is full, or fails.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system supports that."""
    if _IS_WINDOWS:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _draft_prefix(path: Path) -> str:
    """Return the common prefix of the names of all drafts of a file."""
    name = os.fsencode(path.name)
    if len(name) <= _LONGEST_NAME:
        return path.name
    from hashlib import blake2b  # OpenSSL, which few names need

    return f"{path.name[: _LONGEST_NAME // 8]}-{blake2b(name, digest_size=8).hexdigest()}"


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Make errors name the file that the user knows instead of its draft; a full disk reports no name at all."""
    try:
        yield
    except OSError as reason:
        reason.filename = str(path)
        if reason.filename2 is not None:
            del reason.filename2  # else the message would contain `None`
        raise


@contextmanager
def _remove_draft_on_error(draft: Path) -> Iterator[None]:
    """Remove the draft if an exception ends the block."""
    try:
        yield
    except BaseException:
        drop_draft(draft)
        raise
