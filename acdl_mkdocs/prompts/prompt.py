"""A prompt as one provider-neutral value: messages, tools, memory; and its messages as turns."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.json_value import Json as Json

Role: TypeAlias = Literal["system", "user", "assistant", "tool", "none"]
"""`none` is text without a role, for interfaces that complete text."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """The thinking of a model before its answer."""

    text: str
    signature: str | None = None
    """Opaque data of the provider that proves where it comes from; kept unchanged, never sent to another provider."""
    is_redacted: bool = False
    """Whether `text` is opaque data of the provider instead of words."""
    provider: str | None = None
    """Name of the wire format that `signature` and redacted text belong to."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image or a file: exactly one of `data`, `text` and `href` is given, or none for a placeholder."""

    type: str
    """`image`, `file`, `doc` and so on; an open list."""
    name: str | None = None
    path: str | None = None
    mime: str | None = None
    data: str | None = None
    """Base64."""
    text: str | None = None
    href: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool by the model."""

    tool: str
    args: Mapping[str, Json]
    id: str | None = None
    """`None` if the text has none: results then belong to calls in order."""
    args_raw: str | None = None
    """The arguments in the provider's spelling, if that is JSON text."""
    signature: str | None = None
    """Opaque data of the provider about the thought that led to the call (Gemini's `thoughtSignature`)."""


@dataclass(frozen=True, slots=True)
class Output:
    """The result of a tool."""

    parts: tuple["Text | Attachment | Opaque", ...]
    call_id: str | None = None
    tool: str | None = None
    is_error: bool = False
    mime: str | None = None
    """Media type of its text, if it is given."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Data that only one provider understands, kept for that provider."""

    provider: str
    """Name of the wire format."""
    json: Json
    place: Literal["part", "more", "instead", "message"] = "part"
    """Whether it is a separate part (or a whole message), more keys of the part before it, the provider's spelling
    of the part before it, or more keys of its message."""


Part: TypeAlias = Text | Thinking | Attachment | Call | Output | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    id: str | None = None
    turn: int | None = None
    """Number of the turn of the conversation that it belongs to, from 1, if it is known."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call."""

    name: str
    description: str | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    """JSON Schema of the arguments; empty for a tool without any."""
    alias: str | None = None
    """A long name, where `name` is a short code."""
    more: Opaque | None = None
    """More keys that only one provider understands."""
    has_trigger: bool = False
    """Whether a person may ask for it in words that a program understands, such as `[#W: "Oslo"]`."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory that persists across conversations."""

    text: str
    kind: Literal["fact", "summary", "content"] = "fact"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """The whole input of one call of a model."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    memory: tuple[Memory, ...] = ()
    id: str | None = None
    topic: str | None = None
    settings: tuple[Opaque, ...] = ()
    """More keys of the whole request, an object for each provider: temperature, what to choose from, tools it runs."""
    memory_id: str | None = None
    """The id of the memory as a whole."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages of one `<turn>`, or a message of instructions outside turns."""

    number: int | None
    """The number of the turn of its messages."""
    messages: tuple[Message, ...]
    start: int
    """Number of its first message in the prompt, from 0."""
    is_outside: bool = False
    """Whether it is one message of instructions, written without a turn."""


def group_turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Group the messages of a prompt into turns.

    Before the message of the user, a turn has only instructions and results of tools. Messages of another number begin
        another turn. Instructions without a number at the beginning of the prompt belong to no turn.
    """
    turns: list[Turn] = []
    start = next((number for number, each in enumerate(messages) if not _is_outside(each)), len(messages))
    turns.extend(Turn(None, (each,), number, is_outside=True) for number, each in enumerate(messages[:start]))
    is_begun = False
    for number in range(start, len(messages)):
        message = messages[number]
        if message.turn != messages[start].turn or (message.role == "user" and is_begun):
            turns.append(Turn(messages[start].turn, tuple(messages[start:number]), start))
            start, is_begun = number, False
        is_begun = is_begun or message.role not in {"system", "tool"}
    if start < len(messages):
        turns.append(Turn(messages[start].turn, tuple(messages[start:]), start))
    return tuple(turns)


def _is_outside(message: Message) -> bool:
    return message.role == "system" and message.turn is None


def get_text(part: Part) -> str:
    """Return the words of a part in a prompt; empty for a part without words."""
    match part:
        case Text():
            return part.text
        case Thinking():
            return "" if part.is_redacted else part.text
        case Call():
            return f"{part.tool} {write_arguments(part)}"
        case Output():
            return "\n".join(words for each in part.parts if (words := get_text(each)))
        case Attachment():
            return part.text or ""
        case Opaque():
            return json.dumps(part.json, ensure_ascii=False)


def write_arguments(call: Call) -> str:
    """Return the arguments of a call as JSON."""
    return json.dumps(dict(call.args), ensure_ascii=False)
