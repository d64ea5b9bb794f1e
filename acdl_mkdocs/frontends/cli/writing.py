"""Write a named file: all of it or nothing, keeping its permissions and links."""

import codecs
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.foundation.real_path import leads_out
from acdl_mkdocs.foundation.safe_text import make_visible, mask_controls
from acdl_mkdocs.frontends.cli.messages import print_error

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.search import NamedFile


def replace_file(path: Path, data: bytes, name: str = "") -> bool:
    """Replace the contents of a file atomically; return True on success.

    Permissions stay, and a symbolic link still leads to the file. Anything else, such as a pipe, is written to. A
    file that already has these contents only gets a new time stamp, without waiting for the disk.

    Parameters:
        path: The file.
        data: All of the contents.
        name: The path from the command line, for the error; by default `path`.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            path.write_bytes(data)
        elif not _touch_if_equal(path, data):
            atomic.replace_file(path.resolve(), data)
    except (OSError, RuntimeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else None
        print_error(f"{name or path}: cannot be written: {(reason or str(problem)).lower()}")
        return False
    return True


def replace_found(named: "NamedFile", data: bytes) -> bool:
    """Replace a file that a command was given or found; a found link must not lead out of its project.

    Nobody has named the target of such a link: it may belong to somebody else's project.
    """
    path = named.path or Path()
    if not named.is_argument and os.path.islink(path):
        from acdl_mkdocs.workspace.project import find_project  # links are rare

        if leads_out(path, find_project(path.parent)):
            print_error(f"{path}: is a link that leads out of the project; name the file itself")
            return False
    return replace_file(path, data)


def _touch_if_equal(path: Path, data: bytes) -> bool:
    """Update the time stamp of a file if it has these contents; return True if it has, and that was possible."""
    with suppress(OSError):  # it does not exist, or is somebody else's: writing reports the error
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            os.utime(path)
            return True
    return False


def make_files(files: Mapping[Path, str]) -> None:
    """Write new files, all or none, each atomically.

    Raises:
        OSError: One of them exists or cannot be written; it is named.
    """
    drafts: dict[Path, Path] = {}
    paths: list[Path] = []
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            drafts[path] = atomic.write_draft(path, text.encode())
        for path, draft in drafts.items():
            atomic.copy_new(draft, path)
            paths.append(path)
        for draft in drafts.values():
            atomic.drop_draft(draft)
    except BaseException:
        for path, draft in drafts.items():
            # an interrupt may have arrived while the file was created
            if path in paths or _is_same(path, draft):
                atomic.drop_draft(path)
            atomic.drop_draft(draft)
        raise


def _is_same(path: Path, draft: Path) -> bool:
    with suppress(OSError):
        return os.path.samefile(path, draft)
    return False


def is_marked(path: Path) -> bool:
    """Return whether a file begins with a byte order mark."""
    with path.open("rb") as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


_COLOR = re.compile(r"(\x1b\[[0-9;]*m)")


def format_for_stdout(text: str, *, has_color: bool = False) -> str:
    """Prepare a text for standard output: a file or a pipe gets all characters.

    Parameters:
        text: The text.
        has_color: Whether the text is a coloured report of this package, whose colours are kept.
    """
    if not sys.stdout.isatty():
        return text
    if not has_color:
        return escape_controls(text)
    return "".join(each if idx % 2 else escape_controls(each) for idx, each in enumerate(_COLOR.split(text)))


def print_sentence(sentence: str) -> None:
    """Print a sentence about what was done; file names in it cannot control the terminal or end the line."""
    print(make_visible(sentence))


def escape_controls(text: str) -> str:
    """Escape characters that would control a terminal; lines and tabs stay."""
    return "\n".join("\t".join(map(mask_controls, line.removesuffix("\r").split("\t"))) for line in text.split("\n"))
