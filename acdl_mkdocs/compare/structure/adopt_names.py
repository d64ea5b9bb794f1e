"""`adopt_names()`: a text in the names of another one that says the same differently."""

from collections import Counter
from collections.abc import Iterator, Mapping

from acdl_mkdocs.compare.structure.merge import Hunk, apply_hunks, list_expressions
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.sequences import longest_rise
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    ContextVar,
    EndsHere,
    Field,
    ForEach,
    Identifier,
    Node,
    Prompt,
    Range,
    Symbol,
    Template,
    TimeIndex,
    children,
    walk,
)

_CONTENT, _CONDITION = 3, 1
"""How much it counts that two names are at one place: a condition may have become another one."""


def adopt_names(
    new: Source, prompt: Prompt, old_of: Mapping[Node, Node], *, has_inclusive_ranges: bool
) -> tuple[str, dict[str, str]]:
    """Return a text whose prompt has the names of the one that it was, and the names of before with those of now.

    Parameters:
        new: The text.
        prompt: A prompt of it, whose ranges include their ends.
        old_of: For its statements those of the other text.
        has_inclusive_ranges: Whether ranges of the other text include their ends; else they are written `a ... b`.
    """
    names = _settle(_count_votes(prompt, old_of), {name for name, _ in _list_names(prompt)})
    splices = [TextEdit(span, names[name]) for name, span in _list_names(prompt) if names.get(name, name) != name]
    splices += _rename_variables(prompt, old_of)
    if not has_inclusive_ranges:
        splices += _list_open_ranges(prompt)
    old_name = getattr(old_of.get(prompt), "name", None)
    if isinstance(old_name, Identifier) and old_name.name != prompt.name.name:
        splices.append(TextEdit(prompt.name.span, old_name.name))
    return apply_hunks(new.text, [Hunk((), tuple(splices))]), names


def _count_votes(prompt: Prompt, old_of: Mapping[Node, Node]) -> Counter[tuple[str, str]]:
    """Count how often two names are at one place, in statements that are in the same order in both texts."""
    votes: Counter[tuple[str, str]] = Counter()
    pairs = [(each, old_of[each]) for each in walk(prompt) if each in old_of and not isinstance(each, Prompt)]
    for number in longest_rise([old.span.start for _, old in pairs]):
        node, old = pairs[number]
        weight = _CONDITION if isinstance(node, (Arm, EndsHere)) else _CONTENT
        for new_expression, expression in zip(list_expressions(node), list_expressions(old), strict=False):
            for pair in _pair_names(new_expression, expression):
                votes[pair] += weight
    return votes


def _pair_names(new: Node, old: Node) -> Iterator[tuple[str, str]]:
    """Yield names that are at the same place of two expressions."""
    stack = [(new, old)]
    while stack:
        one, two = stack.pop()
        if type(one) is not type(two):
            continue
        if isinstance(one, ContextVar) and isinstance(two, ContextVar):
            if one.namespace != two.namespace:
                continue
            yield _name_of(one)[0], _name_of(two)[0]
        elif isinstance(one, Template) and isinstance(two, Template):
            yield one.name, two.name
        pairs = zip(children(one), children(two), strict=False)
        stack += [(left, right) for left, right in pairs if not isinstance(left, Field)]


def _settle(votes: Counter[tuple[str, str]], names: set[str]) -> dict[str, str]:
    """Return for each name the one that it had most often; no two get the same."""
    chosen: dict[str, str] = {}
    taken: set[str] = set()
    for (name, old), _ in sorted(votes.items(), key=lambda each: (-each[1], each[0][0] != each[0][1], each[0])):
        if name not in chosen and old not in taken:
            chosen[name] = old
            taken.add(old)
    for name in sorted(names - chosen.keys()):
        number, unique = 1, name
        while unique in taken:
            number += 1
            unique = f"{name}_{number}"
        chosen[name] = unique
        taken.add(unique)
    return chosen


def _list_names(prompt: Prompt) -> Iterator[tuple[str, Span]]:
    """Yield the values and the templates of a prompt, with their places."""
    for node in walk(prompt):
        if isinstance(node, ContextVar):
            yield _name_of(node)
        elif isinstance(node, Template):
            yield node.name, Span(node.span.start, node.name_end)


def _name_of(value: ContextVar) -> tuple[str, Span]:
    """Return the name of a value up to its first index, with its place."""
    fields: list[Field] = []
    for part in value.parts:
        if not isinstance(part, Field):
            break
        fields.append(part)
    end = fields[-1].span.end if fields else value.span.end
    return ".".join([value.namespace, *(each.name for each in fields)]), Span(value.span.start, end)


def _rename_variables(prompt: Prompt, old_of: Mapping[Node, Node]) -> Iterator[TextEdit]:
    """Yield the changes of variables to those of the loops and of the prompt that they were."""
    stack: list[tuple[Node, Mapping[str, str]]] = [(prompt, {})]
    while stack:
        node, renamed = stack.pop()
        old = old_of.get(node)
        if isinstance(node, ForEach) and isinstance(old, ForEach) and node.variable and old.variable:
            renamed = {**renamed, node.variable.name: old.variable.name}
        if isinstance(node, Prompt) and isinstance(old, Prompt):
            times = [
                next((each.name for each in side.parameters if isinstance(each, TimeIndex)), "") for side in (node, old)
            ]
            renamed = {times[0]: times[1]} if all(times) else {}
        if isinstance(node, (TimeIndex, Symbol, Identifier)) and renamed.get(node.name, node.name) != node.name:
            start = node.span.start + int(
                isinstance(node, TimeIndex) or (isinstance(node, Identifier) and node.is_time)
            )
            yield TextEdit(Span(start, start + len(node.name)), renamed[node.name])
        if isinstance(node, TimeIndex):
            for part in node.parts:
                if isinstance(part, Field) and renamed.get(part.name, part.name) != part.name:
                    yield TextEdit(Span(part.span.end - len(part.name), part.span.end), renamed[part.name])
        stack += [(each, renamed) for each in children(node)]


def _list_open_ranges(prompt: Prompt) -> Iterator[TextEdit]:
    """Yield the changes of `range(a, b)` to `a ... b`, which includes its end everywhere."""
    for node in walk(prompt):
        if isinstance(node, Range) and not node.includes_stop and node.step is None:
            yield TextEdit(Span(node.span.start, node.start.span.start), "")
            yield TextEdit(Span(node.start.span.end, node.stop.span.start), " ... ")
            yield TextEdit(Span(node.stop.span.end, node.span.end), "")
