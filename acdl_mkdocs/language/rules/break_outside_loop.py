"""Rule `break-outside-loop`: `break` or `continue` is not in a loop."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import NodePosition, ResolvedUse, build_outline, find_positions, fragment_uses
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, indent_of, insert_text, remove_statement, replace_text
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Break,
    Continue,
    Expression,
    ForEach,
    Fragment,
    If,
    LoopControl,
    Node,
    RoleMessage,
)


@dataclass(frozen=True, slots=True)
class LostControl:
    """A `break` or `continue` without a loop in the same message and the same fragment."""

    position: NodePosition
    statement: NodePosition
    """The `If` that holds nothing else, or the word itself."""
    test: Expression | None
    """The condition of that `If`."""
    use: ResolvedUse | None
    """The use of its fragment in a loop, if there is one."""

    @property
    def word(self) -> str:
        """The keyword as written."""
        return "break" if isinstance(self.position.node, Break) else "continue"

    @property
    def loop(self) -> ForEach | None:
        """The loop outside of the message."""
        return self.position.loop

    @property
    def message(self) -> RoleMessage | None:
        """The message around it."""
        return self.position.message


def find_lost_controls(resolved: Resolved) -> Iterator[LostControl]:
    """Yield every `break` and `continue` that is certainly in no loop, in source order."""
    tree = build_outline(resolved.parsed.file)
    if not tree.nodes_of(Break) and not tree.nodes_of(Continue):
        return
    everything = find_positions(resolved.parsed.file)
    lost = [each for each in everything if isinstance(each.node, LoopControl) and _is_lost(each)]
    uses = fragment_uses(resolved) if lost else []
    looped = {use.fragment: use for use in uses if use.position.loop is not None}
    statements: dict[Node, NodePosition] = {}
    for position in everything if lost else ():
        if isinstance(position.node, If) and _is_one_statement(position.node):
            statements[position.node.arms[0]] = position
    for position in lost:
        arm = position.parent
        test = arm.test if arm in statements and isinstance(arm, Arm) else None
        use = looped.get(position.definition) if isinstance(position.definition, Fragment) else None
        yield LostControl(position, statements.get(arm, position), test, use)


def _is_lost(position: NodePosition) -> bool:
    """Return whether the innermost message contains no loop around the statement."""
    loop, message = position.loop, position.message
    is_steered = loop is not None and (message is None or loop.span.start > message.span.start)
    return position.is_certain and not is_steered


def _is_one_statement(node: If) -> bool:
    """Return whether an `If` has one alternative with one statement."""
    arm = node.arms[0]
    return len(node.arms) == 1 and isinstance(arm, Arm) and len(arm.body) == 1 and arm.test is not None


def break_outside_loop(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `break` and `continue` without a `ForEach` around it in the same message or fragment.

    A loop outside of the message, or one that uses the fragment, cannot be left from inside.

    ## Why
    There is no loop to leave or continue.

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
    for lost in find_lost_controls(resolved):
        if lost.loop is not None and lost.message is not None:
            yield _report_in_message(lost, lost.message, lost.loop, resolved)
        elif lost.use is not None:
            yield _report_in_fragment(lost, lost.use)
        else:
            yield _report_outside(lost, resolved)


def _report_in_message(lost: LostControl, message: RoleMessage, loop: ForEach, resolved: Resolved) -> Diagnostic:
    source, statement, test = resolved.source, lost.statement, lost.test
    moved = f"If {format_expression(test)} {{ {lost.word} }}" if test is not None else lost.word
    indent = indent_of(source, message.span.start)
    is_movable = test is not None and statement.parent is message and len(message.body) > 1
    edits = (insert_text(message.span.start, f"{moved}\n{indent}"), remove_statement(source, statement.node.span))
    marker = source.text[message.marker.start : message.marker.end]
    return error(
        "break-outside-loop",
        f"`{lost.word}` cannot leave a message",
        Label(lost.position.node.span, "the loop is outside of the message"),
        related=[Label(loop.keyword, "this loop"), Label(message.marker, "this message")],
        help=f"put `{moved}` beside the messages, before `{marker}:`",
        fix=Fix(f"put it before `{marker}:`", edits, is_safe=False) if is_movable else None,
    )


def _report_in_fragment(lost: LostControl, use: ResolvedUse) -> Diagnostic:
    loop = use.position.loop
    beside = f"`{format_expression(use.node)}`" if use.position.message is None else "the messages"
    return error(
        "break-outside-loop",
        f"`{lost.word}` cannot leave a fragment",
        Label(lost.position.node.span, "the loop is outside of the fragment"),
        related=[Label(loop.keyword, "the loop that uses it")] if loop is not None else [],
        help=f"put `{lost.word}` beside {beside}, inside the loop that uses it",
    )


def _report_outside(lost: LostControl, resolved: Resolved) -> Diagnostic:
    node, test = lost.position.node, lost.test
    if lost.word == "continue":
        edits = (remove_statement(resolved.source, node.span),)
        return error(
            "break-outside-loop",
            "`continue` stands in no loop",
            Label(node.span, "nothing to go on with"),
            help="take it out, or put it into the `ForEach` that it is for",
            fix=None if lost.position.is_needed else Fix("take it out", edits, is_safe=False),
        )
    ending = f"PromptEndsHere when {format_expression(test)}" if test is not None else "PromptEndsHere"
    return error(
        "break-outside-loop",
        "`break` stands in no loop",
        Label(node.span, "nothing to leave"),
        help=f"to end the prompt here, write `{ending}`{' in place of the `If`' if test is not None else ''}",
        fix=Fix(f"write `{ending}`", (replace_text(lost.statement.node.span, ending),), is_safe=False),
    )
