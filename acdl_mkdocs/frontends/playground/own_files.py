"""Examples from files: each `.acdl` file with its state beside it, and the files that it uses."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.example import Example
from acdl_mkdocs.frontends.playground.examples import ListedExample
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.project import project_of
from acdl_mkdocs.workspace.used_files import UsedFiles, read_uses

_GROUP = "Examples"


def examples_of(paths: Sequence[Path]) -> Iterator[ListedExample]:
    """Yield the examples of files and folders, in the order of their names.

    Raises:
        SettingsError: A file cannot be read.
    """
    for path in dict.fromkeys(_list_files(paths)):
        text = _read_file(path)
        state = path.with_suffix(".state.yaml")
        yield ListedExample(
            Example(path.stem, text, _collect_used_files(path, text), _read_file(state) if state.is_file() else ""),
            group=_GROUP,
        )


def _collect_used_files(path: Path, text: str) -> dict[str, str]:
    """Return the files that a text uses, as `acdl check` follows them, by their paths from its folder."""
    folder = path.parent.resolve()

    def from_here(used: Path, _root: Path) -> str:
        return Path(os.path.relpath(used, folder)).as_posix()

    uses, _ = read_uses(Source(text, path.name), folder, project_of(path), UsedFiles(from_here))
    return {each.name: each.text for each in uses.list_sources()}


def _list_files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.acdl"))
        else:
            yield path


def _read_file(path: Path) -> str:
    try:
        return read_text(path)
    except UnreadableFileError as reason:
        raise SettingsError(f"{path}: {reason}; name files that can be read") from None
