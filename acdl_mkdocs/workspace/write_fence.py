"""Write text back into the fences of a Markdown page: the lines of a block, or single edits of them.

Knows prefixes and line ends of a page, and nothing about the contents of a block.
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
    """The lines of a page and their offsets in its text."""

    def __init__(self, text: str) -> None:
        pieces = _LINE_END.split(text)
        self.lines = pieces[::2]
        """Without line ends, as `scan_fences` expects them."""
        self._ends = pieces[1::2]
        self._starts = list(accumulate((len(piece) for piece in pieces), initial=0))[::2]

    def start_of(self, index: int) -> int:
        """Return the offset of a line in the page; after the last line, the end of the page."""
        return self._starts[index] if index < len(self._starts) else self.end_of(len(self.lines) - 1)

    def end_of(self, index: int) -> int:
        """Return the offset of the end of a line, before its line end."""
        return self._starts[index] + len(self.lines[index])

    def text_of(self, first: int, end: int | None = None) -> str:
        """Return lines as written in the page, with their line ends."""
        last = len(self.lines) if end is None else end
        return "".join(
            line + line_end
            for line, line_end in zip(self.lines[first:last], [*self._ends, ""][first:last], strict=True)
        )

    def indent_block(self, text: str, fence: Fence) -> str:
        """Return the lines of a block for the page, indented and quoted like those that they replace."""
        before, line_end = (
            _prefix(fence, self.lines),
            self._ends[fence.first] if fence.first < len(self._ends) else "\n",
        )
        lines = (f"{before}{line}" if line else before.rstrip() for line in text.split("\n")[:-1])
        return "".join(line + line_end for line in lines)

    def move_fix(self, fix: Fix, fence: Fence) -> Fix:
        """Convert a fix of the text of a closed fence to a fix of the page that changes only that fence."""
        block = Source(fence.text, prefix=_prefix(fence, self.lines))
        return replace(fix, edits=tuple(self._move_edit(_trim_edit(edit, block), fence, block) for edit in fix.edits))

    def _move_edit(self, edit: TextEdit, fence: Fence, block: Source) -> TextEdit:
        line_end, prefix = self._ends[fence.first], block.prefix
        is_whole = _is_whole_lines(edit, block)
        if is_whole or self._is_bare(edit.span.start, fence, block):
            start = self._line_start(edit.span.start, fence, block)
            text = behind_prefix("\n" + edit.text, prefix, line_end)[len(line_end) :]
        else:
            start = self._page_offset(edit.span.start, fence, block)
            text = behind_prefix(edit.text, prefix, line_end)
        if is_whole:  # the next line has its own prefix
            return TextEdit(Span(start, self._line_start(edit.span.end, fence, block)), text[: len(text) - len(prefix)])
        return TextEdit(Span(start, self._page_offset(edit.span.end, fence, block)), text)

    def _is_bare(self, offset: int, fence: Fence, block: Source) -> bool:
        """Return whether an offset is on a blank line that lacks the prefix of the others."""
        index = block.line_index(offset)
        return not block.line_text(index).strip() and self._n_before(index, fence, block) < len(block.prefix)

    def _line_start(self, offset: int, fence: Fence, block: Source) -> int:
        """Return the offset in the page of the start of a line of the block, including its prefix."""
        return self._starts[fence.first + 1 + block.line_index(offset)]

    def _page_offset(self, offset: int, fence: Fence, block: Source) -> int:
        """Convert an offset of the block to the page; never after its last line."""
        index = block.line_index(offset)
        start = self._starts[fence.first + 1 + index] + self._n_before(index, fence, block)
        return start + offset - block.line_starts[index]

    def _n_before(self, index: int, fence: Fence, block: Source) -> int:
        """Return the length of the prefix of a line of the block."""
        return len(self.lines[fence.first + 1 + index]) - len(block.line_text(index))


def _trim_edit(edit: TextEdit, block: Source) -> TextEdit:
    """Trim the line end that an edit would remove and add again, so that it stays inside the block."""
    start, end, text = edit.span.start, edit.span.end, edit.text
    if end == len(block.text) and not text.endswith("\n") and (text or not _begins_line(start, block)):
        text += "\n"  # the closing marks are on a separate line
    if start < end and text.endswith("\n") and block.text[end - 1] == "\n":
        return TextEdit(Span(start, end - 1), text[:-1])
    return TextEdit(Span(start, end), text)


def _is_whole_lines(edit: TextEdit, block: Source) -> bool:
    """Return whether an edit removes or adds whole lines and touches no other."""
    is_between = _begins_line(edit.span.start, block) and _begins_line(edit.span.end, block)
    return is_between and (edit.text.endswith("\n") or (not edit.text and edit.span.start < edit.span.end))


def _begins_line(offset: int, block: Source) -> bool:
    return offset == 0 or block.text[offset - 1] == "\n"


def _prefix(fence: Fence, page: Sequence[str]) -> str:
    """Return the prefix of the lines of a block: the common one, or else the one that fits the opening line."""
    prefixes = {
        line[: len(line) - len(content)]
        for line, content in zip(
            (line.rstrip("\r") for line in page[fence.first + 1 : fence.body_end]), fence.text.split("\n"), strict=False
        )
        if content.strip()
    }
    return prefixes.pop() if len(prefixes) == 1 else fence.inside
