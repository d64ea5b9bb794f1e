"""Rule `misplaced-message-number`: `#msg` is neither an argument nor an index, or is outside of messages."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.language.names.outline import Outline, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Arguments, Group, Index, MessageNumber, Node, Operation, Unary


def misplaced_message_number(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report `#msg` outside of messages, and inside one where it is neither an argument nor an index.

    ## Why
    `#msg` is the number of the message that is being built: there is none between messages, and alone it is
    no content.

    ## Example
    ```acdl
    P[@T]: {
        If #msg > 1 {
            U: env.query[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: {
            HEADER(#msg)
            env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Functions".
    """
    tree = build_outline(resolved.parsed.file)
    numbers = tree.nodes_of(MessageNumber)
    if not numbers:
        return
    of_statement = {position.node: position for position in find_positions(resolved.parsed.file)}
    for number in numbers:
        node: Node | None = number
        while node is not None and node not in of_statement:
            node = tree.parents.get(node)
        position = of_statement.get(node) if node is not None else None
        label, cures = "", ["give it to a template or a function inside a message, such as `HEADER(#msg)`"]
        if position is not None and position.is_certain and not position.is_text:
            label = "no message is being built here"
        elif not _is_argument_or_index(number, tree):
            label = "neither an argument nor an index"
        elif number.parts:
            label, cures = "a number has no fields and no elements", ["write `#msg` alone"]
        if label:
            yield warning(
                "misplaced-message-number", "`#msg` has no meaning here", Label(number.span, label), help=cures
            )


def _is_argument_or_index(number: MessageNumber, outline: Outline) -> bool:
    """Return whether `#msg` is an argument or an index, perhaps with arithmetic."""
    outer = outline.parents.get(number)
    while isinstance(outer, (Operation, Group, Unary)):
        outer = outline.parents.get(outer)
    return isinstance(outer, (Arguments, Index))
