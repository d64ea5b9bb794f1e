"""`Written`: ACDL text made of a drawing, and which line of the drawing every part of it is from."""

from bisect import bisect_right
from dataclasses import field

from acdl_mkdocs.drawn.lines import Line
from acdl_mkdocs.drawn.spelling import Spelled
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span


@dataclass(slots=True)
class Written:
    """ACDL text made of a drawing."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    starts: list[int] = field(default_factory=list)
    """Where in it each piece begins that is from the drawing, ascending."""
    lines: list[Line] = field(default_factory=list)
    """The line of the drawing that each is from."""
    words: list[str] = field(default_factory=list)
    open_ends: set[int] = field(default_factory=set)
    """Where in it a range ends whose end is left out."""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.parts)

    def line_at(self, offset: int) -> Line | None:
        """The line of the drawing that stands there in the text."""
        at = bisect_right(self.starts, offset) - 1
        return self.lines[at] if at >= 0 else None

    def lines_around(self, offset: int, n_around: int) -> list[Line]:
        """The lines of the drawing that so many pieces before and after a place in the text are from."""
        at = bisect_right(self.starts, offset) - 1
        return self.lines[max(at - n_around, 0) : at + n_around + 1]

    def in_drawing(self, span: Span) -> Span:
        """The place in the drawing of a place in the text; the whole line where its words were changed."""
        at = bisect_right(self.starts, span.start) - 1
        if at < 0:
            return Span(0, 0)
        line, start, words = self.lines[at], self.starts[at], self.words[at]
        inside = line.code.find(words) if words else -1
        if inside < 0 or span.start > start + len(words):
            return line.span
        first = min(line.start + inside + span.start - start, line.end)
        return Span(first, max(first, min(first + span.end - span.start, line.end)))

    def add(self, text: str) -> None:
        """Go on with some text."""
        self.parts.append(text)
        self.length += len(text)

    def begin(self, line: Line) -> None:
        """What comes next is from a line."""
        self.starts.append(self.length)
        self.lines.append(line)
        self.words.append("")

    def add_words(self, line: Line, made: Spelled, words: str) -> None:
        """Go on with the words of a line."""
        self.starts.append(self.length)
        self.lines.append(line)
        self.words.append(words)
        self.open_ends |= {self.length + end for end in made.open_ends}
        self.add(made.text)
