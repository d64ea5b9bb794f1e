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
from acdl_mkdocs.prompts.providers.provider import MessageLayout
from acdl_mkdocs.runs.match.pattern import find_role
from acdl_mkdocs.runs.read import otel_messages
from acdl_mkdocs.runs.read.recorded import CallKey, Recorded, RecordedAnswer, list_call_keys

_HALVES = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which no file can hold."""
IN_TAGS = "<system>"
"""Prefix of system text between messages for providers without a role for it."""


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
        return "\n".join(filter(None, map(get_text, self.parts)))

    @cached_property
    def normalized_text(self) -> str:
        """Its words, with every run of white space as one space."""
        return normalize_text(self.text)

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
        return (
            self.role,
            self.normalized_text,
            *(essence for part in self.parts if (essence := _get_identity(part)) is not None),
        )


def _get_identity(part: Part) -> tuple[object, ...] | None:
    """Return the identity of a part without words."""
    match part:
        case Call():
            return part.tool, repr(sorted(part.args.items()))
        case Thinking():
            return "thought", normalize_text(part.text)
        case Attachment():
            return part.type, part.data or part.text or part.href or part.id
        case Output() if attachments := list_attachments((part,)):
            return tuple(map(_get_identity, attachments))
    return None


def list_attachments(parts: Iterable[Part]) -> list[Attachment]:
    """Return the images and files among parts, also in results."""
    inside = (each for part in parts for each in (part.parts if isinstance(part, Output) else (part,)))
    return [each for each in inside if isinstance(each, Attachment)]


def get_text(part: Part) -> str:
    """Return the words of a part; empty for a part without words."""
    match part:
        case Text():
            return part.text
        case Output():
            return "\n".join(each.text for each in part.parts if isinstance(each, Text))
    return ""


def normalize_text(text: str) -> str:
    """Return a text with every run of white space as one space, and with letters in one normal form."""
    words = " ".join(text.split())
    return words if words.isascii() else normalize("NFC", _HALVES.sub("\N{REPLACEMENT CHARACTER}", words))


def list_units(prompt: Prompt, first: int = 0) -> list[Unit]:
    """Return the messages of a request from an index on; parts of another role, and results, become separate units."""
    units: list[Unit] = []
    for number, message in enumerate(prompt.messages[first:], first):
        parts = [
            (idx, part)
            for idx, part in enumerate(message.parts)
            if not (isinstance(part, Opaque) and part.place != "part")
        ]
        if all(part == Text("") for _, part in parts):
            units.append(Unit(message.role, (), number))
            continue
        roles = [find_role(part, message.role) for _, part in parts]
        for role, group in groupby(zip(roles, parts, strict=True), lambda each: each[0]):
            members = [each for _, each in group]
            chunks = [[each] for each in members] if role == "tool" else [members]
            for chunk in chunks:
                units.append(Unit(role, tuple(part for _, part in chunk), number, chunk[0][0]))
    return units


def split_system(units: list[Unit], layout: MessageLayout) -> tuple[list[Unit], Unit | None]:
    """Return the units in the order of the provider, and the system text beside them, if it is sent there."""
    if layout.is_in_items:
        units = [
            _join_units(list(group))
            for role, each in groupby(units, _find_turn_role)
            for group in _group_units(role, each)
        ]
    if not layout.is_system_apart:
        return units, None
    system = [unit for unit in units if unit.role == "system"]
    parts = tuple(part for unit in system for part in unit.parts)
    if system and not parts:
        parts = (Text(""),)  # an empty text was sent; without parts, none was
    number = system[0].message if system else 0
    return [unit for unit in units if unit.role != "system"], Unit("system", parts, number)


def _find_turn_role(unit: Unit) -> Role:
    return unit.role


def _group_units(role: Role, units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Group neighbours of one role: those of an assistant together, others one by one."""
    if role == "assistant":
        yield list(units)
    else:
        yield from ([unit] for unit in units)


def _join_units(units: list[Unit]) -> Unit:
    first = units[0]
    parts = tuple(part for unit in units for part in unit.parts)
    return first if len(units) == 1 else Unit(first.role, parts, first.message, first.part)


_UnitOrMessage = TypeVar("_UnitOrMessage", Unit, Message)


def order_by_calls(sent: Sequence[_UnitOrMessage]) -> list[_UnitOrMessage]:
    """Return the messages with neighbouring results in the order of their calls, if all calls are known."""
    ordered = list(sent)
    numbers: dict[str, int] = {}
    n_read = n_calls = 0
    for start, end in _find_result_groups(sent):
        for call in (part for each in sent[n_read:start] for part in each.parts if isinstance(part, Call)):
            n_calls += 1
            numbers[_get_call_name(call)] = n_calls
        n_read = end
        _sort_range(ordered, start, end, [numbers.get(_get_result_name(each)) for each in sent[start:end]])
    return ordered


def order_like(sent: Sequence[Unit], calls: Iterable[CallKey]) -> list[Unit]:
    """Return the messages with neighbouring results in the order of the calls in a list, if all calls are known."""
    ordered, calls_by_id = list(sent), index_calls(sent)
    numbers = {call: number for number, call in enumerate(calls)}
    for start, end in _find_result_groups(sent):
        call_keys = [calls_by_id.get(id(unit)) for unit in sent[start:end]]
        _sort_range(ordered, start, end, [None if each is None else numbers.get(each) for each in call_keys])
    return ordered


def _find_result_groups(sent: Sequence[Unit] | Sequence[Message]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of at least two neighbouring results."""
    start = 0
    for end, role in enumerate([each.role for each in sent]):
        if role != "tool":
            if end - start > 1:
                yield start, end
            start = end + 1
    if len(sent) - start > 1:
        yield start, len(sent)


def _sort_range(units: list[_UnitOrMessage], start: int, end: int, keys: Sequence[int | None]) -> None:
    """Sort a part of a list by position, if all positions are known."""
    known_keys = [key for key in keys if key is not None]
    if len(known_keys) == len(keys) and known_keys != sorted(known_keys):
        pairs = sorted(zip(known_keys, units[start:end], strict=True), key=lambda each: each[0])
        units[start:end] = [each for _, each in pairs]


def restore_order(units: Sequence[Unit]) -> list[Unit]:
    """Return the messages in the order of the request."""
    return sorted(units, key=lambda unit: (unit.message, unit.part))


def index_calls(units: Iterable[Unit]) -> dict[int, CallKey]:
    """Map the identity of each result to its call, the latest one with that id."""
    open_calls: dict[str, CallKey] = {}
    calls_by_result: dict[int, CallKey] = {}
    for unit in units:
        if unit.calls:
            call_keys = list_call_keys(unit.calls)
            names = [_get_call_name(call) for call in unit.calls]
            open_calls.update(zip(names, call_keys, strict=True))
            for name in {name for name in names if names.count(name) > 1}:
                del open_calls[name]  # it is unknown to which of them a result belongs
        elif unit.role == "tool" and (call := open_calls.get(_get_result_name(unit))) is not None:
            calls_by_result[id(unit)] = call
    return calls_by_result


def _get_call_name(call: Call) -> str:
    """Return what a result names a call by: its id, or if the provider has no ids, its tool."""
    return call.id or f"\0{call.tool}"


def _get_result_name(sent: Unit | Message) -> str:
    result = next((part for part in sent.parts if isinstance(part, Output)), None)
    return "" if result is None else result.call_id or f"\0{result.tool}"


STREAM = ("data:", "event:", ":")
"""Beginnings of a stream of events; a line that begins with a colon is a comment."""
_OK = 200
"""Status of an answer that is not an error."""


def read_reply(recorded: Recorded) -> tuple[Message, ...]:
    """Return the messages of the model's answer; empty if no whole answer was recorded."""
    if recorded.format == otel_messages.NAME:
        return otel_messages.read_answer(recorded.reply)
    provider = PROVIDERS.get(recorded.format)
    if provider is not None and isinstance(recorded.reply, str):
        is_text = recorded.status in (None, _OK) and not recorded.reply.lstrip().startswith((*STREAM, "{", "["))
        return (Message("assistant", (Text(recorded.reply),)),) if is_text else ()  # some logs have the text alone
    if provider is None or not isinstance(recorded.reply, dict):
        return ()
    messages = provider.answer_messages(recorded.reply)
    if messages is None and recorded.reply.get("role") in ("assistant", "model"):
        messages = [recorded.reply]  # logs of tools have the message alone
    if messages is None:
        return ()
    read = provider.read({provider.messages_key: messages})
    return tuple(each for each in read.prompt.messages if each.role == "assistant")


def summarize_answer(recorded: Recorded) -> RecordedAnswer | None:
    """Summarize the model's answer; `None` if no whole answer was recorded."""
    if recorded.answer is not None:
        return recorded.answer
    messages = read_reply(recorded)
    if not messages:
        return None
    last = recorded.request.messages[-1:]
    beginning = last[0] if last and last[0].role == "assistant" else None
    calls = [part for message in messages for part in message.parts if isinstance(part, Call)]
    return RecordedAnswer(
        _get_text(messages), tuple(list_call_keys(calls)), "" if beginning is None else _get_text((beginning,))
    )


def _get_text(messages: Sequence[Message]) -> str:
    parts = (part for message in messages for part in message.parts if isinstance(part, Text))
    return normalize_text("\n".join(part.text for part in parts))
