"""The messages of a recorded request one by one, each of one role, as they are held against a pattern.

Whether a provider takes system text beside the messages, and whether neighbours of one role become one message there,
belongs to its format. Knows nothing of specs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from unicodedata import normalize

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Attachment, Call, Opaque, Output, Part, Prompt, Role, Text, Thinking
from acdl_mkdocs.traces.pattern import home


@dataclass(frozen=True, slots=True)
class Custom:
    """What becomes of messages on the way to a provider."""

    is_system_apart: bool = False
    """Whether all system text stands beside the messages."""
    merging: frozenset[Role] = frozenset()
    """Roles whose neighbours may be one message."""
    is_in_items: bool = False
    """Whether one message of an assistant may be sent as several, which the provider takes as one."""
    has_thoughts: bool = False
    """Whether what a model thought is sent back to it."""
    is_system_unrecorded: bool = False
    """Whether system text before the first message may have been sent without being recorded."""


_TWO_ROLES = Custom(is_system_apart=True, merging=frozenset(("user", "assistant")), is_in_items=True, has_thoughts=True)
CUSTOMS: Mapping[str, Custom] = {
    "anthropic": _TWO_ROLES,
    "gemini": _TWO_ROLES,
    "responses": Custom(is_system_apart=True, merging=frozenset(("assistant",)), is_in_items=True, has_thoughts=True),
}
"""By format of the request; others send messages as they are."""
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
        """Where it stands in the request."""
        return f"messages[{self.message}]" + (f".parts[{self.part}]" if self.part else "")

    @cached_property
    def content(self) -> tuple[object, ...]:
        """Equal for units that say the same; ids of calls do not matter."""
        return (self.role, self.squeezed, *(essence for part in self.parts if (essence := _essence(part)) is not None))


def _essence(part: Part) -> tuple[object, ...] | None:
    """What a part is that has no words of its own."""
    match part:
        case Call():
            return part.tool, repr(sorted(part.args.items()))
        case Thinking():
            return "thought", squeezed(part.text)
        case Attachment():
            return part.type, part.data or part.text or part.href or part.id
    return None


def words_of(part: Part) -> str:
    """The words of a part; nothing for what has none."""
    match part:
        case Text():
            return part.text
        case Output():
            return "\n".join(each.text for each in part.parts if isinstance(each, Text))
    return ""


def squeezed(text: str) -> str:
    """A text with single blanks; letters that can be written in several ways are written in one of them."""
    words = " ".join(text.split())
    return words if words.isascii() else normalize("NFC", _HALVES.sub("\N{REPLACEMENT CHARACTER}", words))


def units_of(prompt: Prompt, first: int = 0) -> list[Unit]:
    """The messages of a request from one on; parts of another role stand alone, and so does every result."""
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
    """The units as a provider has them in order, and the system text that stands beside them, if it stands there."""
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
    """Neighbours of one role: those of an assistant together, others one by one."""
    if role == "assistant":
        yield list(units)
    else:
        yield from ([unit] for unit in units)


def _as_one(units: list[Unit]) -> Unit:
    first = units[0]
    parts = tuple(part for unit in units for part in unit.parts)
    return first if len(units) == 1 else Unit(first.role, parts, first.message, first.part)
