"""A text that is open in an editor, and its pieces of ACDL: a whole file, or each fence of a page.

A document never changes: an edit makes a new one. A piece is parsed when it is first needed. Knows no other
documents; names across documents are resolved by the workspace.
"""

from collections import OrderedDict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path, PureWindowsPath
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.diagnostics import Fix
from acdl_mkdocs.foundation.diagnostics import TextEdit as PieceEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.positions import Encoding, Positions
from acdl_mkdocs.language.names.library import Definitions, definitions_of
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.workspace.page_kinds import PAGE_KINDS, PageKind, kind_at

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.editor.fenced import FencedLines, PlacedFence

Language: TypeAlias = Literal["acdl", "markdown"]

SUFFIXES: dict[str, Language] = {".acdl": "acdl", **dict.fromkeys(PAGE_KINDS, "markdown")}
"""The suffixes of files that are read, as in `acdl check`: specs, and pages of all kinds."""
_MOST_CHARACTERS = 1_000_000
"""Size of the parse cache in characters: their trees take about 30 MB."""


def language_of(uri: str) -> Language | None:
    """Return the language of a file by its suffix; `None` if it is not ours."""
    path = urlsplit(uri).path.lower()
    return next((language for suffix, language in SUFFIXES.items() if path.endswith(suffix)), None)


def path_of(uri: str) -> Path | None:
    """Return the file of a URI; `None` if it has none, such as a buffer that was never saved."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    name = unquote(parts.path)
    if name[:1] == "/" and PureWindowsPath(name[1:]).drive:
        name = name[1:]
    return Path(f"//{parts.netloc}{name}" if parts.netloc not in ("", "localhost") else name)


@dataclass(frozen=True, eq=False)
class Piece:
    """ACDL text of a document. Its offsets are those of `source`; two functions convert to and from the document's."""

    uri: str
    """Of the document."""
    source: Source
    lines: "FencedLines | None" = None
    """The lines of a fence in its page; `None` if the piece is the whole document."""

    @property
    def start(self) -> int:
        """The offset in the document where the text begins."""
        return self.lines.offset_on_page(0) if self.lines else 0

    @property
    def span(self) -> Span:
        """The span of the whole piece in the document."""
        return self.to_document(Span(0, len(self.source.text)))

    @property
    def is_fence(self) -> bool:
        """Whether the piece is a fence of a page, where a text without a title is accepted."""
        return self.lines is not None

    @cached_property
    def parsed(self) -> Parsed:
        """The tree of the piece, with its syntax errors."""
        parsed = _TREES.parse_cached(self.source.text)
        return Parsed(self.source, parsed.file, parsed.diagnostics)

    @cached_property
    def definitions(self) -> Definitions:
        """The definitions that other texts can use, by name."""
        return definitions_of(self.parsed)

    def to_document(self, span: Span) -> Span:
        """Translate a span of the piece to the document."""
        if self.lines is None:
            return span
        return Span(self.lines.offset_on_page(span.start), self.lines.offset_on_page(span.end))

    def from_document(self, offset: int) -> int | None:
        """Return the offset in the piece of an offset in the document; `None` if that is outside of the piece.

        The prefix before a line of a fence counts as the beginning of that line.
        """
        if self.lines is not None:
            return self.lines.offset_in_block(offset)
        return offset if 0 <= offset <= len(self.source.text) else None

    def translate_edits(self, edits: Iterable[PieceEdit]) -> tuple[TextEdit, ...]:
        """Translate edits of the piece to the document, with the prefix and the line ends that its lines have there."""
        edits = tuple(edits)
        if self.lines is None:
            placed = tuple(PieceEdit(each.span, self.source.in_host(each.text)) for each in edits)
        else:
            placed = self.lines.fix_on_page(Fix("", edits)).edits
        return tuple(TextEdit(self.uri, each.span, each.text) for each in placed)


@dataclass(frozen=True, eq=False)
class Document:
    """A text as an editor shows it."""

    uri: str
    text: str
    language: Language
    version: int = 0
    """The version number that the editor counts."""
    display_name: str = ""
    """The display name of the file, such as its path from the project's folder; without it, its path or URI."""

    @cached_property
    def path(self) -> Path | None:
        """The file; `None` if there is none."""
        return path_of(self.uri)

    @property
    def name(self) -> str:
        """The display name of the file."""
        return self.display_name or (self.path.as_posix() if self.path else self.uri)

    @cached_property
    def fences(self) -> "tuple[PlacedFence, ...]":
        """The fenced blocks of a page, in any language; none in an ACDL file."""
        if self.language == "acdl":
            return ()
        from acdl_mkdocs.frontends.editor.fenced import place_fences  # ACDL files need no import for pages

        return place_fences(self.text, self.name, self.kind)

    @property
    def kind(self) -> PageKind:
        """The kind of page, which decides how it is read."""
        return kind_at(self.path)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The ACDL in the document, in order. A block that shows a file has no text itself and is left out."""
        # If two threads ask at once, both get the same pieces.
        stored: tuple[Piece, ...] = self.__dict__.setdefault("pieces", self._split_into_pieces())
        return stored

    def _split_into_pieces(self) -> tuple[Piece, ...]:
        if self.language == "acdl":
            return (Piece(self.uri, Source(make_printable(self.text), self.name)),)
        return tuple(Piece(self.uri, each.source, each.lines) for each in self.fences if each.is_acdl)

    def piece_at(self, offset: int) -> Piece | None:
        """Return the piece that contains an offset, its end included."""
        return next((each for each in self.pieces if each.from_document(offset) is not None), None)

    def positions_in(self, encoding: Encoding = "utf-16") -> Positions:
        """Return the table of lines and characters of the text; it is built once."""
        if encoding not in self._positions:
            self._positions[encoding] = Positions(self.text, encoding)
        return self._positions[encoding]

    @cached_property
    def _positions(self) -> dict[Encoding, Positions]:
        return {}

    def with_text(self, text: str, version: int = 0) -> "Document":
        """Return the document with another text; unchanged pieces are not parsed again."""
        return Document(self.uri, text, self.language, version, self.display_name)


class _ParseCache:
    """A cache of the trees of recently used texts: each key press makes another text."""

    def __init__(self) -> None:
        self._cache: OrderedDict[str, Parsed] = OrderedDict()
        self._n_characters = 0
        self._lock = Lock()

    def parse_cached(self, text: str) -> Parsed:
        with self._lock:
            cached = self._cache.get(text)
            if cached is not None:
                self._cache.move_to_end(text)
                return cached
        with system.pause_collector():
            parsed = parse(Source(text))
        with self._lock:
            if text not in self._cache:
                self._n_characters += len(text)
            self._cache[text] = parsed
            while self._n_characters > _MOST_CHARACTERS and len(self._cache) > 1:
                self._n_characters -= len(self._cache.popitem(last=False)[0])
        return parsed


_TREES = _ParseCache()
