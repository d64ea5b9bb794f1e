"""`turns()`: messages as turns are written, with or without numbers; knows roles and numbers only."""

from collections.abc import Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Message


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages that are written in one `<turn>`, or a message of instructions that stands in none."""

    number: int | None
    """That of its messages."""
    messages: tuple[Message, ...]
    start: int
    """Number of its first message in the prompt, from 0."""
    is_outside: bool = False
    """Whether it is one message of instructions, written without a turn."""


def turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """The turns of a prompt.

    Before the message of the user, a turn has nothing but instructions and results of tools. Messages of another number
    begin another turn. Instructions without a number at the beginning of the prompt stand in none.
    """
    found: list[Turn] = []
    start = next((number for number, each in enumerate(messages) if not _is_outside(each)), len(messages))
    found.extend(Turn(None, (each,), number, is_outside=True) for number, each in enumerate(messages[:start]))
    is_begun = False
    for number in range(start, len(messages)):
        message = messages[number]
        if message.turn != messages[start].turn or (message.role == "user" and is_begun):
            found.append(Turn(messages[start].turn, tuple(messages[start:number]), start))
            start, is_begun = number, False
        is_begun = is_begun or message.role not in {"system", "tool"}
    if start < len(messages):
        found.append(Turn(messages[start].turn, tuple(messages[start:]), start))
    return tuple(found)


def _is_outside(message: Message) -> bool:
    return message.role == "system" and message.turn is None
