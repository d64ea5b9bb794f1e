"""Contents of a message that operators join: `TASK - TOOLS`, `env.a & env.b`, which ACDL reads as one expression."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.names.kinds import ARITHMETIC, Kinds
from acdl_mkdocs.syntax.nodes import (
    Call,
    Content,
    ContextVar,
    Expression,
    FragUse,
    NameRef,
    Node,
    Operation,
    String,
    Symbol,
    Template,
    Unary,
)

_CONTENTS = (Call, ContextVar, FragUse, NameRef, String, Symbol, Template)
_JOINING = ARITHMETIC | {"&", "|"}


@dataclass(frozen=True, slots=True)
class Glue:
    """One content of a message that was meant as several."""

    content: Content
    operands: tuple[Expression, ...]
    """What stands between the operators, in source order."""
    operators: frozenset[str]
    is_text: bool
    """Whether one of them is text, with which nothing but `+` can be done."""


def glue(content: Node, kinds: Kinds) -> Glue | None:
    """The contents that operators join in a content; `None` for one content, such as a number that is calculated."""
    value = content.value if isinstance(content, Content) else None
    if not isinstance(content, Content) or not isinstance(value, Operation | Unary):
        return None
    operators: set[str] = set()
    operands = tuple(_operands(value, operators))
    if not operators <= _JOINING:
        return None
    is_text = any(kinds.of(each) == "text" for each in operands)
    if isinstance(value, Unary) and not is_text:
        return None
    if not is_text and not all(isinstance(each, _CONTENTS) for each in operands):
        return None
    return Glue(content, operands, frozenset(operators), is_text)


def _operands(node: Expression, operators: set[str]) -> Iterator[Expression]:
    """What stands between operators, whatever binds more tightly; the operators are collected."""
    waiting: list[Expression] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Operation):
            operators.update(current.operators)
            waiting.extend(reversed(current.operands))
        elif isinstance(current, Unary):
            operators.update(current.operators)
            waiting.append(current.value)
        else:
            yield current
