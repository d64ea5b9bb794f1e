"""The texts that the arguments of a command name: files, folders, fences of Markdown files, standard input."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.site.files import MissingFileError, UnreadableFileError, decode, nearest_file, printable, read_text
from acdl_mkdocs.site.neighbours import Neighbours
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.read_block import BlockText, Examined, Finding, examine, figure_name, read_block
from acdl_mkdocs.source import Source, Span

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
    is_argument: bool = True
    """Whether the file itself is an argument, and not the folder in which it was found."""


@dataclass(frozen=True, slots=True)
class Input:
    """One text to work on."""

    text: BlockText
    is_snippet: bool
    relative: Path
    """Where its figure goes, from the folder of results; without a suffix."""
    neighbours: Neighbours = field(default_factory=Neighbours)
    """The blocks of the same page."""

    def examined(self, *, is_checked: bool = True) -> Examined:
        """The text, analysed together with what it uses of its page."""
        library = self.neighbours.library(self.neighbours.sources(self.text))
        return examine(self.text, is_snippet=self.is_snippet, library=library, is_checked=is_checked)

    def all_findings(self, examined: Examined | None) -> tuple[Finding, ...]:
        """What is wrong with the header and the fence, then with the text, unless that was cut off."""
        return self.text.findings if examined is None or self.text.is_cut else self.text.findings + examined.findings


class UnusableInputError(Exception):
    """An argument names nothing that can be read; the message is a sentence with the name."""


def find_files(arguments: Sequence[str]) -> tuple[list[Named], list[str]]:
    """The files of the arguments, folders searched through, each once and in order; and what is wrong with them."""
    found: dict[str, Named] = {}
    problems: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if not argument.strip():
            problems.append("an empty argument names no file; the working folder is `.`")
        elif argument == "-":
            found["-"] = Named(None, Path("stdin"))
        elif os.path.isdir(path):
            below = list(_search(path))
            problems += [] if below else [f"{argument}: no .acdl or Markdown files in this folder"]
            for each in below:
                found.setdefault(str(each), Named(each, each.relative_to(path).with_suffix(""), is_argument=False))
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
        source = Source(printable(text), name)
        findings = () if text.strip() else ((_empty(), source),)
        yield Input(BlockText(source, given, findings), is_snippet, named.relative)
        return
    blocks = _blocks_of(text, name, _project_of(named.path), given)
    if range_mode is not None:
        blocks = [replace(block, options=replace(block.options, range=range_mode)) for block in blocks]
    neighbours = Neighbours()
    for block in blocks:
        neighbours.add(block)
    taken: dict[str, int] = {}
    for block in blocks:
        figure = figure_name(block.options, block.source.text)
        taken[figure] = taken.get(figure, 0) + 1
        number = f"-{taken[figure]}" if taken[figure] > 1 else ""
        relative = named.relative.with_name(f"{named.relative.name}-{figure}{number}")
        yield Input(block, not block.options.src, relative, neighbours)


def _blocks_of(text: str, name: str, root: Path, given: BlockOptions) -> list[BlockText]:
    """The `acdl` blocks of a Markdown page."""
    from acdl_mkdocs.site.fences import lines_of, scan

    fences = (fence for fence in scan(lines_of(text)) if fence.language == "acdl" and not fence.is_code)
    return [read_block(fence, name, given, root) for fence in fences]


def _read(named: Named) -> tuple[str, str]:
    """The text of a file and what a person calls it."""
    if named.path is None:
        return _standard_input(), "<stdin>"
    try:
        return read_text(named.path), str(named.path)
    except UnreadableFileError as reason:
        near = nearest_file(str(named.path), Path()) if isinstance(reason, MissingFileError) else None
        hint = f"; did you mean {near}?" if near else ""
        raise UnusableInputError(f"{named.path}: {reason}{hint}") from None


def _empty() -> Diagnostic:
    return error("empty-block", "the text is empty", Label(Span(0, 0), "a spec belongs here"), help="write a spec")


def _standard_input() -> str:
    if sys.stdin is None:
        raise UnusableInputError("standard input is closed")
    try:
        return decode(sys.stdin.buffer.read())
    except UnreadableFileError as reason:
        raise UnusableInputError(f"standard input {reason}") from None
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
        raise UnusableInputError(f"standard input cannot be read: {why}") from None


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
        if any(os.path.exists(candidate / name) for name in _PROJECT_FILES):
            return candidate
    return Path.cwd()
