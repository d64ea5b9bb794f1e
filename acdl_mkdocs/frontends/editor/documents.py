"""A text that is open in an editor, and the pieces of ACDL in it: all of a file, or each fence of a page.

A document never changes: an edit makes a new one. What a piece says is read when it is first asked for. Knows no other
documents; what a piece means among them is the workspace's business.
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
from acdl_mkdocs.foundation.safe_text import printable
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
"""The files that are read, as `acdl check` does: specs, and pages of all kinds."""
_MOST_CHARACTERS = 1_000_000
"""Texts of so many characters together, with trees of 30 MB, are parsed only once, however often they are moved."""


def language_of(uri: str) -> Language | None:
    """What a file is read as, by the end of its name; `None` if it is not ours."""
    path = urlsplit(uri).path.lower()
    return next((language for suffix, language in SUFFIXES.items() if path.endswith(suffix)), None)


def path_of(uri: str) -> Path | None:
    """The file of a URI; `None` if it is of none, such as a buffer that was never saved."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    name = unquote(parts.path)
    if name[:1] == "/" and PureWindowsPath(name[1:]).drive:
        name = name[1:]
    return Path(f"//{parts.netloc}{name}" if parts.netloc not in ("", "localhost") else name)


@dataclass(frozen=True, eq=False)
class Piece:
    """ACDL text of a document. Its offsets are those of `source`; two functions turn them into the document's."""

    uri: str
    """Of the document."""
    source: Source
    lines: "FencedLines | None" = None
    """Where the lines of a fence stand; `None` if the piece is the whole document."""

    @property
    def start(self) -> int:
        """Where the text begins in the document."""
        return self.lines.offset(0) if self.lines else 0

    @property
    def span(self) -> Span:
        """All of it, in the document."""
        return self.to_document(Span(0, len(self.source.text)))

    @property
    def is_fence(self) -> bool:
        """Whether it is a fence of a page, where a text without a title is accepted."""
        return self.lines is not None

    @cached_property
    def parsed(self) -> Parsed:
        """Its tree and what of it is not understood."""
        parsed = _TREES.of(self.source.text)
        return Parsed(self.source, parsed.file, parsed.diagnostics)

    @cached_property
    def definitions(self) -> Definitions:
        """What it defines for others, by name."""
        return definitions_of(self.parsed)

    def to_document(self, span: Span) -> Span:
        """A span of the piece in the document."""
        if self.lines is None:
            return span
        return Span(self.lines.offset(span.start), self.lines.offset(span.end))

    def from_document(self, offset: int) -> int | None:
        """The offset in the piece of one in the document; `None` if that is outside of the piece.

        What stands before a line of a fence counts as the beginning of that line.
        """
        if self.lines is not None:
            return self.lines.inside(offset)
        return offset if 0 <= offset <= len(self.source.text) else None

    def edits(self, edits: Iterable[PieceEdit]) -> tuple[TextEdit, ...]:
        """Edits of the piece as edits of the document, with the prefix and the line ends that its lines have there."""
        edits = tuple(edits)
        if self.lines is None:
            placed = tuple(PieceEdit(each.span, self.source.in_host(each.text)) for each in edits)
        else:
            placed = self.lines.fix(Fix("", edits)).edits
        return tuple(TextEdit(self.uri, each.span, each.text) for each in placed)


@dataclass(frozen=True, eq=False)
class Document:
    """A text as an editor shows it."""

    uri: str
    text: str
    language: Language
    version: int = 0
    """As the editor counts its edits."""
    called: str = ""
    """What a person calls the file, such as its path from the project's folder; without it, its path or URI."""

    @cached_property
    def path(self) -> Path | None:
        """The file; `None` if there is none."""
        return path_of(self.uri)

    @property
    def name(self) -> str:
        """What a person calls the file."""
        return self.called or (self.path.as_posix() if self.path else self.uri)

    @cached_property
    def fences(self) -> "tuple[PlacedFence, ...]":
        """Every fenced block of a page, of whatever language; none in a file of ACDL."""
        if self.language == "acdl":
            return ()
        from acdl_mkdocs.frontends.editor.fenced import placed_fences  # a file of ACDL does not pay for pages

        return placed_fences(self.text, self.name, self.kind)

    @property
    def kind(self) -> PageKind:
        """How a page is read."""
        return kind_at(self.path)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The ACDL in it, in order. A block that shows a file has no text of its own and is none."""
        made: tuple[Piece, ...] = self.__dict__.setdefault("pieces", self._pieces())  # one, if two threads ask at once
        return made

    def _pieces(self) -> tuple[Piece, ...]:
        if self.language == "acdl":
            return (Piece(self.uri, Source(printable(self.text), self.name)),)
        return tuple(Piece(self.uri, each.source, each.lines) for each in self.fences if each.is_acdl)

    def piece_at(self, offset: int) -> Piece | None:
        """The piece that an offset is in, its end included."""
        return next((each for each in self.pieces if each.from_document(offset) is not None), None)

    def positions(self, encoding: Encoding = "utf-16") -> Positions:
        """The lines and characters of the text, found once."""
        if encoding not in self._positions:
            self._positions[encoding] = Positions(self.text, encoding)
        return self._positions[encoding]

    @cached_property
    def _positions(self) -> dict[Encoding, Positions]:
        return {}

    def edited(self, text: str, version: int = 0) -> "Document":
        """The document with another text; what did not change in it is not read again."""
        return Document(self.uri, text, self.language, version, self.called)


class _Trees:
    """The trees of the texts that were asked for last: each key that is pressed makes another text."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Parsed] = OrderedDict()
        self._n_characters = 0
        self._lock = Lock()

    def of(self, text: str) -> Parsed:
        with self._lock:
            known = self._kept.get(text)
            if known is not None:
                self._kept.move_to_end(text)
                return known
        with system.paused():
            parsed = parse(Source(text))
        with self._lock:
            if text not in self._kept:
                self._n_characters += len(text)
            self._kept[text] = parsed
            while self._n_characters > _MOST_CHARACTERS and len(self._kept) > 1:
                self._n_characters -= len(self._kept.popitem(last=False)[0])
        return parsed


_TREES = _Trees()
