"""Small changes of a text: braces of a message, a missing definition, a comment that allows a rule."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.diagnostics import Diagnostic, TextEdit
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.edits import format_expression, indent_of, insert_text
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Content,
    Expression,
    ForEach,
    Fragment,
    FragUse,
    If,
    Index,
    NameDef,
    NameRef,
    Node,
    Prompt,
    RoleMessage,
    Switch,
    Symbol,
    TimeIndex,
)

_STEP = "    "
_ALLOWED = re.compile(r"[ \t]*//[ \t]*acdl:[ \t]*allow\(([^)\n]*)(?=\)[ \t]*$)")
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def with_braces(source: Source, message: RoleMessage) -> tuple[TextEdit, ...]:
    """Return a one-line message as a block."""
    indent = indent_of(source, message.span.start)
    inner = message.body[0].span
    return insert_text(inner.start, f"{{\n{indent}{_STEP}"), insert_text(inner.end, f"\n{indent}}}")


def without_braces(source: Source, message: RoleMessage) -> tuple[TextEdit, ...]:
    """Return a block with one piece and no comment as a one-line message; nothing for any other."""
    content = message.body[0] if len(message.body) == 1 else None
    if not isinstance(content, Content) or message.comment is not None or content.comment is not None:
        return ()
    text = source.text[content.span.start : content.span.end]
    head = source.text[message.marker.end : content.span.start]
    if "\n" in text or not message.is_braced or "//" in head:
        return ()
    return (TextEdit(Span(message.marker.end, message.span.end), f": {text}"),)


def definition_of(use: FragUse, resolved: Resolved) -> TextEdit:
    """Return a definition for an undefined fragment, at the end of the text."""
    arguments = [value for part in use.parts if isinstance(part, (Index, Arguments)) for value in part.values]
    parameters = _name_parameters(arguments)
    template = "_".join(_WORDS.findall(use.name.name)).upper()
    template = template if len(template) > 1 else "TEXT"
    is_text = _is_text(use, resolved)
    keyword = "StrFrag" if is_text else "RolesFrag"
    parameter_list = f"[{', '.join(parameters)}]" if parameters else ""
    body = template if is_text else f"U: {template}"
    text = resolved.source.text
    lead = "\n" if text.endswith("\n") else "\n\n"
    return insert_text(len(text), f"{lead}{keyword} {use.name.name}{parameter_list}: {{\n{_STEP}{body}\n}}\n")


def _name_parameters(arguments: list[Expression]) -> list[str]:
    """Return names for parameters: those of the arguments, where they are names."""
    names: list[str] = []
    for number, value in enumerate(arguments, 1):
        if isinstance(value, TimeIndex) and not value.is_reference and value.name.isidentifier():
            name = f"@{value.name}"
        elif isinstance(value, (Symbol, NameRef)):
            name = value.name
        else:
            first = re.match(r"@[^\W\d]\w*", format_expression(value))
            name = first[0] if first else f"given{number}"
        names.append(name if name not in names else f"given{number}")
    return names


def _is_text(use: FragUse, resolved: Resolved) -> bool:
    tree = build_outline(resolved.parsed.file)
    node: Node | None = use
    statements = {position.node: position for position in find_positions(resolved.parsed.file)}
    while node is not None and node not in statements:
        node = tree.parents.get(node)
    return node is None or statements[node].is_text


def missing_name(node: NameRef | TimeIndex, resolved: Resolved) -> TextEdit | None:
    """Return a `Name` for an undefined use, before the nearest statement around it that begins a line.

    The statement is in the same definition; `None` if there is none: a name above the title would be outside.
    """
    source, tree = resolved.source, build_outline(resolved.parsed.file)
    outer: Node | None = node
    while outer is not None and not isinstance(outer, (Prompt, Fragment)):
        start = source.line_starts[source.line_index(outer.span.start)]
        is_statement = isinstance(outer, (Content, RoleMessage, NameDef, If, Switch, ForEach))
        if is_statement and not source.text[start : outer.span.start].strip():
            indent = indent_of(source, outer.span.start)
            return insert_text(start, f"{indent}Name {node.name} := {node.name.upper()}_VALUE\n")
        outer = tree.parents.get(outer)
    return None


def allow_rule(source: Source, problem: Diagnostic) -> Iterator[TextEdit]:
    """Yield a comment that silences the rule of a problem on its line; nothing if the problem has no rule."""
    if problem.rule not in RULES:
        return
    line = source.line_index(problem.label.span.start)
    above = _ALLOWED.match(source.line_text(line - 1)) if line else None
    if above is not None:
        yield insert_text(source.line_starts[line - 1] + above.end(), f", {problem.rule}")
        return
    start = source.line_starts[line]
    yield insert_text(start, f"{indent_of(source, problem.label.span.start)}// acdl: allow({problem.rule})\n")
