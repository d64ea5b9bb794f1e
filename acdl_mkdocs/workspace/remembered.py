"""`cache_across_builds()`: cache results of a function of texts between builds of a preview, while builds use them.

A text that is edited all day has a thousand versions, and a cache with only a size limit would keep each of them. Knows
nothing about ACDL.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import update_wrapper
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_N_BUILDS = 16
"""A result that this many builds did not use is dropped: a site in several languages has one build each."""

_build = 0
_counting = Lock()


class CachedFunction(Generic[P, T]):
    """A function of comparable values that caches its results."""

    def __init__(self, function: Callable[P, T], most: int) -> None:
        """Start with an empty cache.

        Parameters:
            function: Called for results that are not cached.
            most: Size of the cache; the least recently used results are dropped.
        """
        update_wrapper(self, function)
        self._function = function
        self._most = most
        self._results: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()
        """Results, each with the build that used it last; the most recent one is last."""
        self._lock = Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result, computed if it is not cached."""
        key = (args, *kwargs.items())
        with self._lock:
            entry = self._results.get(key)
            if entry is not None:
                self._results.move_to_end(key)
                if entry[0] != _build:
                    self._results[key] = (_build, entry[1])
                return entry[1]
        result = self._function(*args, **kwargs)
        with self._lock:
            self._results[key] = (_build, result)
            self._forget()
        return result

    def count_kept(self) -> int:
        """Return the number of cached results."""
        return len(self._results)

    def cache_clear(self) -> None:
        """Clear the cache."""
        with self._lock:
            self._results.clear()

    def _forget(self) -> None:
        while self._results:
            key, (build, _) = next(iter(self._results.items()))
            if len(self._results) <= self._most and build + _N_BUILDS >= _build:
                return
            del self._results[key]


def cache_across_builds(most: int) -> Callable[[Callable[P, T]], CachedFunction[P, T]]:
    """Let a function cache its results.

    Parameters:
        most: Size of the cache.
    """
    return lambda function: CachedFunction(function, most)


def begin_build() -> None:
    """Count one more build of a site in this process: results that many builds did not use are dropped."""
    global _build
    with _counting:
        _build += 1
