"""The fence `acdl-variants`: several specs in columns, and a table of results from their author.

Modules that parse and draw are imported when a block is not in the cache of its page.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from acdl_mkdocs.frontends.docs.blocks import cached_block
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.cached_block import BlockKind, DrawnBlock
from acdl_mkdocs.frontends.docs.blocks.variants_options import LANGUAGE
from acdl_mkdocs.frontends.docs.blocks.variants_read import VariantsText, read_variants
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import digest_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.blocks.example import Example
    from acdl_mkdocs.frontends.docs.blocks.variants_draw import VariantColumn


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    return cached_block.from_fence(fence, page, _KIND)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of a block: its options, its YAML, its results."""
    text = read_variants(fence, page)
    page.files |= set(text.files)
    yield from text.findings


def plain(fence: Fence, page: Page) -> str:
    """Return the results and the differences from the base as text, for output without drawings."""
    text = read_variants(fence, page)
    page.files |= set(text.files)
    if not text.variants:
        return ""
    from acdl_mkdocs.frontends.docs.blocks.variants_draw import difference_words
    from acdl_mkdocs.frontends.docs.blocks.variants_read import best_of

    lines = [text.options.title] if text.options.title else []
    lines += difference_words(text, page)
    for row in text.rows:
        best = best_of(row)
        values = [f"{name} {value}{' (best)' if name in best else ''}" for name, value in row.values.items()]
        lines.append(f"{row.measure}: {', '.join(values)}")
    lines += [f"Results: {text.source}"] if text.source else []
    return "\n".join(lines) + "\n"


def _list_facts(text: VariantsText) -> object:
    others = [[[digest_of(source) for source in level] for level in each.others] for each in text.variants]
    variants = tuple(replace(each, others=()) for each in text.variants)
    return replace(text, files=(), findings=(), variants=variants), others


def _draw_variants(text: VariantsText, prefix: str, page: Page) -> "DrawnBlock[list[VariantColumn]]":
    from acdl_mkdocs.frontends.docs.blocks.variants_draw import draw_columns

    return DrawnBlock(*draw_columns(text, prefix, page))


def _build_element(text: VariantsText, name: str, columns: "list[VariantColumn] | None", panel: str, page: Page) -> str:
    from acdl_mkdocs.frontends.docs.blocks.variants_draw import variants_element

    del page
    return variants_element(text, name, columns or [], panel)


def _list_examples(text: VariantsText) -> "Iterable[Example]":
    from acdl_mkdocs.frontends.docs.blocks.opened_sides import examples_of_variants  # few sites have a playground

    return examples_of_variants(text)


_KIND: "BlockKind[VariantsText, list[VariantColumn]]" = BlockKind(
    LANGUAGE, "Variants", read_variants, _list_facts, _draw_variants, _build_element, _list_examples
)
