"""Write a file that a person has named: all of it or nothing, keeping what the file is."""

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
from acdl_mkdocs.foundation.safe_text import mask_controls, visible
from acdl_mkdocs.frontends.cli.messages import complain

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.search import Named


def replace_file(path: Path, data: bytes, name: str = "") -> bool:
    """Give a file other contents, so that no half of them is ever seen; whether that was possible.

    Permissions stay, and a symbolic link still leads to the file. What is no file, such as a pipe, is written to. A
    file that has these contents is as new as one that is written, without waiting for the disk.

    Parameters:
        path: The file.
        data: All of the contents.
        name: The path as a person gave it, for the error; else `path`.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            path.write_bytes(data)
        elif not _touched(path, data):
            atomic.replace_file(path.resolve(), data)
    except (OSError, RuntimeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else None
        complain(f"{name or path}: cannot be written: {(reason or str(problem)).lower()}")
        return False
    return True


def replace_found(named: "Named", data: bytes) -> bool:
    """The same of a file that a command was given or found; a link that it only found leads out of no project.

    Nobody has named the file that such a link leads to: a project of somebody else may have it.
    """
    path = named.path or Path()
    if not named.is_argument and os.path.islink(path):
        from acdl_mkdocs.workspace.project import project_of  # links are rare

        if leads_out(path, project_of(path.parent.resolve() / "file")):
            complain(f"{path}: is a link that leads out of the project; name the file itself")
            return False
    return replace_file(path, data)


def _touched(path: Path, data: bytes) -> bool:
    """Let a file be of now if it has these contents; whether it has, and that was possible."""
    with suppress(OSError):  # it is not there, or is somebody else's: writing says what is wrong
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            os.utime(path)
            return True
    return False


def make_files(files: Mapping[Path, str]) -> None:
    """Write files that do not exist: all of them, or none; and none of them by half.

    Raises:
        OSError: One of them exists or cannot be written; it is named.
    """
    drafts: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            drafts[path] = atomic.write_draft(path, text.encode())
        for path, draft in drafts.items():
            atomic.copy_new(draft, path)
            made.append(path)
        for draft in drafts.values():
            atomic.drop_draft(draft)
    except BaseException:
        for path, draft in drafts.items():
            if path in made or _is_same(path, draft):  # the second, where an interrupt came as it was made
                atomic.drop_draft(path)
            atomic.drop_draft(draft)
        raise


def _is_same(path: Path, draft: Path) -> bool:
    with suppress(OSError):
        return os.path.samefile(path, draft)
    return False


def is_marked(path: Path) -> bool:
    """Whether a file begins with a byte order mark."""
    with path.open("rb") as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


_COLOR = re.compile(r"(\x1b\[[0-9;]*m)")


def shown(text: str, *, has_color: bool = False) -> str:
    """A text as standard output gets it: what is no terminal, such as a file or a pipe, gets all of it.

    Parameters:
        text: The text.
        has_color: Whether the text is a report of this package in colour, whose colours are kept.
    """
    if not sys.stdout.isatty():
        return text
    if not has_color:
        return harmless(text)
    return "".join(each if idx % 2 else harmless(each) for idx, each in enumerate(_COLOR.split(text)))


def say(sentence: str) -> None:
    """Print a sentence on what was done, in which the name of a file neither acts on a terminal nor ends the line."""
    print(visible(sentence))


def harmless(text: str) -> str:
    """A text with its lines and tabs, and no character that would act on a terminal."""
    return "\n".join("\t".join(map(mask_controls, line.removesuffix("\r").split("\t"))) for line in text.split("\n"))
