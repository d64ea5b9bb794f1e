"""Put text back into the fences of a Markdown page: the lines of a block, or single edits of them.

Knows prefixes and line ends of a page, and nothing of what a block says.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from acdl_mkdocs.foundation.diagnostics import Fix, TextEdit
from acdl_mkdocs.foundation.source import Source, Span, behind_prefix
from acdl_mkdocs.workspace.fences import Fence

_LINE_END = re.compile(r"(\r\n?|\n)")


class PageLines:
    """The lines of a page and where they begin in its text."""

    def __init__(self, text: str) -> None:
        pieces = _LINE_END.split(text)
        self.lines = pieces[::2]
        """Without their line ends, as `scan` takes them."""
        self._ends = pieces[1::2]
        self._starts = list(accumulate((len(piece) for piece in pieces), initial=0))[::2]

    def start(self, index: int) -> int:
        """Where a line begins in the page; behind the last line, the end of the page."""
        return self._starts[index] if index < len(self._starts) else self.end(len(self.lines) - 1)

    def end(self, index: int) -> int:
        """Where a line ends, before its line end."""
        return self._starts[index] + len(self.lines[index])

    def text(self, first: int, end: int | None = None) -> str:
        """Lines as they stand in the page, with their line ends."""
        last = len(self.lines) if end is None else end
        return "".join(
            line + line_end
            for line, line_end in zip(self.lines[first:last], [*self._ends, ""][first:last], strict=True)
        )

    def placed(self, text: str, fence: Fence) -> str:
        """The lines of a block as they would stand in the page, indented and quoted like those that they replace."""
        before, line_end = (
            _prefix(fence, self.lines),
            self._ends[fence.first] if fence.first < len(self._ends) else "\n",
        )
        lines = (f"{before}{line}" if line else before.rstrip() for line in text.split("\n")[:-1])
        return "".join(line + line_end for line in lines)

    def fix(self, fix: Fix, fence: Fence) -> Fix:
        """A fix of the text of a closed fence as a fix of the text of the page, which changes that fence alone."""
        block = Source(fence.text, prefix=_prefix(fence, self.lines))
        return replace(fix, edits=tuple(self._edit(_within(edit, block), fence, block) for edit in fix.edits))

    def _edit(self, edit: TextEdit, fence: Fence, block: Source) -> TextEdit:
        line_end, prefix = self._ends[fence.first], block.prefix
        is_whole = _is_whole_lines(edit, block)
        if is_whole or self._is_bare(edit.span.start, fence, block):
            start = self._line_start(edit.span.start, fence, block)
            text = behind_prefix("\n" + edit.text, prefix, line_end)[len(line_end) :]
        else:
            start = self._offset(edit.span.start, fence, block)
            text = behind_prefix(edit.text, prefix, line_end)
        if is_whole:  # the line that follows has its own prefix
            return TextEdit(Span(start, self._line_start(edit.span.end, fence, block)), text[: len(text) - len(prefix)])
        return TextEdit(Span(start, self._offset(edit.span.end, fence, block)), text)

    def _is_bare(self, offset: int, fence: Fence, block: Source) -> bool:
        """Whether an offset is on a blank line that lacks the prefix of the others."""
        index = block.line_index(offset)
        return not block.line_text(index).strip() and self._n_before(index, fence, block) < len(block.prefix)

    def _line_start(self, offset: int, fence: Fence, block: Source) -> int:
        """Where the line of an offset of the block begins in the page, with what stands before the block."""
        return self._starts[fence.first + 1 + block.line_index(offset)]

    def _offset(self, offset: int, fence: Fence, block: Source) -> int:
        """Where an offset of the block is in the page; never behind its last line."""
        index = block.line_index(offset)
        start = self._starts[fence.first + 1 + index] + self._n_before(index, fence, block)
        return start + offset - block.line_starts[index]

    def _n_before(self, index: int, fence: Fence, block: Source) -> int:
        """How much stands before a line of the block."""
        return len(self.lines[fence.first + 1 + index]) - len(block.line_text(index))


def _within(edit: TextEdit, block: Source) -> TextEdit:
    """The same edit without the line end that it would take away and put back, so that it stays inside the block."""
    start, end, text = edit.span.start, edit.span.end, edit.text
    if end == len(block.text) and not text.endswith("\n") and (text or not _begins_line(start, block)):
        text += "\n"  # the closing marks have a line of their own
    if start < end and text.endswith("\n") and block.text[end - 1] == "\n":
        return TextEdit(Span(start, end - 1), text[:-1])
    return TextEdit(Span(start, end), text)


def _is_whole_lines(edit: TextEdit, block: Source) -> bool:
    """Whether an edit takes out, or puts in, lines as a whole and touches no other."""
    is_between = _begins_line(edit.span.start, block) and _begins_line(edit.span.end, block)
    return is_between and (edit.text.endswith("\n") or (not edit.text and edit.span.start < edit.span.end))


def _begins_line(offset: int, block: Source) -> bool:
    return offset == 0 or block.text[offset - 1] == "\n"


def _prefix(fence: Fence, page: Sequence[str]) -> str:
    """What stands before each line of a block: the same for all of them, or else what fits the opening line."""
    found = {
        line[: len(line) - len(content)]
        for line, content in zip(
            (line.rstrip("\r") for line in page[fence.first + 1 : fence.body_end]), fence.text.split("\n"), strict=False
        )
        if content.strip()
    }
    return found.pop() if len(found) == 1 else fence.inside
