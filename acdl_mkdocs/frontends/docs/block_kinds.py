"""The fences that are drawn, by their language: one line for each kind.

`BLOCKS` names the module of each, with `from_fence(fence, page)`, which draws a block and reports its problems to the
page, and `fence_problems(fence, page)`, which finds those of its opening line without building the page. A
kind costs nothing until a page has it.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

BLOCKS: Mapping[str, str] = {
    "acdl": "acdl_mkdocs.frontends.docs.blocks.block",
    "acdl-diff": "acdl_mkdocs.frontends.docs.blocks.diff_block",
    "acdl-gallery": "acdl_mkdocs.frontends.docs.blocks.gallery_block",
    "acdl-inspect": "acdl_mkdocs.frontends.docs.blocks.inspect_block",
    "acdl-playbook": "acdl_mkdocs.frontends.docs.blocks.playbook_block",
    "acdl-variants": "acdl_mkdocs.frontends.docs.blocks.variants_block",
    "laic": "acdl_mkdocs.frontends.docs.blocks.laic_block",
    "pml": "acdl_mkdocs.frontends.docs.blocks.pml_block",
}


def draw_block(fence: Fence, page: Page) -> PageBlock:
    """Draw a block of a page as HTML; one of an unknown language is treated as a spec."""
    from_fence: Callable[[Fence, Page], PageBlock] = import_module(
        BLOCKS.get(fence.language, BLOCKS["acdl"])
    ).from_fence
    return from_fence(fence, page)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of the opening line of a block; none for a spec, which is checked with its text."""
    module = BLOCKS.get(fence.language)
    if module and fence.language != "acdl" and not fence.is_code:
        find: Callable[[Fence, Page], Iterator[Finding]] = import_module(module).fence_problems
        yield from find(fence, page)
