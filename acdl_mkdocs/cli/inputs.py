"""The texts of the files that the arguments of a command lead to: specs, fences of Markdown files, standard input."""

import os
import sys
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from acdl_mkdocs.cli.search import Named
from acdl_mkdocs.config import Config, RangeMode
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.site.catalog import Catalog
from acdl_mkdocs.site.files import MissingFileError, UnreadableFileError, decode, nearest_file, printable, read_text
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.read_block import BlockText, Examined, Finding, examine, figure_name, read_block
from acdl_mkdocs.site.uses import read_uses
from acdl_mkdocs.source import Source, Span

_PROJECT_FILES = ("mkdocs.yml", "properdocs.yml", "zensical.toml", "pyproject.toml", ".git")
_SETTINGS_FILES = ("acdl.toml",)
"""These lie in folders of a project too, and say where it begins only if nothing else does."""


@dataclass(frozen=True, slots=True)
class Input:
    """One text to work on."""

    text: BlockText
    config: Config
    """How the text is read and checked."""
    relative: Path
    """Where its figure goes, from the folder of results; without a suffix."""
    catalog: Catalog = field(default_factory=Catalog)
    """The texts of the same page or file."""
    is_told: bool = False
    """Whether what is wrong with the text is said elsewhere: it is that of a file that is checked itself."""

    def understood(self) -> Examined:
        """The text with what it uses of others, as far as it is needed for a figure; no rule has looked at it."""
        library = self.catalog.library(self.catalog.sources(self.text))
        return examine(self.text, self.config, library, is_checked=False)

    def all_findings(self, examined: Examined | None) -> tuple[Finding, ...]:
        """What is wrong with the header and the fence, then with the text, unless that was cut off."""
        return self.text.findings if examined is None or self.text.is_cut else self.text.findings + examined.findings


class UnusableInputError(Exception):
    """An argument names nothing that can be read; the message is a sentence with the name."""


def read_inputs(
    named: Named, config: Config, *, range_mode: RangeMode | None = None, site: Catalog | None = None
) -> list[Input]:
    """The texts of a file: itself, or each of its `acdl` fences.

    Parameters:
        named: The file.
        config: How texts are read and checked that do not say it themselves; fences are snippets in any case.
        range_mode: How all texts are read, whatever they say.
        site: The texts of all files.

    Raises:
        UnusableInputError: The file cannot be read.
    """
    text, name = read_named(named)
    given = BlockOptions(range=range_mode or config.range)
    catalog = Catalog(site)
    if named.path is None or not named.is_page:
        inputs = [Input(_whole(Source(printable(text), name), named.path, given), config, named.relative, catalog)]
    else:
        inputs = [_of_block(block, config, catalog) for block in _blocks_of(text, name, named.path, given)]
        inputs = _with_names(inputs, named.relative)
    if range_mode is not None:
        inputs = [replace(each, text=_read_as(each.text, range_mode)) for each in inputs]
    for each in inputs:
        catalog.add(each.text)
    return inputs


def _whole(source: Source, path: Path | None, given: BlockOptions) -> BlockText:
    """A file that is one spec."""
    if not source.text.strip():
        return BlockText(source, given, ((_empty(), source),))
    folder, root = path.parent if path else Path(), project_of(path or Path("stdin"))
    used = read_uses(source, folder, root)
    findings = tuple((each, source) for each in used.diagnostics)
    return _from_here(BlockText(source, given, findings, used.files, used.sources), root)


def _of_block(block: BlockText, config: Config, catalog: Catalog) -> Input:
    return Input(block, replace(config, snippet=not block.options.src), Path(), catalog)


def _with_names(inputs: list[Input], page: Path) -> list[Input]:
    """The blocks of a page, each with a file name of its own."""
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


def _blocks_of(text: str, name: str, path: Path, given: BlockOptions) -> list[BlockText]:
    """The `acdl` blocks of a Markdown page."""
    from acdl_mkdocs.site.fences import lines_of, scan
    from acdl_mkdocs.site.myst import with_options

    root = project_of(path)
    fences = (fence for fence in scan(lines_of(text)) if fence.language == "acdl" and not fence.is_code)
    return [_from_here(read_block(with_options(fence), name, given, root, path.parent), root) for fence in fences]


def _from_here(text: BlockText, root: Path) -> BlockText:
    """A text whose files of the project have the names that they have from the working folder."""
    source = _renamed(text.source, root) if text.options.src and text.source.text else text.source
    findings = tuple((each, source if of is text.source else of) for each, of in text.findings)
    return replace(text, source=source, findings=findings, uses=tuple(_renamed(each, root) for each in text.uses))


def _renamed(source: Source, root: Path) -> Source:
    path = root / source.name
    try:
        return replace(source, name=os.path.relpath(path))
    except ValueError:  # on another drive than the working folder
        return replace(source, name=str(path))


def read_named(named: Named) -> tuple[str, str]:
    """The text of a file and what a person calls it.

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


def project_of(path: Path) -> Path:
    """The folder that `src` of a Markdown file starts from: the nearest that looks like a project."""
    return _nearest_project(path.resolve().parent, Path.cwd())


@cache
def _nearest_project(folder: Path, working: Path) -> Path:
    for marks in (_PROJECT_FILES, _SETTINGS_FILES):
        for candidate in (folder, *folder.parents):
            if any(os.path.exists(candidate / name) for name in marks):
                return candidate
    return working if folder.is_relative_to(working) else folder
