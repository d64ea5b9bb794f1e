"""Rule `break-outside-loop`: `break` or `continue` stands in no loop."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.places import Place, fragment_uses, places
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.edits import removal, replacement, written
from acdl_mkdocs.syntax.nodes import Arm, Break, Continue, Fragment, If, LoopControl, Node


def break_outside_loop(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `break` and `continue` that no `ForEach` holds; in a fragment, unless a loop uses the fragment.

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
    tree = outline(resolved.parsed.file)
    if not tree.of(Break) and not tree.of(Continue):
        return
    found = [
        place
        for place in places(resolved.parsed.file)
        if isinstance(place.node, LoopControl) and place.loop is None and place.is_certain
    ]
    looped = {use.fragment for use in fragment_uses(resolved) if use.place.loop is not None} if found else set()
    whole: dict[Node, If] = {}
    for place in places(resolved.parsed.file) if found else ():
        if isinstance(place.node, If) and _is_one_statement(place.node):
            whole[place.node.arms[0]] = place.node
    for place in found:
        if not isinstance(place.definition, Fragment) or place.definition not in looped:
            yield _outside(place, whole.get(place.parent), resolved)


def _is_one_statement(node: If) -> bool:
    """Whether it has one alternative with one statement in it."""
    arm = node.arms[0]
    return len(node.arms) == 1 and isinstance(arm, Arm) and len(arm.body) == 1 and arm.test is not None


def _outside(place: Place, condition: If | None, resolved: Resolved) -> Diagnostic:
    node = place.node
    if not isinstance(node, Break):
        return error(
            "break-outside-loop",
            "`continue` stands in no loop",
            Label(node.span, "nothing to go on with"),
            help="take it out, or put it into the `ForEach` that it is for",
            fix=None if place.is_needed else Fix("take it out", (removal(resolved.source, node.span),), is_safe=False),
        )
    arm = place.parent
    is_fragment = isinstance(place.definition, Fragment)
    test = arm.test if condition is not None and isinstance(arm, Arm) else None
    ending = f"PromptEndsHere when {written(test)}" if test is not None else "PromptEndsHere"
    span = condition.span if condition is not None else node.span
    return error(
        "break-outside-loop",
        "`break` stands in no loop",
        Label(node.span, "nothing to leave"),
        help=[
            f"to end the prompt here, write `{ending}`{' in place of the `If`' if condition is not None else ''}",
            *(["to leave a loop, use the fragment inside a `ForEach`"] if is_fragment else []),
        ],
        fix=Fix(f"write `{ending}`", (replacement(span, ending),), is_safe=False),
    )
