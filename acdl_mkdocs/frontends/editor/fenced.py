"""The fenced blocks of a page, with the position of each line of a block.

Fences are found by the scanner that builds pages; this module does not repeat it.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property

from acdl_mkdocs.foundation.diagnostics import Fix
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.myst import move_options, skip_options
from acdl_mkdocs.workspace.options import BlockOptions, read_block_header
from acdl_mkdocs.workspace.page_kinds import PageKind, blocks_in
from acdl_mkdocs.workspace.write_fence import PageLines


@dataclass(frozen=True, eq=False)
class FencedLines:
    """The lines of a block in their page."""

    page: PageLines
    host_fence: Fence
    """The fence as found in the page."""
    fence: Fence
    """The fence below the lines of its options, if it is a directive."""
    block: Source

    def fix_on_page(self, fix: Fix) -> Fix:
        """Translate a fix of the block to the page."""
        return self.page.move_fix(fix, self.fence)

    def offset_on_page(self, offset: int) -> int:
        """Return the page offset of a block offset; at most the end of its last line."""
        index = min(self.block.line_index(offset), len(self._starts) - 1)
        if index < 0:
            return self.page.start_of(self.fence.end)
        inner = min(offset, len(self.block.text)) - self.block.line_starts[index]
        return min(self._starts[index] + inner, self._ends[index])

    def opening_offset(self, opening: str, offset: int) -> int:
        """Return the page offset of an offset in the opening line; further lines are those of options below it."""
        index = opening.count("\n", 0, offset)
        column = offset - (opening.rfind("\n", 0, offset) + 1)
        line = self.host_fence.first + index
        return min(self.page.start_of(line) + len(self.host_fence.prefix) + column, self.page.end_of(line))

    def offset_in_block(self, offset: int) -> int | None:
        """Return the block offset of a page offset; `None` if it is outside of the block."""
        first = self.fence.first + 1
        if not self._starts or not self.page.start_of(first) <= offset <= self._ends[-1]:
            return None
        index = bisect_right(self._line_starts, offset) - 1
        return self.block.line_starts[index] + min(max(offset - self._starts[index], 0), self._lengths[index])

    @cached_property
    def _lengths(self) -> list[int]:
        """The length of each line without its prefix; the text ends with a line end, after which there is no line."""
        return [len(line) for line in self.block.text.split("\n")[:-1]]

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset of each line in the page, prefix included."""
        first = self.fence.first + 1
        return [self.page.start_of(first + index) for index in range(len(self._lengths))]

    @cached_property
    def _ends(self) -> list[int]:
        """The offset of the end of each line."""
        lines = self.page.lines[self.fence.first + 1 :]
        return [start + len(line) for start, line in zip(self._line_starts, lines, strict=False)]

    @cached_property
    def _starts(self) -> list[int]:
        """The offset where the block's text begins on each line: its text is always at the end of the line."""
        return [end - length for end, length in zip(self._ends, self._lengths, strict=True)]


@dataclass(frozen=True, eq=False)
class PlacedFence:
    """A fenced block of a page."""

    fence: Fence
    """The fence as found, with the options of a directive in its text."""
    header: Span
    """The span from the opening marks on, with the lines of options of a directive."""
    body: Span
    """The span of the lines inside."""
    lines: FencedLines
    options: BlockOptions
    """The options of an `acdl` block, as far as they are understood."""

    @property
    def source(self) -> Source:
        """The text of the block."""
        return self.lines.block

    @property
    def is_acdl(self) -> bool:
        """Whether the block is ACDL text, and neither shows a file nor is only quoted."""
        return self.is_block and not self.options.src

    @property
    def is_block(self) -> bool:
        """Whether the block is drawn as ACDL."""
        return self.fence.language == "acdl" and not self.fence.is_code

    @property
    def whole(self) -> Span:
        """The span from the opening to the closing marks."""
        last = max(self.fence.end - 1, self.fence.first)
        return Span(self.header.start, max(self.lines.page.end_of(last), self.header.end))

    def list_option_values(self) -> Iterator[tuple[str, Span]]:
        """Yield the options that the block sets, with the spans of their values in the page, without quotes."""
        opening, spans = _options_of(self.fence)
        for name, span in spans.items():
            value = opening[span.start : span.end]
            quotes = 1 if value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1 else 0
            start = self.lines.opening_offset(opening, span.start + quotes)
            yield name, Span(start, start + len(value) - 2 * quotes)


def _options_of(fence: Fence) -> tuple[str, Mapping[str, Span]]:
    """Return the lines that hold the options of a block, and the span of each value in them."""
    full_fence = move_options(fence)
    if fence.language == "acdl-diff":
        from acdl_mkdocs.frontends.docs.blocks.diff_options import (  # few pages compare
            DiffOptions,
            opening_of,
            read_diff_header,
        )

        opening = opening_of(full_fence)
        return opening.text, read_diff_header(Source(opening.text), opening.pairs, DiffOptions()).places
    return full_fence.opening, read_block_header(Source(full_fence.opening), language=fence.language).places


def place_fences(text: str, name: str, kind: PageKind = "myst") -> tuple[PlacedFence, ...]:
    """Return all fenced blocks of a page.

    Parameters:
        text: The page.
        name: The display name of its file.
        kind: How it is read.
    """
    page = PageLines(text)
    return tuple(_place_fence(fence, page, name) for fence in blocks_in(text, kind))


def _place_fence(original: Fence, page: PageLines, name: str) -> PlacedFence:
    is_acdl = original.language == "acdl"
    fence = skip_options(original) if is_acdl else original
    block = Source(make_printable(fence.text), name, fence.first + 2, fence.column, fence.inside)
    options = read_block_header(Source(make_printable(fence.opening))).options if is_acdl else BlockOptions()
    body_end = page.start_of(fence.body_end)
    header = Span(page.start_of(original.first) + len(original.prefix), page.end_of(fence.first))
    body = Span(min(page.start_of(fence.first + 1), body_end), body_end)
    return PlacedFence(original, header, body, FencedLines(page, original, fence, block), options)
