"""The fenced blocks of a page with their places, and where each line of a block stands.

Fences are found by the scanner that builds pages; nothing of it is repeated here.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property

from acdl_mkdocs.foundation.diagnostics import Fix
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.myst import below_options, with_options
from acdl_mkdocs.workspace.options import BlockOptions, read_header
from acdl_mkdocs.workspace.page_kinds import PageKind, blocks_in
from acdl_mkdocs.workspace.write_fence import PageLines


@dataclass(frozen=True, eq=False)
class FencedLines:
    """Where the lines of a block stand in the page."""

    page: PageLines
    found: Fence
    """As it is found in the page."""
    fence: Fence
    """Below the lines of its options, if it is a directive."""
    block: Source

    def fix(self, fix: Fix) -> Fix:
        """A fix of the block as a fix of the page."""
        return self.page.fix(fix, self.fence)

    def offset(self, offset: int) -> int:
        """Where an offset of the block is in the page; never behind the end of its last line."""
        index = min(self.block.line_index(offset), len(self._starts) - 1)
        if index < 0:
            return self.page.start(self.fence.end)
        inner = min(offset, len(self.block.text)) - self.block.line_starts[index]
        return min(self._starts[index] + inner, self._ends[index])

    def opening_offset(self, opening: str, offset: int) -> int:
        """Where an offset of the opening line is in the page; its further lines are those of options below it."""
        index = opening.count("\n", 0, offset)
        column = offset - (opening.rfind("\n", 0, offset) + 1)
        before = self.found.prefix if index == 0 else self.found.inside
        line = self.found.first + index
        return min(self.page.start(line) + len(before) + column, self.page.end(line))

    def inside(self, offset: int) -> int | None:
        """The offset of the block that stands at one of the page; `None` if that is outside of the block."""
        first = self.fence.first + 1
        if not self._starts or not self.page.start(first) <= offset <= self._ends[-1]:
            return None
        index = bisect_right(self._line_starts, offset) - 1
        return self.block.line_starts[index] + min(max(offset - self._starts[index], 0), self._lengths[index])

    @cached_property
    def _lengths(self) -> list[int]:
        """How long each line is, without what stands before it; the text ends with a line end, behind which is none."""
        return [len(line) for line in self.block.text.split("\n")[:-1]]

    @cached_property
    def _line_starts(self) -> list[int]:
        """Where each line begins in the page, with what stands before it."""
        first = self.fence.first + 1
        return [self.page.start(first + index) for index in range(len(self._lengths))]

    @cached_property
    def _ends(self) -> list[int]:
        """Where each line ends."""
        lines = self.page.lines[self.fence.first + 1 :]
        return [start + len(line) for start, line in zip(self._line_starts, lines, strict=False)]

    @cached_property
    def _starts(self) -> list[int]:
        """Where the text of each line begins: all that the block has of a line stands at its end."""
        return [end - length for end, length in zip(self._ends, self._lengths, strict=True)]


@dataclass(frozen=True, eq=False)
class PlacedFence:
    """A fenced block of a page."""

    fence: Fence
    """As it is found, with the options of a directive in its text."""
    header: Span
    """The opening line from its marks on, and the lines of options of a directive."""
    body: Span
    """The lines inside."""
    lines: FencedLines
    options: BlockOptions
    """Of an `acdl` block, as far as they are understood."""

    @property
    def source(self) -> Source:
        """The text of the block."""
        return self.lines.block

    @property
    def is_acdl(self) -> bool:
        """Whether the block is a text of ACDL, and not one that shows a file or is only quoted."""
        return self.is_block and not self.options.src

    @property
    def is_block(self) -> bool:
        """Whether the block is drawn as ACDL."""
        return self.fence.language == "acdl" and not self.fence.is_code

    @property
    def whole(self) -> Span:
        """From the opening marks to the closing ones."""
        last = max(self.fence.end - 1, self.fence.first)
        return Span(self.header.start, max(self.lines.page.end(last), self.header.end))

    def values(self) -> Iterator[tuple[str, Span]]:
        """The options that the block gives, with the places of their values in the page, without quotes."""
        opening, places = _options_of(self.fence)
        for name, place in places.items():
            value = opening[place.start : place.end]
            quotes = 1 if value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1 else 0
            start = self.lines.opening_offset(opening, place.start + quotes)
            yield name, Span(start, start + len(value) - 2 * quotes)


def _options_of(fence: Fence) -> tuple[str, Mapping[str, Span]]:
    """The lines that the options of a block stand on, and where in them each value is."""
    whole = with_options(fence)
    if fence.language == "acdl-diff":
        from acdl_mkdocs.frontends.docs.blocks.diff_options import (  # few pages compare
            DiffOptions,
            opening_of,
            read_diff_header,
        )

        opening = opening_of(whole)
        return opening.text, read_diff_header(Source(opening.text), opening.pairs, DiffOptions()).places
    return whole.opening, read_header(Source(whole.opening), language=fence.language).places


def placed_fences(text: str, name: str, kind: PageKind = "myst") -> tuple[PlacedFence, ...]:
    """All fenced blocks of a page.

    Parameters:
        text: The page.
        name: What a person calls its file.
        kind: How it is read.
    """
    page = PageLines(text)
    return tuple(_placed(fence, page, name) for fence in blocks_in(text, kind))


def _placed(found: Fence, page: PageLines, name: str) -> PlacedFence:
    is_acdl = found.language == "acdl"
    fence = below_options(found) if is_acdl else found
    block = Source(printable(fence.text), name, fence.first + 2, fence.column, fence.inside)
    options = read_header(Source(printable(fence.opening))).options if is_acdl else BlockOptions()
    body_end = page.start(fence.body_end)
    header = Span(page.start(found.first) + len(found.prefix), page.end(fence.first))
    body = Span(min(page.start(fence.first + 1), body_end), body_end)
    return PlacedFence(found, header, body, FencedLines(page, found, fence, block), options)
