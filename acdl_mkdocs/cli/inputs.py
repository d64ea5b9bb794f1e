"""The texts that the arguments of a command name: files, folders, fences of Markdown files, standard input."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.site.files import UnreadableFileError, decode, nearest_file, printable, read_text
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.read_block import BlockText
from acdl_mkdocs.source import Source

_MARKDOWN = (".md", ".markdown")
_SPEC = ".acdl"
_SKIPPED_FOLDERS = ("node_modules", "__pycache__")
_PROJECT_FILES = ("mkdocs.yml", "properdocs.yml", "zensical.toml", "pyproject.toml", ".git")


@dataclass(frozen=True, slots=True)
class Named:
    """A file that the arguments lead to."""

    path: Path | None
    """`None` is standard input."""
    relative: Path
    """Where its figure goes, from the folder of results; without a suffix."""


@dataclass(frozen=True, slots=True)
class Input:
    """One text to work on."""

    text: BlockText
    is_snippet: bool
    relative: Path
    """Where its figure goes, from the folder of results; without a suffix."""


class UnusableInputError(Exception):
    """An argument names nothing that can be read; the message is a sentence with the name."""


def find_files(arguments: Sequence[str]) -> tuple[list[Named], list[str]]:
    """The files of the arguments, folders searched through, each once and in order; and what is wrong with them."""
    found: dict[str, Named] = {}
    problems: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if argument == "-":
            found["-"] = Named(None, Path("stdin"))
        elif path.is_dir():
            below = list(_search(path))
            problems += [] if below else [f"{argument}: no .acdl or Markdown files in this folder"]
            for each in below:
                found.setdefault(str(each), Named(each, each.relative_to(path).with_suffix("")))
        else:
            found.setdefault(str(path), Named(path, Path(path.stem)))
    return list(found.values()), problems


def read_inputs(named: Named, *, is_snippet: bool, range_mode: RangeMode | None = None) -> Iterator[Input]:
    """The texts of a file: itself, or each of its `acdl` fences.

    Raises:
        UnusableInputError: The file cannot be read.
    """
    text, name = _read(named)
    given = BlockOptions() if range_mode is None else BlockOptions(range=range_mode)
    if named.path is None or named.path.suffix.lower() not in _MARKDOWN:
        whole = BlockText(Source(printable(text), name), given, (), None, is_cut=False)
        yield Input(whole, is_snippet, named.relative)
        return
    from acdl_mkdocs.site.fences import scan
    from acdl_mkdocs.site.read_block import figure_name, read_block

    root = _project_of(named.path)
    taken: dict[str, int] = {}
    for fence in scan(text.split("\n")):
        if fence.language != "acdl":
            continue
        block = read_block(fence, name, given, root)
        if range_mode is not None:
            block = replace(block, options=replace(block.options, range=given.range))
        figure = figure_name(block.options, block.source.text)
        taken[figure] = taken.get(figure, 0) + 1
        number = f"-{taken[figure]}" if taken[figure] > 1 else ""
        relative = named.relative.with_name(f"{named.relative.name}-{figure}{number}")
        yield Input(block, not block.options.src, relative)


def _read(named: Named) -> tuple[str, str]:
    """The text of a file and what a person calls it."""
    if named.path is None:
        try:
            return decode(sys.stdin.buffer.read()), "<stdin>"
        except UnreadableFileError as reason:
            raise UnusableInputError(f"standard input {reason}") from None
    try:
        return read_text(named.path), str(named.path)
    except UnreadableFileError as reason:
        near = nearest_file(str(named.path), Path()) if not named.path.exists() else None
        hint = f"; did you mean {near}?" if near else ""
        raise UnusableInputError(f"{named.path}: {reason}{hint}") from None


def _search(folder: Path) -> Iterator[Path]:
    """Specs and Markdown files below a folder, in the order of their names."""
    for current, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            if Path(name).suffix.lower() in (_SPEC, *_MARKDOWN):
                yield Path(current, name)


def _project_of(path: Path) -> Path:
    """The folder that `src` of a Markdown file starts from: the nearest that looks like a project."""
    folder = path.resolve().parent
    for candidate in (folder, *folder.parents):
        if any((candidate / name).exists() for name in _PROJECT_FILES):
            return candidate
    return Path.cwd()
