"""`segments()`: every part of a prompt with its path, as a PML document has its elements; knows no XML."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.pml.turns import Turn, turns
from acdl_mkdocs.prompt import Attachment, Call, Memory, Message, Opaque, Output, Part, Prompt, Text, Thinking, Tool

Value: TypeAlias = Message | Part | Memory | Tool
Place: TypeAlias = tuple[str | int, ...]
_NAMES = {
    Text: "text",
    Thinking: "thinking",
    Attachment: "attachment",
    Call: "call",
    Output: "tool_output",
    Opaque: "opaque",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a prompt."""

    path: str
    """Its path, with all numbers."""
    value: Value
    place: Place
    """Where it is: `("messages", 2, 0)` is the first part of the third message."""


def segments(prompt: Prompt) -> Iterator[Segment]:
    """All parts of a prompt, in order."""
    counts: Counter[str] = Counter()
    for number, entry in enumerate(prompt.memory):
        counts[entry.kind] += 1
        yield Segment(f"memory/{entry.kind}[{counts[entry.kind]}]", entry, ("memory", number))
    for number, tool in enumerate(prompt.tools):
        yield Segment(f"tools/tool[{number + 1}]", tool, ("tools", number))
    counts.clear()
    for turn, turn_number in numbered(turns(prompt.messages)):
        around = "" if turn_number is None else f"turn[{turn_number}]/"
        for number, message in enumerate(turn.messages, turn.start):
            yield from _of_message(message, number, around, counts)


def numbered(all_turns: Iterable[Turn]) -> Iterator[tuple[Turn, int | None]]:
    """Turns with their numbers: their own, else counted from that of the one before; none for instructions outside."""
    number = 0
    for turn in all_turns:
        if not turn.is_outside:
            number = number + 1 if turn.number is None else turn.number
        yield turn, None if turn.is_outside else number


def _of_message(message: Message, number: int, around: str, counts: Counter[str]) -> Iterator[Segment]:
    """A message and its parts; results of tools stand in the turn itself."""
    place = ("messages", number)
    if message.role == "tool" and all(isinstance(part, Output) for part in message.parts) and message.parts:
        inside = around
    else:
        path = _counted(f"{around}{message.role}", counts)
        yield Segment(path, message, place)
        inside = f"{path}/"
    for part_number, part in enumerate(message.parts):
        path = _counted(inside + _NAMES[type(part)], counts)
        yield Segment(path, part, (*place, part_number))
        for inner_number, inner in enumerate(part.parts if isinstance(part, Output) else ()):
            name = "content" if isinstance(inner, Text) else _NAMES[type(inner)]
            yield Segment(_counted(f"{path}/{name}", counts), inner, (*place, part_number, inner_number))


def _counted(path: str, counts: Counter[str]) -> str:
    counts[path] += 1
    return f"{path}[{counts[path]}]"


def id_of(value: Value) -> str | None:
    """What `#id` names: the id of a message, an attachment or a call."""
    return value.id if isinstance(value, Message | Attachment | Call) else None
