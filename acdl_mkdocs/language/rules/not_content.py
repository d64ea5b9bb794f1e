"""Rule `not-content`: a message contains a time, a condition or a range, or an argument a name."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.kinds import ExpressionKinds, find_joined_content
from acdl_mkdocs.language.names.named_arguments import NamedArgument, find_named_arguments
from acdl_mkdocs.language.names.outline import NodePosition, Outline, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text, replace_text
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Content,
    ContextVar,
    Expression,
    Group,
    Operation,
    Range,
    Symbol,
    TimeIndex,
    Unary,
    strip_parentheses,
)

_SUSPECTS = (Call, Group, Operation, Range, TimeIndex, Unary)


def not_content(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report times, comparisons and other conditions, and ranges that are alone in a message; and `f(name=value)`.

    ## Why
    A message contains variables, templates and functions. A time or a condition alone is not content. Arguments have no
    names: `RULES(lang="en")` passes on whether the word `lang` equals `"en"`, so it passes `false`.

    ## Example
    ```acdl
    P[@T]: {
        U: { env.query @T }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: { env.query[@T] }
    }
    ```

    Reference: Language Reference, "Single-Line Form".
    """
    tree = build_outline(resolved.parsed.file)
    yield from (
        _report_named(each, resolved) for each in find_named_arguments(resolved) if not _is_of_range(each, tree)
    )
    contents = {each for each in tree.nodes_of(Content) if type(each.value) in _SUSPECTS}
    if not contents:
        return
    kinds = ExpressionKinds(resolved)
    suspects = (position for position in find_positions(resolved.parsed.file) if position.node in contents)
    problems = [each for position in suspects for each in _check_content(position, kinds, resolved)]
    skipped = find_explained_lines(resolved) if problems else frozenset()
    yield from (each for each in problems if resolved.source.line_index(each.label.span.start) not in skipped)


def _is_of_range(named: NamedArgument, tree: Outline) -> bool:
    """Return whether it is an argument of `range`, which `malformed-range` reports."""
    owner = tree.parents[tree.parents[named.node]]
    return isinstance(owner, (Call, Symbol)) and owner.name == "range"


def _report_named(named: NamedArgument, resolved: Resolved) -> Diagnostic:
    text = resolved.source.one_line(named.node.span.start, named.node.span.end)
    value, compared = format_expression(named.value), format_expression(named.node)
    to_compare = (
        f"to compare, write `{compared}`" if named.is_bound else f"to compare data, say whose: `env.{compared}`"
    )
    return warning(
        "not-content",
        f"`{text}` is a comparison, not an argument with a name",
        Label(named.node.span, "only `true` or `false` would be passed on"),
        help=[f"arguments have no names: write `{value}`", to_compare],
        fix=Fix("leave the name out", (replace_text(named.node.span, value),), is_safe=False),
    )


def _check_content(position: NodePosition, kinds: ExpressionKinds, resolved: Resolved) -> Iterator[Diagnostic]:
    if not position.is_text or not isinstance(position.node, Content):
        return
    value = strip_parentheses(position.node.value)
    if not isinstance(value, _SUSPECTS) or find_joined_content(position.node, kinds) is not None:
        return
    kind = kinds.kind_of(value)
    if kind in ("a time", "a time of a sub-step"):
        yield _report_time(value, position, resolved)
    elif kind == "true or false" and isinstance(value, (Operation, Unary)):
        yield _report_condition(value, resolved)
    elif isinstance(value, Range) or (isinstance(value, Call) and value.name == "range" and kind == "a list"):
        cure = f"to send something for each number: `ForEach(i: {format_expression(value)}) {{ env.item[i] }}`"
        yield _report_value(value, "a range", "its numbers", [cure])


def _report_time(value: Expression, position: NodePosition, resolved: Resolved) -> Diagnostic:
    """Report a time; it belongs to the content before it if that has no index."""
    time = format_expression(value)
    before = position.siblings[position.index - 1] if position.index else position.node
    owner = before.value if isinstance(before, Content) and before is not position.node else None
    line = resolved.source.text[before.span.end : value.span.start]
    cures, fix = [f"to send its number, say what it counts: `TURN({time})`"], None
    if isinstance(owner, (ContextVar, Call)) and not format_expression(owner).endswith("]") and "\n" not in line:
        cures.insert(0, f"as the index of what stands before it: `{format_expression(owner)}[{time}]`")
        edits = (TextEdit(Span(owner.span.end, value.span.start), "["), insert_text(value.span.end, "]"))
        fix = Fix("make it an index", edits, is_safe=False)
    return _report_value(value, f"the time `{time}`", "its number", cures, fix)


def _report_condition(value: Operation | Unary, resolved: Resolved) -> Diagnostic:
    text = resolved.source.one_line(value.span.start, value.span.end)
    first: Expression = value
    while isinstance(first, (Group, Operation, Unary)):
        first = first.operands[0] if isinstance(first, Operation) else first.value
    cure = f"to send something if it holds, write `If {format_expression(value)} {{ TEMPLATE }}`"
    value_alone = f"TURN({format_expression(first)})" if isinstance(first, TimeIndex) else format_expression(first)
    cures = [f"to send the value, write `{value_alone}`", cure]
    return _report_value(value, f"the condition `{text}`", "`true` or `false`", cures)


def _report_value(value: Expression, what: str, sent: str, cures: list[str], fix: Fix | None = None) -> Diagnostic:
    label = Label(value.span, f"only {sent} would be sent")
    return warning("not-content", f"{what} is not content", label, help=cures, fix=fix)
