"""Files that are never half written: a draft beside the file, put in its place at once.

Whoever reads the file meanwhile has all of the old or all of the new contents. A draft has a name that nobody can know
before, and is never an existing file or link.
"""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

DRAFT = ".tmp"
"""How the name of a draft ends; it begins with a point and the name of the file."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_IS_WINDOWS = os.name == "nt"
_RETRIES, _RETRY_S = 50, 0.02


def replace_file(path: Path, data: bytes) -> None:
    """Give a file other contents at once; its permissions stay, and a folder that is missing is made.

    Raises:
        OSError: It cannot be written; it is then as before, and no draft is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    take_draft(write_draft(path, data), path)


def replace_durably(path: Path, data: bytes) -> None:
    """The same, and wait until the contents and the name are on the disk; the folder must be there.

    Raises:
        OSError: As `replace_file`.
    """
    take_draft(write_draft(path, data, is_durable=True), path)
    sync_folder(path.parent)


def write_draft(path: Path, data: bytes, *, is_durable: bool = False) -> Path:
    """Write the next contents of a file beside it, with its permissions.

    Parameters:
        path: The file, which need not exist.
        data: All of the contents.
        is_durable: Whether to wait until they are on the disk.

    Raises:
        OSError: They cannot be written; nothing is left then.
    """
    draft = path.with_name(f".{path.name}.{token_hex(4)}{DRAFT}")
    descriptor = os.open(draft, _NEW, 0o666)
    try:
        with open(descriptor, "wb", buffering=0) as file:
            write_all(file.fileno(), data)
            if is_durable:
                os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
    except BaseException:
        drop_draft(draft)
        raise
    return draft


def take_draft(draft: Path, path: Path) -> None:
    """Put a draft where the file is. Windows refuses while somebody reads it, which passes.

    Raises:
        OSError: That cannot be done; the file is then as before, and the draft is gone.
    """
    try:
        for is_last in (*[False] * (_RETRIES if _IS_WINDOWS else 0), True):
            try:
                draft.replace(path)
                return
            except PermissionError:
                if is_last:
                    raise
                time.sleep(_RETRY_S)
    except BaseException:
        drop_draft(draft)
        raise


def drop_draft(draft: Path) -> None:
    """Remove a draft that is not wanted."""
    with suppress(OSError):
        draft.unlink(missing_ok=True)


def drop_drafts(path: Path) -> None:
    """Remove what killed writers of a file left. Nobody else may be writing it."""
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if name.startswith(f".{path.name}.") and name.endswith(DRAFT):
                drop_draft(path.with_name(name))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, where the system may take them by pieces.

    Raises:
        OSError: The disk is full, or fails.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Have the names of a folder on the disk, where the system can do that."""
    if _IS_WINDOWS:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
