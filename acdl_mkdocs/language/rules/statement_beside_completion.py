"""Rule `statement-beside-completion`: a `Mark`, `Name` or `PromptEndsHere` is beside an `N:` message."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, warning
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import build_outline, statements_between_messages
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import move_inside, move_mark_inside, remove_statement
from acdl_mkdocs.language.syntax.nodes import EndsHere, ForEach, If, Mark, NameDef, Node, RoleMessage, Switch

_FLOW = (ForEach, If, Switch)


def statement_beside_completion(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report `Mark`, `Name` and `PromptEndsHere` outside of the `N:` message that is all of a prompt.

    Chat messages and control flow there are `completion-mixed-with-chat`.

    ## Why
    The prompt is one text, and only comments may be beside it. The messages are clear anyway.

    ## Example
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        N: {
            TASK_DESCRIPTION
            $docs.text
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        N: {
            Name docs := find(env.query[@T])
            TASK_DESCRIPTION
            $docs.text
        }
    }
    ```

    Reference: Language Reference, "Scoping Rules".
    """
    if all(message.role != "none" for message in build_outline(resolved.parsed.file).nodes_of(RoleMessage)):
        return
    for places in statements_between_messages(resolved.parsed.file).values():
        messages = [position.node for position in places if isinstance(position.node, RoleMessage)]
        is_explained = any(isinstance(position.node, _FLOW) for position in places)
        if len(messages) == 1 and messages[0].role == "none" and not is_explained:
            beside = [position.node for position in places if isinstance(position.node, (Mark, NameDef, EndsHere))]
            yield from (_report_statement(node, messages[0], resolved.source) for node in beside)


def _report_statement(node: Node, completion: RoleMessage, source: Source) -> Diagnostic:
    word = "Mark" if isinstance(node, Mark) else "Name" if isinstance(node, NameDef) else "PromptEndsHere"
    is_late = isinstance(node, EndsHere) and node.span.start > completion.span.end
    text = source.one_line(node.span.start, node.span.end)
    head = text.partition("{")[0].strip() + " { ... }" if isinstance(node, Mark) else f"{text} ..."
    if is_late:
        edits: tuple[TextEdit, ...] = (remove_statement(source, node.span),)
    elif isinstance(node, Mark):
        edits = move_mark_inside(node, completion, source)
    else:
        edits = move_inside(node, completion, source)
    return warning(
        "statement-beside-completion",
        f"`{word}` cannot stand outside the None message",
        Label(Span(node.span.start, node.span.start + len(text.partition(" ")[0])), "stands outside it"),
        related=[Label(completion.marker, "this message is all that the prompt can have")],
        help="leave it out: nothing follows" if is_late else f"put it inside: `N: {{ {head} }}`",
        fix=Fix("take it out" if is_late else "put it inside", edits, is_safe=False) if edits else None,
    )
