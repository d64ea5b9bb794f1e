"""Rule `control-flow-in-one-line-role`: a message without braces holds more than one content element."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import body_of, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import wrap_statements
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arm,
    Break,
    Continue,
    EndsHere,
    ForEach,
    If,
    LoopControl,
    Mark,
    NameDef,
    Node,
    RoleMessage,
    Switch,
)
from acdl_mkdocs.language.syntax.spellings import plain_name

_WORD = re.compile(r"[@$]*\w+")
_KEYWORDS: dict[type[Node], str] = {
    ForEach: "ForEach",
    If: "If",
    Switch: "Switch",
    Mark: "Mark",
    NameDef: "Name",
    EndsHere: "PromptEndsHere",
    Break: "break",
    Continue: "continue",
}


def control_flow_in_one_line_role(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every message without braces that holds a `ForEach`, an `If`, a `Switch` or another statement.

    ## Why
    The one-line form holds exactly one content element: a variable, a template, a function call or a fragment.

    ## Example
    ```acdl
    P[@T]: {
        U: ForEach(doc: env.documents[@T]) {
            env.content[doc]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: {
            ForEach(doc: env.documents[@T]) {
                env.content[doc]
            }
        }
    }
    ```

    Reference: Language Reference, "Single-Line Form".
    """
    tree = build_outline(resolved.parsed.file)
    for node in tree.nodes_of(RoleMessage):
        if node.is_braced or type(node.body[0]) not in _KEYWORDS:
            continue
        inner = node.body[0]
        # `break-outside-loop` and `several-names` explain these.
        is_explained = isinstance(inner, LoopControl) and tree.definition_of(node) is not None
        is_explained |= isinstance(inner, NameDef) and not plain_name(inner)
        if not is_explained:
            yield _report_message(node, inner, resolved)


def _report_message(message: RoleMessage, inner: Node, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    keyword = _KEYWORDS[type(inner)]
    role = ROLE_WORDS[message.role]
    marker = text[message.marker.start : message.marker.end]
    head = text[inner.span.start : inner.span.end].partition("{")[0] if body_of(inner) else ""
    statement = (
        f"{' '.join(head.split())} {{ ... }}" if head else " ".join(text[inner.span.start : inner.span.end].split())
    )
    return error(
        "control-flow-in-one-line-role",
        f"a one-line {role} message cannot hold `{keyword}`",
        Label(_first_word(inner, text), "needs braces around it"),
        related=[Label(message.marker, "without `{` this message holds one content element")],
        help=f"write `{marker}: {{ {statement} }}`",
        fix=Fix("put braces around it", wrap_statements(resolved.source, inner.span)),
    )


def _first_word(node: Node, text: str) -> Span:
    """Return the place of a statement's keyword as written, in any spelling; of the name in `docs = env.docs`."""
    if isinstance(node, If):
        node = next(arm for arm in node.arms if isinstance(arm, Arm))
    if isinstance(node, (Arm, ForEach, Mark, Switch)):
        return node.keyword
    word = _WORD.match(text, node.span.start)
    return Span(node.span.start, word.end()) if word else node.span
