"""The texts of the files that the arguments of a command name: specs, blocks of pages, standard input."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.files import (
    MissingFileError,
    UnreadableFileError,
    decode_text,
    find_nearest_file,
    read_text,
)
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_kinds import kind_of, parts_of, specs_in
from acdl_mkdocs.workspace.read_block import BlockText, Finding, figure_name, find_defined_names, read_block
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.used_files import UsedFiles, may_use_files, read_uses

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.examine import Examined
    from acdl_mkdocs.workspace.notebook import Cell
    from acdl_mkdocs.workspace.settings import Settings


@dataclass(frozen=True, slots=True)
class Input:
    """One text to process."""

    text: BlockText
    config: Config
    """How the text is read and checked."""
    relative: Path
    """Path of its figure in the folder of results; without a suffix."""
    catalog: Catalog = field(default_factory=Catalog)
    """The texts of the same page or file."""
    is_reported_elsewhere: bool = False
    """Whether its problems are reported elsewhere: its file is checked itself."""

    def examine_names(self) -> "Examined":
        """Analyse the text with what it uses of others, as far as a figure needs it; without the rules."""
        from acdl_mkdocs.workspace.examine import examine_text

        library = self.catalog.build_library(self.catalog.find_all_sources(self.text))
        return examine_text(self.text, self.config, library, is_checked=False)

    def collect_findings(self, examined: "Examined | None") -> tuple[Finding, ...]:
        """Return the problems of the header and the fence, then of the text, unless that is cut off."""
        return self.text.findings if examined is None or self.text.is_cut else self.text.findings + examined.findings


class UnusableInputError(Exception):
    """An argument names nothing that can be read; the message is a sentence with the name."""


def read_inputs(
    named: NamedFile,
    config: Config,
    *,
    range_mode: RangeMode | None = None,
    site: Catalog | None = None,
    used_files: UsedFiles | None = None,
) -> list[Input]:
    """Read the texts of a file: itself, or each of its `acdl` fences.

    Parameters:
        named: The file.
        config: How texts are read and checked unless they set it themselves; fences are always snippets.
        range_mode: How ranges are read; overrides the texts.
        site: The texts of all files.
        used_files: The result of `empty_used_files`, shared by all files.

    Raises:
        UnusableInputError: The file cannot be read.
    """
    text, name = read_named(named)
    options = BlockOptions(range=range_mode or config.range)
    catalog = Catalog(site)
    used_files = empty_used_files() if used_files is None else used_files
    if named.path is None or not named.is_page:
        whole_text = _read_whole(Source(make_printable(text), name), named, options, used_files)
        inputs = [Input(whole_text, config, named.relative, catalog)]
    else:
        inputs = [_make_input(block, config, catalog) for block in _blocks_of(text, named, options, used_files)]
        inputs = _name_blocks(inputs, named.relative)
    if range_mode is not None:
        inputs = [replace(each, text=_read_as(each.text, range_mode)) for each in inputs]
    for each in inputs:
        catalog.add_text(each.text)
    return inputs


def empty_used_files() -> UsedFiles:
    """Return an empty collection of used files; their names are relative to the working folder."""
    return UsedFiles(relative_name)


def _read_whole(source: Source, named: NamedFile, options: BlockOptions, used_files: UsedFiles) -> BlockText:
    """Return a file that is one spec."""
    if not source.text.strip():
        return BlockText(source, options, ((_report_empty(), source),))
    if not may_use_files(source.text):  # its own project does not matter
        return BlockText(source, options)
    uses, problems = read_uses(source, named.folder, named.project, used_files)
    return BlockText(source, options, tuple((each, source) for each in problems), uses=uses)


def _make_input(block: BlockText, config: Config, catalog: Catalog) -> Input:
    return Input(block, replace(config, snippet=not block.options.src), Path(), catalog)


def _name_blocks(inputs: list[Input], page: Path) -> list[Input]:
    """Give each block of a page a unique file name."""
    taken: dict[str, int] = {}
    named: list[Input] = []
    for each in inputs:
        figure = figure_name(each.text.options, each.text.source.text)
        taken[figure] = taken.get(figure, 0) + 1
        number = f"-{taken[figure]}" if taken[figure] > 1 else ""
        named.append(replace(each, relative=page.with_name(f"{page.name}-{figure}{number}")))
    return named


def _read_as(text: BlockText, mode: RangeMode) -> BlockText:
    return replace(text, options=replace(text.options, range=mode))


def _blocks_of(text: str, named: NamedFile, options: BlockOptions, used_files: UsedFiles) -> list[BlockText]:
    """Return the `acdl` blocks of a page."""
    root, folder = named.project, named.folder
    blocks = (
        read_block(fence, part.name, options, root, folder, used_files)
        for part in parts_of(text, named.name, named.kind)
        for fence in specs_in(part)
    )
    return [block.rename_files(lambda name: relative_name(root / name, root)) for block in blocks]


@dataclass(frozen=True, slots=True)
class GatheredTexts:
    """The texts of files, with a common catalog."""

    files: tuple[tuple[NamedFile, list[Input]], ...]
    problems: tuple[str, ...]
    """Why other files could not be read."""
    site: Catalog
    """All the texts."""
    used_files: UsedFiles
    """The files that `// acdl: use` refers to."""


class InputReader(Protocol):
    """Reads the texts of a file, like `read_inputs`."""

    def __call__(
        self,
        named: NamedFile,
        config: Config,
        /,
        *,
        range_mode: RangeMode | None,
        site: Catalog | None,
        used_files: UsedFiles | None,
    ) -> list[Input]:
        """Return the texts of a file."""


def gather_texts(
    files: Iterable[NamedFile],
    settings_of: "Callable[[Path], Settings]",
    mode: RangeMode | None,
    *,
    is_snippet: bool,
    read_one: InputReader | None = None,
) -> GatheredTexts:
    """Read files, each with the settings of its folder.

    Parameters:
        files: The files.
        settings_of: The settings of a folder.
        mode: How ranges are read; overrides files and settings.
        is_snippet: Whether files without a title are accepted.
        read_one: Reads one of them; by default `read_inputs`.
    """
    read_one = read_one or read_inputs
    site, used_files = Catalog(), empty_used_files()
    read: list[tuple[NamedFile, list[Input]]] = []
    problems: list[str] = []
    for named in files:
        try:
            config = replace(settings_of(named.folder).config, snippet=is_snippet)
            inputs = read_one(named, config, range_mode=mode, site=site, used_files=used_files)
        except (UnusableInputError, SettingsError) as reason:
            problems.append(str(reason))
            continue
        for each in inputs:
            site.add_text(each.text)
        read.append((named, inputs))
    return GatheredTexts(tuple(_mark_repeated(read)), tuple(dict.fromkeys(problems)), site, used_files)


def _mark_repeated(read: Iterable[tuple[NamedFile, list[Input]]]) -> Iterator[tuple[NamedFile, list[Input]]]:
    """Yield the texts; mark those of shown files that are reported by the file itself or by another block."""
    read = list(read)
    paths = {named.path.resolve() for named, _ in read if named.path and not named.is_page}
    for named, inputs in read:
        yield (
            named,
            [replace(each, is_reported_elsewhere=True) if mark_reported(each.text, paths) else each for each in inputs],
        )


def mark_reported(text: BlockText, reported: set[Path]) -> bool:
    """Return whether a block shows a file that was already reported, and add the file to those."""
    if text.file is None or text.options.spec not in ("", *find_defined_names(text.source.text)):
        return False
    path = text.file.resolve()
    is_known = path in reported
    reported.add(path)
    return is_known


def relocate_findings(findings: tuple[Finding, ...], named: NamedFile) -> tuple[Finding, ...]:
    """Move findings in the cells of a notebook to their places in its file; return others unchanged."""
    if named.path is None or kind_of(named.path) != "notebook":
        return findings
    from acdl_mkdocs.workspace.notebook import cells_of

    text, name = read_named(named)
    cells = {f"{name}:cell {each.number}": each for each in cells_of(text)}
    file_source = Source(text, name)
    return tuple(
        (_relocate_to_cell(diagnostic, source, cells[source.name]), file_source)
        if source.name in cells
        else (diagnostic, source)
        for diagnostic, source in findings
    )


def _relocate_to_cell(diagnostic: Diagnostic, source: Source, cell: "Cell") -> Diagnostic:
    """Move a diagnostic of a block of a cell, without its fix, to its place in the file."""
    page = Source(cell.text)

    def to_file_offset(offset: int) -> int:
        at = source.find_place(offset)
        line = min(at.line, len(page.line_starts)) - 1
        return cell.offsets[min(page.line_starts[line] + at.column - 1, len(cell.text))]

    label, *related = (
        replace(each, span=Span(to_file_offset(each.span.start), to_file_offset(each.span.end)))
        for each in (diagnostic.label, *diagnostic.related)
    )
    return replace(diagnostic, label=label, related=tuple(related), fix=None)


def relative_name(path: Path, root: Path) -> str:
    """Return the name of a file relative to the working folder, for a file of any project."""
    del root
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive than the working folder
        return str(path)


def read_named(named: NamedFile) -> tuple[str, str]:
    """Return the text of a file and its name in messages.

    Raises:
        UnusableInputError: The file cannot be read.
    """
    if named.text is not None:
        return named.text, named.name
    if named.path is None:
        return _standard_input(), "<stdin>"
    try:
        return read_text(named.path), str(named.path)
    except UnreadableFileError as reason:
        near = find_nearest_file(str(named.path), Path()) if isinstance(reason, MissingFileError) else None
        cure = "; `-` reads what is sent to standard input" if _is_pipe(named.path) else ""
        hint = f"; did you mean {near}?" if near else cure
        raise UnusableInputError(f"{named.path}: {reason}{hint}") from None


def _is_pipe(path: Path) -> bool:
    with suppress(OSError):  # a name that is too long
        return path.is_fifo()
    return False


def _report_empty() -> Diagnostic:
    return error("empty-block", "the text is empty", Label(Span(0, 0), "a spec belongs here"), help="write a spec")


def _standard_input() -> str:
    if sys.stdin is None:
        raise UnusableInputError("standard input is closed")
    try:
        return decode_text(sys.stdin.buffer.read())
    except UnreadableFileError as reason:
        raise UnusableInputError(f"standard input {reason}") from None
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
        raise UnusableInputError(f"standard input cannot be read: {why}") from None
