"""Rule `break-outside-loop`: `break` or `continue` stands in no loop."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.names.lost_control import LostControl, lost_controls
from acdl_mkdocs.names.places import Use
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.edits import indent_of, insertion, removal, replacement, written
from acdl_mkdocs.syntax.nodes import ForEach, RoleMessage


def break_outside_loop(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `break` and `continue` without a `ForEach` around it in the same message or fragment.

    A loop outside of the message, or one that uses the fragment, cannot be left from inside.

    ## Why
    There is nothing to leave and nothing to go on with.

    ## Example
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        If @T == 1 {
            break
        }
        U: env.user_input[@T-1]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        PromptEndsHere when @T == 1
        U: env.user_input[@T-1]
    }
    ```

    Reference: Language Reference, "Control Flow".
    """
    for found in lost_controls(resolved):
        if found.loop is not None and found.message is not None:
            yield _in_message(found, found.message, found.loop, resolved)
        elif found.use is not None:
            yield _in_fragment(found, found.use)
        else:
            yield _outside(found, resolved)


def _in_message(found: LostControl, message: RoleMessage, loop: ForEach, resolved: Resolved) -> Diagnostic:
    source, whole, test = resolved.source, found.whole, found.test
    moved = f"If {written(test)} {{ {found.word} }}" if test is not None else found.word
    indent = indent_of(source, message.span.start)
    is_movable = test is not None and whole.parent is message and len(message.body) > 1
    edits = (insertion(message.span.start, f"{moved}\n{indent}"), removal(source, whole.node.span))
    marker = source.text[message.marker.start : message.marker.end]
    return error(
        "break-outside-loop",
        f"`{found.word}` cannot leave a message",
        Label(found.place.node.span, "the loop is outside of the message"),
        related=[Label(loop.keyword, "this loop"), Label(message.marker, "this message")],
        help=f"put `{moved}` beside the messages, before `{marker}:`",
        fix=Fix(f"put it before `{marker}:`", edits, is_safe=False) if is_movable else None,
    )


def _in_fragment(found: LostControl, use: Use) -> Diagnostic:
    loop = use.place.loop
    beside = f"`{written(use.node)}`" if use.place.message is None else "the messages"
    return error(
        "break-outside-loop",
        f"`{found.word}` cannot leave a fragment",
        Label(found.place.node.span, "the loop is outside of the fragment"),
        related=[Label(loop.keyword, "the loop that uses it")] if loop is not None else [],
        help=f"put `{found.word}` beside {beside}, inside the loop that uses it",
    )


def _outside(found: LostControl, resolved: Resolved) -> Diagnostic:
    node, test = found.place.node, found.test
    if found.word == "continue":
        edits = (removal(resolved.source, node.span),)
        return error(
            "break-outside-loop",
            "`continue` stands in no loop",
            Label(node.span, "nothing to go on with"),
            help="take it out, or put it into the `ForEach` that it is for",
            fix=None if found.place.is_needed else Fix("take it out", edits, is_safe=False),
        )
    ending = f"PromptEndsHere when {written(test)}" if test is not None else "PromptEndsHere"
    return error(
        "break-outside-loop",
        "`break` stands in no loop",
        Label(node.span, "nothing to leave"),
        help=f"to end the prompt here, write `{ending}`{' in place of the `If`' if test is not None else ''}",
        fix=Fix(f"write `{ending}`", (replacement(found.whole.node.span, ending),), is_safe=False),
    )
