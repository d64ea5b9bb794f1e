"""The fences that are drawn, by their language: one line for each kind.

`BLOCKS` names the module of each, with `from_fence(fence, page)`, which draws a block and reports its problems to the
page, and `fence_problems(fence, page)`, which finds those of its opening line for whoever does not build the page. A
kind costs nothing until a page has it.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

from acdl_mkdocs.site.block import Block
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

BLOCKS: Mapping[str, str] = {
    "acdl": "acdl_mkdocs.site.block",
    "acdl-diff": "acdl_mkdocs.site.diff_block",
    "acdl-gallery": "acdl_mkdocs.site.gallery_block",
    "acdl-inspect": "acdl_mkdocs.site.inspect_block",
    "acdl-playbook": "acdl_mkdocs.playbook.pages.in_page",
    "acdl-variants": "acdl_mkdocs.site.variants_block",
    "laic": "acdl_mkdocs.site.laic_block",
    "pml": "acdl_mkdocs.site.pml_block",
}


def draw(fence: Fence, page: Page) -> Block:
    """A block of a page as HTML; one of an unknown language is taken for a spec."""
    from_fence: Callable[[Fence, Page], Block] = import_module(BLOCKS.get(fence.language, BLOCKS["acdl"])).from_fence
    return from_fence(fence, page)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """What is wrong with the opening line of a block; of a spec nothing, because it is checked with its text."""
    module = BLOCKS.get(fence.language)
    if module and fence.language != "acdl" and not fence.is_code:
        find: Callable[[Fence, Page], Iterator[Finding]] = import_module(module).fence_problems
        yield from find(fence, page)
