"""`Places`: the places of a pattern that is being made, and the ways between them. Knows nothing of specs."""

from collections.abc import Sequence

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.traces.known_calls import KnownCalls
from acdl_mkdocs.traces.pattern import Edge, Item, Passing, PatternError

MOST_PLACES = 100_000
"""More places than the pattern of one prompt may have."""


class Places:
    """The places of one pattern."""

    def __init__(self, at: Time) -> None:
        self.at = at
        self.edges: list[list[Edge]] = []
        self.asked = KnownCalls()

    def place(self) -> int:
        """A new place.

        Raises:
            PatternError: There are too many.
        """
        if len(self.edges) >= MOST_PLACES:
            message = f"at `@{self.at}` the spec has more than {MOST_PLACES:,} places; look at its loops"
            raise PatternError(message)
        self.edges.append([])
        return len(self.edges) - 1

    def join(self, start: int, target: int, passing: Passing | None = None) -> int:
        """A way without a message."""
        self.edges[start].append(Edge(target, passing=passing))
        return target

    def together(self, ends: Sequence[int]) -> int | None:
        """One place behind several."""
        if len(ends) <= 1:
            return next(iter(ends), None)
        end = self.place()
        for each in ends:
            self.join(each, end)
        return end

    def items(self, items: Sequence[Item], at: int) -> int:
        """The place behind messages."""
        for each in self.asked.with_calls(items):
            begin, at = at, self.place()
            self.edges[begin].append(Edge(at, each))
            if each.role == "tool" and (each.is_loose or not each.n_outputs):
                self.edges[at].append(Edge(at, each, is_more=True))
        return at
