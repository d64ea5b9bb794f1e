"""Times that are written in brackets: `@(T-1)` is read as `@T-1`."""

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.syntax.nodes import (
    AnyPath,
    Arguments,
    Expression,
    Index,
    NameRef,
    Number,
    Operation,
    Symbol,
    TimeIndex,
)


def time_in_brackets(time: AnyPath) -> Expression:
    """What `@( )` and `@[ ]` around a time stand for; the path itself if that is no time."""
    first = time.parts[0] if len(time.parts) == 1 else None
    values = first.values if isinstance(first, Arguments | Index) else ()
    if len(values) != 1:
        return time
    inner = values[0]
    if isinstance(inner, Operation) and set(inner.operators) <= {"+", "-"}:
        start = _as_time(inner.operands[0], inner.operands[0].span)
        if start is not None:
            return Operation(span=time.span, operators=inner.operators, operands=(start, *inner.operands[1:]))
    return _as_time(inner, time.span) or time


def _as_time(value: Expression, span: Span) -> TimeIndex | None:
    """A name or a number as a time."""
    if isinstance(value, TimeIndex):
        return TimeIndex(span=span, name=value.name, is_reference=value.is_reference, parts=value.parts)
    if isinstance(value, Symbol | NameRef):
        return TimeIndex(span=span, name=value.name, is_reference=isinstance(value, NameRef), parts=value.parts)
    if isinstance(value, Number) and value.text.isdecimal():
        return TimeIndex(span=span, name=value.text, is_reference=False, parts=())
    return None


def is_in_brackets(value: Expression) -> bool:
    """Whether a sum was written as `@(T-1)`: it is one value in a longer operation."""
    return isinstance(value, Operation) and value.span.start < value.operands[0].span.start
