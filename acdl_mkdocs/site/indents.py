"""Which lines of a Markdown text are an indented code block, as far as this can be told line by line.

Tools decide it by parsing the page with all of its extensions. This is for those who have only the lines: the command
line, and the places of a build log. What could hold indented text, such as an item or an admonition, is taken to.
"""

import re

_QUOTES = re.compile(r"(?: {0,3}>[ \t]?)+")
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)]|:)(?=[ \t])[ \t]*|\[\^[^\]\n]+\]:|[!?=/+%:]{3,}[ \t]+(?=\S)")
_NO_PARAGRAPH = ("#", "<!--", "{/*")
"""How a line begins that no text continues: headings and comments."""
_STEP = 4


class Indents:
    """What the lines of a text that were seen so far leave open."""

    def __init__(self) -> None:
        self._containers: list[tuple[int, int]] = []  # columns of an open container and of what it holds
        self._is_paragraph = False
        self._is_code = False

    def see(self, line: str) -> bool:
        """Whether the next line is indented code."""
        content = _QUOTES.sub("", line, count=1) if ">" in line[:_STEP] else line
        content = content.expandtabs(_STEP)
        words = content.lstrip()
        if not words:
            self._is_paragraph = False
            return self._is_code
        column = len(content) - len(words)
        above = [each for each in self._containers if each[0] < column]
        least = _STEP + (above[-1][1] if above else 0)
        self._is_code = column >= least and not self._is_paragraph
        if not self._is_code:
            self._open(column, words, above)
        return self._is_code

    def leave(self, *, is_block: bool) -> None:
        """Go on behind a fenced block; one that is a block of its own ends the text above it."""
        self._is_paragraph = not is_block and not self._is_code

    def _open(self, column: int, words: str, above: list[tuple[int, int]]) -> None:
        """Take a line of text: it may begin a container, end some, or go on with what is above it."""
        n_markers, at = 0, 0
        while found := _MARKER.match(words, at):
            n_markers, at = n_markers + 1, found.end()
        if n_markers:
            self._containers = [*above, (column, column + _STEP * n_markers)]
        elif not self._is_paragraph:
            self._containers = above
        self._is_paragraph = not words.startswith(_NO_PARAGRAPH)
