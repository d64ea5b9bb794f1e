"""A page while its blocks are drawn: its name and file, the settings, and its unique ids."""

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.language.syntax.host_text import holds_host_text
from acdl_mkdocs.workspace.cache import PageCache
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import is_skipped
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.page_kinds import PageKind, blank_code_in, blocks_in, kind_at
from acdl_mkdocs.workspace.read_block import BlockText, figure_name, read_block
from acdl_mkdocs.workspace.used_files import UsedFiles

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.blocks.example import Opening
    from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex
    from acdl_mkdocs.prompts.prompt import Tool


class SiteTexts(Protocol):
    """The interface of pages to the texts of the whole site."""

    books: dict[Path, dict[str, str]]

    @property
    def spec_index(self) -> "SpecIndex":
        """The specs of the site."""


_GENERATED = "generated block"


class FencePlaces:
    """The fences of a file that have not been matched yet."""

    def __init__(self, name: str, fences: Sequence[Fence] | None, language: str) -> None:
        """Index the fences of a language.

        Parameters:
            name: The display name of the file.
            fences: The fences of the file on the disk; `None` if there is none.
            language: The language of the fences to find.
        """
        self._name = name
        self._has_file = fences is not None
        self._pending: dict[tuple[str, ...], deque[Fence]] = {}
        self._located: set[int] = set()
        # Tools that draw a block know best whether it is one; a sample in indented code comes last.
        in_order = sorted(fences or (), key=lambda each: each.is_code)
        self._fences = [each for each in in_order if each.language == language]
        for fence in self._fences:
            header, words = words_of(fence.header), words_of(fence.text)
            for key in ((header, words), (words,)):
                self._pending.setdefault(key, deque()).append(fence)

    def find_fence(self, fence: Fence) -> tuple[Fence, str]:
        """Return the same fence as in the file, and the name for reporting its places.

        A fence that is not in the file, because it was generated or included from elsewhere, keeps
        its text, and its lines are counted from its own first one.
        """
        if not self._has_file:
            return fence, self._name
        header, words = words_of(fence.header), words_of(fence.text)
        placed = self._take_fence(self._pending.get((header, words))) or self._take_fence(self._pending.get((words,)))
        if placed:
            return placed, self._name
        changing = (each for each in self._fences if words_of(each.header) == header and holds_host_text(each.text))
        included = self._take_fence(deque(changing))
        where = f"block of line {included.first + 1}, with its snippets" if included else _GENERATED
        return without_file(fence), f"{self._name} ({where})"

    def is_generated(self, name: str) -> bool:
        """Return whether `find` gave a block a name because the file does not contain it."""
        return name == f"{self._name} ({_GENERATED})"

    def _take_fence(self, queue: deque[Fence] | None) -> Fence | None:
        """Return the first fence of a queue that has not been matched before."""
        while queue:
            fence = queue.popleft()
            if fence.first not in self._located:
                self._located.add(fence.first)
                return fence
        return None


def without_file(fence: Fence) -> Fence:
    """Return a block without a known file: its lines are counted from its own first one."""
    return replace(fence, first=0, end=fence.end - fence.first, prefix="", column=1)


def words_of(text: str) -> str:
    """Normalize a text for comparison, as tools indent and wrap lines differently."""
    return " ".join(text.split())


T = TypeVar("T")

_REFERENCE = "acdl:"
"""A text that every reference contains."""
_MOST_NAMED = 3
"""The most places that are named for the same words."""


class DocstringPlaces:
    """The docstrings in the Python files of some folders, read when the first place is needed."""

    def __init__(self, folders: Sequence[Path], names_from: Path) -> None:
        """Read nothing yet.

        Parameters:
            folders: They are searched with all subfolders, except those that git ignores or that contain packages.
            names_from: The folder that names of files are relative to.
        """
        self._folders = folders
        self._names_from = names_from

    def find_block(self, fence: Fence, page: str) -> tuple[Fence, str] | None:
        """Return the same block in the only docstring that has it, with the name of its file.

        If several have it, the block keeps its own lines, and its name lists them. `None` if none has it.

        Parameters:
            fence: The block, as the page has it.
            page: The display name of the page.
        """
        wanted = words_of(fence.text)
        blocks = [
            (path, each)
            for path, text in self._texts.items()
            for each in (blocks_in(text, "python") if _may_have(text, fence.text) else ())
            if each.language == fence.language and words_of(each.text) == wanted
        ]
        same = [(path, each) for path, each in blocks if words_of(each.header) == words_of(fence.header)]
        blocks = self._drop_ignored(same or (blocks if wanted else []))
        if not blocks:
            return None
        if len(blocks) > 1:
            places = _join_places([f"{self._name_of(path)}:{each.first + 1}" for path, each in blocks])
            return without_file(fence), f"{page} (block of {places})"
        path, placed = blocks[0]
        return placed, self._name_of(path)

    def find_reference(self, spans_in: Callable[[str], Iterable[Span]]) -> tuple[Source, Span] | None:
        """Return the only place of a reference in the prose of docstrings; `None` if there is none, or more than one.

        Parameters:
            spans_in: Returns all places of the reference in a text.
        """
        candidates = {path: blank_code_in(text, "python") for path, text in self._texts.items() if _REFERENCE in text}
        found = self._drop_ignored([(path, span) for path, prose in candidates.items() for span in spans_in(prose)])
        if len(found) != 1:
            return None
        path, span = found[0]
        return Source(self._texts[path], self._name_of(path)), span

    @cached_property
    def _texts(self) -> dict[Path, str]:
        """The files that mention ACDL, by name."""
        texts: dict[Path, str] = {}
        for folder in self._folders:
            for path in _python_files(folder.resolve()):
                try:
                    text = read_text(path)
                except UnreadableFileError:
                    continue
                if "acdl" in text:
                    texts.setdefault(path, text)
        return texts

    def _drop_ignored(self, matches: list[tuple[Path, T]]) -> list[tuple[Path, T]]:
        """Drop the matches in folders that git ignores, such as `build`."""
        if len(matches) < 2:
            return matches
        ignored = _list_ignored_by_git([path for path, _ in matches], self._names_from)
        return [each for each in matches if each[0] not in ignored] or matches

    def _name_of(self, path: Path) -> str:
        try:
            return Path(os.path.relpath(path, self._names_from)).as_posix()
        except ValueError:  # on another drive
            return path.as_posix()


def _may_have(text: str, block: str) -> bool:
    """Return whether a file has the longest line of a block: few files are parsed."""
    return max((line.strip() for line in block.split("\n")), key=len) in text


def _python_files(folder: Path) -> Iterator[Path]:
    for current, folders, files in os.walk(folder):
        base = Path(current)
        folders[:] = sorted(name for name in folders if not is_skipped(base / name))
        yield from (base / name for name in sorted(files) if name.endswith(".py"))


def _list_ignored_by_git(paths: Sequence[Path], folder: Path) -> set[Path]:
    """Return the paths that git ignores; none without git."""
    from acdl_mkdocs.compare.revisions import run_git  # few builds need it

    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        listed = run_git(folder, "check-ignore", "-z", "--stdin", stdin=stdin) or b""
    except RevisionError:
        return set()
    return {Path(os.fsdecode(name)) for name in listed.split(b"\0") if name}


def _join_places(places: Sequence[str]) -> str:
    rest = len(places) - _MOST_NAMED
    return " or ".join((*places[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])))


def report_nowhere(severity: Severity, line: str) -> None:
    """Report nothing: for a page whose problems are only shown in it."""
    del severity, line


def opening_of(fence: Fence, page: "Page") -> Source:
    """Return the opening line of a block, with its lines of options, and its place in the file of the page."""
    located, name = page.locate_fence(fence)
    placed = move_options(located)
    return Source(make_printable(placed.opening), name, placed.first + 1, len(placed.prefix) + 1)


def _find_all(words: str, text: str) -> Iterator[Span]:
    at = text.find(words)
    while at >= 0:
        yield Span(at, at + len(words))
        at = text.find(words, at + 1)


@dataclass(slots=True, kw_only=True)
class Page:
    """A page. Lives as long as one rendering of it."""

    name: str = "<text>"
    """The display name of its file: `docs/agents.md`."""
    text: str | None = None
    """The file as on the disk, front matter included; `None` to read it from `path`."""
    path: Path | None = None
    """The file, which is read if the page has a block; `None` if the page has no file."""
    root: Path = field(default_factory=Path)
    """The project's folder, for `src`."""
    named_from: Path | None = None
    """The folder that displayed names of files are relative to, if not `root`."""
    settings: Settings = field(default_factory=Settings)
    report: Callable[[Severity, str], None] = report_nowhere
    """The function that reports a line for each diagnostic."""
    cache: PageCache | None = None
    used_ids: set[str] = field(default_factory=set)
    """Every `id` that blocks of this page have taken."""
    foreign_ids: frozenset[str] = frozenset()
    """Every `id` of headings and other elements of this page, if they are known before blocks are drawn."""
    files: set[Path] = field(default_factory=set)
    """The files that blocks of this page were drawn from, or that were tried."""
    used_files: UsedFiles = field(default_factory=UsedFiles)
    """Those that blocks of this page and of others use."""
    catalog: Catalog = field(default_factory=Catalog)
    """The known blocks of this page and of the site."""
    library: Callable[[], SiteTexts | None] = lambda: None
    """The texts of the whole site, read when first needed; nothing if the tool knows no site."""
    blocks: tuple[Fence, ...] = ()
    """Its blocks, if the docs tool has announced them all before the first is drawn."""
    tools: "dict[str, tuple[Tool, str]]" = field(default_factory=dict)
    """The tools that `laic` blocks of this page list, with their anchors, by name."""
    has_all_tools: bool = False
    """Whether those of blocks that are not drawn yet are included."""
    link: Callable[[str], str] = str
    """From an address of the site to a link of this page."""
    from_root: Callable[[str], str] = str
    """From the address of a file of the site, as seen from its home page, to a link of this page."""
    opening: "Opening | None" = None
    """Returns the address that opens a figure in a playground that was built with the site."""
    opening_spec: Callable[[str], str] | None = None
    """The same for a spec of the site, by its address there."""
    docstrings: DocstringPlaces | None = None
    """Docstrings to search for blocks and references missing in the file; by default in the project's folder."""
    relocate: Callable[[str], str] = str
    """Converts a drawing for this page to what is inserted: more than a copy if another page shows it."""
    _expected: dict[Fence, tuple[BlockText, str]] = field(default_factory=dict)
    _places: dict[str, FencePlaces] = field(default_factory=dict)
    _id_counts: Counter[str] = field(default_factory=Counter)
    _known_kind: PageKind | None = None

    @property
    def has_playground(self) -> bool:
        """Whether figures can be opened in a playground."""
        return self.opening is not None or self.settings.playground != ""

    def expect_fences(self, fences: Iterable[Fence]) -> None:
        """Announce the blocks that will be drawn, in order, so that each knows the anchors of the others."""
        for fence in fences:
            if fence not in self._expected:
                text = self.read_fence(fence)
                name = self.take_id(figure_name(text.options, text.source.text))
                self.catalog.add_text(text, f"#{name}")
                self._expected[fence] = text, name

    def claim_block(self, fence: Fence) -> tuple[BlockText, str]:
        """Return text and anchor of a block that is drawn now: announced before, or else read now."""
        if fence not in self._expected:
            self.expect_fences([fence])
        return self._expected.pop(fence)

    def read_fence(self, fence: Fence) -> BlockText:
        """Read the text and the options of a fence, with their places in the page's file."""
        placed, name = self._in_page(fence)
        folder = self.path.parent if self.path else None
        text = read_block(placed, name, self.settings.defaults, self.root, folder, self.used_files)
        self.files |= set(text.files)
        return text if self.named_from in (None, self.root) else text.rename_files(self._display_name)

    def _display_name(self, name: str) -> str:
        """Return the display name of a file of the project, relative to the folder of the whole site."""
        relative = Path(os.path.relpath(self.root / name, self.named_from)).as_posix()
        return name if relative.startswith("../") else relative

    def locate_fence(self, fence: Fence) -> tuple[Fence, str]:
        """Return the same fence as in the page's own file or in a docstring, and the name for reporting its places."""
        placed, name = self._in_page(fence)
        return self.find_in_docstring(fence, name) or (placed, name)

    def find_in_docstring(self, fence: Fence, name: str) -> tuple[Fence, str] | None:
        """Return the same for a fence that another tool took from a docstring; `None` for any other.

        Python files are searched for it, so this is called only if there are problems to report.

        Parameters:
            fence: The fence as the docs tool found it.
            name: The current name for reporting its places.
        """
        if not self._places[fence.language].is_generated(name):
            return None
        return self._find_docstrings().find_block(fence, self.name)

    def _find_docstrings(self) -> DocstringPlaces:
        self.docstrings = self.docstrings or DocstringPlaces([self.root], self.named_from or self.root)
        return self.docstrings

    def _in_page(self, fence: Fence) -> tuple[Fence, str]:
        if fence.language not in self._places:
            self._places[fence.language] = FencePlaces(self.name, self._find_fences(), fence.language)
        return self._places[fence.language].find_fence(fence)

    def list_fences(self, language: str) -> list[Fence]:
        """Return the blocks of a language on the page."""
        found = self.blocks or [each for each in self._find_fences() or () if not each.is_code]
        return [each for each in found if each.language == language]

    def has_id(self, name: str) -> bool:
        """Return whether an id is taken."""
        return name in self.used_ids or name in self.foreign_ids

    def take_id(self, base: str) -> str:
        """Take an id for a figure: the first of `base`, `base-2`, `base-3` and so on that is free."""
        while True:
            self._id_counts[base] += 1
            number = self._id_counts[base]
            name = base if number == 1 else f"{base}-{number}"
            if not self.has_id(name):
                self.used_ids.add(name)
                return name

    def find_position(self, words: str, number: int) -> tuple[Source, Span]:
        """Return the n-th place, from 0, of a reference in the prose of the page's file.

        If it is not there, docstrings are searched; else it has no file.
        """
        return self.find_position_in_prose(words, number, lambda prose: _find_all(words, prose))

    def find_position_in_prose(
        self, words: str, number: int, spans_in: Callable[[str], Iterable[Span]]
    ) -> tuple[Source, Span]:
        """Return the same for a reference that may have other words.

        Parameters:
            words: The words to show if it is not found.
            number: How many of the same are on the page before.
            spans_in: Returns all its places in a text.
        """
        text, prose = self.text_and_prose()
        spans = list(spans_in(prose))
        if number < len(spans):
            return Source(text, self.name), spans[number]
        found = self._find_docstrings().find_reference(spans_in) if text else None
        if found is None and spans:  # one definition serves several links
            return Source(text, self.name), spans[-1]
        return found or (Source(words, self.name), Span(0, len(words)))

    def text_and_prose(self) -> tuple[str, str]:
        """Return the page's file, and the same with code blanked out."""
        text = self._file_text() or ""
        return text, blank_code_in(text, self._find_kind())

    def _find_kind(self) -> PageKind:
        """Return how the file is read, determined once; a notebook's cells are pages, which MyST reads."""
        if self._known_kind is None:
            kind = kind_at(self.path)
            self._known_kind = "myst" if kind == "notebook" else kind
        return self._known_kind

    def _find_fences(self) -> tuple[Fence, ...] | None:
        text = self._file_text()
        return None if text is None else blocks_in(text, self._find_kind())

    def _file_text(self) -> str | None:
        if self.text is not None or self.path is None:
            return self.text
        try:
            return self.path.read_text("utf-8-sig")
        except (OSError, ValueError):
            return None
