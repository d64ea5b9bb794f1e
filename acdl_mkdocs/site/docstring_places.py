"""Where blocks and references of a page are in the docstrings of a project, if another tool took them from there.

Files are searched when the first place is asked for, so a site without problems pays nothing. Knows no docs tool.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.site.places import alone, words_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import is_skipped
from acdl_mkdocs.workspace.page_kinds import blocks_in, prose_in

T = TypeVar("T")

_REFERENCE = "acdl:"
"""What every reference has."""
_MOST_NAMED = 3
"""So many places of the same words are named."""


class DocstringPlaces:
    """The docstrings in the Python files of some folders, as they are when the first place is asked for."""

    def __init__(self, folders: Sequence[Path], names_from: Path) -> None:
        """Read nothing yet.

        Parameters:
            folders: They are searched with all folders below, but for those that git ignores or that hold packages.
            names_from: The folder that the names of files begin at.
        """
        self._folders = folders
        self._names_from = names_from

    def find_block(self, fence: Fence, page: str) -> tuple[Fence, str] | None:
        """The same block in the one docstring that has it, with the name of its file.

        Where several have it, the block keeps its own lines, and its name says which they are. `None` if none has.

        Parameters:
            fence: The block, as the page has it.
            page: What a person calls the page.
        """
        wanted = words_of(fence.text)
        found = [
            (path, each)
            for path, text in self._texts.items()
            for each in (blocks_in(text, "python") if _may_have(text, fence.text) else ())
            if each.language == fence.language and words_of(each.text) == wanted
        ]
        same = [(path, each) for path, each in found if words_of(each.header) == words_of(fence.header)]
        found = self._wanted(same or (found if wanted else []))
        if not found:
            return None
        if len(found) > 1:
            places = _listed([f"{self._name(path)}:{each.first + 1}" for path, each in found])
            return alone(fence), f"{page} (block of {places})"
        path, placed = found[0]
        return placed, self._name(path)

    def find_reference(self, spans_in: Callable[[str], Iterable[Span]]) -> tuple[Source, Span] | None:
        """The only place of a reference in the prose of docstrings; `None` if there is none, or more than one.

        Parameters:
            spans_in: Gives all places of the reference in a text.
        """
        candidates = {path: prose_in(text, "python") for path, text in self._texts.items() if _REFERENCE in text}
        found = self._wanted([(path, span) for path, prose in candidates.items() for span in spans_in(prose)])
        if len(found) != 1:
            return None
        path, span = found[0]
        return Source(self._texts[path], self._name(path)), span

    @cached_property
    def _texts(self) -> dict[Path, str]:
        """The files that mention ACDL, by name."""
        found: dict[Path, str] = {}
        for folder in self._folders:
            for path in _python_files(folder.resolve()):
                try:
                    text = read_text(path)
                except UnreadableFileError:
                    continue
                if "acdl" in text:
                    found.setdefault(path, text)
        return found

    def _wanted(self, found: list[tuple[Path, T]]) -> list[tuple[Path, T]]:
        """What was found, without the copies in folders that git ignores, such as `build`."""
        if len(found) < 2:
            return found
        ignored = _ignored_by_git([path for path, _ in found], self._names_from)
        return [each for each in found if each[0] not in ignored] or found

    def _name(self, path: Path) -> str:
        try:
            return Path(os.path.relpath(path, self._names_from)).as_posix()
        except ValueError:  # on another drive
            return path.as_posix()


def _may_have(text: str, block: str) -> bool:
    """Whether a file has the longest line of a block: few files are parsed."""
    return max((line.strip() for line in block.split("\n")), key=len) in text


def _python_files(folder: Path) -> Iterator[Path]:
    for current, folders, files in os.walk(folder):
        here = Path(current)
        folders[:] = sorted(name for name in folders if not is_skipped(here / name))
        yield from (here / name for name in sorted(files) if name.endswith(".py"))


def _ignored_by_git(paths: Sequence[Path], folder: Path) -> set[Path]:
    """Those that git ignores; none if there is no git."""
    from acdl_mkdocs.compare.revisions import run_git  # few builds need it

    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        listed = run_git(folder, "check-ignore", "-z", "--stdin", given=given) or b""
    except RevisionError:
        return set()
    return {Path(os.fsdecode(name)) for name in listed.split(b"\0") if name}


def _listed(places: Sequence[str]) -> str:
    rest = len(places) - _MOST_NAMED
    return " or ".join((*places[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])))
