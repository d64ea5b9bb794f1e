"""The pattern of what a spec may send at one point in time, as a graph of message patterns."""

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.evaluation.values import Time, Value
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Arm, EndsHere, ForEach, RoleMessage
from acdl_mkdocs.prompts.prompt import Call, Output, Part, Role, Thinking
from acdl_mkdocs.runs.read.recorded import CallKey, list_call_keys


class PatternError(AcdlError):
    """A spec cannot be checked against requests: it is too large at that point; the message has the place."""


@dataclass(frozen=True, slots=True)
class ExpectedPiece:
    """One piece of a message."""

    origin: Origin
    expression: str
    """As the spec writes it."""
    text: str | None
    """Its text, if the state or the spec itself has it."""
    parts: tuple[Part, ...]
    """Its parts, if they are not words."""
    key: str | None
    """Its name with times and arguments filled in: the same name always has the same content."""
    is_shared: bool
    """Whether the key means the same in all conversations: a template without arguments."""
    name: str = ""
    """Its name in a sample state, known or not: its reference with all times filled in, including those of loops."""


@dataclass(frozen=True, slots=True)
class EnclosingBranch:
    """A round of a loop, or an alternative, around a message."""

    node: ForEach | Arm
    origin: Origin
    number: int = 0
    """Of the round, from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedMessage:
    """A message that the spec sends."""

    node: RoleMessage
    origin: Origin
    role: Role
    pieces: tuple[ExpectedPiece, ...]
    is_loose: bool
    """Whether it may have more content than is known."""
    is_free: bool
    """Whether nothing decides that it is sent."""
    around: tuple[EnclosingBranch, ...]
    call_key: CallKey | None = None
    """The call that it is the result of, where both are known."""

    @property
    def can_be_empty(self) -> bool:
        """Whether it may have no piece; then it is not sent."""
        return self.is_loose and not self.pieces

    @property
    def n_outputs(self) -> int:
        """The number of its known results."""
        return sum(isinstance(part, Output) for piece in self.pieces for part in piece.parts)


PassingKind: TypeAlias = Literal["arm", "skip", "loop", "round", "end", "go-on"]


@dataclass(frozen=True, slots=True, eq=False)
class BranchPassing:
    """A path that is taken: through an alternative or past it, rounds of a loop, an end of the prompt or past it."""

    node: Arm | ForEach | EndsHere
    origin: Origin
    kind: PassingKind
    is_free: bool
    count: int | None = None
    """Of a loop: its number of rounds, if that is decided."""
    decides: tuple[str, Value] | None = None
    """The condition or subject of a `Switch` that holds on this way, with times filled in, and its value."""


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """From one position of a pattern to another."""

    target: int
    item: ExpectedMessage | None = None
    """The message sent on the way."""
    passing: BranchPassing | None = None
    is_more: bool = False
    """Whether it is only one more result of the message before."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The pattern of what a spec may send at a point."""

    edges: tuple[tuple[Edge, ...], ...]
    """By position; the first one is where a prompt begins."""
    final: int
    at: Time


def find_role(part: Part, role: Role) -> Role:
    """Return the role whose messages a part belongs to, whatever message contains it."""
    if isinstance(part, Output):
        return "tool"
    return "assistant" if isinstance(part, (Call, Thinking)) else role


def split_by_role(item: ExpectedMessage) -> list[ExpectedMessage]:
    """Split a message as it is sent: parts of other roles become messages of their own."""
    if item.role == "tool":
        return _split_results(item)
    messages: list[ExpectedMessage] = []
    for piece in item.pieces:
        roles = list(dict.fromkeys(find_role(part, item.role) for part in piece.parts)) or [item.role]
        for role in roles:
            own = replace(piece, parts=tuple(part for part in piece.parts if find_role(part, item.role) == role))
            if messages and messages[-1].role == role:
                messages[-1] = replace(messages[-1], pieces=(*messages[-1].pieces, own))
            else:
                messages.append(replace(item, role=role, pieces=(own,)))
    return messages or [item]


def _split_results(item: ExpectedMessage) -> list[ExpectedMessage]:
    """Return known results one by one, as requests are read."""
    are_results = all(piece.parts and all(isinstance(part, Output) for part in piece.parts) for piece in item.pieces)
    if item.n_outputs == 1 or not are_results:
        return [item]
    return [
        replace(item, pieces=(replace(piece, parts=(part,), key=None),))
        for piece in item.pieces
        for part in piece.parts
    ]


@dataclass(slots=True)
class KnownCalls:
    """Calls by their ids, the latest one of each id."""

    found: dict[str, tuple[int, CallKey]] = field(default_factory=dict)
    """The key and number of each call."""
    n_calls: int = 0

    def add_calls(self, items: Sequence[ExpectedMessage]) -> Sequence[ExpectedMessage]:
        """Return the items of one message: results know their calls, and follow each other in the order of these."""
        calls = [part for item in items for piece in item.pieces for part in piece.parts if isinstance(part, Call)]
        for call, call_key in zip(calls, list_call_keys(calls), strict=True):
            self.n_calls += 1
            if call.id:
                self.found[call.id] = self.n_calls, call_key
        found_calls = [self._find_call(item) for item in items]
        named = [
            (each[0], replace(item, call_key=each[1])) for each, item in zip(found_calls, items, strict=True) if each
        ]
        if not named:
            return items
        if len(named) == len(items):
            return [item for _, item in sorted(named, key=lambda each: each[0])]
        return [
            item if each is None else replace(item, call_key=each[1])
            for each, item in zip(found_calls, items, strict=True)
        ]

    def _find_call(self, item: ExpectedMessage) -> tuple[int, CallKey] | None:
        """Return the call whose result an item is."""
        results = [part for piece in item.pieces for part in piece.parts if isinstance(part, Output)]
        return self.found.get(results[0].call_id or "") if len(results) == 1 else None


MOST_POSITIONS = 100_000
"""Limit of positions in the pattern of one prompt."""


class PatternBuilder:
    """The positions of one pattern."""

    def __init__(self, at: Time) -> None:
        self.at = at
        self.edges: list[list[Edge]] = []
        self.known_calls = KnownCalls()

    def add_position(self) -> int:
        """Add a position.

        Raises:
            PatternError: There are too many.
        """
        if len(self.edges) >= MOST_POSITIONS:
            message = f"at `@{self.at}` the spec unrolls to more than {MOST_POSITIONS:,} elements"
            raise PatternError(f"{message}; reduce the rounds of its loops")
        self.edges.append([])
        return len(self.edges) - 1

    def add_passing(self, start: int, target: int, passing: BranchPassing | None = None) -> int:
        """Add a way without a message."""
        self.edges[start].append(Edge(target, passing=passing))
        return target

    def join_positions(self, ends: Sequence[int]) -> int | None:
        """Join several positions."""
        if len(ends) <= 1:
            return next(iter(ends), None)
        end = self.add_position()
        for each in ends:
            self.add_passing(each, end)
        return end

    def add_items(self, items: Sequence[ExpectedMessage], at: int) -> int:
        """Add messages; return the position after them."""
        for each in self.known_calls.add_calls(items):
            begin, at = at, self.add_position()
            self.edges[begin].append(Edge(at, each))
            if each.role == "tool" and (each.is_loose or not each.n_outputs):
                self.edges[at].append(Edge(at, each, is_more=True))
        return at
