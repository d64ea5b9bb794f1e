"""Blocks of pages drawn into the cache by several processes, before a tool renders its pages one after the other.

Only the cache changes: a page finds its blocks in it, and draws what it does not find. So a process that cannot start
or is killed costs time and nothing else. Knows no docs tool.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.site.block import Request, cached, prefixes, request_of
from acdl_mkdocs.site.cache import open_at
from acdl_mkdocs.site.catalog import Catalog
from acdl_mkdocs.site.fences import Fence
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.used_files import Uses

Work: TypeAlias = Sequence[tuple[Path, Sequence[tuple[Request, str, str]]]]
"""For the cache of each page the blocks that it lacks, with their anchors and the beginnings of their ids."""

_LEAST_BLOCKS = 50
"""Fewer blocks for a process are drawn sooner than it starts."""
_MOST_BY_DEFAULT = 8
"""More processes take memory, and are waiting for the disk and for the process that gives them their work."""


def n_usable_cores() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):  # a container may have fewer than the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def draw_ahead(pages: Iterable[tuple[Page, Sequence[Fence]]], n_jobs: int) -> None:
    """Draw the blocks of pages, if there are enough of them.

    Parameters:
        pages: Pages with an empty cache and their `acdl` blocks; each is used up here.
        n_jobs: At most so many processes; 0 is one for each core, but 8 at most; 1 draws nothing.
    """
    new = [(page, fences) for page, fences in pages if fences and page.cache]
    n_blocks = sum(len(fences) for _, fences in new)
    n_jobs = min(n_jobs or min(n_usable_cores(), _MOST_BY_DEFAULT), n_blocks // _LEAST_BLOCKS)
    if n_jobs < 2:
        return
    processes: list[subprocess.Popen[bytes]] = []
    try:
        processes.extend(_started(n_jobs))  # all before one is told its work, which it reads when it has imported all
        for number, process in enumerate(processes):
            _tell(process, _work_on(new[number :: len(processes)]))
        for process in processes:
            process.wait()
    finally:
        for process in processes:  # a build that is interrupted leaves none
            process.kill()
            process.wait()


def _work_on(pages: Iterable[tuple[Page, Sequence[Fence]]]) -> Work:
    """What another process needs to know of pages: of their blocks what their HTML depends on, and no more."""
    work = []
    nothing = Catalog()
    for page, fences in pages:
        page.expect(fences)
        requests = []
        for text, name in map(page.claim, fences):
            if page.cache and not text.state and not text.runs:  # what those need is read where the page is rendered
                request = request_of(text, name, page)
                alone = replace(request, text=replace(request.text, uses=Uses()), catalog=nothing)
                requests.append((alone, name, next(prefixes(text, name))))
        if page.cache:
            work.append((page.cache.path, requests))
    return work


def _started(n_wanted: int) -> "Iterator[subprocess.Popen[bytes]]":
    """Processes that wait for their work; none where they cannot start, and the work is left to others."""
    if not sys.executable or hasattr(sys, "frozen"):  # a program that Python was built into is none to start again
        return
    command = [sys.executable, "-P", "-m", __name__]
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        for _ in range(n_wanted):
            yield subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)  # noqa: S603


def _tell(process: "subprocess.Popen[bytes]", work: Work) -> None:
    """Give a process its work; one that has ended already does without it."""
    if process.stdin:
        with suppress(OSError), process.stdin as stream:
            pickle.dump(work, stream)


def draw(work: Work) -> None:
    """Draw blocks into the caches of their pages."""
    catalog = Catalog()  # so that a text that many blocks use is parsed once
    for path, blocks in work:
        cache = open_at(path)
        for request, name, prefix in blocks:
            cached(replace(request, catalog=catalog), name, prefix, cache)
        cache.save()


if __name__ == "__main__":
    draw(pickle.load(sys.stdin.buffer))  # noqa: S301 - from the process that has started this one
