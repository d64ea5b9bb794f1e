"""The texts that the arguments of a command name: files, folders, fences of Markdown files, standard input."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from acdl_mkdocs.config import Config, RangeMode
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.errors import SettingsError
from acdl_mkdocs.settings import Settings
from acdl_mkdocs.site.catalog import Catalog
from acdl_mkdocs.site.files import MissingFileError, UnreadableFileError, decode, nearest_file, printable, read_text
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.read_block import BlockText, Examined, Finding, examine, figure_name, read_block
from acdl_mkdocs.site.uses import read_uses
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
    text: str | None = None
    """What the file says, if that is known already."""

    @property
    def is_page(self) -> bool:
        """Whether it is a Markdown page with blocks, and no spec."""
        return self.path is not None and self.path.suffix.lower() in _MARKDOWN

    @property
    def name(self) -> str:
        """What a person calls the file."""
        return "<stdin>" if self.path is None else str(self.path)

    @property
    def folder(self) -> Path:
        """Where the settings of the file are looked for."""
        return Path() if self.path is None else self.path.parent


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

    def understood(self) -> Examined:
        """The text with what it uses of others, as far as it is needed for a figure; no rule has looked at it."""
        library = self.catalog.library(self.catalog.sources(self.text))
        return examine(self.text, self.config, library, is_checked=False)

    def all_findings(self, examined: Examined | None) -> tuple[Finding, ...]:
        """What is wrong with the header and the fence, then with the text, unless that was cut off."""
        return self.text.findings if examined is None or self.text.is_cut else self.text.findings + examined.findings


class UnusableInputError(Exception):
    """An argument names nothing that can be read; the message is a sentence with the name."""


def find_files(
    arguments: Sequence[str], settings_of: Callable[[Path], Settings] = lambda _: Settings()
) -> tuple[list[Named], list[str]]:
    """The files of the arguments, folders searched through, each once and in order; and what is wrong with them.

    Parameters:
        arguments: Names of files and folders; `-` is standard input.
        settings_of: The settings of a folder, which may leave files and folders out.
    """
    found: dict[str, Named] = {}
    problems: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if not argument.strip():
            problems.append("an empty argument names no file; the working folder is `.`")
        elif argument == "-":
            found["-"] = Named(None, Path("stdin"))
        elif os.path.isdir(path):
            try:
                below = list(_search(path, settings_of))
                problems += [] if below else [f"{argument}: no .acdl or Markdown files in this folder"]
            except SettingsError as reason:
                problems.append(str(reason))
                continue
            for each in below:
                found.setdefault(str(each), Named(each, each.relative_to(path).with_suffix(""), is_argument=False))
        else:
            found.setdefault(str(path), Named(path, Path(path.stem)))
    return list(found.values()), problems


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
    if named.path is None or named.path.suffix.lower() not in _MARKDOWN:
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
    folder = path.parent if path else Path()
    used = read_uses(source, folder, project_of(path or Path("stdin")))
    return BlockText(source, given, tuple((each, source) for each in used.diagnostics), used.files, used.sources)


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

    root = project_of(path)
    fences = (fence for fence in scan(lines_of(text)) if fence.language == "acdl" and not fence.is_code)
    return [read_block(fence, name, given, root, path.parent) for fence in fences]


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


def _search(folder: Path, settings_of: Callable[[Path], Settings]) -> Iterator[Path]:
    """Specs and Markdown files below a folder, in the order of their names."""
    for current, folders, files in os.walk(folder):
        here = Path(current)
        excludes = settings_of(here).excludes
        folders[:] = sorted(name for name in folders if not _is_skipped(name) and not excludes(here / name))
        for name in sorted(files):
            if Path(name).suffix.lower() in (_SPEC, *_MARKDOWN) and not excludes(here / name):
                yield here / name


def _is_skipped(folder: str) -> bool:
    return folder.startswith(".") or folder in _SKIPPED_FOLDERS


def project_of(path: Path) -> Path:
    """The folder that `src` of a Markdown file starts from: the nearest that looks like a project."""
    return _nearest_project(path.resolve().parent, Path.cwd())


@cache
def _nearest_project(folder: Path, working: Path) -> Path:
    for candidate in (folder, *folder.parents):
        if any(os.path.exists(candidate / name) for name in _PROJECT_FILES):
            return candidate
    return working if folder.is_relative_to(working) else folder
