"""The kind of value that an expression has for any data, and what to write where that kind does not fit.

Only certain results are returned; everything else is `None`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, TypeAlias, assert_never

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import InheritedFact, Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import loop_of
from acdl_mkdocs.language.names.unbound import find_certainty, parameters_of
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Call,
    Comprehension,
    Content,
    ContextVar,
    Expression,
    Field,
    Fragment,
    FragUse,
    Group,
    HostValue,
    Identifier,
    ListOf,
    MessageNumber,
    NameDef,
    NameRef,
    Node,
    Number,
    Operation,
    Prompt,
    Range,
    String,
    Symbol,
    Template,
    TimeIndex,
    Unary,
    strip_parentheses,
)

Kind: TypeAlias = Literal[
    "text", "a number", "a time", "a time of a sub-step", "true or false", "a list", "a map", "nothing"
]
"""In the words that a person uses. A time of a sub-step, such as `@T.I`, is not a number; `@T` also counts as one."""
ARITHMETIC = frozenset("+-*/%")
NO_NUMBERS: frozenset[Kind | None] = frozenset(("true or false", "a list", "a map", "nothing"))
"""Kinds that nothing can be calculated with; text can only be put together with `+`."""
_CONSTANTS: dict[str, Kind] = {
    **dict.fromkeys(("true", "false"), "true or false"),
    **dict.fromkeys(("none", "null", "empty"), "nothing"),
}
_COUNTS = ("len", "substeps")
_NUMERIC = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?")
_DEEPEST = 8
"""The maximum length of a chain of `Name`s to follow."""


class ExpressionKinds:
    """The kinds of the expressions of one text."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.tree: Outline = build_outline(resolved.parsed.file)
        self._is_certain: InheritedFact[bool] = find_certainty(self.tree)

    def kind_of(self, node: Expression, depth: int = 0) -> Kind | None:  # noqa: C901  # one short case a construct
        """Return the kind of an expression."""
        match node:  # the most frequent ones first
            case ContextVar():
                is_whole = isinstance(node.parts[0], Field) and node.parts[0].name == "*" and len(node.parts) == 1
                return "a number" if _is_count(node.parts) else "a map" if is_whole else None
            case TimeIndex():
                return _time_kind(node) if node.parts or node.is_reference else "a time"
            case Range() | ListOf() | Comprehension():
                return "a list"
            case Number() | MessageNumber():
                return "a number"
            case Symbol():
                return self._word_kind(node)
            case Group():
                return self.kind_of(node.value, depth)
            case String() | FragUse():
                return "text"
            case Template():
                return None if node.name in self._variables else "text"
            case NameRef():
                return "a number" if _is_count(node.parts) else self._name_kind(node, depth)
            case Unary():
                return "true or false" if node.operators[0] == "!" else "a number"
            case Operation():
                return self._operation_kind(node, depth)
            case Call():
                return self._call_kind(node, depth)
            case HostValue():
                return None
            case _:
                assert_never(node)

    def iterable_kind(self, node: Expression) -> Kind | None:
        """Return the kind of a loop's iterable, in which an unbound letter is a time or just a word."""
        word = strip_parentheses(node)
        kind = self.kind_of(word)
        definition = self.tree.definition_of(word)
        if kind is not None or not isinstance(word, Symbol) or word.parts or word in self.resolved.bindings:
            return kind
        if definition is None or not self._is_certain.fact_of(word):
            return None
        is_step = word.name.upper() in {"T", "I", *(name.upper() for name in parameters_of(definition))}
        return "a time" if is_step else "text"

    def _operation_kind(self, node: Operation, depth: int) -> Kind | None:
        if node.operators[0] not in ARITHMETIC:
            return "true or false"
        kinds = [self.kind_of(each, depth) for each in node.operands]
        if set(node.operators) == {"+"} and ("text" in kinds or NO_NUMBERS & set(kinds)):
            return "text"  # where it is anything at all
        if set(kinds) <= {"a number", "a time"}:
            return "a time" if kinds.count("a time") == 1 and set(node.operators) <= {"+", "-"} else "a number"
        is_shifted = kinds[0] == "a time of a sub-step" and set(node.operators) <= {"+", "-"}
        return kinds[0] if is_shifted and all(kind == "a number" for kind in kinds[1:]) else None

    def _call_kind(self, node: Call, depth: int) -> Kind | None:
        if node.name not in ("max", "min", "range") or len(node.parts) != 1 or not isinstance(node.parts[0], Arguments):
            return None
        if node.name == "range":
            return "a list"
        kinds = {self.kind_of(each, depth) for each in node.parts[0].values}
        is_time = kinds <= {"a number", "a time", "a time of a sub-step"}
        return "a number" if kinds == {"a number"} else "a time" if kinds and is_time else None

    def _name_kind(self, node: NameRef, depth: int) -> Kind | None:
        """Return the kind of the value of the only `Name` with this name in its definition."""
        target = self.resolved.bindings.get(node)
        holder = self.tree.parents.get(target) if target is not None else None
        if node.parts or depth > _DEEPEST or not isinstance(holder, NameDef) or len(holder.targets) > 1:
            return None
        if self._n_definitions[self.tree.definition_of(holder), node.name] > 1:
            return None
        return self.kind_of(holder.value, depth + 1)

    @cached_property
    def _n_definitions(self) -> dict[tuple[Prompt | Fragment | None, str], int]:
        """The number of `Name`s for each name in each definition."""
        counts: dict[tuple[Prompt | Fragment | None, str], int] = {}
        for each in self.tree.nodes_of(NameDef):
            for target in each.targets:
                key = (self.tree.definition_of(each), getattr(target, "name", ""))
                counts[key] = counts.get(key, 0) + 1
        return counts

    @cached_property
    def _variables(self) -> frozenset[str]:
        """The names of loop variables and parameters, which are not templates even in capitals."""
        loops = {each.name for each in self.tree.nodes_of(Identifier)}
        times = {each.name for each in self.tree.nodes_of(TimeIndex)}
        return frozenset(loops | times)

    def _word_kind(self, word: Symbol) -> Kind | None:
        """Return the kind of a bare word: that of its binding, else of a constant, else text."""
        if word.parts:
            return None
        binder = self.resolved.bindings.get(word)
        if binder is not None:
            return self._variable_kind(word, binder)
        if word.name.lower() in _CONSTANTS:
            return _CONSTANTS[word.name.lower()]
        is_surely_unbound = self.tree.definition_of(word) is not None and self._is_certain.fact_of(word)
        return "text" if len(word.name) > 1 and is_surely_unbound else None  # `t` may be the current time

    def _variable_kind(self, word: Symbol, binder: Node) -> Kind | None:
        if isinstance(binder, TimeIndex):
            return "a time" if binder.name == word.name else "a number"
        loop = loop_of(binder, self.tree)
        bounds = loop.iterable if loop is not None else None
        if not isinstance(bounds, Range):
            return None
        kinds = {self.kind_of(bounds.start), self.kind_of(bounds.stop)}
        return "a number" if kinds == {"a number"} else "a time" if kinds <= {"a number", "a time"} else None


def _time_kind(node: TimeIndex) -> Kind | None:
    names = [part.name if isinstance(part, Field) else "" for part in node.parts]
    if node.is_reference or not all(names):
        return None
    if not names:
        return "a time"
    if "substeps" in names or "*" in names:
        return "a number" if "substeps" in names else "a list"
    is_step = all(len(name) == 1 or name.isdigit() for name in names)
    return "a time of a sub-step" if is_step else None  # `@item.name` may be meant as a field


def _is_count(parts: tuple[Node, ...]) -> bool:
    last = parts[-1] if parts else None
    return isinstance(last, Field) and last.name in _COUNTS


def is_whole(node: Expression) -> bool:
    """Return whether a value is not a number with a fraction."""
    value = strip_parentheses(node)
    return not (isinstance(value, Number) and "." in value.text)


def is_numeric(node: Expression) -> bool:
    """Return whether a value is text that spells a number, or a template whose text may spell one."""
    value = strip_parentheses(node)
    return isinstance(value, Template) or (isinstance(value, String) and _NUMERIC.fullmatch(value.value) is not None)


def number_cure(operands: Iterable[Expression]) -> str:
    """Suggest what to write where a number is needed."""
    for value in map(strip_parentheses, operands):
        if isinstance(value, Template):
            return f"a template is text; read the number from the data: `sys.{value.name.lower()}`"
        if isinstance(value, Symbol) and not value.parts and value.name.lower() not in _CONSTANTS:
            return f"if `{value.name}` is data, say whose: `env.{value.name}` or `sys.{value.name}`"
        if isinstance(value, String) and is_numeric(value):
            return f"write the number without quotes: `{value.value}`"
    return "use numbers, or variables that hold numbers"


_CONTENTS = (Call, ContextVar, FragUse, NameRef, String, Symbol, Template)
_JOINING = ARITHMETIC | {"&", "|"}


@dataclass(frozen=True, slots=True)
class JoinedContent:
    """One content of a message that was meant as several."""

    content: Content
    operands: tuple[Expression, ...]
    """The operands, in source order."""
    operators: frozenset[str]
    is_text: bool
    """Whether one of them is text, for which only `+` is allowed."""


def find_joined_content(content: Node, kinds: ExpressionKinds) -> JoinedContent | None:
    """Find contents that are joined by operators; `None` for a single content, such as a calculated number."""
    value = content.value if isinstance(content, Content) else None
    if not isinstance(content, Content) or not isinstance(value, (Operation, Unary)):
        return None
    operators: set[str] = set()
    operands = tuple(_collect_operands(value, operators))
    if not operators <= _JOINING:
        return None
    is_text = any(kinds.kind_of(each) == "text" for each in operands)
    if isinstance(value, Unary) and not is_text:
        return None
    if not is_text and not all(isinstance(each, _CONTENTS) for each in operands):
        return None
    return JoinedContent(content, operands, frozenset(operators), is_text)


def _collect_operands(node: Expression, operators: set[str]) -> Iterator[Expression]:
    """Yield the operands of loosely binding operators, and collect the operators."""
    stack: list[Expression] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Operation):
            operators.update(current.operators)
            stack.extend(reversed(current.operands))
        elif isinstance(current, Unary):
            operators.update(current.operators)
            stack.append(current.value)
        else:
            yield current
