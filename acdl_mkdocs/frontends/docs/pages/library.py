"""The texts of a whole site: the `acdl` blocks of its pages and its `.acdl` files, and where their figures are shown.

Pages and files are added before the first page is drawn. Knows no docs tool: callers supply the addresses.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.language.syntax.pragmas import front_words
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import Fence, fences_of
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText, find_defined_names, read_lone_block
from acdl_mkdocs.workspace.recorded_runs import Runs, find_runs
from acdl_mkdocs.workspace.remembered import cache_across_builds
from acdl_mkdocs.workspace.spec import Spec
from acdl_mkdocs.workspace.states import States, find_states
from acdl_mkdocs.workspace.stray_words import find_unattributed_comments
from acdl_mkdocs.workspace.used_files import UsedFiles, read_uses

_N_REMEMBERED = 1024
"""Size of the cache of blocks, in pages."""

_PageFile: TypeAlias = tuple[str, str, Path | None, Path]
"""The display name of a page, its text, its file, and the folder that its paths are relative to."""

SpecsReader: TypeAlias = Callable[[Source], tuple[Spec, ...]]
"""A function from a text to its definitions."""


def may_have_variants(text: str) -> bool:
    """Return whether a text may have such a comment, without parsing it."""
    return "variant-of" in text.lower()


def unknown_variants(source: Source, names: Collection[str]) -> Iterator[Diagnostic]:
    """Yield the problems of a text.

    Parameters:
        source: The text.
        names: Of all specs and fragments of the site.
    """
    if not may_have_variants(source.text):
        return
    from acdl_mkdocs.language.syntax.tokenize import tokenize

    for comment in tokenize(source.text).comments:
        name = front_words([comment]).get("variant-of", "")
        if not name or name in names:
            continue
        at = source.text.find(name, comment.span.start, comment.span.end)
        near = find_closest(name, names)
        cure = f"did you mean `{near}`?" if near else "name a spec of this site, or take the comment out"
        label = Label(Span(at, at + len(name)) if at >= 0 else comment.span, "a variant of nothing")
        yield warning("unknown-variant", f"no spec or fragment of this site is named `{name}`", label, help=cure)


@dataclass(frozen=True, slots=True)
class AddedText:
    """A block of a page, or a file."""

    text: BlockText
    address: str
    """The address of the figure; empty for a file."""
    pages: tuple[tuple[str, str], ...] = ()
    """For a file: the names of its specs and fragments, and the addresses of their pages."""
    states: States | None = None
    """For a file: its sample states."""
    runs: Runs | None = None
    """For a file: its recorded runs."""

    def state_of(self, spec: Spec) -> Path | None:
        """Return the sample state of one of its specs."""
        if self.states is not None:
            return self.states.find_state(spec)
        return self.text.state.path if self.text.state and not spec.is_fragment else None

    def recorded_runs_of(self, spec: Spec, *, is_alone: bool) -> tuple[Path, ...]:
        """Return the recorded runs of one of its specs, also as patterns."""
        if self.runs is None:
            return ()
        return tuple(self.runs.folder / each for each in self.runs.find_recordings(spec, is_alone=is_alone))


class SiteLibrary:
    """The texts of a site; pages and files are added one by one."""

    def __init__(self, root: Path, settings: Settings, specs_in: SpecsReader | None = None) -> None:
        """Begin without texts.

        Parameters:
            root: The project's folder.
            settings: The settings of the site.
            specs_in: Returns the definitions of a text; by default, texts are parsed.
        """
        self._specs_in = specs_in
        self.root = root
        self.settings = settings
        self.catalog = Catalog()
        self.used_files = UsedFiles(self._name_of)
        self._folders = FolderNames()
        self.files: set[Path] = set()
        """Every file that was read, except pages."""
        self.books: dict[Path, dict[str, str]] = {}
        """For each playbook with its own pages: the addresses of these and of the files beside them, by name."""
        self.texts: list[AddedText] = []
        """In the order in which they were added."""

    def add_page(
        self,
        name: str,
        text: str,
        address: str,
        path: Path | None = None,
        full_text: str | None = None,
        root: Path | None = None,
    ) -> None:
        """Add the blocks of a page.

        Parameters:
            name: The display name of its file.
            text: The file, front matter included.
            address: Of the page, from the root of the site.
            path: The file, if there is one.
            full_text: The text with included files, if known.
            root: The folder that its paths are relative to, if it is a page of another project.
        """
        full_text = text if full_text is None else full_text
        if "acdl" not in full_text:
            return
        file = (name, text, path, root or self.root)
        blocks = _list_lone_blocks(file, self.root, self.settings, full_text)
        if blocks is None:
            blocks, files = _list_blocks(file, self.root, self.settings, full_text, self.used_files)
            self.files |= files
        for block, anchor in blocks:
            if block.source.text.strip() and not block.is_cut:
                self._add_text(AddedText(block, f"{address}#{anchor}"))

    def add_file(self, path: Path, page_of: Callable[[str], str]) -> str | None:
        """Add a file of specs.

        Parameters:
            path: The file.
            page_of: Returns the address of the page of a spec or fragment by name; empty if it has none.

        Returns:
            Why the file cannot be read; nothing if it was.
        """
        self.files.add(path)
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()
        try:
            source = Source(make_printable(read_text(path)), name)
        except UnreadableFileError as reason:
            return f"{name}: {reason}"
        uses, _ = read_uses(source, path.parent, self.root, self.used_files)
        options = BlockOptions(range=self.settings.defaults.range)
        text = BlockText(source, options, uses=uses)
        names = find_defined_names(source.text)
        pages = tuple((each, page_of(each)) for each in names)
        self.files.update(text.files)
        states, runs = find_states(path, names, self._folders), find_runs(path, names, self._folders)
        self.texts.append(AddedText(text, "", pages, states, runs))
        self.catalog.add_file(text, dict(pages))
        return None

    @cached_property
    def texts_on_pages(self) -> dict[str, list[str]]:
        """The inputs of the figures of each page, by its address; read when everything was added."""
        texts: dict[str, list[str]] = {}
        for each in self.texts:
            for address in (each.address, *(page for _, page in each.pages)):
                if address:
                    texts.setdefault(address.partition("#")[0], []).append(each.text.source.text)
        return texts

    def file_text(self, name: str) -> BlockText | None:
        """Return the text of an added file of specs."""
        return next((each.text for each in self.texts if each.states and each.text.source.name == name), None)

    def list_problems(self) -> Iterator[tuple[Diagnostic, Source]]:
        """Yield problems of texts that need the whole site, each once."""
        names = self.catalog.names | {name for each in self.texts for name, _ in each.pages}
        seen: set[tuple[str, int]] = set()
        for source in (text.text.source for text in self.texts):
            for each in unknown_variants(source, names):
                place = source.name, source.find_place(each.label.span.start).line
                if place not in seen:
                    seen.add(place)
                    yield each, source
        for text in self.texts:
            if text.runs is not None:
                source = text.text.source
                file = text.runs.folder / Path(source.name).name
                yield from ((each, source) for each in find_unattributed_comments(source, file, self._folders))

    @cached_property
    def spec_index(self) -> SpecIndex:
        """Everything that was added, as specs and fragments; texts are parsed now."""
        from acdl_mkdocs.workspace.parts import specs_in

        return index_texts(self.texts, self._specs_in or specs_in, self.root)

    def _name_of(self, path: Path, root: Path) -> str:
        """Return the display name of a file of a project, with links resolved."""
        top = self.root.resolve()
        return path.relative_to(top if path.is_relative_to(top) else root).as_posix()

    def _add_text(self, text: AddedText) -> None:
        for name in ("spec_index", "texts_on_pages"):  # computed from fewer texts
            self.__dict__.pop(name, None)
        self.texts.append(text)
        self.catalog.add_text(text.text, text.address)


def _list_blocks(
    file: _PageFile, named_from: Path, settings: Settings, full_text: str, used_files: UsedFiles
) -> tuple[tuple[tuple[BlockText, str], ...], set[Path]]:
    """Return the blocks of a page with their anchors, and the files that they name."""
    name, text, path, root = file
    page = Page(
        name=name, text=text, path=path, root=root, named_from=named_from, settings=settings, used_files=used_files
    )
    fences = _fences_to_draw(full_text)
    page.expect_fences(fences)
    return tuple(map(page.claim_block, fences)), page.files


@cache_across_builds(_N_REMEMBERED)
def _list_lone_blocks(
    file: _PageFile, named_from: Path, settings: Settings, full_text: str
) -> tuple[tuple[BlockText, str], ...] | None:
    """Return the blocks of a page with their anchors, cached; `None` if one names files, which may have changed."""
    fences = _fences_to_draw(full_text)
    if not all(read_lone_block(each, file[0], settings.defaults).is_alone for each in fences):
        return None
    return _list_blocks(file, named_from, settings, full_text, UsedFiles())[0]


def _fences_to_draw(text: str) -> list[Fence]:
    return [each for each in fences_of(text) if each.language == "acdl" and not each.is_code]


def index_texts(texts: Iterable[AddedText], specs_in: SpecsReader, root: Path) -> SpecIndex:
    """Return the specs and fragments of texts.

    Parameters:
        texts: In order.
        specs_in: Returns the definitions of a text.
        root: The project's folder.
    """
    folder = root.resolve()
    entries = [entry for each in texts for entry in _list_entries(each, specs_in(each.text.source), folder)]
    files = {entry.file for entry in entries if entry.has_page}
    return SpecIndex(entry for entry in entries if entry.has_page or entry.file not in files)


def _list_entries(text: AddedText, specs: Iterable[Spec], root: Path) -> Iterable[SpecEntry]:
    """Return the specs and fragments of a text that are shown somewhere."""
    source, options = text.text.source, text.text.options
    pages = dict(text.pages)
    specs = tuple(specs)
    is_alone = sum(not each.is_fragment for each in specs) == 1
    for spec in specs:
        address = pages.get(spec.name, "") or text.address
        if address and options.spec in ("", spec.name):
            line = source.find_place(spec.span.start).line
            range_mode = spec.range or options.range
            has_page = bool(pages.get(spec.name))
            state = _name_in_project(root, text.state_of(spec))
            runs = tuple(_name_in_project(root, each) for each in text.recorded_runs_of(spec, is_alone=is_alone))
            yield SpecEntry(spec, address, source.name, line, has_page, range_mode, state, runs)


def _name_in_project(root: Path, path: Path | None) -> str:
    """Return the name of a file of the project as in blocks; of one outside, which they refuse, the whole path."""
    if path is None:
        return ""
    name = Path(os.path.relpath(path.resolve(), root))
    return name.as_posix()
