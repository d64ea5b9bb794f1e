"""The messages of a recorded request one by one, the calls that results answer, and the reply of the model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TypeVar
from unicodedata import normalize

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
)
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.provider import Custom
from acdl_mkdocs.runs.match.pattern import home
from acdl_mkdocs.runs.read.recorded import Answer, Asked, Recorded, asked_by

_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of letters, which no file can hold."""
IN_TAGS = "<system>"
"""How system text between messages begins where a provider has no role for it."""


@dataclass(frozen=True)
class Unit:
    """One message, or what of it belongs to one role."""

    role: Role
    parts: tuple[Part, ...]
    message: int
    """Number of the message in the request, from 0."""
    part: int = 0
    """Number of its first part there."""

    @cached_property
    def text(self) -> str:
        """Its words."""
        return "\n".join(filter(None, map(words_of, self.parts)))

    @cached_property
    def squeezed(self) -> str:
        """Its words with single blanks."""
        return squeezed(self.text)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The calls of tools in it."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def path(self) -> str:
        """Its position in the request."""
        return f"messages[{self.message}]" + (f".parts[{self.part}]" if self.part else "")

    @cached_property
    def content(self) -> tuple[object, ...]:
        """Equal for units with the same content; ids of calls do not matter."""
        return (self.role, self.squeezed, *(essence for part in self.parts if (essence := _essence(part)) is not None))


def _essence(part: Part) -> tuple[object, ...] | None:
    """Return the identity of a part without words."""
    match part:
        case Call():
            return part.tool, repr(sorted(part.args.items()))
        case Thinking():
            return "thought", squeezed(part.text)
        case Attachment():
            return part.type, part.data or part.text or part.href or part.id
    return None


def words_of(part: Part) -> str:
    """Return the words of a part; empty for a part without words."""
    match part:
        case Text():
            return part.text
        case Output():
            return "\n".join(each.text for each in part.parts if isinstance(each, Text))
    return ""


def squeezed(text: str) -> str:
    """Return a text with single blanks, and with letters in one normal form."""
    words = " ".join(text.split())
    return words if words.isascii() else normalize("NFC", _HALVES.sub("\N{REPLACEMENT CHARACTER}", words))


def units_of(prompt: Prompt, first: int = 0) -> list[Unit]:
    """Return the messages of a request from an index on; parts of another role, and results, become separate units."""
    found: list[Unit] = []
    for number, message in enumerate(prompt.messages[first:], first):
        parts = [
            (idx, part)
            for idx, part in enumerate(message.parts)
            if not (isinstance(part, Opaque) and part.place != "part")
        ]
        if all(part == Text("") for _, part in parts):
            found.append(Unit(message.role, (), number))
            continue
        roles = [home(part, message.role) for _, part in parts]
        for role, group in groupby(zip(roles, parts, strict=True), lambda each: each[0]):
            held = [each for _, each in group]
            chunks = [[each] for each in held] if role == "tool" else [held]
            for chunk in chunks:
                found.append(Unit(role, tuple(part for _, part in chunk), number, chunk[0][0]))
    return found


def apart(units: list[Unit], custom: Custom) -> tuple[list[Unit], Unit | None]:
    """Return the units in the order of the provider, and the system text beside them, if it is sent there."""
    if custom.is_in_items:
        units = [_as_one(list(group)) for role, each in groupby(units, _turn) for group in _grouped(role, each)]
    if not custom.is_system_apart:
        return units, None
    system = [unit for unit in units if unit.role == "system"]
    parts = tuple(part for unit in system for part in unit.parts)
    number = system[0].message if system else 0
    return [unit for unit in units if unit.role != "system"], Unit("system", parts, number)


def _turn(unit: Unit) -> Role:
    return unit.role


def _grouped(role: Role, units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Group neighbours of one role: those of an assistant together, others one by one."""
    if role == "assistant":
        yield list(units)
    else:
        yield from ([unit] for unit in units)


def _as_one(units: list[Unit]) -> Unit:
    first = units[0]
    parts = tuple(part for unit in units for part in unit.parts)
    return first if len(units) == 1 else Unit(first.role, parts, first.message, first.part)


_Sent = TypeVar("_Sent", Unit, Message)


def in_order_of_calls(sent: Sequence[_Sent]) -> list[_Sent]:
    """Return the messages with neighbouring results in the order of their calls, if all calls are known."""
    found = list(sent)
    numbers: dict[str, int] = {}
    n_read = n_calls = 0
    for start, end in _groups(sent):
        for call in (part for each in sent[n_read:start] for part in each.parts if isinstance(part, Call)):
            n_calls += 1
            numbers[_name_of(call)] = n_calls
        n_read = end
        _sort(found, start, end, [numbers.get(_name_of_result(each)) for each in sent[start:end]])
    return found


def in_order_of(sent: Sequence[Unit], calls: Iterable[Asked]) -> list[Unit]:
    """Return the messages with neighbouring results in the order of the calls in a list, if all calls are known."""
    found, places = list(sent), answered(sent)
    numbers = {call: number for number, call in enumerate(calls)}
    for start, end in _groups(sent):
        asked = [places.get(id(unit)) for unit in sent[start:end]]
        _sort(found, start, end, [None if each is None else numbers.get(each) for each in asked])
    return found


def _groups(sent: Sequence[Unit] | Sequence[Message]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of at least two neighbouring results."""
    start = 0
    for end, role in enumerate([each.role for each in sent]):
        if role != "tool":
            if end - start > 1:
                yield start, end
            start = end + 1
    if len(sent) - start > 1:
        yield start, len(sent)


def _sort(found: list[_Sent], start: int, end: int, places: Sequence[int | None]) -> None:
    """Sort a part of a list by position, if all positions are known."""
    known = [place for place in places if place is not None]
    if len(known) == len(places) and known != sorted(known):
        pairs = sorted(zip(known, found[start:end], strict=True), key=lambda each: each[0])
        found[start:end] = [each for _, each in pairs]


def as_sent(units: Sequence[Unit]) -> list[Unit]:
    """Return the messages in the order of the request."""
    return sorted(units, key=lambda unit: (unit.message, unit.part))


def answered(units: Iterable[Unit]) -> dict[int, Asked]:
    """Map the identity of each result to its call, the latest one with that id."""
    open_calls: dict[str, Asked] = {}
    found: dict[int, Asked] = {}
    for unit in units:
        if unit.calls:
            asked = asked_by(unit.calls)
            names = [_name_of(call) for call in unit.calls]
            open_calls.update(zip(names, asked, strict=True))
            for name in {name for name in names if names.count(name) > 1}:
                del open_calls[name]  # it is unknown to which of them a result belongs
        elif unit.role == "tool" and (call := open_calls.get(_name_of_result(unit))) is not None:
            found[id(unit)] = call
    return found


def _name_of(call: Call) -> str:
    """Return what a result names a call by: its id, or if the provider has no ids, its tool."""
    return call.id or f"\0{call.tool}"


def _name_of_result(sent: Unit | Message) -> str:
    result = next((part for part in sent.parts if isinstance(part, Output)), None)
    return "" if result is None else result.call_id or f"\0{result.tool}"


def reply_of(recorded: Recorded) -> tuple[Message, ...]:
    """Return the messages of the model's answer; empty if no whole answer was recorded."""
    provider = PROVIDERS.get(recorded.format)
    if provider is None or not isinstance(recorded.reply, dict):
        return ()
    messages = provider.answer_messages(recorded.reply)
    if messages is None:
        return ()
    read = provider.read({provider.messages_key: messages})
    return tuple(each for each in read.prompt.messages if each.role == "assistant")


def answer_of(recorded: Recorded) -> Answer | None:
    """Summarize the model's answer; `None` if no whole answer was recorded."""
    if recorded.answer is not None:
        return recorded.answer
    messages = reply_of(recorded)
    if not messages:
        return None
    last = recorded.request.messages[-1:]
    beginning = last[0] if last and last[0].role == "assistant" else None
    calls = [part for message in messages for part in message.parts if isinstance(part, Call)]
    return Answer(_words(messages), tuple(asked_by(calls)), "" if beginning is None else _words((beginning,)))


def _words(messages: Sequence[Message]) -> str:
    parts = (part for message in messages for part in message.parts if isinstance(part, Text))
    return squeezed("\n".join(part.text for part in parts))
