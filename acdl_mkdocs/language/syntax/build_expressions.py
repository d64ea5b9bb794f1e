"""Grammar production to expression: one function per alias of the lower half of `grammar.lark`.

Each takes the pieces of its production, in order. Knows nothing about parsing and reports nothing.
"""

from dataclasses import replace
from typing import assert_never

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.letters import INVISIBLE, normalize_name
from acdl_mkdocs.language.syntax.nodes import (
    NAMESPACES,
    AnyPath,
    Arguments,
    Call,
    Comprehension,
    ContextVar,
    Expression,
    Field,
    FragUse,
    Group,
    HostValue,
    Identifier,
    Index,
    ListOf,
    MessageNumber,
    NameRef,
    Number,
    Operation,
    Range,
    String,
    Symbol,
    Template,
    TimeIndex,
    Unary,
)
from acdl_mkdocs.language.syntax.pieces import OpenOperation, OpenPath, Piece, span_between
from acdl_mkdocs.language.syntax.tokens import Token, is_all_caps


def time_in_brackets(time: AnyPath) -> Expression:
    """Return what a time in `@( )` or `@[ ]` means; the path itself if it is not a time."""
    first = time.parts[0] if len(time.parts) == 1 else None
    values = first.values if isinstance(first, (Arguments, Index)) else ()
    if len(values) != 1:
        return time
    inner = values[0]
    if isinstance(inner, Operation) and set(inner.operators) <= {"+", "-"}:
        start = _as_time(inner.operands[0], inner.operands[0].span)
        if start is not None:
            return Operation(span=time.span, operators=inner.operators, operands=(start, *inner.operands[1:]))
    return _as_time(inner, time.span) or time


def _as_time(value: Expression, span: Span) -> TimeIndex | None:
    """Convert a name or a number to a time; `None` for anything else."""
    if isinstance(value, TimeIndex):
        return TimeIndex(span=span, name=value.name, is_reference=value.is_reference, parts=value.parts)
    if isinstance(value, (Symbol, NameRef)):
        return TimeIndex(span=span, name=value.name, is_reference=isinstance(value, NameRef), parts=value.parts)
    if isinstance(value, Number) and value.text.isdecimal():
        return TimeIndex(span=span, name=value.text, is_reference=False, parts=())
    return None


def is_in_brackets(value: Expression) -> bool:
    """Return whether a sum was written as `@(T-1)`: it is one value in a longer operation."""
    return isinstance(value, Operation) and value.span.start < value.operands[0].span.start


_BLANK = " \t" + "".join(map(chr, INVISIBLE))

_OPERATORS = {
    "&&": "&",
    "and": "&",
    "||": "|",
    "or": "|",
    "not": "!",
    "=": "==",
    "≠": "!=",
    "<>": "!=",
    "≤": "<=",
    "≥": ">=",
    "–": "-",
    "−": "-",
    "×": "*",
    "÷": "/",
}


# ------------------------------------------------------------------------------------------------ operators and values


def _operator_of(sign: Token) -> str:
    """Return an operator in the documented spelling."""
    return _OPERATORS.get(sign.text.lower(), sign.text)


def build_chain(left: Expression, sign: Token, right: Expression) -> OpenOperation:
    """Build `a + b`."""
    return OpenOperation(left, sign, right)


def extend_chain(left: OpenOperation, sign: Token, right: Expression) -> OpenOperation:
    """Add an operand."""
    left.signs.append(sign)
    left.operands.append(right)
    return left


def build_operation(chain: OpenOperation) -> Operation:
    """Build the operation of a complete chain."""
    operands = tuple(Group(span=each.span, value=each) if is_in_brackets(each) else each for each in chain.operands)
    return Operation(
        span=span_between(operands[0], operands[-1]), operators=tuple(map(_operator_of, chain.signs)), operands=operands
    )


def build_unary(signs: list[Token], value: Expression) -> Unary:
    """Build `!x`, `- - x`."""
    value = Group(span=value.span, value=value) if is_in_brackets(value) else value
    return Unary(span=span_between(signs[0], value), operators=tuple(map(_operator_of, signs)), value=value)


def build_number(word: Token) -> Number:
    """Build `1`."""
    return Number(span=word.span, text=word.text)


def build_string(word: Token) -> String:
    """Build `"text"`."""
    value = word.text[1:-1]
    is_kept = word.text[0] == "'" and ("{{" in value or "{%" in value)
    return String(span=word.span, value=value, quote="'" if is_kept else '"')


def build_group(opening: Token, value: Expression, closing: Token) -> Group:
    """Build `(x)`."""
    return Group(span=span_between(opening, closing), value=value)


def build_list(opening: Token, values: list[Expression], closing: Token) -> ListOf:
    """Build `[a, b]`."""
    return ListOf(span=span_between(opening, closing), values=tuple(values))


def build_empty_list(opening: Token, closing: Token) -> ListOf:
    """Build `[]`."""
    return ListOf(span=span_between(opening, closing), values=())


def one_value(value: Piece) -> list[Piece]:
    """Start a list of values."""
    return [value]


def more_values(values: list[Piece], _comma: Token, value: Piece) -> list[Piece]:
    """Add a value after a comma."""
    values.append(value)
    return values


def build_comprehension(
    opening: Token,
    element: Expression,
    _for: Token,
    variable: Identifier,
    _in: Token,
    iterable: Expression,
    closing: Token,
) -> Comprehension:
    """Build `[f(t) for t in range(1, @T)]`."""
    return Comprehension(
        span=span_between(opening, closing),
        element=element,
        variable=variable,
        iterable=unwrap_range(iterable),
        condition=None,
    )


def build_comprehension_if(
    opening: Token,
    element: Expression,
    _for: Token,
    variable: Identifier,
    _in: Token,
    iterable: Expression,
    _if: Token,
    condition: Expression,
    closing: Token,
) -> Comprehension:
    """Build `[f(t) for t in env.ts if t > 1]`."""
    return Comprehension(
        span=span_between(opening, closing),
        element=element,
        variable=variable,
        iterable=unwrap_range(iterable),
        condition=condition,
    )


def unwrap_range(iterable: Expression) -> Expression:
    """Return the range of `[a ... b]`: a loop over it runs over its numbers, not once over the list of them."""
    inner = iterable.values[0] if isinstance(iterable, ListOf) and len(iterable.values) == 1 else None
    if not isinstance(inner, Range) or not inner.includes_stop:
        return iterable
    return replace(inner, span=iterable.span)


def build_span(start: Expression, _dots: Token, stop: Expression) -> Range:
    """Build `a ... b`."""
    return Range(span=span_between(start, stop), start=start, stop=stop, step=None, includes_stop=True)


def build_span_every(start: Expression, _dots: Token, stop: Expression, _every: Token, step: Expression) -> Range:
    """Build `a ... b every c`."""
    return Range(span=span_between(start, step), start=start, stop=stop, step=step, includes_stop=True)


# --------------------------------------------------------------------------------------------------------- iteration


def build_variable(word: Token) -> Identifier:
    """Build `t` or `@t` in a loop."""
    return Identifier(span=word.span, name=normalize_name(word.text).lstrip("@$"), is_time=word.kind == "TIME")


def build_iterable(value: Expression) -> Expression:
    """Build what a loop runs over; a written `range(a, b, c)` is a `Range` here and a function anywhere else.

    `RANGE(a, b)` is another spelling of it.
    """
    if not isinstance(value, (Call, Template)) or len(value.parts) != 1 or value.name.lower() != "range":
        return value
    bounds = value.parts[0].values if isinstance(value.parts[0], Arguments) else None
    if bounds is None:
        return value
    if len(bounds) not in (2, 3):
        return Call(span=value.span, name="range", name_end=value.name_end, parts=value.parts)
    step = bounds[2] if len(bounds) == 3 else None
    return Range(span=value.span, start=bounds[0], stop=bounds[1], step=step, includes_stop=False)


def range_of_two(start: Expression, _comma: Token, stop: Expression) -> Range:
    """Build `(i: 1, @t.substeps)`: the bounds of a range without its name."""
    return Range(span=span_between(start, stop), start=start, stop=stop, step=None, includes_stop=False)


def range_of_three(start: Expression, _comma: Token, stop: Expression, _second: Token, step: Expression) -> Range:
    """Build `(i: 1, 9, 2)`."""
    return Range(span=span_between(start, step), start=start, stop=stop, step=step, includes_stop=False)


# ------------------------------------------------------------------------------------------------------------- paths


def begin_path(first: Token) -> OpenPath:
    """Start a path with its name."""
    return OpenPath(first)


def add_fields(path: OpenPath, token: Token) -> OpenPath:
    """Add `.a.b` to a path."""
    at = token.start
    for piece in token.text[1:].split("."):
        written = piece.strip(_BLANK)
        begin = at + 1 + len(piece) - len(piece.lstrip(_BLANK))
        name = written if written.isascii() else normalize_name(written)
        path.parts.append(Field(span=Span(begin, begin + len(written)), name=name.lstrip("@$") or name))
        at += 1 + len(piece)
    return path


def add_index(path: OpenPath, opening: Token, values: list[Expression], closing: Token) -> OpenPath:
    """Add `[a, b]` to a path."""
    path.parts.append(Index(span=span_between(opening, closing), values=tuple(values)))
    return path


def add_empty_index(path: OpenPath, opening: Token, closing: Token) -> OpenPath:
    """Add `[]` to a path."""
    path.parts.append(Index(span=span_between(opening, closing), values=()))
    return path


def add_arguments(path: OpenPath, opening: Token, values: list[Expression], closing: Token) -> OpenPath:
    """Add `(a, b)` to a path."""
    path.parts.append(Arguments(span=span_between(opening, closing), values=tuple(values)))
    return path


def add_no_arguments(path: OpenPath, opening: Token, closing: Token) -> OpenPath:
    """Add `()` to a path."""
    path.parts.append(Arguments(span=span_between(opening, closing), values=()))
    return path


def build_path(path: OpenPath) -> AnyPath:
    """Build the node of a path: a context variable if its namespace is known, a call if it is called, ..."""
    first = path.word
    parts = tuple(path.parts)
    span = Span(first.start, parts[-1].span.end if parts else first.end)
    name = first.text
    if first.kind == "IDENT":
        if is_all_caps(name):
            return Template(span=span, name=name, name_end=first.end, parts=parts)
        if parts and name in NAMESPACES:
            return ContextVar(span=span, namespace=name, parts=parts)
        kind = Call if parts and isinstance(parts[0], Arguments) else Symbol
        return kind(span=span, name=name, name_end=first.end, parts=parts)
    if first.kind == "HOST_VALUE":
        return HostValue(span=span, name=name, name_end=first.end, parts=parts)
    name = name if name.isascii() else normalize_name(name)
    if first.kind == "TIME":
        name = name[1:]
        return TimeIndex(span=span, name=name.lstrip("$"), is_reference=name.startswith("$"), parts=parts)
    if first.kind == "REFERENCE":
        return NameRef(span=span, name=name[1:], name_end=first.end, parts=parts)
    return MessageNumber(span=span, parts=parts)


def build_value_path(path: OpenPath) -> Expression:
    """Build a path as a value; `@(T-1)` is read as `@T-1`."""
    return time_in_brackets(build_path(path)) if path.word.text == "@" else build_path(path)


def build_fragment_use(keyword: Token, called: AnyPath) -> FragUse:
    """Build `Frag Name[args]`."""
    name, _ = split_header(called)
    return FragUse(span=span_between(keyword, called), name=name, parts=called.parts)


def split_header(title: AnyPath) -> tuple[Identifier, tuple[Expression, ...]]:
    """Split a title such as `React2[@T.I]` into name and parameters."""
    match title:
        case MessageNumber():
            name, end = "#msg", title.span.start + len("#msg")
        case ContextVar():
            name, end = title.namespace, title.span.start + len(title.namespace)
        case TimeIndex():
            name, end = title.name, title.span.start + 1 + title.is_reference + len(title.name)
        case NameRef() | Symbol() | Template() | Call() | HostValue():
            name, end = title.name, title.name_end
        case _:
            assert_never(title)
    parameters = [value for part in title.parts if isinstance(part, (Index, Arguments)) for value in part.values]
    name_span = Span(title.span.start, end)
    return Identifier(span=name_span, name=name, is_time=isinstance(title, TimeIndex)), tuple(parameters)


def build_target(value: Expression) -> Expression:
    """Build the target of a `Name`: the sign of a reference or time before it has no meaning there."""
    match value:
        case NameRef(name=name, parts=()) | TimeIndex(name=name, parts=()) if name.isidentifier():
            return Symbol(span=value.span, name=name, name_end=value.span.end, parts=())
    return value
