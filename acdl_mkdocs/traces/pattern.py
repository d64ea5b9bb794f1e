"""What a spec may send at one point in time, as a graph of messages: what a recorded request is held to.

Knows nothing of how it is made from a spec, and nothing of requests.
"""

from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.evaluation.values import Time, Value
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Arm, EndsHere, ForEach, RoleMessage
from acdl_mkdocs.prompts.prompt import Call, Output, Part, Role, Thinking
from acdl_mkdocs.traces.asked import Asked


class PatternError(AcdlError):
    """A spec cannot be held against requests: it is too large at that point; the message says where."""


@dataclass(frozen=True, slots=True)
class Said:
    """One piece of a message."""

    origin: Origin
    expression: str
    """As the spec writes it."""
    text: str | None
    """What it is, where the state or the spec itself says so."""
    parts: tuple[Part, ...]
    """What it is, where that is not words."""
    key: str | None
    """What it is called with times and arguments filled in: the same name always has the same content."""
    is_shared: bool
    """Whether the key means the same in all conversations: a template without arguments."""
    name: str = ""
    """What a sample state would call it, known or not: its reference with all times filled in, that of a loop too."""


@dataclass(frozen=True, slots=True)
class Around:
    """A round of a loop, or an alternative, around a message."""

    node: ForEach | Arm
    origin: Origin
    number: int = 0
    """Of the round, from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A message that the spec sends."""

    node: RoleMessage
    origin: Origin
    role: Role
    said: tuple[Said, ...]
    is_loose: bool
    """Whether more may stand in it than what is known to."""
    is_free: bool
    """Whether nothing decides that it is sent."""
    around: tuple[Around, ...]
    asked: Asked | None = None
    """The call that it is the result of, where both are known."""

    @property
    def can_be_empty(self) -> bool:
        """Whether it may have no piece, so that it is not sent."""
        return self.is_loose and not self.said

    @property
    def n_outputs(self) -> int:
        """How many results it is known to hold."""
        return sum(isinstance(part, Output) for said in self.said for part in said.parts)


Passed: TypeAlias = Literal["arm", "skip", "loop", "round", "end", "go-on"]


@dataclass(frozen=True, slots=True, eq=False)
class Passing:
    """A way that is taken: an alternative or past it, a loop and its rounds, an end of the prompt or on behind it."""

    node: Arm | ForEach | EndsHere
    origin: Origin
    kind: Passed
    is_free: bool
    count: int | None = None
    """Of a loop: how many rounds it makes, where that is decided."""
    decides: tuple[str, Value] | None = None
    """What is so on this way: a condition or the subject of a `Switch`, with times filled in, and its value."""


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """From one place of a pattern to another."""

    target: int
    item: Item | None = None
    """What is sent on the way."""
    passing: Passing | None = None
    is_more: bool = False
    """Whether it is only one more result of the message before."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a spec may send at a point."""

    edges: tuple[tuple[Edge, ...], ...]
    """By place; the first place is where a prompt begins."""
    final: int
    at: Time


def home(part: Part, role: Role) -> Role:
    """The role whose messages a part belongs to, whatever message it stands in."""
    if isinstance(part, Output):
        return "tool"
    return "assistant" if isinstance(part, Call | Thinking) else role


def by_role(item: Item) -> list[Item]:
    """A message as it is sent: parts of messages that belong to other roles stand in messages of their own."""
    if item.role == "tool":
        return _results(item)
    found: list[Item] = []
    for said in item.said:
        roles = list(dict.fromkeys(home(part, item.role) for part in said.parts)) or [item.role]
        for role in roles:
            own = replace(said, parts=tuple(part for part in said.parts if home(part, item.role) == role))
            if found and found[-1].role == role:
                found[-1] = replace(found[-1], said=(*found[-1].said, own))
            else:
                found.append(replace(item, role=role, said=(own,)))
    return found or [item]


def _results(item: Item) -> list[Item]:
    """Results that are known, each alone, as requests are read."""
    are_results = all(said.parts and all(isinstance(part, Output) for part in said.parts) for said in item.said)
    if item.n_outputs == 1 or not are_results:
        return [item]
    return [replace(item, said=(replace(said, parts=(part,), key=None),)) for said in item.said for part in said.parts]
