"""Conversion between offsets and the lines and characters that an editor counts: the only module that counts UTF-16.

A table is built once for a text; each lookup costs the logarithm of its length. Knows nothing about ACDL.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""The unit that editor and server have agreed on: bytes of UTF-8, units of UTF-16, or code points."""

_LINE_END = re.compile(r"\r\n?|\n")
_WIDE = {"utf-8": re.compile(r"[^\x00-\x7f]"), "utf-16": re.compile(r"[\U00010000-\U0010ffff]")}
"""The characters that count more than one."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A position as an editor names it: both numbers from 0, the second in units of the encoding."""

    line: int
    character: int


class Positions:
    """The positions of one text."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        r"""Find the lines, which end with CR LF, LF or CR, and the characters that count more than one.

        Parameters:
            text: The text.
            encoding: The unit that is counted within a line.
        """
        self._starts, self._ends = array("L", [0]), array("L")
        for match in _LINE_END.finditer(text):
            self._ends.append(match.start())
            self._starts.append(match.end())
        self._ends.append(len(text))
        wide = _WIDE.get(encoding) if not text.isascii() else None
        self._wide = array("L", (match.start() for match in wide.finditer(text)) if wide else ())
        extra_units = (_n_more(text[at], encoding) for at in self._wide)
        self._more = array("L", accumulate(extra_units, initial=0))
        """How many units the characters before each wide one count in addition to one each."""
        self._units = array("L", (at + before for at, before in zip(self._wide, self._more, strict=False)))
        """The start of each wide character, counted from the start of the text."""

    @property
    def n_lines(self) -> int:
        """The number of lines; an empty text has one."""
        return len(self._starts)

    def position_of(self, offset: int) -> Position:
        """Return the position of an offset; one outside of the text, or within a line end, is moved to the nearest."""
        offset = min(max(offset, 0), self._ends[-1])
        line = bisect_right(self._starts, offset) - 1
        offset = min(offset, self._ends[line])
        return Position(line, self._count_units(offset) - self._count_units(self._starts[line]))

    def offset_at(self, line: int, character: int) -> int:
        """Return the offset of a position.

        A line after the last is the end of the text, a character after the end of a line is that end, and one
        within a character is its beginning.
        """
        if line < 0:
            return 0
        if line >= self.n_lines:
            return self._ends[-1]
        start, end = self._starts[line], self._ends[line]
        return min(max(self._offset_of_units(self._count_units(start) + max(character, 0)), start), end)

    def range_of(self, span: Span) -> tuple[Position, Position]:
        """Return the positions where a span begins and ends."""
        return self.position_of(span.start), self.position_of(span.end)

    def span_between(self, start: Position, end: Position) -> Span:
        """Return the span between two positions, in any order."""
        offsets = sorted((self.offset_at(start.line, start.character), self.offset_at(end.line, end.character)))
        return Span(offsets[0], offsets[1])

    def line_span(self, line: int) -> Span:
        """Return the span of a line without its line end; the last line for a number beyond."""
        line = min(max(line, 0), self.n_lines - 1)
        return Span(self._starts[line], self._ends[line])

    def units_before(self, offset: int) -> int:
        """Convert an offset for an editor that counts from the start of the text, with one character for a line end."""
        return self._count_units(offset)

    def offset_of(self, units: int) -> int:
        """Return the offset of such an editor's count; within a character, that of its beginning."""
        return self._offset_of_units(units)

    def _count_units(self, offset: int) -> int:
        """Convert an offset to units from the start of the text."""
        return offset + self._more[bisect_left(self._wide, offset)]

    def _offset_of_units(self, units: int) -> int:
        """Return the offset of the character that contains a unit."""
        n_before = bisect_right(self._units, units)
        if n_before:
            last = self._wide[n_before - 1]
            if units < last + 1 + self._more[n_before]:
                return last
        return units - self._more[n_before]


class EditableLines:
    """A text that is edited many times in a row: an edit costs as much as the lines that it touches."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        """Split the text into lines.

        Parameters:
            text: The text.
            encoding: The unit that is counted within a line.
        """
        self._lines = _split_lines(text)
        self._encoding = encoding

    @property
    def text(self) -> str:
        """The current text."""
        return "".join(self._lines)

    def replace_range(self, start: Position, end: Position, text: str) -> None:
        """Replace the text between two positions, which are located as in `Positions`."""
        (first, begin), (last, rest) = sorted((self._locate_position(start), self._locate_position(end)))
        joined = self._lines[first][:begin] + text + self._lines[last][rest:]
        if first and joined.startswith("\n") and self._lines[first - 1].endswith("\r"):  # two line ends become one
            first -= 1
            joined = self._lines[first] + joined
        elif first == last and _LINE_END.search(text) is None:
            self._lines[first] = joined
            return
        lines = _split_lines(joined)
        if last + 1 < len(self._lines) and not lines[-1]:
            lines.pop()
        self._lines[first : last + 1] = lines

    def _locate_position(self, position: Position) -> tuple[int, int]:
        """Return the index of a line, and the offset in it."""
        if position.line < 0:
            return 0, 0
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        n_of_end = 2 if line.endswith("\r\n") else int(line.endswith(("\r", "\n")))
        if line.isascii() or self._encoding == "utf-32":
            return position.line, min(max(position.character, 0), len(line) - n_of_end)
        return position.line, Positions(line, self._encoding).offset_at(0, position.character)


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends; the last has none."""
    ends = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def _n_more(character: str, encoding: Encoding) -> int:
    """Return how many units a wide character counts in addition to one."""
    if encoding == "utf-16":
        return 1
    code = ord(character)
    return 1 + (code > 0x7FF) + (code > 0xFFFF) if code > 0x7F else 0
