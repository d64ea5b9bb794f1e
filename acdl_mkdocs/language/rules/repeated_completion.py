"""Rule `repeated-completion`: a prompt has more than one `N:` message."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import insert_text
from acdl_mkdocs.language.syntax.nodes import Fragment, Prompt, RoleMessage


def repeated_completion(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `N:` message of a prompt after the first.

    One in a loop or condition is control flow outside it: `completion-mixed-with-chat`.

    ## Why
    A completion interface takes one text, so a prompt in completion format is exactly one `N:` block.

    ## Example
    ```acdl
    P[@T]: {
        N: TASK_DESCRIPTION
        N: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        N: {
            TASK_DESCRIPTION
            env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Completion Format".
    """
    last: dict[Prompt | Fragment, RoleMessage] = {}
    none = [message for message in build_outline(resolved.parsed.file).nodes_of(RoleMessage) if message.role == "none"]
    for position in find_positions(resolved.parsed.file) if len(none) > 1 else ():
        node = position.node
        if not isinstance(node, RoleMessage) or node.role != "none" or position.definition is None or position.message:
            continue
        if not position.is_unconditional:
            continue
        before = last.get(position.definition)
        last[position.definition] = node
        if before is not None:
            yield error(
                "repeated-completion",
                "a prompt cannot have a second None message",
                Label(node.marker, "one more"),
                related=[Label(before.marker, "this would have to be the only one")],
                help="put what both hold into one: `N: { ... }`",
                fix=_merge_messages(before, node, resolved.source),
            )


def _merge_messages(first: RoleMessage, second: RoleMessage, source: Source) -> Fix | None:
    """Return a fix that merges both messages, if nothing is between them."""
    text = source.text
    if text[first.span.end : second.span.start].strip() or not first.body or not second.body:
        return None
    opening = text.find("{", second.marker.end, second.span.end) + 1 if second.is_braced else second.body[0].span.start
    if not opening or (first.is_braced and text[first.span.end - 1] != "}"):
        return None  # braces that are implied by the indentation
    edits = [] if first.is_braced else [insert_text(first.body[0].span.start, "{ ")]
    start = first.span.end - 1 if first.is_braced else first.span.end
    edits.append(TextEdit(Span(start, opening), text[first.span.end : second.span.start]))
    if not second.is_braced:
        edits.append(insert_text(second.span.end, " }"))
    return Fix("make one message of both", tuple(edits), is_safe=False)
