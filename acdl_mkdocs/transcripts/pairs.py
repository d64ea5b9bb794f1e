"""Which call a result answers, and the anchors by which each leads to the other; knows no HTML."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.pml.waiting import Waiting
from acdl_mkdocs.prompt import Call, Message, Output

Place: TypeAlias = tuple[int, int]
"""Number of a message and number of its part, from 0."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A call or a result, and what belongs to it."""

    anchor: str = ""
    """The id of its element; empty for a result that belongs to nothing, and for all but the first of a call."""
    other: str = ""
    """The id of the result of the call, or of the call of the result; empty if there is none."""
    tool: str = ""
    """The tool that was called."""
    is_waiting: bool = False
    """Whether a call has no result and only calls and results follow it: its answer is still to come."""


ALONE = Pair()
"""Of what belongs to nothing."""


def pairs(messages: Iterable[Message], prefix: str) -> Mapping[Place, Pair]:
    """Every call and every result of messages, by its place; where nothing is called, only results that name a call.

    Parameters:
        messages: The messages of a prompt.
        prefix: What the anchors begin with.
    """
    messages = tuple(messages)
    has_calls = any(isinstance(part, Call) for message in messages for part in message.parts)
    found: dict[Place, Pair] = {}
    numbers: dict[Place, int] = {}
    waiting: Waiting[Place] = Waiting()
    open_calls: list[Place] = []
    for number, message in enumerate(messages):
        waiting.begin(message.role)
        for at, part in enumerate(message.parts):
            if isinstance(part, Call):
                numbers[number, at] = len(numbers) + 1
                found[number, at] = Pair(f"{prefix}-call-{len(numbers)}", tool=part.tool)
                waiting.add((number, at), part.id, part.tool)
                open_calls.append((number, at))
            elif isinstance(part, Output) and (has_calls or part.call_id or part.tool):
                call = waiting.answered(part.call_id, part.tool)
                found[number, at] = _answer(call, found, numbers, prefix)
            elif not isinstance(part, Output):
                open_calls.clear()
    for place in open_calls:
        found[place] = replace(found[place], is_waiting=not found[place].other)
    return found


def _answer(call: Place | None, found: dict[Place, Pair], numbers: Mapping[Place, int], prefix: str) -> Pair:
    """The pair of a result; the first one that answers a call is the one that the call leads to."""
    if call is None:
        return ALONE
    called, result = found[call].anchor, f"{prefix}-result-{numbers[call]}"
    tool = found[call].tool
    is_first = not found[call].other
    if is_first:
        found[call] = Pair(called, result, tool)
    return Pair(result if is_first else "", called, tool)
