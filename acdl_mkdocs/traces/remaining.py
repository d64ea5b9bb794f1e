"""`Remaining`: what it costs at least to come from a place of a pattern to its end with the messages that are left.

It tells the search for the cheapest way where to look first; a way is never thought to be dearer than it is. Knows
nothing of what messages say.
"""

from collections import deque
from itertools import accumulate

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.traces.moves import Moves, missing_cost
from acdl_mkdocs.traces.pattern import Edge, Pattern
from acdl_mkdocs.traces.units import Custom


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is at least missing, by place, and what cannot be quite right."""

    least: tuple[int, ...]
    """How many messages of the request the spec needs at least, from each place to the end."""
    cost: int
    """Of doing without one of them, at least."""
    doubts: tuple[int, ...]
    """What all messages of the request from each on cost at least, whatever they are taken for."""

    def of(self, place: int, at: int) -> int:
        """What it costs at least to come to the end from a place, and from a message of the request on."""
        n_missing = self.least[place] - (len(self.doubts) - 1 - at) if place >= 0 else 0
        return self.cost * max(n_missing, 0) + self.doubts[at]


def remaining(moves: Moves) -> Remaining:
    """What is at least ahead of the cells of a search."""
    least, cost = _least(moves.pattern, moves.custom)
    return Remaining(least, cost, tuple(accumulate(reversed(moves.least_doubts()), initial=0))[::-1])


def _least(pattern: Pattern, custom: Custom) -> tuple[tuple[int, ...], int]:
    """How many messages each place needs at least, and what one of them costs where it is missing."""
    back: list[list[tuple[int, int]]] = [[] for _ in pattern.edges]
    costs: list[int] = []
    for place, edges in enumerate(pattern.edges):
        for edge in edges:
            needs = _needs(edge, custom)
            back[edge.target].append((place, needs))
            if needs and edge.item is not None:
                costs.append(missing_cost(edge.item))
    most = len(pattern.edges)
    least = [most] * most
    least[pattern.final] = 0
    waiting = deque([pattern.final])
    while waiting:
        place = waiting.popleft()
        for before, needs in back[place]:
            if least[place] + needs < least[before]:
                least[before] = least[place] + needs
                (waiting.append if needs else waiting.appendleft)(before)
    return tuple(0 if each == most else each for each in least), min(costs, default=0)


def _needs(edge: Edge, custom: Custom) -> int:
    """How many messages of its own a message of the spec needs: none where it may stand in another one."""
    if edge.item is None or edge.is_more:
        return 0
    if edge.item.role == "system":
        return int(not custom.is_system_apart)
    return int(edge.item.role == "tool" or not custom.merging)
