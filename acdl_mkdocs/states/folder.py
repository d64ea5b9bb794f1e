"""Read the files that a state names, texts and images: never any outside the folder of the state."""

import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.wording import closest

MAX_TEXT_BYTES = 1_000_000
MAX_IMAGE_BYTES = 5_000_000
"""More than providers take."""


class UnusableFileError(Exception):
    """A file cannot be read; the message says why, as a clause about it, and `help` what to do."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


def read_below(folder: Path | None, name: str, max_bytes: int) -> bytes:
    """The bytes of a file.

    Parameters:
        folder: That of the state file; `None` if it has none.
        name: Path from there.
        max_bytes: A larger file is refused.

    Raises:
        UnusableFileError: It lies outside the folder, also by a symbolic link; it is missing, too large or no file.
    """
    if folder is None:
        raise UnusableFileError("cannot be read: the state comes from no folder", "save the state as a file")
    outside = UnusableFileError(
        "lies outside the folder of the state file", "copy it there, and name it by its path from there"
    )
    try:
        base = folder.resolve()
        if is_on_share(name, base):
            raise outside
        path = real_path(base / name)
        if os.path.isabs(name) or not path.is_relative_to(base):
            raise outside
        mode = path.stat().st_mode
        if S_ISDIR(mode):
            raise UnusableFileError("is a folder", "name a file in it")
        if not S_ISREG(mode):
            raise UnusableFileError("is a device or a pipe, not a file", "name a file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(path.parent, name) from None
    except (OSError, ValueError) as reason:
        why = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        raise UnusableFileError(f"cannot be read: {why.lower()}", "check the name of the file") from None
    if len(data) > max_bytes:
        raise UnusableFileError(f"is larger than {max_bytes // 1_000_000} MB", "use a smaller one")
    return data


def read_text_below(folder: Path | None, name: str) -> str:
    """The text of a UTF-8 file, without a byte order mark; see `read_below`."""
    data = read_below(folder, name, MAX_TEXT_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = data.count(b"\n", 0, reason.start) + 1
        raise UnusableFileError(f"is not UTF-8 text: line {line}", "save it as UTF-8") from None
    if "\0" in text:
        raise UnusableFileError("is a binary file, not text", "name a text file")
    return text.replace("\r\n", "\n")


def _missing(parent: Path, name: str) -> UnusableFileError:
    names: list[str] = []
    with suppress(OSError):  # of a folder that may not be listed, no near name is known
        names = [each.name for each in parent.iterdir()]
    near = closest(Path(name).name, names)
    cure = f"did you mean `{(Path(name).parent / near).as_posix()}`?" if near else "name it by its path from there"
    return UnusableFileError("does not exist in the folder of the state file", cure)
