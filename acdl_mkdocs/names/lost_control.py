"""`break` and `continue` that have no loop to steer, and what stands between them and the one that was meant."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.places import Place, Use, fragment_uses, places
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import (
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

    place: Place
    whole: Place
    """The `If` that holds nothing else, or the word itself."""
    test: Expression | None
    """The condition of that `If`."""
    use: Use | None
    """Where a loop uses the fragment that it stands in."""

    @property
    def word(self) -> str:
        """As it is written."""
        return "break" if isinstance(self.place.node, Break) else "continue"

    @property
    def loop(self) -> ForEach | None:
        """The loop outside of the message."""
        return self.place.loop

    @property
    def message(self) -> RoleMessage | None:
        """The message around it."""
        return self.place.message


def lost_controls(resolved: Resolved) -> Iterator[LostControl]:
    """Every `break` and `continue` of a text that surely has no loop, in source order."""
    tree = outline(resolved.parsed.file)
    if not tree.of(Break) and not tree.of(Continue):
        return
    everything = places(resolved.parsed.file)
    found = [each for each in everything if isinstance(each.node, LoopControl) and _is_lost(each)]
    uses = fragment_uses(resolved) if found else []
    looped = {use.fragment: use for use in uses if use.place.loop is not None}
    whole: dict[Node, Place] = {}
    for place in everything if found else ():
        if isinstance(place.node, If) and _is_one_statement(place.node):
            whole[place.node.arms[0]] = place
    for place in found:
        arm = place.parent
        test = arm.test if arm in whole and isinstance(arm, Arm) else None
        use = looped.get(place.definition) if isinstance(place.definition, Fragment) else None
        yield LostControl(place, whole.get(arm, place), test, use)


def _is_lost(place: Place) -> bool:
    """Whether no loop around it is inside the message around it, if there is one."""
    loop, message = place.loop, place.message
    is_steered = loop is not None and (message is None or loop.span.start > message.span.start)
    return place.is_certain and not is_steered


def _is_one_statement(node: If) -> bool:
    """Whether it has one alternative with one statement in it."""
    arm = node.arms[0]
    return len(node.arms) == 1 and isinstance(arm, Arm) and len(arm.body) == 1 and arm.test is not None
