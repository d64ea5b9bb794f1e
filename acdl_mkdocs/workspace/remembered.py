"""`remembered()`: what a function made of texts, kept between the builds of a preview as long as builds ask for it.

Of a text that is edited all day there are a thousand versions, and each of them would be kept by a memory that goes by
numbers alone. Knows nothing about ACDL.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import update_wrapper
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_N_BUILDS = 16
"""After so many builds that have not asked for it, something is forgotten: a site in several languages has one each."""

_build = 0
_counting = Lock()


class Remembered(Generic[P, T]):
    """A function of values that can be compared, which keeps what it has returned."""

    def __init__(self, function: Callable[P, T], most: int) -> None:
        """Keep nothing yet.

        Parameters:
            function: Called for what is not kept.
            most: So many results are kept; of more, those that were not asked for the longest are forgotten.
        """
        update_wrapper(self, function)
        self._function = function
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()
        """Results, each with the build that has asked for it last; that one stands last."""
        self._lock = Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result, which is made if it is not kept."""
        key = (args, *kwargs.items())
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                if kept[0] != _build:
                    self._kept[key] = (_build, kept[1])
                return kept[1]
        result = self._function(*args, **kwargs)
        with self._lock:
            self._kept[key] = (_build, result)
            self._forget()
        return result

    def n_kept(self) -> int:
        """How many results are kept."""
        return len(self._kept)

    def cache_clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def _forget(self) -> None:
        while self._kept:
            key, (build, _) = next(iter(self._kept.items()))
            if len(self._kept) <= self._most and build + _N_BUILDS >= _build:
                return
            del self._kept[key]


def remembered(most: int) -> Callable[[Callable[P, T]], Remembered[P, T]]:
    """Let a function keep what it returns.

    Parameters:
        most: So many results.
    """
    return lambda function: Remembered(function, most)


def begin_build() -> None:
    """Count one more build of a site in this process: what many of them have not asked for is forgotten."""
    global _build
    with _counting:
        _build += 1
