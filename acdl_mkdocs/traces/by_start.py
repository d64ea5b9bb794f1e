"""`by_start()`: what an export lists in any order, in the order in which it began."""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from acdl_mkdocs.traces.recorded import Found, Recorded, Skipped

MOST_HELD = 1000
"""Requests that are held until an earlier one cannot come any more."""


def by_start(found: Iterable[tuple[str, Found]]) -> Iterator[Found]:
    """The same, each request after those that began before it.

    Args:
        found: Requests with the times when they began, as texts that sort like the times; others with any text.
    """
    held: list[tuple[str, int, Recorded]] = []
    last = ""
    for number, (start, each) in enumerate(found):
        if isinstance(each, Skipped):
            yield each
            continue
        if start < last:
            cure = "sort the export by the time when calls began"
            yield Skipped(
                each.origin, "a call that began long before the one in front of it", cure=cure, is_damaged=True
            )
            continue
        heappush(held, (start, number, each))
        if len(held) > MOST_HELD:
            last, _, first = heappop(held)
            yield first
    while held:
        yield heappop(held)[2]
