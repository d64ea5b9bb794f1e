"""`Report`: how whoever waits for a recording to be worked through learns how far that is."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

Report: TypeAlias = Callable[[int, int | None], None]
"""Called with how many requests are done, and how many there are; `None` while nobody knows."""
_Item = TypeVar("_Item")


def reporting(items: Iterable[_Item], report: Report | None, n_all: int | None = None) -> Iterator[_Item]:
    """Pass items on, and report each."""
    for number, each in enumerate(items, 1):
        if report is not None:
            report(number, n_all)
        yield each
