"""Server-sent events: lines of `event:` and `data:`. Knows no provider."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json


@dataclass(frozen=True, slots=True)
class Event:
    """A piece of an answer."""

    data: Json
    name: str = ""


def write_event(event: Event, end: str = "\n\n") -> bytes:
    """Write an event as it is sent."""
    name = f"event: {event.name}\n" if event.name else ""
    return f"{name}data: {json.dumps(event.data, ensure_ascii=True, separators=(',', ':'))}{end}".encode()


def read_events(body: bytes) -> Iterator[Event]:
    """Yield the events of a body with JSON data; a truncated last one is left out."""
    text = body.decode("utf-8", "replace")
    for block in re.split(r"\r\n\r\n|\n\n|\r\r", text):
        name, data = _read_fields(block)
        if not data or data == "[DONE]":
            continue
        with suppress(ValueError, RecursionError):
            yield Event(json.loads(data), name)


def _read_fields(block: str) -> tuple[str, str]:
    name, lines = "", []
    for line in re.split(r"\r\n|\n|\r", block):
        key, _, value = line.partition(":")
        if key == "event":
            name = value.removeprefix(" ")
        elif key == "data":
            lines.append(value.removeprefix(" "))
    return name, "\n".join(lines)


class GrowingText(list[Json]):
    """A text that comes in pieces: adding one costs the same however long it is."""


def append_text(before: Json, piece: str) -> GrowingText:
    """Return a text with one more piece."""
    text = before if isinstance(before, GrowingText) else GrowingText([before] if isinstance(before, str) else [])
    text.append(piece)
    return text


def join_texts(value: Json) -> Json:
    """Return a value in which the pieces of all texts are joined."""
    if isinstance(value, GrowingText):
        return "".join(map(str, value))
    if isinstance(value, list):
        return [join_texts(each) for each in value]
    return {key: join_texts(each) for key, each in value.items()} if isinstance(value, dict) else value


def split_text(text: str, n_most: int = 4) -> Iterable[str]:
    """Split a text into a few pieces at word boundaries, as a model streams it; nothing is lost."""
    words = re.findall(r"(?<!\s)\s*+\S++(?:\s++\Z)?", text) or ([text] if text else [])
    size = max(1, -(-len(words) // n_most))
    return ["".join(words[at : at + size]) for at in range(0, len(words), size)]
