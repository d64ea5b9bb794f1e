"""Markdown for pull-request comments: text of authors is shown as code, and the whole comment keeps within a limit.

Such text cannot mention a person, close a comment, become HTML or leave its table cell.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape

from acdl_mkdocs.foundation.markdown import code_fence
from acdl_mkdocs.foundation.safe_text import make_visible, one_line

MOST_CHARACTERS = 65_536
"""The length limit of a comment on the usual hosts of pull requests."""
_MOST_IN_CODE = 200
_RESERVE = 400
"""Characters kept to note what had no room."""
_FOR_MORE = 100
"""Characters kept to note how much of one thing is left out."""
_RISKY = re.compile(r"[^\w .,:;=/()+-]|_", re.ASCII)
"""Characters that could act inside `<code>`, where Markdown is still read."""
_POINT = re.compile(r"@[\w.]*\w")
"""A point in time. Outside of code, hosts read `@1` as the name of a user, and notify that user."""
_ACTS = re.compile(r"(?<!\S)\S*(?:[@#]|://|www\.)\S*")
"""A word that becomes a mention or a link, also where Markdown is not read."""


def format_code(text: str, most: int = _MOST_IN_CODE) -> str:
    """Format a few words of an author as inline code, safe in a table cell; a text that is too long is cut."""
    line = one_line(text, most)
    if not line:
        return "nothing"
    if "`" not in line and "|" not in line and "\\" not in line:
        return f"`{line}`"
    return f"<code>{_RISKY.sub(lambda match: f'&#{ord(match[0])};', line)}</code>"


def format_code_block(lines: Iterable[str], language: str = "text") -> str:
    """Format lines as a fenced code block."""
    visible = [make_visible(line) for line in lines]
    fence = code_fence("\n".join(visible))
    return "\n".join([f"{fence}{language}", *visible, fence])


def escape_mentions(sentence: str) -> str:
    """Format a sentence of this program so that points in time such as `@1` mention nobody."""
    return _POINT.sub(lambda match: format_code(match[0]), sentence)


def format_details(summary: str, body: str) -> str:
    """Format a collapsible section; the summary consists of plain words and file names."""
    title = _ACTS.sub(lambda match: f"<code>{match[0]}</code>", escape(make_visible(summary), quote=False))
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"


def count_characters(text: str) -> int:
    """Count characters as hosts do: those outside the basic plane count twice."""
    return len(text) + sum(1 for each in text if ord(each) > 0xFFFF)


class MarkdownComment:
    """A comment that is written from top to bottom and notes what it has no room for."""

    def __init__(self, limit: int = MOST_CHARACTERS) -> None:
        """Start a comment with a limit in characters."""
        self._room = limit - _RESERVE
        self._parts: list[str] = []
        self._n_without_room = 0

    def add_paragraph(self, text: str) -> bool:
        """Add a paragraph if there is room, and return whether there was."""
        needed = count_characters(text) + 2
        if needed > self._room:
            self._n_without_room += 1
            return False
        self._room -= needed
        self._parts.append(text)
        return True

    def add_table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], most: int = 200) -> None:
        """Add a table of at most `most` rows, as far as there is room, and note how many are left out."""
        lines = [_format_row(heads), _format_row(["---"] * len(heads))]
        left, n_left_out = self._room - sum(map(count_characters, lines)) - _FOR_MORE, 0
        for number, row in enumerate(rows):
            line = _format_row(row)
            if n_left_out or number >= most or count_characters(line) + 1 > left:
                n_left_out += 1
                continue
            left -= count_characters(line) + 1
            lines.append(line)
        if n_left_out:
            lines += ["", f"and {n_left_out:,} more."]
        self.add_paragraph("\n".join(lines))

    def add_details(self, summary: str, lines: Sequence[str], language: str = "text") -> None:
        """Add collapsed lines; the last ones are left out if there is no room for all."""
        details = format_details(summary, format_code_block(lines, language))
        if count_characters(details) + 2 <= self._room:
            self.add_paragraph(details)
            return
        left, first_lines = (
            self._room - count_characters(format_details(summary, format_code_block([], language))) - _FOR_MORE,
            list[str](),
        )
        for line in lines:
            left -= count_characters(make_visible(line)) + 1
            if left < 0:
                break
            first_lines.append(line)
        if not first_lines:
            self._n_without_room += 1
            return
        n_more = len(lines) - len(first_lines)
        first_lines.append(f"… {n_more:,} more line{'' if n_more == 1 else 's'}")
        self.add_paragraph(format_details(summary, format_code_block(first_lines, language)))

    def format_text(self, cure: str) -> str:
        """Return the whole comment.

        Parameters:
            cure: A sentence about where to see the rest, if possible.
        """
        parts = list(self._parts)
        if self._n_without_room:
            n_parts = f"{self._n_without_room} part{'' if self._n_without_room == 1 else 's'}"
            parts.append(f"{n_parts} had no room here. {cure}")
        return "\n\n".join(parts) + "\n"


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
