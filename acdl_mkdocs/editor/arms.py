"""Alternatives: what a statement leads to, and what must hold for each alternative in it to be taken.

Knows texts and their fragments. What is sent there is the business of the proof.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from acdl_mkdocs.evaluation.state.sample_state import Assumption
from acdl_mkdocs.evaluation.values import Value
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import Outline, outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import written
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Break,
    Content,
    Continue,
    EndsHere,
    Expression,
    Fragment,
    FragUse,
    Group,
    If,
    NameDef,
    Node,
    Number,
    RoleMessage,
    String,
    Switch,
    Symbol,
    children,
)

_DOING = (Content, RoleMessage, NameDef, EndsHere, Break, Continue)
_NO_CASE = "no case"
_MOST_DIGITS = 16
_MOST_MET = 2_000
"""Fragments that use others often lead to more than anyone would wait for."""


@dataclass(frozen=True, slots=True)
class Met:
    """A statement or alternative that a part of a text leads to."""

    node: Node
    chosen: tuple[tuple[Node, int], ...]
    """The `If`s and `Switch`es around it, each with the number of the alternative that leads there."""


def met_in(resolved: Resolved, spans: Sequence[Span]) -> list[Met]:
    """What stands in parts of a text, and in the fragments that are used there, in the order in which it is met."""
    tree = outline(resolved.parsed.file)
    found: list[Met] = []
    for node in _outermost(tree, spans):
        found += islice(_below(node, resolved, resolved.source, _around(tree, node), ()), _MOST_MET)
    return found[:_MOST_MET]


def is_all_met(met: Sequence[Met]) -> bool:
    """Whether there is not more than is looked at."""
    return len(met) < _MOST_MET


def statements_of(met: Iterable[Met]) -> list[Node]:
    """The statements that must be reached for anything to be known of them."""
    return [each.node for each in met if isinstance(each.node, _DOING)]


def arms_of(met: Iterable[Met]) -> list[Met]:
    """The alternatives."""
    return [each for each in met if isinstance(each.node, Arm)]


def taking(chosen: Iterable[tuple[Node, int]]) -> Iterator[Assumption]:
    """What to assume so that of each `If` and `Switch` one alternative is taken."""
    for node, number in chosen:
        if isinstance(node, If | Switch):
            arms = [each for each in node.arms if isinstance(each, Arm)]
            yield from _of_switch(node, arms, number) if isinstance(node, Switch) else _of_if(arms, number)


def all_taking(resolved: Resolved, number: int) -> Iterator[Assumption]:
    """What to assume so that every `If` and `Switch` of a text takes the alternative of that number."""
    tree = outline(resolved.parsed.file)
    for node in (*tree.of(If), *tree.of(Switch)):
        yield from taking([(node, number)])


def most_arms(resolved: Resolved) -> int:
    """How many alternatives the longest `If` or `Switch` of a text has."""
    tree = outline(resolved.parsed.file)
    chains: list[If | Switch] = [*tree.of(If), *tree.of(Switch)]
    return max((len(each.arms) for each in chains), default=0)


def _outermost(tree: Outline, spans: Sequence[Span]) -> list[Node]:
    """The statements that lie in spans, without those that lie in each other."""
    inside = {
        node
        for kind in tree.kinds
        for node in tree.kinds[kind]
        if any(span.start <= node.span.start and node.span.end <= span.end for span in spans)
    }
    found = [node for node in inside if tree.parents.get(node) not in inside]
    return sorted(found, key=lambda each: each.span.start)


def _around(tree: Outline, node: Node) -> tuple[tuple[Node, int], ...]:
    """The alternatives that a statement stands in, the outermost first."""
    found: list[tuple[Node, int]] = []
    outer = tree.parents.get(node)
    while outer is not None:
        parent = tree.parents.get(outer)
        if isinstance(outer, Arm) and isinstance(parent, If | Switch):
            found.insert(0, (parent, _number(parent, outer)))
        outer = parent
    return tuple(found)


def _number(chain: If | Switch, arm: Arm) -> int:
    return [each for each in chain.arms if isinstance(each, Arm)].index(arm)


def _below(
    node: Node, resolved: Resolved, source: Source, chosen: tuple[tuple[Node, int], ...], within: tuple[Node, ...]
) -> Iterator[Met]:
    """A node and all that it leads to."""
    yield Met(node, chosen)
    entry = resolved.fragment_of(node, source) if isinstance(node, FragUse) else None
    if entry is not None and isinstance(entry.node, Fragment) and entry.node not in within:
        for each in entry.node.body:
            yield from _below(each, resolved, entry.source, chosen, (*within, entry.node))
    for child in children(node):
        if isinstance(child, Arm) and isinstance(node, If | Switch):
            yield from _below(child, resolved, source, (*chosen, (node, _number(node, child))), within)
        else:
            yield from _below(child, resolved, source, chosen, within)


def _of_if(arms: Sequence[Arm], number: int) -> Iterator[Assumption]:
    for index, arm in enumerate(arms[: number + 1]):
        if arm.test is not None:
            yield from _is(arm.test, index == number)


def _of_switch(node: Switch, arms: Sequence[Arm], number: int) -> Iterator[Assumption]:
    test = arms[number].test if number < len(arms) else None
    value = _NO_CASE if test is None else _value(test)
    if node.subject is not None:
        yield from _is(node.subject, value)
    if test is not None:
        yield from _is(test, value)


def _is(node: Expression, value: Value) -> Iterator[Assumption]:
    """An expression has a value, in parentheses or not."""
    yield Assumption(written(node), value)
    if isinstance(node, Group):
        yield Assumption(written(node.value), value)


def _value(test: Expression) -> Value:
    """What a subject is that a case is for."""
    if isinstance(test, Number) and len(test.text) < _MOST_DIGITS:
        digits = test.text.replace("_", "")
        return float(digits) if "." in digits else int(digits)
    if isinstance(test, String):
        return test.value
    return test.name if isinstance(test, Symbol) and not test.parts else written(test)
