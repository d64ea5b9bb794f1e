"""`match_units()`: a request against a pattern, in linear time if nothing is ambiguous."""

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import accumulate
from operator import is_
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Role
from acdl_mkdocs.prompts.providers.provider import MessageLayout
from acdl_mkdocs.runs.match.moves import (
    ROLE,
    Cell,
    Fits,
    LookUpContent,
    Misfit,
    Move,
    Moves,
    compute_missing_cost,
    find_certain_items,
)
from acdl_mkdocs.runs.match.pattern import BranchPassing, Edge, ExpectedMessage, Pattern, PatternError
from acdl_mkdocs.runs.match.units import Unit, order_like, restore_order, split_system


@dataclass(frozen=True, slots=True)
class RemainingCost:
    """The least number of missing messages by position, and the least doubts."""

    least: tuple[int, ...]
    """How many messages of the request the spec needs at least, from each position to the end."""
    cost: int
    """The least cost of a missing one."""
    doubts: tuple[int, ...]
    """The least cost of all messages of the request from each on, whatever they match."""

    def estimate_cost(self, position: int, at: int) -> int:
        """Return the least cost from a cell of the search to the end.

        Parameters:
            position: The index of a position of the pattern; negative after its end.
            at: The number of messages of the request that are passed.
        """
        n_missing = self.least[position] - (len(self.doubts) - 1 - at) if position >= 0 else 0
        return self.cost * max(n_missing, 0) + self.doubts[at]


def compute_remaining_cost(moves: Moves) -> RemainingCost:
    """Compute the least cost from the cells of a search to the end."""
    least, cost = _compute_least_costs(moves.pattern, moves.layout)
    return RemainingCost(least, cost, tuple(accumulate(reversed(moves.compute_least_doubts()), initial=0))[::-1])


def _compute_least_costs(pattern: Pattern, layout: MessageLayout) -> tuple[tuple[int, ...], int]:
    """Compute how many messages each position needs at least, and the cost of a missing one."""
    back: list[list[tuple[int, int]]] = [[] for _ in pattern.edges]
    costs: list[int] = []
    for position, edges in enumerate(pattern.edges):
        for edge in edges:
            needs = _count_needed_messages(edge, layout)
            back[edge.target].append((position, needs))
            if needs and edge.item is not None:
                costs.append(compute_missing_cost(edge.item))
    most = len(pattern.edges)
    least = [most] * most
    least[pattern.final] = 0
    queue = deque([pattern.final])
    while queue:
        position = queue.popleft()
        for before, needs in back[position]:
            if least[position] + needs < least[before]:
                least[before] = least[position] + needs
                (queue.append if needs else queue.appendleft)(before)
    return tuple(0 if each == most else each for each in least), min(costs, default=0)


def _count_needed_messages(edge: Edge, layout: MessageLayout) -> int:
    """Return how many messages a message of the spec needs: none if it may be part of another one."""
    if edge.item is None or edge.is_more:
        return 0
    if edge.item.role == "system":
        return int(not layout.is_system_apart)
    return int(edge.item.role == "tool" or not layout.merging)


MOST_CELLS = 1_000_000
"""Limit of positions of a pattern times messages for one request."""
ROLE_PHRASES: dict[Role, str] = {
    "system": "a System message",
    "user": "a User message",
    "assistant": "an Assistant message",
    "tool": "a Tool message",
    "none": "text without a role",
}
"""The name of a message of each role."""

Kind: TypeAlias = Literal["agrees", "content", "role", "missing", "extra", "system"]
"""`system` is system text beside the messages that the spec does not have."""


@dataclass(frozen=True, slots=True)
class MatchStep:
    """A message of the spec and the matching one of the request, or one of them alone."""

    kind: Kind
    item: ExpectedMessage | None
    unit: Unit | None
    reason: str = ""
    """The disagreement."""
    misfit: Misfit | None = None
    is_forced: bool = False
    """Whether no other line of the spec could have sent it."""
    is_certain: bool = False
    """Whether nothing else that the spec sends can be in it, not even another round of the loop."""


@dataclass(frozen=True, slots=True)
class Match:
    """The match of a request with a pattern."""

    steps: tuple[MatchStep | BranchPassing, ...]
    """In order, including the alternatives, loops and ends of the prompt on the way."""
    is_agreeing: bool
    n_cells: int = 0
    """The number of cells that were searched."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How disagreements are located, which takes longer."""

    look_up_content: LookUpContent | None = None
    """Finds the content of messages of the spec in other requests."""
    most: int = MOST_CELLS
    """The number of cells after which the search stops."""


_DEFAULT_SEARCH = SearchOptions()


def match_units(
    pattern: Pattern,
    units: list[Unit],
    layout: MessageLayout | None = None,
    options: SearchOptions | None = _DEFAULT_SEARCH,
    earlier_fits: Fits | None = None,
) -> Match:
    """Match a request with a pattern.

    Parameters:
        pattern: What the spec sends.
        units: The messages of the request, with results in the order of their calls.
        layout: How messages change on the way to the provider.
        options: How to locate disagreements; without it, there are no steps if a request disagrees.
        earlier_fits: Cached results about messages of requests in the same format, which this match extends.

    Raises:
        PatternError: The pattern and the request are too large.
    """
    layout = layout or MessageLayout()
    rest, system = split_system(units, layout)
    look_up_content = None if options is None else options.look_up_content
    search = _MatchSearch(
        Moves(pattern, rest, system, layout, look_up_content, known={} if earlier_fits is None else earlier_fits)
    )
    match = search.find_exact() or _match_by_id(pattern, rest, system, layout)
    if match is not None:
        return match
    if options is None:
        return Match((), is_agreeing=False)
    most = min(options.most, MOST_CELLS)
    return search.find_nearest(most) or Match((), is_agreeing=False, n_cells=most)


def _match_by_id(pattern: Pattern, units: list[Unit], system: Unit | None, layout: MessageLayout) -> Match | None:
    """Match with results in the order of the request or of the spec, identified by calls; `None` unless all agrees.

    A spec may send results one by one in another order than the model asked for them.
    """
    tried = [units]
    items = (edge.item for edges in pattern.edges for edge in edges if edge.item is not None)
    calls = [item.call_key for item in items if item.call_key is not None]
    for sent in (restore_order(units), order_like(units, calls) if calls else units):
        if any(all(map(is_, sent, each)) for each in tried):
            continue
        tried.append(sent)
        match = _MatchSearch(Moves(pattern, sent, system, layout, is_by_id=True)).find_exact()
        if match is not None:
            return match
    return None


@dataclass(slots=True)
class _MatchSearch:
    """One request against one pattern."""

    moves: Moves

    def find_exact(self) -> Match | None:
        """Return the match in which everything agrees, if there is one."""
        first, last = self.moves.first_cell, self.moves.last_cell
        predecessors: dict[Cell, list[tuple[Cell, Move]]] = {first: []}
        waiting = deque([first])
        while waiting:
            cell = waiting.popleft()
            for move in self.moves.list_moves(cell, is_exact=True):
                if move.target not in predecessors:
                    predecessors[move.target] = []
                    waiting.append(move.target)
                predecessors[move.target].append((cell, move))
            self._check_limit(len(predecessors))
        if last not in predecessors:
            return None
        ways = self._find_explanations(predecessors, last)
        path: list[MatchStep | BranchPassing] = []
        cell = last
        while cell != first:
            cell, move = predecessors[cell][0]
            step = self.make_step(move)
            path += [] if step is None else [step]
        return Match(tuple(self._add_explanations(path[::-1], ways)), is_agreeing=True, n_cells=len(predecessors))

    def _add_explanations(
        self, path: list[MatchStep | BranchPassing], ways: dict[int, set[ExpectedMessage]]
    ) -> Iterator[MatchStep | BranchPassing]:
        """Yield the steps, with the certainty of each."""
        shared: dict[int, list[ExpectedMessage]] = {}
        for step in path:
            if isinstance(step, MatchStep) and step.item is not None:
                shared.setdefault(id(step.unit), []).append(step.item)
        for step in path:
            if not isinstance(step, MatchStep) or step.item is None or step.unit is None:
                yield step
                continue
            items, here = ways[id(step.unit)], shared[id(step.unit)]
            is_system = step.unit is self.moves.system
            is_forced = len({each.node for each in items}) == 1 or (is_system and len(here) == 1)
            if len(here) > 1 and (is_system or items == {*here}):
                is_forced = is_forced or step.item in find_certain_items(here, step.unit, self.moves.layout)
            yield MatchStep("agrees", step.item, step.unit, is_forced=is_forced, is_certain=len(items) == 1)

    def _find_explanations(
        self, predecessors: dict[Cell, list[tuple[Cell, Move]]], last: Cell
    ) -> dict[int, set[ExpectedMessage]]:
        """Return the messages of the spec that each message of the request can match, on any path that agrees."""
        explanations: dict[int, set[ExpectedMessage]] = {}
        seen, stack = {last}, [last]
        while stack:
            for cell, move in predecessors[stack.pop()]:
                if move.unit is not None and move.edge is not None and move.edge.item is not None:
                    explanations.setdefault(id(move.unit), set()).add(move.edge.item)
                if cell not in seen:
                    seen.add(cell)
                    stack.append(cell)
        return explanations

    def _check_limit(self, n_cells: int) -> None:
        if n_cells > MOST_CELLS:
            message = f"at `@{self.moves.pattern.at}` there are more than {MOST_CELLS:,} ways to match the request"
            raise PatternError(f"{message}; give a state, or the bounds of nested loops")

    def find_nearest(self, most: int) -> Match | None:
        """Return the match with the fewest disagreements, which keeps missing messages together.

        `None` if that takes more than `most` cells: then it is known only that the request does not agree.
        """
        first = (self.moves.first_cell, False)
        best: dict[tuple[Cell, bool], int] = {first: 0}
        predecessors: dict[tuple[Cell, bool], tuple[tuple[Cell, bool], Move]] = {}
        heap = [(0, 0, first)]
        visited: set[tuple[Cell, bool]] = set()
        ahead, n_seen = compute_remaining_cost(self.moves), 0
        at = first
        while heap:
            _, _, at = heappop(heap)
            if at in visited:
                continue
            visited.add(at)
            (cell, is_gap), cost = at, best[at]
            if cell == self.moves.last_cell:
                break
            for move in self.moves.list_moves(cell, is_exact=False, is_gap=is_gap):
                is_missing = is_gap if move.is_passing else move.is_missing
                total = cost + 2 * move.cost + (is_missing and not is_gap)
                target = (move.target, is_missing)
                if total < best.get(target, total + 1):
                    best[target] = total
                    predecessors[target] = (at, move)
                    n_seen += 1
                    estimate = total + 2 * ahead.estimate_cost(move.target[1], move.target[0])
                    heappush(heap, (estimate, n_seen, target))
            if n_seen > most:
                return None
        path: list[MatchStep | BranchPassing] = []
        while at != first:
            at, move = predecessors[at]
            step = self.make_step(move)
            path += [] if step is None else [step]
        return Match(tuple(reversed(path)), is_agreeing=False, n_cells=n_seen)

    def make_step(self, move: Move) -> MatchStep | BranchPassing | None:
        """Return the step of a move."""
        edge, unit = move.edge, move.unit
        if edge is None:
            if unit is self.moves.system:
                return MatchStep("system", None, unit, "the request has system text, and the spec sends none")
            return MatchStep("extra", None, unit, "the spec sends no such message here")
        if edge.item is None:
            return edge.passing
        item = edge.item
        sent = f"the spec sends {ROLE_PHRASES[item.role]} here"
        if unit is None and move.cost == 0:
            return MatchStep("agrees", item, None, "not recorded")
        if unit is None:
            return MatchStep("missing", item, None, f"{sent}, and the request has none")
        if move.cost == ROLE:
            reason = f"{sent}, and the request has {ROLE_PHRASES[unit.role]}"
            return MatchStep("role", item, unit, reason)
        if move.misfit is not None:
            return MatchStep("content", item, unit, move.misfit.reason, move.misfit)
        return MatchStep("agrees", item, unit)
