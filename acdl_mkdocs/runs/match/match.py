"""`match()`: a request against a pattern, in linear time if nothing is ambiguous."""

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import accumulate
from operator import is_
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Role
from acdl_mkdocs.prompts.providers.provider import Custom
from acdl_mkdocs.runs.match.moves import ROLE, Cell, Fits, Misfit, Move, Moves, Seen, missing_cost, shown
from acdl_mkdocs.runs.match.pattern import Edge, Item, Passing, Pattern, PatternError
from acdl_mkdocs.runs.match.units import Unit, apart, as_sent, in_order_of


@dataclass(frozen=True, slots=True)
class Remaining:
    """The least number of missing messages by place, and the least doubts."""

    least: tuple[int, ...]
    """How many messages of the request the spec needs at least, from each place to the end."""
    cost: int
    """Of doing without one of them, at least."""
    doubts: tuple[int, ...]
    """The least cost of all messages of the request from each on, whatever they match."""

    def of(self, place: int, at: int) -> int:
        """Return the least cost from a place, and from a message of the request, to the end."""
        n_missing = self.least[place] - (len(self.doubts) - 1 - at) if place >= 0 else 0
        return self.cost * max(n_missing, 0) + self.doubts[at]


def remaining(moves: Moves) -> Remaining:
    """Compute the least cost from the cells of a search to the end."""
    least, cost = _least(moves.pattern, moves.custom)
    return Remaining(least, cost, tuple(accumulate(reversed(moves.least_doubts()), initial=0))[::-1])


def _least(pattern: Pattern, custom: Custom) -> tuple[tuple[int, ...], int]:
    """Compute how many messages each place needs at least, and the cost of a missing one."""
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
    """Return how many messages a message of the spec needs: none if it may be part of another one."""
    if edge.item is None or edge.is_more:
        return 0
    if edge.item.role == "system":
        return int(not custom.is_system_apart)
    return int(edge.item.role == "tool" or not custom.merging)


MOST_CELLS = 1_000_000
"""More places of a pattern times messages than are gone through for one request."""
NAMED: dict[Role, str] = {
    "system": "a System message",
    "user": "a User message",
    "assistant": "an Assistant message",
    "tool": "a Tool message",
    "none": "text without a role",
}
"""A message of each role, as a person calls it."""

Kind: TypeAlias = Literal["agrees", "content", "role", "missing", "extra", "system"]
"""`system` is system text beside the messages that the spec does not have."""


@dataclass(frozen=True, slots=True)
class Step:
    """A message of the spec and the one of the request that it is, or one of both alone."""

    kind: Kind
    item: Item | None
    unit: Unit | None
    reason: str = ""
    """The disagreement."""
    misfit: Misfit | None = None
    is_forced: bool = False
    """Whether no other line of the spec could have sent it."""
    is_certain: bool = False
    """Whether the round of the loop that sends it is known too."""


@dataclass(frozen=True, slots=True)
class Match:
    """The match of a request with a pattern."""

    steps: tuple[Step | Passing, ...]
    """In order, including the alternatives, loops and ends of the prompt on the way."""
    is_agreeing: bool
    n_cells: int = 0
    """How much had to be looked at."""


@dataclass(frozen=True, slots=True)
class Locating:
    """Options for locating disagreements, which takes longer."""

    seen: Seen | None = None
    """Finds the content of messages of the spec in other requests."""
    most: int = MOST_CELLS
    """After how many cells it is given up."""


_EVERYWHERE = Locating()


def match(
    pattern: Pattern,
    units: list[Unit],
    custom: Custom | None = None,
    locating: Locating | None = _EVERYWHERE,
    known: Fits | None = None,
) -> Match:
    """Match a request with a pattern.

    Parameters:
        pattern: What the spec sends.
        units: The messages of the request, with results in the order of their calls.
        custom: How messages change on the way to the provider.
        locating: How to locate what does not agree; without it, there are no steps in that case.
        known: Cached results about messages of requests in the same format, which this match extends.

    Raises:
        PatternError: The pattern and the request are too large.
    """
    custom = custom or Custom()
    rest, system = apart(units, custom)
    seen = None if locating is None else locating.seen
    search = _Search(Moves(pattern, rest, system, custom, seen, known={} if known is None else known))
    found = search.exact() or _by_id(pattern, rest, system, custom)
    if found is not None:
        return found
    if locating is None:
        return Match((), is_agreeing=False)
    most = min(locating.most, MOST_CELLS)
    return search.nearest(most) or Match((), is_agreeing=False, n_cells=most)


def _by_id(pattern: Pattern, units: list[Unit], system: Unit | None, custom: Custom) -> Match | None:
    """Match with results in the order of the request or of the spec, identified by calls; `None` unless all agrees.

    A spec may send results one by one in another order than the model asked for them.
    """
    tried = [units]
    items = (edge.item for edges in pattern.edges for edge in edges if edge.item is not None)
    calls = [item.asked for item in items if item.asked is not None]
    for sent in (as_sent(units), in_order_of(units, calls) if calls else units):
        if any(all(map(is_, sent, each)) for each in tried):
            continue
        tried.append(sent)
        found = _Search(Moves(pattern, sent, system, custom, is_by_id=True)).exact()
        if found is not None:
            return found
    return None


@dataclass(slots=True)
class _Search:
    """One request against one pattern."""

    moves: Moves

    def exact(self) -> Match | None:
        """Return the match in which everything agrees, if there is one."""
        first, last = self.moves.first, self.moves.last
        came: dict[Cell, list[tuple[Cell, Move]]] = {first: []}
        waiting = [first]
        for cell in waiting:  # grows
            for move in self.moves.of(cell, is_exact=True):
                if move.target not in came:
                    came[move.target] = []
                    waiting.append(move.target)
                came[move.target].append((cell, move))
            self._check(len(waiting))
        if last not in came:
            return None
        ways = self._explanations(came, last)
        path: list[Step | Passing] = []
        cell = last
        while cell != first:
            cell, move = came[cell][0]
            step = self.step(move)
            path += [] if step is None else [step]
        return Match(tuple(self._judged(path[::-1], ways)), is_agreeing=True, n_cells=len(waiting))

    def _judged(self, path: list[Step | Passing], ways: dict[int, set[Item]]) -> Iterator[Step | Passing]:
        """Yield the steps, with the certainty of each."""
        held: dict[int, list[Item]] = {}
        for step in path:
            if isinstance(step, Step) and step.item is not None:
                held.setdefault(id(step.unit), []).append(step.item)
        for step in path:
            if not isinstance(step, Step) or step.item is None or step.unit is None:
                yield step
                continue
            items, here = ways[id(step.unit)], held[id(step.unit)]
            is_system = step.unit is self.moves.system
            is_forced = len({each.node for each in items}) == 1 or (is_system and len(here) == 1)
            if len(here) > 1 and (is_system or items == {*here}):
                is_forced = is_forced or step.item in shown(here, step.unit, self.moves.custom)
            yield Step("agrees", step.item, step.unit, is_forced=is_forced, is_certain=len(items) == 1)

    def _explanations(self, came: dict[Cell, list[tuple[Cell, Move]]], last: Cell) -> dict[int, set[Item]]:
        """Return the messages of the spec that each message of the request can be, on any way that agrees."""
        found: dict[int, set[Item]] = {}
        seen, waiting = {last}, [last]
        while waiting:
            for cell, move in came[waiting.pop()]:
                if move.unit is not None and move.edge is not None and move.edge.item is not None:
                    found.setdefault(id(move.unit), set()).add(move.edge.item)
                if cell not in seen:
                    seen.add(cell)
                    waiting.append(cell)
        return found

    def _check(self, n_cells: int) -> None:
        if n_cells > MOST_CELLS:
            message = f"at `@{self.moves.pattern.at}` there are more than {MOST_CELLS:,} ways to read the request"
            raise PatternError(f"{message}; look at loops in loops whose bounds are not known, or give a state")

    def nearest(self, most: int) -> Match | None:
        """Return the match with the fewest disagreements, which keeps missing messages together.

        `None` if that takes more than `most` cells: then it is known only that the request does not agree.
        """
        first = (self.moves.first, False)
        best: dict[tuple[Cell, bool], int] = {first: 0}
        came: dict[tuple[Cell, bool], tuple[tuple[Cell, bool], Move]] = {}
        waiting = [(0, 0, first)]
        done: set[tuple[Cell, bool]] = set()
        ahead, n_seen = remaining(self.moves), 0
        at = first
        while waiting:
            _, _, at = heappop(waiting)
            if at in done:
                continue
            done.add(at)
            (cell, is_gap), cost = at, best[at]
            if cell == self.moves.last:
                break
            for move in self.moves.of(cell, is_exact=False, is_gap=is_gap):
                is_missing = is_gap if move.is_passing else move.is_missing
                total = cost + 2 * move.cost + (is_missing and not is_gap)
                target = (move.target, is_missing)
                if total < best.get(target, total + 1):
                    best[target] = total
                    came[target] = (at, move)
                    n_seen += 1
                    estimate = total + 2 * ahead.of(move.target[1], move.target[0])
                    heappush(waiting, (estimate, n_seen, target))
            if n_seen > most:
                return None
        path: list[Step | Passing] = []
        while at != first:
            at, move = came[at]
            step = self.step(move)
            path += [] if step is None else [step]
        return Match(tuple(reversed(path)), is_agreeing=False, n_cells=n_seen)

    def step(self, move: Move) -> Step | Passing | None:
        """Return the step of a move."""
        edge, unit = move.edge, move.unit
        if edge is None:
            if unit is self.moves.system:
                return Step("system", None, unit, "the request has system text, and the spec sends none")
            return Step("extra", None, unit, "the spec sends no such message here")
        if edge.item is None:
            return edge.passing
        item = edge.item
        sent = f"the spec sends {NAMED[item.role]} here"
        if unit is None and move.cost == 0:
            return Step("agrees", item, None, "not recorded")
        if unit is None:
            return Step("missing", item, None, f"{sent}, and the request has none")
        if move.cost == ROLE:
            reason = f"{sent}, and the request has {NAMED[unit.role]}"
            return Step("role", item, unit, reason)
        if move.misfit is not None:
            return Step("content", item, unit, move.misfit.reason, move.misfit)
        return Step("agrees", item, unit)
