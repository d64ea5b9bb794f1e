"""Source text and places in it: the only module that turns offsets into lines and columns.

Knows nothing about ACDL.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points: `source.text[span.start:span.end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person finds an offset: 1-based line and column (in code points) of the host file."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """A piece of ACDL text and where it comes from.

    A fence inside a Markdown page is a `Source` whose `first_line` and `first_column` say where its first line
    stands in the page, so every place is one that an editor can jump to.
    """

    text: str
    name: str = "<text>"
    """What a person calls the file: usually its path."""
    first_line: int = 1
    """Line of the host file on which `text` begins."""
    first_column: int = 1
    """Column of the host file at which *every* line of `text` begins (the indentation of a fence)."""
    prefix: str = ""
    """What stands before every line of `text` in the host file: the indentation and the quote marks of a fence."""

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        r"""Offset of the first code point of every line; only `\n` ends a line."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)

    def line_index(self, offset: int) -> int:
        """0-based index, within `text`, of the line that holds `offset`."""
        return bisect_right(self.line_starts, offset) - 1

    def place(self, offset: int) -> Place:
        """Line and column of an offset in the host file."""
        index = self.line_index(offset)
        return Place(self.first_line + index, self.first_column + offset - self.line_starts[index])

    def line_text(self, index: int) -> str:
        """The text of the line with that 0-based index, without its line end."""
        starts = self.line_starts
        end = starts[index + 1] - 1 if index + 1 < len(starts) else len(self.text)
        return self.text[starts[index] : end].rstrip("\r")

    def in_host(self, text: str) -> str:
        """A text of several lines as it can be inserted into the host file."""
        return behind_prefix(text, self.prefix, "\r\n" if "\r\n" in self.text else "\n")


def behind_prefix(text: str, prefix: str, line_end: str) -> str:
    """A text of several lines as it can be inserted behind the prefix of a line.

    Parameters:
        text: What is inserted.
        prefix: What stands before every line there; of a blank line, as much of it as is not white space at its end.
        line_end: What ends a line there.
    """
    first, *others = text.replace("\r\n", "\n").split("\n")
    placed = [prefix + line if line else prefix.rstrip() for line in others]
    if others:
        placed[-1] = prefix + others[-1]  # what was there before follows
    return line_end.join([first, *placed])
