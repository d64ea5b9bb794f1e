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
    """The words; any number of lines."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """The thinking of a model before its answer."""

    text: str
    """The words, or opaque data if `is_redacted`."""
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
    """Its name, such as that of a file."""
    path: str | None = None
    """Where it is from; not sent to any provider."""
    mime: str | None = None
    """Media type: `image/png`."""
    data: str | None = None
    """Base64."""
    text: str | None = None
    """Its content, if that is text."""
    href: str | None = None
    """Its address, which is never fetched."""
    id: str | None = None
    """The identifier by which it is found again."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool by the model."""

    tool: str
    """Name of the tool."""
    args: Mapping[str, Json]
    """The arguments by name."""
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
    """The content of the result."""
    call_id: str | None = None
    """The `id` of the call that it answers, if that has one."""
    tool: str | None = None
    """Name of the tool, if it is given."""
    is_error: bool = False
    """Whether the call failed."""
    mime: str | None = None
    """Media type of its text, if it is given."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Data that only one provider understands, kept for that provider."""

    provider: str
    """Name of the wire format."""
    json: Json
    """The data, unchanged."""
    place: Literal["part", "more", "instead", "message"] = "part"
    """Whether it is a separate part (or a whole message), more keys of the part before it, the provider's spelling
    of the part before it, or more keys of its message."""


Part: TypeAlias = Text | Thinking | Attachment | Call | Output | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    role: Role
    """Who the message is from."""
    parts: tuple[Part, ...]
    """The content, in order."""
    name: str | None = None
    """Name of the speaker, if it is given."""
    id: str | None = None
    """Its identifier, if it has one."""
    turn: int | None = None
    """Number of the turn of the conversation that it belongs to, from 1, if it is known."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call."""

    name: str
    """The name by which the model calls it."""
    description: str | None = None
    """What it does, for the model."""
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
    """What is remembered."""
    kind: Literal["fact", "summary", "content"] = "fact"
    """A single fact, a summary, or other content."""
    key: str | None = None
    """Its name among the memories of its kind, if it has one."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The whole input of one call of a model."""

    messages: tuple[Message, ...]
    """The conversation, in order."""
    tools: tuple[Tool, ...] = ()
    """The tools that the model may call."""
    memory: tuple[Memory, ...] = ()
    """What is remembered from other conversations."""
    id: str | None = None
    """The identifier of the conversation, if it has one."""
    topic: str | None = None
    """What the conversation is about; not sent to any provider."""
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
