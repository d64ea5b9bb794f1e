"""The fence `acdl-diff`: the changes between two specs, as a verdict, drawings, text and a list of edits.

Modules that parse, compare and draw are imported when a block is not in the cache of its page.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acdl_mkdocs.frontends.docs.blocks import cached_block
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.cached_block import BlockKind, DrawnBlock
from acdl_mkdocs.frontends.docs.blocks.diff_options import LANGUAGE
from acdl_mkdocs.frontends.docs.blocks.diff_read import DiffText, read_diff
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import digest_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.blocks.diff_html import DiffParts
    from acdl_mkdocs.frontends.docs.blocks.example import Example


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    return cached_block.from_fence(fence, page, _KIND)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of a block: its options, then the texts inside."""
    text = read_diff(fence, page)
    page.files |= set(text.files)
    yield from text.findings
    for side in text.sides or ():
        if side.source is not None and side.source.name == text.opening.name and not side.definition:
            from acdl_mkdocs.language.syntax.parse import parse

            yield from ((each, side.source) for each in parse(side.source).diagnostics)


def plain(fence: Fence, page: Page) -> str:
    """Return the verdict and the edits as text, for output without drawings; empty if there is nothing to compare."""
    text = read_diff(fence, page)
    page.files |= set(text.files)
    if text.sides is None:
        return ""
    from acdl_mkdocs.frontends.docs.blocks.diff_draw import plain_text

    return plain_text(text, page)


def _list_facts(text: DiffText) -> object:
    others = [[[digest_of(source) for source in level] for level in levels] for levels in text.others]
    return text.sides, text.options, text.state and text.state.facts, others


def _draw_diff(text: DiffText, prefix: str, page: Page) -> "DrawnBlock[DiffParts]":
    from acdl_mkdocs.frontends.docs.blocks.diff_draw import draw_diff

    return DrawnBlock(*draw_diff(text, prefix, page))


def _build_element(text: DiffText, name: str, parts: "DiffParts | None", panel: str, page: Page) -> str:
    from acdl_mkdocs.frontends.docs.blocks.diff_html import difference_element

    return difference_element(text.options, name, parts, panel, page.settings.source_url)


def _list_examples(text: DiffText) -> "Iterator[Example]":
    """Yield an example of both texts with everything that they use, if they were found."""
    from acdl_mkdocs.frontends.docs.blocks.opened_sides import example_of_sides  # few sites have a playground

    if text.sides is not None:
        yield example_of_sides(text.sides, text.others, text.options, text.state)


_KIND: "BlockKind[DiffText, DiffParts]" = BlockKind(
    LANGUAGE, "Difference", read_diff, _list_facts, _draw_diff, _build_element, _list_examples
)
