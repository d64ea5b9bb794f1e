"""`Moves`: where one place of a request and a pattern leads to, and what each way costs.

Knows nothing of how the best way is found, and nothing of what is concluded from it.
"""

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import ForEach
from acdl_mkdocs.traces.answered import answered
from acdl_mkdocs.traces.asked import Asked
from acdl_mkdocs.traces.fits import FREE, NOTHING, WHOLE, Fit, Misfit, Taken, fit, left_over
from acdl_mkdocs.traces.pattern import Edge, Item, Pattern
from acdl_mkdocs.traces.units import IN_TAGS, Custom, Unit

_CONTENT, _MISSING, _EXTRA, ROLE = 10, 20, 20, 30
"""What it costs to take a message for another one, to do without it, and to take it for one of another role."""
_OF_LOOP, _UNKNOWN, _OTHERWISE = 1, 1, 3
"""How much cheaper it is to do without a message for each loop around it, and how much dearer to take one of which
nothing is known, or which said something else in another request: of ways that are equally good else, the one is chosen
on which rounds are missing and known content agrees."""
_Way: TypeAlias = tuple[int, Misfit | None, Taken]
"""What it costs, what does not agree, and what is explained behind it."""
_END = Edge(-1)
"""Behind the last message of a request that agrees."""
_MOST_LOOPS = 3
"""Loops around a message that count for that."""
Cell: TypeAlias = tuple[int, int, Taken, Taken]
"""How many messages are behind, the place of the pattern, what is explained of system text beside the messages, and
what of the last message that is behind."""


Fits: TypeAlias = dict[tuple[int, int, Taken], tuple[Item, Unit, Fit]]
"""How messages of a spec stand in messages of requests, by the identities of both."""
_MOST_FITS = 50_000
"""That are kept for further requests."""
Seen: TypeAlias = Callable[[Item], tuple[object, ...] | None]
"""What a message of the spec has said in another request, as `Unit.content` without the role; `None` if in none."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step from one cell to another."""

    edge: Edge | None
    """`None` for a message of the request that the spec does not send."""
    unit: Unit | None
    target: Cell
    cost: int = 0
    misfit: Misfit | None = None

    @property
    def is_passing(self) -> bool:
        """Whether no message is on the way."""
        return self.edge is not None and self.edge.item is None

    @property
    def is_missing(self) -> bool:
        """Whether the spec sends a message here that the request does not have."""
        return self.edge is not None and self.unit is None


@dataclass(slots=True)
class Moves:
    """One request against one pattern."""

    pattern: Pattern
    units: list[Unit]
    system: Unit | None
    custom: Custom
    seen: Seen | None = None
    """What the messages of the spec have said in other requests."""
    fits: dict[tuple[int, int, Taken], Fit] = field(default_factory=dict)
    known: Fits = field(default_factory=dict)
    """Those of other requests of the run."""
    owed: list[int] = field(default_factory=list)
    """Before each message, how many calls of tools have no result yet."""
    is_by_id: bool = False
    """Whether results are in the order of the request, so that only ids say which call they belong to."""
    calls: dict[int, Asked] | None = None
    """By the identity of each result: the call that it belongs to; `None` before anyone asks."""

    def __post_init__(self) -> None:
        n_owed = 0
        for unit in self.units:
            self.owed.append(n_owed)
            n_owed = max(n_owed - 1, 0) if unit.role == "tool" else len(unit.calls)

    @property
    def first(self) -> Cell:
        """Where everything begins."""
        return (0, 0, WHOLE if self.system is None or not self.system.parts else NOTHING, WHOLE)

    @property
    def last(self) -> Cell:
        """Where everything agrees."""
        return (len(self.units), -1, WHOLE, WHOLE)

    def fit(self, item: Item, unit: Unit, taken: Taken) -> Fit:
        """How a message of the spec stands in one of the request; looked at once."""
        key = (id(item), id(unit), taken)
        if key not in self.fits:
            is_result = unit.role == "tool" and item.n_outputs > 1
            is_shared = unit.role in self.custom.merging or unit is self.system or is_result
            known = self.known.get(key)
            if known is None or known[0] is not item or known[1] is not unit:
                known = item, unit, fit(item, unit, taken, self.custom, is_shared=is_shared)
                if len(self.known) >= _MOST_FITS:
                    self.known.clear()
                self.known[key] = known
            found = known[2]
            if found.misfit is None and item.role == "tool" and is_known(item):
                found = self._of_its_call(found, item, unit)
            self.fits[key] = found
        return self.fits[key]

    def _of_its_call(self, found: Fit, item: Item, unit: Unit) -> Fit:
        """How a result that is known is one of the request, which says the same, but perhaps of another call."""
        if item.asked is None and not self.is_by_id:
            return found
        if self.calls is None:
            self.calls = answered(self.units)
        asked = self.calls.get(id(unit))
        if asked == item.asked or (None in (asked, item.asked) and not self.is_by_id):
            return found
        reason = f"it is the result of `{asked}`, and the spec sends it for `{item.asked}`"
        said = next(iter(item.said), None)
        return Fit(Misfit(said, reason), FREE)

    def left_over(self, at: int, taken: Taken) -> Misfit | None:
        """What of the last message that is behind is not explained."""
        return left_over(self.units[at - 1], taken, self.custom) if at else None

    def is_of(self, item: Item, unit: Unit) -> bool:
        """Whether a message has the role that the spec says, as far as the provider knows that role."""
        if item.role == unit.role:
            return True
        is_in_tags = item.role == "system" and self.system is not None and IN_TAGS in unit.text
        return unit.role == "user" and (is_in_tags or item.role == "none")

    def of(self, cell: Cell, *, is_exact: bool, is_gap: bool = False) -> Iterator[Move]:
        """Where a cell leads to; behind a gap nothing can be one message with what was before it."""
        at, place, told, taken = cell
        if place < 0:
            return
        for edge in self.pattern.edges[place]:
            if edge.item is None or (self.custom.is_system_unrecorded and at == 0 and edge.item.role == "system"):
                yield Move(edge, None, (at, edge.target, told, taken))
            elif edge.is_more:
                yield from self._more(edge, edge.item, cell)
            elif edge.item.role == "system" and self.system is not None:
                yield from self._system(edge, edge.item, cell, self.system, is_exact=is_exact)
                is_there = is_exact or bool(self.system.parts)
                yield from self._item(edge, edge.item, cell, is_exact=is_there, is_gap=is_gap)
            else:
                yield from self._item(edge, edge.item, cell, is_exact=is_exact, is_gap=is_gap)
        if self.left_over(at, taken) is None:
            yield from self._beside(cell, is_exact=is_exact)

    def _beside(self, cell: Cell, *, is_exact: bool) -> Iterator[Move]:
        """Past the end of both, and past a message that the spec does not send."""
        at, place, told, _ = cell
        if at < len(self.units):
            unit = self.units[at]
            if not unit.parts and unit.role != "tool":  # as good as none
                yield Move(Edge(place), None, (at + 1, place, told, WHOLE))
            if not is_exact:
                yield Move(None, unit, (at + 1, place, told, FREE), _EXTRA)
        elif place == self.pattern.final:
            if self.system is None or left_over(self.system, told, self.custom) is None:
                yield Move(_END, None, self.last)
            elif not is_exact and told == NOTHING:
                yield Move(None, self.system, self.last, _EXTRA)

    def _more(self, edge: Edge, item: Item, cell: Cell) -> Iterator[Move]:
        """One more result of one message: of several calls at once, some providers send each alone."""
        at, _, told, _ = cell
        if not 0 < at < len(self.units):
            return
        unit, before = self.units[at], self.units[at - 1]
        is_one = unit.message == before.message or item.n_outputs > 1 or self.owed[at] > 0
        if unit.role == before.role == "tool" and is_one:
            yield Move(edge, unit, (at + 1, edge.target, told, FREE))

    def _system(self, edge: Edge, item: Item, cell: Cell, system: Unit, *, is_exact: bool) -> Iterator[Move]:
        """System text that stands beside the messages."""
        at, _, told, taken = cell
        if not is_exact:
            yield Move(edge, None, (at, edge.target, told, taken), _MISSING)
        if not system.parts:
            return
        for cost, why, behind in self._ways(item, system, told, is_exact=is_exact):
            yield Move(edge, system, (at, edge.target, behind, taken), cost, why)

    def _ways(self, item: Item, unit: Unit, taken: Taken, *, is_exact: bool) -> Iterator[_Way]:
        """The ways in which a message may stand in one of the request: as one of several in it, or as the last."""
        found = self.fit(item, unit, taken)
        if found.misfit is None:
            yield 0, None, found.taken
            rest = None if is_exact else left_over(unit, found.taken, self.custom)
            if rest is not None:
                yield _CONTENT, rest, WHOLE
        elif not is_exact:
            yield _CONTENT, found.misfit, found.taken

    def _item(self, edge: Edge, item: Item, cell: Cell, *, is_exact: bool, is_gap: bool) -> Iterator[Move]:
        at, _, told, taken = cell
        rest = self.left_over(at, taken)
        if at < len(self.units) and rest is None:
            unit = self.units[at]
            if self.is_of(item, unit):
                for cost, why, behind in self._ways(item, unit, NOTHING, is_exact=is_exact):
                    doubt = 0 if is_exact or why is not None else self._doubt(item, unit)
                    yield Move(edge, unit, (at + 1, edge.target, told, behind), cost + doubt, why)
            elif not is_exact:
                yield Move(edge, unit, (at + 1, edge.target, told, FREE), ROLE)
        before = self.units[at - 1] if at and not (is_gap and rest is None) else None
        if before is not None and before.role in self.custom.merging and self.is_of(item, before):
            for cost, why, behind in self._ways(item, before, taken, is_exact=is_exact or rest is None):
                yield Move(edge, before, (at, edge.target, told, behind), cost, why)
        if not is_exact:
            yield Move(edge, None, (at, edge.target, told, taken), missing_cost(item))

    def least_doubts(self) -> list[int]:
        """What each message of the request costs at least, whatever it is taken for."""
        items = {edge.item for edges in self.pattern.edges for edge in edges if edge.item is not None}
        free: set[str] = {item.role for item in items if is_known(item)}
        free |= {"user"} if free & {"system", "none"} else set()
        befores = {None if self.seen is None else self.seen(item) for item in items if not is_known(item)}
        least = _UNKNOWN if None in befores or not befores else _OTHERWISE
        roles = ["", *(unit.role for unit in self.units)]
        return [
            0 if unit.role in free or before == unit.role == "tool" or unit.content[1:] in befores else least
            for unit, before in zip(self.units, roles, strict=False)
        ]

    def _doubt(self, item: Item, unit: Unit) -> int:
        """What it costs to take a message for one that it may be."""
        if is_known(item):
            return 0
        before = None if self.seen is None else self.seen(item)
        if before is None:
            return _UNKNOWN
        return 0 if before == unit.content[1:] else _OTHERWISE


def missing_cost(item: Item) -> int:
    """What it costs to do without a message of the spec."""
    n_loops = sum(isinstance(each.node, ForEach) for each in item.around)
    return _MISSING - _OF_LOOP * min(n_loops, _MOST_LOOPS)


def is_known(item: Item) -> bool:
    """Whether anything is known of what a message says."""
    return any(said.text is not None or said.parts for said in item.said)
