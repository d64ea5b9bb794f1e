"""Recorded runs that tests are made of."""

import json
from collections.abc import Iterable
from pathlib import Path

from acdl_mkdocs.prompts.prompt import Call, Json, Message, Output, Prompt, Text
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Found, Origin, Recorded, Skipped, Tally


def user(text: str) -> Message:
    """The user says something."""
    return Message("user", (Text(text),))


def system(text: str) -> Message:
    """Instructions."""
    return Message("system", (Text(text),))


def answer(text: str) -> Message:
    """The model says something."""
    return Message("assistant", (Text(text),))


def ask(question: str, call_id: str | None = None) -> Message:
    """The model asks for a tool."""
    return Message("assistant", (Call("look", {"q": question}, call_id),))


def result(text: str, call_id: str | None = None) -> Message:
    """A tool answers."""
    return Message("tool", (Output((Text(text),), call_id),))


def sent(*messages: Message, line: int = 1, episode: str | None = None) -> Recorded:
    """A recorded request."""
    return Recorded(Prompt(messages), "openai", Origin("run.jsonl", line), episode=episode)


def lines(*values: Json) -> str:
    """A file with a value on each line."""
    return "".join(f"{json.dumps(value)}\n" for value in values)


def found_in(path: Path, text: str | bytes, reader: str | None = None, format: str | None = None) -> list[Found]:
    """What is read from a file."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_trace(path, reader, format))


def requests(found: Iterable[Found]) -> list[Recorded]:
    """The requests alone."""
    return [*Tally().count_requests(found)]


def skipped(found: Iterable[Found]) -> list[tuple[str, str, bool]]:
    """Reason, detail and whether it is damage, of all that is no request."""
    return [(each.reason, each.detail, each.is_damaged) for each in found if isinstance(each, Skipped)]


def said(prompt: Prompt) -> list[tuple[str, str]]:
    """Roles, and all that is said, as words."""
    return [(each.role, " ".join(_words(each))) for each in prompt.messages]


def _words(message: Message) -> Iterable[str]:
    for part in message.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Call):
            yield f"{part.tool}({json.dumps(dict(part.args))})"
        elif isinstance(part, Output):
            yield "-> " + " ".join(each.text for each in part.parts if isinstance(each, Text))
        else:
            yield f"<{type(part).__name__}>"
