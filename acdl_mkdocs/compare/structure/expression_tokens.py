"""Expressions as flat tokens that are equal if only the spelling differs.

A name that is bound in the text is a token of its binder, so that a rename can be distinguished from a change of
meaning. Knows nothing about statements.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import binding_part
from acdl_mkdocs.language.syntax.nodes import (
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
    NameRef,
    Node,
    Number,
    Operation,
    Part,
    Path,
    Range,
    String,
    Symbol,
    Template,
    TimeIndex,
    Unary,
    field_names,
)

CONSTANTS = frozenset(("true", "false", "none", "null", "empty"))
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))
_MOST_DIGITS = 18
"""A longer number has no value, so its digits are compared."""


class BoundName(NamedTuple):
    """A loop variable or a parameter."""

    owner: object
    """The element that binds it."""
    name: str


class NamedValue(NamedTuple):
    """`$x`: a `Name` of a definition."""

    owner: object
    """The element of the definition."""
    name: str


class LocalVariable(NamedTuple):
    """The variable of a comprehension within the same expression."""

    number: int


class ArgumentValue(NamedTuple):
    """The argument for a parameter of an inlined fragment."""

    value: Node
    bound: "Mapping[str, Meaning]"
    """The meaning of names where the fragment is used."""


class Incomparable(NamedTuple):
    """A value that cannot be compared and equals nothing."""

    thing: object


Token: TypeAlias = str | int | bool | BoundName | NamedValue | LocalVariable | Incomparable | None
Meaning: TypeAlias = BoundName | LocalVariable | ArgumentValue | str
"""The meaning of a name: its binding, its argument, or another word."""
Tokens: TypeAlias = tuple[Token, ...]


def drop_names(tokens: Tokens) -> tuple[object, ...]:
    """Return tokens without the names of bound variables."""
    return tuple(type(token).__name__ if isinstance(token, (BoundName, NamedValue)) else token for token in tokens)


@dataclass(slots=True)
class ExpressionScope:
    """The context for reading the expressions of one place."""

    bound: Mapping[str, Meaning]
    definition: object
    """The element of the definition around; `Name`s belong to it."""
    fragments: Mapping[str, object]
    """The elements of the fragments of the text, by name."""
    special: frozenset[str]
    """Words that mean a part of the time everywhere."""
    is_inclusive: bool
    """Whether `range(a, b)` includes its end."""
    tokens: list[Token] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The names of the variables of comprehensions."""


def tokens_of(node: Node, scope: ExpressionScope, *, is_content: bool = False) -> tuple[Tokens, tuple[str, ...]]:
    """Return the tokens of an expression, and the names of the variables that it binds itself.

    Parameters:
        node: The expression.
        scope: What its names mean.
        is_content: Whether it is a piece of a message, where a bare word is a variable and no text.
    """
    scope.tokens, scope.names = [], []
    _TokenWriter(scope).add_node(node, is_content=is_content)
    return tuple(scope.tokens), tuple(scope.names)


class _TokenWriter:
    """Tokens of one expression; parentheses nest at most as deep as the parser allows."""

    def __init__(self, scope: ExpressionScope) -> None:
        self.reading = scope
        self.bound = scope.bound
        self.add_token = scope.tokens.append

    def add_node(self, node: Node, *, is_content: bool = False) -> None:  # noqa: C901  # one short case a construct
        """Add an expression."""
        inner = strip_parentheses(node)
        argument = self._find_argument(inner)
        if argument is not None:
            self._add_argument(inner, argument, is_content=is_content)
            return
        if is_content and inner is not node and (_says_more_in_parentheses(inner) or self._is_free(inner)):
            self.add_token("()")
            is_content = False
        match inner:
            case Number():
                self.add_token("number")
                self.add_token(_number_value(inner.text))
            case String():
                self.add_token("text")
                self.add_token(inner.value)
            case Symbol(parts=()) if not is_content and self._is_word(inner):
                self.add_token("text")
                self.add_token(inner.name)
            case NameRef() | TimeIndex() | Symbol() | Template() | Call() | HostValue():
                self._add_path(inner)
            case ContextVar():
                self.add_token("variable")
                self.add_token(inner.namespace)
                self._add_parts(inner.parts)
            case FragUse():
                self.add_token("Frag")
                name = inner.name.name
                owner = self.reading.fragments.get(name)
                self.add_token(name if owner is None else BoundName(owner, ""))
                self._add_parts(inner.parts)
            case Operation():
                self._add_operation(inner)
            case Range():
                self.add_token("range" if not (inner.includes_stop or self.reading.is_inclusive) else "closed range")
                for each in (inner.start, inner.stop, inner.step):
                    self.add_token(None) if each is None else self.add_node(each)
            case Comprehension():
                self._add_comprehension(inner)
            case _:
                self._add_other(inner)

    def _find_argument(self, node: Node) -> ArgumentValue | None:
        """Return the argument of a parameter if it is not a plain name."""
        is_name = isinstance(node, Symbol) or (isinstance(node, TimeIndex) and not node.is_reference)
        meaning = self.bound.get(node.name) if is_name and isinstance(node, (Symbol, TimeIndex)) else None
        return meaning if isinstance(meaning, ArgumentValue) else None

    def _add_argument(self, node: Node, argument: ArgumentValue, *, is_content: bool) -> None:
        """Add the argument of a parameter in its place, as one value, as in parentheses."""
        value = strip_parentheses(argument.value)
        parts = node.parts if isinstance(node, (Symbol, TimeIndex)) else ()
        is_other = isinstance(node, TimeIndex) != (isinstance(value, TimeIndex) or _is_time(value))
        outside, self.bound = self.bound, argument.bound
        if parts and isinstance(node, Symbol) and isinstance(value, (ContextVar, NameRef)):
            if isinstance(value, ContextVar):
                self.add_token("variable")
                self.add_token(value.namespace)
            else:
                self.add_token("NameRef")
                self.add_token(NamedValue(self.reading.definition, value.name))
            self.add_token(len(value.parts) + len(parts))
            self._each_part(value.parts)
            self.bound = outside
            self._each_part(parts)
        elif parts or is_other:
            self.add_token(Incomparable(node))
        else:
            self.add_node(Group(span=value.span, value=value), is_content=is_content)  # type: ignore[arg-type]  # an expression
        self.bound = outside

    def _is_free(self, node: Node) -> bool:
        """Return whether a bare word has no value in the text: it is a variable as content, but not in parentheses."""
        is_constant = isinstance(node, Symbol) and not node.parts and node.name.lower() in CONSTANTS
        return isinstance(node, Symbol) and node.name not in self.bound and not is_constant

    def _is_word(self, node: Symbol) -> bool:
        """Return whether a bare word equals the quoted one, because nothing gives it a value."""
        name = node.name
        is_free = name not in self.bound and name not in self.reading.special and name.lower() not in CONSTANTS
        return is_free and (len(name) > 1 or name.upper() not in map(str.upper, self.reading.special))

    def _add_path(self, node: NameRef | TimeIndex | Symbol | Template | Call | HostValue) -> None:
        is_name = isinstance(node, NameRef) or (isinstance(node, TimeIndex) and node.is_reference)
        self.add_token(type(node).__name__)
        bound = None if isinstance(node, Call) or (isinstance(node, Template) and node.parts) else node.name
        if is_name:
            self.add_token(NamedValue(self.reading.definition, node.name))
        else:
            self.add_token(node.name if bound is None else self._name_meaning(bound))
        if isinstance(node, Call) and node.name == "range":
            self.add_token(self.reading.is_inclusive)
        self._add_parts(node.parts, is_time=isinstance(node, TimeIndex))

    def _name_meaning(self, name: str) -> Token:
        """Return the meaning of a plain name; a value in place of part of a time equals nothing."""
        meaning = self.bound.get(name, name)
        return Incomparable(meaning) if isinstance(meaning, ArgumentValue) else meaning

    def _add_parts(self, parts: tuple[Part, ...], *, is_time: bool = False) -> None:
        self.add_token(len(parts))
        self._each_part(parts, is_time=is_time)

    def _each_part(self, parts: tuple[Part, ...], *, is_time: bool = False) -> None:
        for part in parts:
            if isinstance(part, Field):
                self.add_token(".")
                self.add_token(self._name_meaning(part.name) if is_time else part.name)
                continue
            self.add_token("[]" if isinstance(part, Index) else "()")
            self.add_token(len(part.values))
            for each in part.values:
                if isinstance(each, Group) and isinstance(strip_parentheses(each), TimeIndex):
                    # An index that is a time has another meaning than one with the value of a time.
                    self.add_token("()")
                self.add_node(each)

    def _add_operation(self, node: Operation) -> None:
        operators, flat = _flatten_operation(node)
        operands = [(each, self.bound) for each in flat]
        while (split := self._split_sum(*operands[0], operators[0])) is not None:
            operators, operands = [*split[0], *operators], [*split[1], *operands[1:]]
        outside = self.bound
        self.add_token("operation")
        self.add_token(" ".join(operators))
        for number, (each, self.bound) in enumerate(operands):
            inner = strip_parentheses(each)
            is_apart = inner is not each and isinstance(inner, Unary) and inner.operators[0] == "!"
            if number == 0 and is_apart and operators[0] in _COMPARISONS:
                self.add_token("()")  # without them the sign is about the whole comparison
            self.add_node(each)
        self.bound = outside

    def _split_sum(
        self, first: Node, bound: Mapping[str, Meaning], operator: str
    ) -> tuple[list[str], list[tuple[Node, Mapping[str, Meaning]]]] | None:
        """Return operators and operands of the argument used as the first operand, if it needs no parentheses there."""
        argument = bound.get(first.name) if isinstance(first, (TimeIndex, Symbol)) and not first.parts else None
        value = strip_parentheses(argument.value) if isinstance(argument, ArgumentValue) else None
        if (
            not isinstance(argument, ArgumentValue)
            or not isinstance(value, Operation)
            or not _is_one_class(value, operator)
        ):
            return None
        if isinstance(first, TimeIndex) and (first.is_reference or not _is_time(value)):
            return None
        operators, operands = _flatten_operation(value)
        return operators, [(each, argument.bound) for each in operands]

    def _add_comprehension(self, node: Comprehension) -> None:
        self.add_token("comprehension")
        self.add_token(node.variable.is_time and not is_over_times(node.iterable))
        self.add_node(node.iterable)
        outside = self.bound
        self.bound = {**outside, node.variable.name: LocalVariable(len(self.reading.names))}
        self.reading.names.append(node.variable.name)
        self.add_node(node.element)
        self.add_token(None) if node.condition is None else self.add_node(node.condition)
        self.bound = outside

    def _add_other(self, node: Node) -> None:
        """Add signs, lists and `#msg`."""
        self.add_token(type(node).__name__)
        for name in field_names(type(node)):
            value = getattr(node, name)
            if isinstance(value, Node):
                self.add_node(value)
            elif isinstance(value, tuple):
                self.add_token(len(value))
                for each in value:
                    if isinstance(each, (Field, Index, Arguments)):
                        self._add_parts((each,))
                    elif isinstance(each, Node):
                        self.add_node(each)
                    else:
                        self.add_token(each)


def strip_parentheses(node: Node) -> Node:
    """Return an expression without parentheses around all of it."""
    while isinstance(node, Group):
        node = node.value
    return node


def _says_more_in_parentheses(node: Node) -> bool:
    """Return whether content differs in parentheses: one value instead of several pieces."""
    if isinstance(node, FragUse):
        return True
    parts = node.parts if isinstance(node, (TimeIndex, ContextVar)) else ()
    values = [each for part in parts if isinstance(part, Index) for each in part.values]
    times = [node, *values] if isinstance(node, TimeIndex) else values
    fields = (part for time in times if isinstance(time, TimeIndex) for part in time.parts)
    return any(isinstance(part, Field) and part.name == "*" for part in fields)


def _flatten_operation(node: Operation) -> tuple[list[str], list[Node]]:
    """Return operators and operands without redundant parentheses: `(a + b) + c`, `a & (b & c)`."""
    operators, operands = list(node.operators), list[Node](node.operands)
    if operators[0] in "&|":
        flat: list[Node] = []
        for each in operands:
            inner = strip_parentheses(each)
            is_same = isinstance(inner, Operation) and inner.operators[0] == operators[0]
            flat += _flatten_operation(inner)[1] if is_same and isinstance(inner, Operation) else [each]
        return [operators[0]] * (len(flat) - 1), flat
    first = strip_parentheses(operands[0])
    if isinstance(first, Operation) and _is_one_class(first, operators[0]):
        signs, inner_operands = _flatten_operation(first)
        return [*signs, *operators], [*inner_operands, *operands[1:]]
    return operators, operands


def _is_one_class(node: Operation, operator: str) -> bool:
    """Return whether an operation in first place needs no parentheses before an operator."""
    return any(node.operators[0] in each and operator in each for each in ("+-", "*/%"))


def _number_value(text: str) -> str:
    digits = text.replace("_", "")
    if len(digits) > _MOST_DIGITS:
        return digits
    return repr(float(digits)) if "." in digits else str(int(digits))


def is_over_times(iterable: Node | None) -> bool:
    """Return whether a loop certainly runs over times, so that its variable is one in any spelling."""
    bounds = strip_parentheses(iterable) if iterable is not None else None
    return isinstance(bounds, Range) and (_is_time(bounds.start) or _is_time(bounds.stop))


def _is_time(node: Node) -> bool:
    node = strip_parentheses(node)
    if isinstance(node, Operation):
        is_shift = all(sign in ("+", "-") for sign in node.operators)
        return is_shift and _is_time(node.operands[0]) and all(isinstance(each, Number) for each in node.operands[1:])
    return isinstance(node, TimeIndex) and not node.parts and not node.is_reference


def names_bound_by(parameter: Expression) -> list[str]:
    """Return the names that a parameter binds: `T` and `I` for `@T.I`."""
    node = binding_part(parameter)
    if isinstance(node, TimeIndex):
        below = [part.name for part in node.parts if isinstance(part, Field)]
        return [name for name in (node.name, *below) if name and name != "*" and not name.isdigit()]
    return [node.name] if isinstance(node, (Path, Identifier)) else []
