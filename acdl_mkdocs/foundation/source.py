"""Source text and places in it: the only module that turns offsets into lines and columns.

Knows nothing about ACDL.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import overload

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points: `source.text[span.start:span.end]`."""

    start: int
    """Offset of the first code point, from 0."""
    end: int
    """Offset after the last code point; equal to `start` for an empty range."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position that people use: 1-based line and column (in code points) of the host file."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """A piece of ACDL text and its origin.

    A fence inside a Markdown page is a `Source` whose `first_line` and `first_column` are the position of its first
    line in the page, so that an editor can jump to every place.
    """

    text: str
    name: str = "<text>"
    """The name that people use for the file: usually its path."""
    first_line: int = 1
    """Line of the host file on which `text` begins."""
    first_column: int = 1
    """Column of the host file at which *every* line of `text` begins (the indentation of a fence)."""
    prefix: str = ""
    """The text before every line of `text` in the host file: the indentation and the quote marks of a fence."""

    @cached_property
    def line_starts(self) -> Sequence[int]:
        r"""The offset of the first code point of every line; only `\n` ends a line."""
        if len(self.text) > _LARGE:
            return _LineStarts(self.text)
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)

    def line_index(self, offset: int) -> int:
        """Return the 0-based index, within `text`, of the line that contains `offset`."""
        starts = self.line_starts
        return starts.find_line(offset) if isinstance(starts, _LineStarts) else bisect_right(starts, offset) - 1

    def find_place(self, offset: int) -> Place:
        """Return line and column of an offset in the host file."""
        index = self.line_index(offset)
        return Place(self.first_line + index, self.first_column + offset - self.line_starts[index])

    def line_text(self, index: int) -> str:
        """Return the text of the line with that 0-based index, without its line end."""
        starts = self.line_starts
        end = starts[index + 1] - 1 if index + 1 < len(starts) else len(self.text)
        return self.text[starts[index] : end].rstrip("\r")

    def one_line(self, start: int, end: int) -> str:
        """Return a piece of the text for quoting in a sentence: on one line, with white space collapsed."""
        return " ".join(self.text[start:end].split())

    def in_host(self, text: str) -> str:
        """Return a text of several lines, adapted for insertion into the host file."""
        return behind_prefix(text, self.prefix, "\r\n" if "\r\n" in self.text else "\n")


_LARGE = 1_000_000
"""Code points of a text of which not every line is remembered."""
_BLOCK = 256


class _LineStarts(Sequence[int]):
    """Offsets of the lines of a large text, of which only the number of lines before each block is remembered."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._before = array("Q")
        """Line ends before each block."""
        n_ends = 0
        for start in range(0, len(text) + 1, _BLOCK):
            self._before.append(n_ends)
            n_ends += text.count("\n", start, start + _BLOCK)
        self._length = n_ends + 1

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        numbers = range(self._length)[index]
        return (
            self._line_start(numbers) if isinstance(numbers, int) else [self._line_start(number) for number in numbers]
        )

    def _line_start(self, number: int) -> int:
        """Return the start of a line, given how many line ends precede it."""
        if number == 0:
            return 0
        block = bisect_left(self._before, number) - 1
        at = block * _BLOCK - 1
        for _ in range(number - self._before[block]):
            at = self._text.index("\n", at + 1)
        return at + 1

    def find_line(self, offset: int) -> int:
        """Return the 0-based number of the line that contains an offset."""
        block = min(max(offset, 0), len(self._text)) // _BLOCK
        return self._before[block] + self._text.count("\n", block * _BLOCK, max(offset, 0))


def behind_prefix(text: str, prefix: str, line_end: str) -> str:
    """Indent a text of several lines so that it can be inserted after the prefix of a line.

    Parameters:
        text: The text to insert.
        prefix: The text before every line there; before a blank line, the prefix without white space at its end.
        line_end: The line end used there.
    """
    first, *others = text.replace("\r\n", "\n").split("\n")
    placed = [prefix + line if line else prefix.rstrip() for line in others]
    if others:
        placed[-1] = prefix + others[-1]  # followed by the previous text
    return line_end.join([first, *placed])
