"""`TurnRepairs`: turns of messages and parts of messages that stand anywhere; every change is reported."""

from collections.abc import Iterable, Iterator, Sequence

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml.grammar import KINDS
from acdl_mkdocs.pml.limits import Limits
from acdl_mkdocs.pml.parts_of_source import start_tag
from acdl_mkdocs.pml.problems import Repair
from acdl_mkdocs.pml.tree import Element
from acdl_mkdocs.pml.validate import fault

PARTS = frozenset(("text", "attachment", "thinking", "call"))
_OF_MODEL = frozenset(("thinking", "call"))
MESSAGES = frozenset(("user", "assistant", "tool_output", "x:message"))


class TooManyRepairsError(Exception):
    """What needs so many repairs is no PML."""

    def __init__(self, span: Span) -> None:
        super().__init__("too many repairs")
        self.span = span


class TurnRepairs:
    """What was repaired, and how turns are."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.repairs: list[Repair] = []
        self.begins_conversation: int | None = None
        """Start of the first of the elements that are a conversation, or a part of it, though they stand outside."""

    def report(self, element: Element, message: str) -> None:
        """Say what is changed about an element."""
        self.report_at(start_tag(self.text, element), message)

    def report_at(self, span: Span, message: str, lost: str = "") -> None:
        """Say what is changed at a place."""
        if len(self.repairs) >= self.limits.repairs:
            raise TooManyRepairsError(span)
        self.repairs.append(Repair(span, message, lost))

    def leave_out(self, span: Span, what: str) -> None:
        """Say what is not in what is read."""
        self.report_at(span, f"{what} is left out", what)

    def turns(self, elements: Iterable[Element]) -> Iterator[Element]:
        """Turns and instructions, from turns, messages and parts of messages."""
        loose: list[Element] = []
        for child in elements:
            if child.name in MESSAGES | PARTS or (child.name == "system" and loose):
                loose.append(child)
                continue
            yield from self.loose_turns(loose)
            loose = []
            yield from self.ordered_turns(child) if child.name == "turn" else (child,)
        yield from self.loose_turns(loose)

    def loose_turns(self, loose: list[Element]) -> Iterator[Element]:
        """Turns of messages that stand in none."""
        if not loose:
            return
        if loose[0].start != self.begins_conversation and any(child.name != "x:message" for child in loose):
            self.report(loose[0], f"`<{loose[0].name}>` and what follows is read as a turn of its own")
        turn = loose[0]._replace(name="turn", attributes={}, text="", elements=tuple(_messages(loose)))
        yield from self.ordered_turns(turn)

    def ordered_turns(self, turn: Element) -> Iterator[Element]:
        """One turn, or several where it has several messages of the user."""
        elements = turn.elements
        messages = [part for each in elements for part in self.in_order(each)]
        found: list[list[Element]] = [[]]
        is_begun = False
        for message in messages:
            if message.name == "user" and is_begun:
                self.report(message, "this `<user>` is read as the beginning of another turn")
                found.append([])
            is_begun = is_begun or message.name in {"user", "assistant"}
            found[-1].append(message)
        if len(messages) == len(elements) and len(found) == 1:
            yield turn
            return
        for each in found:
            yield turn._replace(elements=tuple(each))

    def in_order(self, message: Element) -> Iterator[Element]:
        """A message of the model as several, where words follow a call."""
        kind = KINDS["assistant"]
        own = [
            each.name for each in message.elements if each.name in kind.children and each.name not in kind.extensions
        ]
        if message.name != "assistant" or fault(kind, own) is None:
            yield message
            return
        self.report(message, "what follows a `<call>` is read as another message")
        parts: list[Element] = []
        for part in message.elements:
            if parts and parts[-1].name == "call" and part.name != "call":
                yield message._replace(elements=tuple(parts))
                parts = []
            parts.append(part)
        yield message._replace(elements=tuple(parts))


def _messages(loose: Sequence[Element]) -> Iterator[Element]:
    """Messages, of which those that stand next to each other as mere parts are made one."""
    parts: list[Element] = []
    for child in loose:
        if child.name in PARTS:
            parts.append(child)
            continue
        yield from _message(parts)
        parts = []
        yield child
    yield from _message(parts)


def _message(parts: Sequence[Element]) -> Iterator[Element]:
    if parts:
        name = "assistant" if any(part.name in _OF_MODEL for part in parts) else "user"
        yield parts[0]._replace(name=name, attributes={}, text="", elements=tuple(parts))
