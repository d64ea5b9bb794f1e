"""The real location of a path, the repository around it, and whether two names mean one file.

Code that may only read or write inside a folder checks paths here first.
"""

import errno
import os
from pathlib import Path, PureWindowsPath
from unicodedata import normalize

_IS_WINDOWS = os.name == "nt"


def real_path(path: Path) -> Path:
    """Return the path without links, whether or not there is a file.

    `Path.resolve` alone is not enough: Python 3.11 and 3.12 follow no link after one that leads to itself and a `..`,
    so their result may be elsewhere, and newer ones keep the link to itself.

    Raises:
        OSError: Its links lead to themselves, or may not be followed.
        ValueError: It is not a path.
    """
    try:
        real = path.resolve()
    except RuntimeError:  # what `OSError` is in newer versions of Python
        real = path
    if any(map(os.path.islink, (real, *real.parents))):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return real


def is_on_share(name: str, folder: Path) -> bool:
    """Return whether a name is on another computer, as Windows names them, and not on that of the folder.

    Windows would contact that computer, with the name of the user, before the location of the file can be checked.
    """
    if not _IS_WINDOWS:
        return False
    drive = PureWindowsPath(name).drive
    return drive[:2] == "\\\\" and drive.casefold() != PureWindowsPath(str(folder)).drive.casefold()


def find_repository(folder: Path) -> Path | None:
    """Return the nearest folder, from there upwards, that is a git repository."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def leads_out(path: Path, folder: Path) -> bool:
    """Return whether the links of a path below a folder lead out of it, or nowhere."""
    try:
        return not real_path(path).is_relative_to(real_path(folder))
    except (OSError, ValueError):
        return True


def check_link(path: Path, folder: Path) -> None:
    """Refuse a path below a folder if its links lead out of it, to a file that the user did not name.

    Raises:
        OSError: It does.
    """
    if leads_out(path, folder):
        raise OSError(errno.ELOOP, "a link on this path leads out of the folder; remove it", str(path))


def fold_name(name: str) -> str:
    """Return the same text for all names that some file system treats as one file.

    Disks of Windows and macOS ignore case, and those of macOS in which of two ways a letter with an accent is written.
    """
    return name.casefold() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())
