"""What is sent to a model, as one provider-neutral value: messages of roles, their parts, tools and memory.

The evaluation makes it from a spec and a state, `wire/` writes and reads it in the formats of providers, recorded runs
are read into it. Knows nothing about ACDL, of any format, or of files.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

Role: TypeAlias = Literal["system", "user", "assistant", "tool", "none"]
"""`none` is text without a role, for interfaces that complete text."""
Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a model thought before it answered."""

    text: str
    signature: str | None = None
    """Opaque data of the provider that proves where it comes from; kept as it is, never sent to another provider."""
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
    """A model asks for a tool."""

    tool: str
    args: Mapping[str, Json]
    id: str | None = None
    """`None` where the text gives none: results then belong to calls in their order."""
    args_raw: str | None = None
    """The arguments as the provider spelled them, where that is JSON text."""
    signature: str | None = None
    """Opaque data of the provider about the thought behind the call (Gemini's `thoughtSignature`)."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool answered."""

    parts: tuple["Text | Attachment | Opaque", ...]
    call_id: str | None = None
    tool: str | None = None
    is_error: bool = False
    mime: str | None = None
    """Media type of its text, where that is said."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that one provider alone understands, kept for that provider."""

    provider: str
    """Name of the wire format."""
    json: Json
    place: Literal["part", "more", "instead", "message"] = "part"
    """Whether it is a part (or a whole message) of its own, more keys of the part before it, the provider's spelling of
    the part before it, or more keys of its message."""


Part: TypeAlias = Text | Thinking | Attachment | Call | Output | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    id: str | None = None
    turn: int | None = None
    """Number of the turn of the conversation that it belongs to, from 1, where that is known."""


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
    """More keys that one provider alone understands."""
    has_trigger: bool = False
    """Whether a person may ask for it in words that a program understands, such as `[#W: "Oslo"]`."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Something that is remembered across conversations."""

    text: str
    kind: Literal["fact", "summary", "content"] = "fact"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything that one call of a model is given."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    memory: tuple[Memory, ...] = ()
    id: str | None = None
    topic: str | None = None
    settings: tuple[Opaque, ...] = ()
    """More keys of the whole request, an object for each provider: temperature, what to choose from, tools it runs."""
    memory_id: str | None = None
    """How the memory as a whole is found again."""
