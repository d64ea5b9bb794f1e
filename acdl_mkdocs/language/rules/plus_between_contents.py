"""Rule `plus-between-contents`: contents are joined by `+`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Content,
    ContextVar,
    FragUse,
    NameRef,
    Operation,
    RoleMessage,
    String,
    Symbol,
    Template,
)

_CONTENTS = (Call, ContextVar, FragUse, NameRef, String, Symbol, Template)


def plus_between_contents(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `+` between contents of a message.

    ## Why
    `+` adds numbers. Write contents one below the other inside the braces of their message.

    ## Example
    ```acdl
    P[@T]: {
        U: QUESTION_INTRO + env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: {
            QUESTION_INTRO
            env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Multi-Line Form".
    """
    tree = build_outline(resolved.parsed.file)
    for content in tree.nodes_of(Content):
        joined = content.value
        if isinstance(joined, Operation) and set(joined.operators) == {"+"} and _joins_contents(joined):
            yield _report_plus(content, joined, resolved, tree)


def _joins_contents(joined: Operation) -> bool:
    return all(isinstance(operand, _CONTENTS) for operand in joined.operands)


def _report_plus(content: Content, joined: Operation, resolved: Resolved, outline: Outline) -> Diagnostic:
    first, second = joined.operands[0].span.end, joined.operands[1].span.start
    sign = resolved.source.text.find("+", first, second)
    listed = " ".join(format_expression(operand) for operand in joined.operands)
    message = outline.parents.get(content)
    marker = ""
    if isinstance(message, RoleMessage) and not message.is_braced:
        marker = resolved.source.text[message.marker.start : message.marker.end]
    edits = _remove_signs(joined, resolved.source.text, is_line=bool(marker))
    return warning(
        "plus-between-contents",
        "contents are joined by `+`",
        Label(Span(sign, sign + 1), "ACDL adds numbers with `+`, not contents"),
        help=f"write them inside braces: `{marker}: {{ {listed} }}`" if marker else f"leave the `+` out: `{listed}`",
        fix=Fix("leave the `+` out", edits, is_safe=False) if edits else None,
    )


def _remove_signs(joined: Operation, text: str, *, is_line: bool) -> tuple[TextEdit, ...]:
    """Return edits that remove every sign; empty if something other than the sign is between two contents."""
    edits: list[TextEdit] = []
    for one, other in zip(joined.operands, joined.operands[1:], strict=False):
        between = text[one.span.end : other.span.start]
        if between.strip() != "+":
            return ()
        edits.append(TextEdit(Span(one.span.end, other.span.start), between.replace(" +", "").replace("+", "") or " "))
    if is_line:
        edits = [insert_text(joined.span.start, "{ "), *edits, insert_text(joined.span.end, " }")]
    return tuple(edits)
