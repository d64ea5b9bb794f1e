"""Rule `empty-body`: a block holds nothing."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import NodePosition, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import remove_statement
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arm,
    ForEach,
    Fragment,
    If,
    Mark,
    Node,
    Prompt,
    RoleMessage,
    Switch,
)
from acdl_mkdocs.language.syntax.nodes import Label as LabelBlock
from acdl_mkdocs.language.syntax.words import format_variable


def empty_body(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every block that holds neither a statement nor a comment.

    ## Why
    Nothing is sent for it, and readers cannot see whether something was forgotten. A comment inside tells them.

    ## Example
    ```acdl
    P[@T]: {
        S: {}
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: { INSTRUCTIONS }
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    broken = [problem.label.span.start for problem in resolved.parsed.diagnostics]
    for position in find_positions(resolved.parsed.file):
        named = _describe_block(position.node)
        span = position.node.span
        if named is not None and not any(span.start <= at <= span.end for at in broken):
            yield _report_empty(position, named, resolved)


def _describe_block(node: Node) -> tuple[str, str, Span] | None:
    """Return the name of an empty block, an example of its content, and its place; `None` if it is not empty."""
    match node:
        case RoleMessage(body=(), comment=None):
            return f"{ROLE_WORDS[node.role]} message", "INSTRUCTIONS", node.marker
        case ForEach(body=(), comment=None):
            return "`ForEach`", f"U: env.content[{_loop_variable(node)}]", node.keyword
        case Arm(body=(), comment=None):
            return f"`{_ARMS[node.kind]}`", "U: env.user_input[@T]", node.keyword
        case Mark(body=(), comment=None):
            return "`Mark`", "S: INSTRUCTIONS", node.keyword
        case Switch(arms=(), comment=None):
            return "`Switch`", 'Case "search" { U: env.results[@T] }', node.keyword
        case LabelBlock(body=(), comment=None):
            return "group", "S: INSTRUCTIONS", node.title.span
        case Prompt(body=(), comment=None):
            return "spec", "U: env.user_input[@T]", node.name.span
        case Fragment(body=(), comment=None):
            inside = "INSTRUCTIONS" if node.kind == "string" else "U: env.user_input[@T]"
            return "fragment", inside, node.name.span
        case _:
            return None


def _loop_variable(loop: ForEach) -> str:
    return format_variable(loop.variable) if loop.variable is not None else "@t"


_ARMS = {"if": "If", "elseif": "ElseIf", "else": "Else", "case": "Case", "default": "Default"}


def _report_empty(position: NodePosition, named: tuple[str, str, Span], resolved: Resolved) -> Diagnostic:
    name, inside, span = named
    if position.is_text:
        inside = "INSTRUCTIONS"
    is_alone = (
        not position.is_needed
        and not isinstance(position.node, (Arm, Prompt, Fragment))
        and not isinstance(position.parent, (If, Switch))
    )
    can_go = is_alone or (isinstance(position.node, Arm) and position.node.kind in ("else", "default"))
    edit = remove_statement(resolved.source, position.node.span)
    return note(
        "empty-body",
        f"this {name} holds nothing",
        Label(span, "nothing is sent for it"),
        help=f"write what it sends, such as `{{ {inside} }}`" + (", or take it out" if can_go else ""),
        fix=Fix("take it out", (edit,), is_safe=False) if can_go else None,
    )
