"""Draw blocks of pages into the cache by several processes, before a tool renders its pages one after the other.

Only the cache changes: a page finds its blocks in it, and draws the missing ones. So a process that cannot start
or is killed costs time and nothing else. Knows no docs tool.
"""

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.foundation.system import n_processes
from acdl_mkdocs.frontends.docs.blocks.block import BlockRequest, draw_cached, keys_of, list_prefixes, request_of
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import open_cache
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.used_files import Uses

_log = logging.getLogger(__name__)

PageWork: TypeAlias = tuple[Path, str, Sequence[tuple[BlockRequest, str, str]]]
"""The work for one page's cache: its inputs, the missing blocks, their anchors and the prefixes of their ids."""

_LEAST_BLOCKS = 50
"""The fewest blocks for a process; fewer are drawn sooner than it starts."""


def draw_ahead(pages: Iterable[tuple[Page, Sequence[Fence]]], n_jobs: int) -> None:
    """Draw the blocks of pages that their caches lack, if there are enough of them.

    Parameters:
        pages: Pages and their `acdl` blocks; each is used up here.
        n_jobs: The most processes; 0 is one for each core, but 8 at most; 1 draws nothing.
    """
    n_jobs = n_jobs or n_processes()
    work = list(_work_for_pages(pages)) if n_jobs > 1 else []
    n_blocks = sum(len(blocks) for _, _, blocks in work)
    n_jobs = min(n_jobs, n_blocks // _LEAST_BLOCKS, len(work))
    if n_jobs < 2:
        return
    processes: list[subprocess.Popen[bytes]] = []
    try:
        processes.extend(_start_processes(n_jobs))  # start all first: each reads its work after its imports
        for number, process in enumerate(processes):
            _send_work(process, work[number :: len(processes)])
        for process in processes:
            if process.wait():
                _log.debug("a process that draws ahead has ended with %d", process.returncode)
    finally:
        for process in processes:  # a build that is interrupted leaves none
            process.kill()
            process.wait()


def _work_for_pages(pages: Iterable[tuple[Page, Sequence[Fence]]]) -> Iterator[PageWork]:
    """Yield what another process needs for pages: for new blocks only the inputs of their HTML."""
    nothing = Catalog()
    for page, fences in pages:
        page.expect_fences(fences)
        requests = []
        for text, name in map(page.claim_block, fences):
            if page.cache and not text.state and not text.runs:  # their inputs are read when the page is rendered
                request, prefix = request_of(text, name, page), next(list_prefixes(text, name))
                if page.cache.old_entries.keys().isdisjoint(keys_of(request, name, prefix)):
                    alone = replace(request, text=replace(request.text, uses=Uses()), catalog=nothing)
                    requests.append((alone, name, prefix))
        if page.cache and requests:
            yield page.cache.path, page.cache.page_digest, requests


def _start_processes(n_wanted: int) -> "Iterator[subprocess.Popen[bytes]]":
    """Yield processes that wait for their work; none if they cannot start, and the work is left to others."""
    if not sys.executable or hasattr(sys, "frozen"):  # a program with embedded Python cannot be started again
        return
    command = [sys.executable, "-P", "-m", __name__]
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        for _ in range(n_wanted):
            yield subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=_process_environment()
            )


def _process_environment() -> dict[str, str]:
    """Return the environment with all module folders of this process: its package may be in any of them."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _send_work(process: "subprocess.Popen[bytes]", work: Sequence[PageWork]) -> None:
    """Send a process its work; one that has ended, or work that cannot be sent, is ignored."""
    try:
        if process.stdin:
            with process.stdin as stream:
                pickle.dump(work, stream)
    except (OSError, pickle.PicklingError, TypeError, AttributeError):
        _log.debug("a process that draws ahead was not told its work", exc_info=True)


def draw_in_processes(work: Iterable[PageWork]) -> None:
    """Draw blocks into the caches of their pages, and save these."""
    catalog = Catalog()  # so that a text that many blocks use is parsed once
    for path, made_of, blocks in work:
        cache = open_cache(path)
        cache.page_digest = made_of
        cache.keep_all()
        for request, name, prefix in blocks:
            draw_cached(replace(request, catalog=catalog), name, prefix, cache)
        cache.save_file()


if __name__ == "__main__":
    draw_in_processes(pickle.load(sys.stdin.buffer))  # noqa: S301 - from the process that has started this one
