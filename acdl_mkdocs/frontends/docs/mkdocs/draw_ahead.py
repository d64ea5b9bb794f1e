"""Draw blocks of pages into the cache by several processes, while a tool renders its pages one after the other.

Only the cache changes: a page finds its blocks in it, and draws the missing ones. So a process that cannot start
or is killed costs time and nothing else. Knows no docs tool.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.frontends.docs.blocks.block import BlockRequest, draw_cached, keys_of, list_prefixes, request_of
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.workers import Workers, do_work, most_workers
from acdl_mkdocs.workspace.cache import is_current, open_cache
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.used_files import Uses

PageWork: TypeAlias = tuple[Path, str, Sequence[tuple[BlockRequest, str, str]]]
"""The work for one page's cache: its inputs, the missing blocks, their anchors and the prefixes of their ids."""

_LEAST_BLOCKS = 50
"""The fewest blocks for a process; fewer are drawn sooner than it starts."""


def draw_ahead(pages: Iterable[tuple[Page, Sequence[Fence]]], n_jobs: int) -> Workers | None:
    """Begin to draw the blocks of pages that their caches lack, if there are enough of them.

    The last page is drawn first, so that the build, which renders the first page first and draws what is missing, meets
    the processes where they are.

    Parameters:
        pages: Pages and their `acdl` blocks; each is used up here.
        n_jobs: The most processes, with this one; 0 is one for each core, but 8 at most; 1 draws nothing.

    Returns:
        The processes, which may still be drawing.
    """
    n_most = most_workers(n_jobs)
    work = list(_work_for_pages(pages)) if n_most > 1 else []
    n_workers = min(n_most - 1, sum(len(blocks) for _, _, blocks in work) // _LEAST_BLOCKS, len(work))
    return Workers(__name__, work[::-1], n_workers) if n_workers > 0 else None


def _work_for_pages(pages: Iterable[tuple[Page, Sequence[Fence]]]) -> Iterator[PageWork]:
    """Yield what another process needs for pages: for new blocks only the inputs of their HTML."""
    nothing = Catalog()
    for page, fences in pages:
        page.expect_fences(fences)
        requests = []
        for text, name in map(page.claim_block, fences):
            if page.cache:
                request, prefix = request_of(text, name, page), next(list_prefixes(text, name))
                if page.cache.old_entries.keys().isdisjoint(keys_of(request, name, prefix)):
                    alone = replace(request, text=replace(request.text, uses=Uses()), catalog=nothing)
                    requests.append((alone, name, prefix))
        if page.cache and requests:
            yield page.cache.path, page.cache.page_digest, requests


def draw_blocks(work: PageWork, catalog: Catalog) -> None:
    """Draw blocks into the cache of their page, and save it, unless the build has done so.

    Parameters:
        work: The blocks.
        catalog: The same for all work of a process, so that a text that many blocks use is parsed once.
    """
    path, made_of, blocks = work
    if is_current(path, made_of):
        return
    cache = open_cache(path)
    cache.page_digest = made_of
    cache.keep_all()
    for request, name, prefix in blocks:
        draw_cached(replace(request, catalog=catalog), name, prefix, cache)
    cache.save_file()


if __name__ == "__main__":
    do_work(partial(draw_blocks, catalog=Catalog()))
