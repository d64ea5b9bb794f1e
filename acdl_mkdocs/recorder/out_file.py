"""The file that a recording is written to: what is there already stays until there is something to take its place.

Knows nothing about requests: it gets lines, and never raises while it is written.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from acdl_mkdocs.foundation.errors import RecorderError

Mode: TypeAlias = Literal["new", "append", "replace"]
_FLAGS: Mapping[Mode, int] = {
    "new": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "append": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "replace": os.O_WRONLY | os.O_CREAT,
}
_FOR_ITS_OWNER = 0o600
"""Who may read a new file: a recording has whatever was said."""


class OutFile:
    """A file that is open for lines; one that is replaced is emptied by the first of them."""

    def __init__(self, path: Path, mode: Mode) -> None:
        """Open it.

        Raises:
            RecorderError: It is there already, or cannot be written.
        """
        self.fault = ""
        """Why no more could be written, with the name of the file."""
        self._path = path
        self._is_new = not os.path.lexists(path)
        self._is_unwritten = True
        try:
            self._file = _opened(path, mode)
        except (KeyboardInterrupt, MemoryError):  # it may have been made just before
            if self._is_new:
                _drop_if_empty(path)
            raise
        self._is_replaced = mode == "replace" and stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)

    @property
    def is_as_before(self) -> bool:
        """Whether it was there already and nothing was written."""
        return self._is_unwritten and not self._is_new

    def write(self, line: bytes) -> None:
        """Add a line, which is in the file when this returns; `fault` says where it could not be."""
        if self.fault:
            return
        try:
            if self._is_replaced and self._is_unwritten:
                self._file.truncate(0)
            self._is_unwritten = False
            self._file.write(line)
            self._file.flush()
        except OSError as reason:
            self._failed(reason)

    def close(self) -> None:
        """End it; a file that was made for nothing is removed."""
        try:
            self._file.close()
            if self._is_new and self._is_unwritten:
                self._path.unlink(missing_ok=True)
        except OSError as reason:
            self._failed(reason)

    def _failed(self, reason: OSError) -> None:
        self.fault = self.fault or f"{self._path}: {(reason.strerror or str(reason)).lower()}"


def refuse_to_write(out: Path, inputs: Sequence[Path], command: Sequence[str]) -> None:
    """See to it that a recording is not written over what the run is made of.

    Parameters:
        out: The recording.
        inputs: Files that answers come from.
        command: The program and its arguments.

    Raises:
        RecorderError: It would be; under another name too.
    """
    for path in inputs:
        if _is_same(out, path):
            what = f"`{out}` cannot be answered from while it is written"
            raise RecorderError(f"{what}; name another file: `-o other.jsonl`")
    for word in command:
        if out.exists() and _is_same(out, Path(word)):
            raise RecorderError(f"`{out}` is a part of the command that is run; name another file: `-o other.jsonl`")


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names are of one file, also where one is a link to the other."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one is not there, or is no name of a file
        return os.path.abspath(one) == os.path.abspath(other)


def _opened(path: Path, mode: Mode) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == "append" and _is_in_a_line(path):
            raise RecorderError(f"{path}: its last line is not whole; remove it, or write another file")
        flags = _FLAGS[mode] | getattr(os, "O_BINARY", 0)
        kind: Literal["ab", "wb"] = "ab" if mode == "append" else "wb"
        return open(path, kind, opener=lambda name, _: os.open(name, flags, _FOR_ITS_OWNER))
    except FileExistsError:
        cure = "`--force` replaces it, `--append` adds to it"
        raise RecorderError(f"{path}: is there already; {cure}") from None
    except OSError as reason:
        raise RecorderError(f"{path}: cannot be written: {(reason.strerror or str(reason)).lower()}") from None


def _drop_if_empty(path: Path) -> None:
    """Remove a file that has nothing in it."""
    with suppress(OSError):
        if path.is_file() and not path.stat().st_size:
            path.unlink()


def _is_in_a_line(path: Path) -> bool:
    """Whether a file does not end with the end of a line."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
