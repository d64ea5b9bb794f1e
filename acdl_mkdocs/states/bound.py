"""What names stand for while a spec is looked through, and what an index says by itself. Knows no state."""

from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    ContextVar,
    Expression,
    Field,
    NameRef,
    Node,
    Part,
    String,
    Symbol,
    TimeIndex,
    children,
)
from acdl_mkdocs.states.shapes import Shape

Bound: TypeAlias = Shape | Literal["time", "number"] | None
"""What a name stands for: a value, a time, a number, or nothing that is known."""


@dataclass(slots=True)
class Scope:
    """What names stand for at one place."""

    source: Source
    variables: dict[str, Bound] = field(default_factory=dict)
    names: dict[str, Bound] = field(default_factory=dict)
    comment: str = ""

    def inside(self, name: str, bound: Bound) -> "Scope":
        """What is visible in a loop."""
        return Scope(self.source, {**self.variables, name: bound}, self.names, self.comment)


def values_of(part: Part) -> tuple[Expression, ...]:
    """What stands between brackets or parentheses."""
    return () if isinstance(part, Field) else part.values


def mark(bound: Bound, name: str) -> None:
    """Say how a value is used: `is_text`, `is_number`, `is_condition`."""
    if isinstance(bound, Shape):
        setattr(bound, name, True)


def kind_of(bound: Bound) -> str:
    """`time`, `number`, or nothing."""
    return bound if isinstance(bound, str) else ""


def word_of(node: Node | None) -> str | None:
    """A bare word or a text as it is."""
    if isinstance(node, String):
        return node.value
    return node.name if isinstance(node, Symbol) and not node.parts else None


def name_of(value: Expression) -> str:
    """The last field of a path, to call an argument by."""
    if isinstance(value, ContextVar):
        return next((part.name for part in reversed(value.parts) if isinstance(part, Field)), "")
    if isinstance(value, Symbol):
        return next((part.name for part in reversed(value.parts) if isinstance(part, Field)), value.name)
    return value.name if isinstance(value, NameRef | Call) else ""


def is_substeps(time: TimeIndex) -> bool:
    """Whether it is the number of sub-steps of a step."""
    return any(isinstance(part, Field) and part.name == "substeps" for part in time.parts)


def levels_of(value: Expression, scope: Scope) -> set[int]:
    """1 for a step, 2 for a sub-step; both for the current sub-step, which may be none yet."""
    if isinstance(value, TimeIndex):
        fields = [part.name for part in value.parts if isinstance(part, Field)]
        fields = [name for name in fields if name not in ("0", "substeps")]
        is_bound = all(scope.variables.get(name) == "number" or name.isdecimal() for name in fields)
        return {1 + len(fields)} if is_bound else {1, 1 + len(fields)}
    inner = (levels_of(child, scope) for child in children(value) if isinstance(child, Expression))
    return max(inner, key=max, default={1})


def fixed_step(value: Expression) -> int | None:
    """The step of `@1`."""
    is_fixed = isinstance(value, TimeIndex) and value.name.isdecimal() and not value.parts
    return int(value.name) if isinstance(value, TimeIndex) and is_fixed else None
