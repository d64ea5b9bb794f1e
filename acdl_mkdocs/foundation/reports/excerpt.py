"""The part of a text that a diagnostic points at, as rows of styled text.

Terminal and page show the same rows and differ only in the look of a style. Columns are those of a terminal: tabs are
expanded, wide characters take two columns, combining ones none. Knows nothing about ACDL.
"""

import unicodedata
from collections.abc import Iterator
from typing import Literal

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.source import Source, Span

Style = Literal["plain", "gutter", "primary", "related"]


@dataclass(frozen=True, slots=True)
class StyledText:
    """Characters in one style."""

    text: str
    style: Style = "plain"


Row = tuple[StyledText, ...]

_TAB = 4
_WIDTH = 100
"""A longer line of source is cut around its labels."""
_LEAD = 24
"""Columns kept in front of the first label of a line that is cut."""
_REACH = 400
"""Limit of characters to look at on either side of the first label; more than fit, whatever their width."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """The part of a label on one line."""

    line: int
    start: int
    end: int
    text: str
    is_primary: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a text that a diagnostic shows."""

    rows: tuple[Row, ...]
    gutter: int
    """Columns that the line numbers take."""


def make_excerpt(diagnostic: Diagnostic, source: Source) -> Excerpt:
    """Return the rows from the first to the last bar, labels in source order, with lines between them left out."""
    marks = sorted(_find_marks(diagnostic, source), key=lambda mark: (mark.line, mark.start, not mark.is_primary))
    gutter = len(str(source.first_line + marks[-1].line))
    rows: list[Row] = []
    previous: int | None = None
    for line in sorted({mark.line for mark in marks}):
        if previous is not None and line > previous + 1:
            rows.append((StyledText(" " * gutter + "...", "gutter"),))
        rows += _line_rows(source, line, [mark for mark in marks if mark.line == line], gutter)
        previous = line
    return Excerpt(tuple(rows), gutter)


def _find_marks(diagnostic: Diagnostic, source: Source) -> Iterator[_Mark]:
    """Yield marks for every label; a label over several lines has one on its first and one on its last line."""
    labels = [(diagnostic.label, True), *((label, False) for label in diagnostic.related)]
    for label, is_primary in labels:
        start, end = _clamp_span(label.span, source)
        first, last = source.line_index(start), source.line_index(max(start, end - 1))
        begin = source.line_starts[first]
        if first == last:
            yield _Mark(first, start - begin, end - begin, label.text, is_primary)
            continue
        yield _Mark(first, start - begin, len(source.line_text(first)), label.text, is_primary)
        text = source.line_text(last)
        indent = len(text) - len(text.lstrip())
        yield _Mark(last, indent, end - source.line_starts[last], "", is_primary)


def _clamp_span(span: Span, source: Source) -> tuple[int, int]:
    start = min(max(span.start, 0), len(source.text))
    return start, min(max(span.end, start), len(source.text))


@dataclass(frozen=True, slots=True)
class _LinePart:
    """The part of a line to look at."""

    characters: list[str]
    columns: list[int]
    """The column at which each character begins, and that at which the last one ends."""
    start: int
    """Index of the first character in its line."""
    is_end: bool
    """Whether the line ends here."""

    def column_of(self, index: int) -> int:
        """Return the column of a character of the line, or of the nearest character in this part."""
        return self.columns[min(max(index - self.start, 0), len(self.columns) - 1)]


def _line_rows(source: Source, line: int, marks: list[_Mark], gutter: int) -> Iterator[Row]:
    """Yield the line of source and one row under it for each of its marks."""
    main = next((mark for mark in marks if mark.is_primary), marks[0])
    part = _cut_part(source.line_text(line), main.start)
    low, high = _choose_window(part, main)
    excerpt = _cut_to_window(part, low, high)
    number = StyledText(f"{source.first_line + line:>{gutter}} |", "gutter")
    yield (number, StyledText(f" {excerpt}")) if excerpt else (number,)
    for mark in marks:
        start = min(max(part.column_of(mark.start), low), high)
        end = min(max(part.column_of(mark.end), start + 1), max(high, start + 1))
        sign = "^" if mark.is_primary else "-"
        words = f"{sign * (end - start)} {mask_controls(mark.text)}".rstrip()
        bar = StyledText(" " * gutter + " | " + " " * (start - low), "gutter")
        yield (bar, StyledText(words, "primary" if mark.is_primary else "related"))


def _cut_part(line: str, at: int) -> _LinePart:
    """Return the part of a line to show: all of it, or the surroundings of a place in a long line."""
    start, end = max(0, at - _REACH), at + _REACH
    characters, columns = _expand_characters(line[start:end])
    return _LinePart(characters, columns, start, end >= len(line))


def _expand_characters(text: str) -> tuple[list[str], list[int]]:
    """Return the characters as displayed and the column where each begins, with one more column for the end."""
    if text.isascii() and text.isprintable():
        return list(text), list(range(len(text) + 1))
    pieces: list[str] = []
    columns = [0]
    for character in text:
        at = columns[-1]
        piece = " " * (_TAB - at % _TAB) if character == "\t" else mask_controls(character)
        pieces.append(piece)
        columns.append(at + (len(piece) if character == "\t" else _character_width(piece)))
    return pieces, columns


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _choose_window(part: _LinePart, main: _Mark) -> tuple[int, int]:
    """Return the first and last column to show: all if the line fits, else the surroundings of its primary label."""
    total = part.columns[-1]
    if total <= _WIDTH and part.start == 0 and part.is_end:
        return 0, total
    low = max(0, min(part.column_of(main.start) - _LEAD, total - _WIDTH))
    return low, min(total, low + _WIDTH)


def _cut_to_window(part: _LinePart, low: int, high: int) -> str:
    """Return the characters within a window, with an ellipsis of one column at each cut end."""
    visible = [
        (piece, column)
        for piece, column, end in zip(part.characters, part.columns, part.columns[1:], strict=False)
        if column >= low and end <= high
    ]
    words = "".join(piece for piece, _ in visible)
    if visible and (low > 0 or part.start > 0):
        first, column = visible[0]
        filling = " " * (_character_width(first) - 1 if first.strip() else 0)
        words = f"{' ' * (column - low)}…{filling}{words[len(first) :]}"
    return (words[:-1] + "…" if high < part.columns[-1] or not part.is_end else words).rstrip()
