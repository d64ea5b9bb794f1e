"""The fences that are drawn, by their language: one line for each kind."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from acdl_mkdocs.site.block import Block, from_fence
from acdl_mkdocs.site.fences import Fence
from acdl_mkdocs.site.page import Page

Draw: TypeAlias = Callable[[Fence, Page], Block]


def _gallery(fence: Fence, page: Page) -> Block:
    from acdl_mkdocs.site.gallery_block import gallery_from_fence  # few pages have one

    return gallery_from_fence(fence, page)


BLOCKS: Mapping[str, Draw] = {
    "acdl": from_fence,
    "acdl-gallery": _gallery,
}
