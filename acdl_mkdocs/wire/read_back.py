"""`differences()`: what is read again from a text that was written, where it is not what was meant and nobody said so.

Writers say what they cannot hold. This is the check of it: nothing goes missing in silence, whatever a writer forgets.
That a result is of the tool of the call that it names is no difference.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from acdl_mkdocs.prompt import Call, Json, Message, Output, Prompt, Text, Tool
from acdl_mkdocs.wire.in_words import memory_in_words
from acdl_mkdocs.wire.long_names import by_long_names
from acdl_mkdocs.wire.parts_back import Placed, covering, of_parts, said_of_field

_SENT_ELSE = ("name", "alias", "has_trigger", "more")
"""What a writer tells about a tool as a whole."""


class Difference(NamedTuple):
    """Something that is read again otherwise."""

    part: str
    """Where in the prompt."""
    sentence: str
    is_loss: bool = True
    """Whether something is missing or says something else, and not only filled in or spelled otherwise."""


def differences(sent: Prompt, back: Prompt, to: str, told: Collection[str]) -> Iterator[Difference]:
    """Everything that is not read again as it was, and of which nothing is told.

    Parameters:
        sent: What was to be written.
        back: What is read from what was written.
        to: Key in `WIRES` of the format.
        told: Places of everything that is known to be changed: of a part, a field of a tool, a message without its
            parts, all parts of a message (`messages[2].parts`), or fields of all messages (`messages`).
    """
    if to == "pml" and not told and sent == back:
        return
    told = covering(told)
    yield from _of_whole(sent, back, to, told)
    if to != "pml":
        sent = by_long_names(sent)
    yield from _of_tools(sent.tools, back.tools, to, told)
    if "memory" in told:
        back = _without_memory(sent, back)
    is_moved = any(each.role == "tool" and f"messages[{n}]" in told for n, each in enumerate(sent.messages))
    roles, roles_back = ([each.role for each in prompt.messages] for prompt in (sent, back))
    if roles == roles_back and not is_moved:
        for number, (before, after) in enumerate(zip(sent.messages, back.messages, strict=True)):
            yield from _of_message(before, after, f"messages[{number}]", told)
        return
    if not any(each.startswith("messages[") for each in told):
        yield Difference("messages", _roles(sent.messages, back.messages))
    else:
        yield from _missing(sent, back, told)
    parts = [each for number, message in enumerate(sent.messages) for each in _placed(message, f"messages[{number}]")]
    found = of_parts(parts, [Placed("", each.role, part) for each in back.messages for part in each.parts], told)
    yield from (Difference(*each) for each in found)


def _placed(message: Message, path: str) -> list[Placed]:
    return [Placed(f"{path}.parts[{number}]", message.role, part) for number, part in enumerate(message.parts)]


def _without_memory(sent: Prompt, back: Prompt) -> Prompt:
    """What is read again, without the text of the instructions that memory was sent with."""
    words = memory_in_words(sent.memory)
    number = next((n for n, each in enumerate(back.messages) if each.role == "system"), None)
    if number is None:
        return back
    message = back.messages[number]
    texts = [part.text for part in message.parts[:1] if isinstance(part, Text)]
    if not texts or not texts[0].startswith(words):
        return back
    rest = texts[0].removeprefix(words).removeprefix("\n\n")
    parts = (*((Text(rest),) if rest else ()), *message.parts[1:])
    has_own = bool(sent.messages) and sent.messages[0].role == "system"
    kept = (replace(message, parts=parts),) if parts or has_own else ()
    return replace(back, messages=(*back.messages[:number], *kept, *back.messages[number + 1 :]))


def _of_whole(sent: Prompt, back: Prompt, to: str, told: Collection[str]) -> Iterator[Difference]:
    """Memory, id, topic and settings."""
    if "memory" not in told and sent.memory != back.memory:
        yield Difference("memory", "memory is not read again as it was")
    if "" not in told and sent.memory_id != back.memory_id:
        yield Difference("memory", "the id of the memory is not kept")
    if "" not in told and (sent.id, sent.topic) != (back.id, back.topic):
        yield Difference("", "id and topic of the conversation are not kept")
    wanted, found = _settings(sent, to), _settings(back, to)
    for key in [key for key, value in wanted.items() if key not in found or found[key] != value]:
        if "settings" not in told:
            yield Difference("settings", f"the setting `{key}` is not kept as it was")


def _settings(prompt: Prompt, to: str) -> dict[str, Json]:
    """The settings of a provider, by key; for a document, those of all."""
    found: dict[str, Json] = {}
    for each in prompt.settings:
        if to == "pml":
            found[f"{each.provider} {len(found)}"] = [each.json, each.place]
        elif each.provider == to and isinstance(each.json, dict):
            found.update({key: value for key, value in each.json.items() if key != "model"})
    return found


def _of_tools(sent: Sequence[Tool], back: Sequence[Tool], to: str, told: Collection[str]) -> Iterator[Difference]:
    if len(sent) != len(back):
        yield Difference("tools", f"the number of tools is {len(sent)}, and read again it is {len(back)}")
        return
    for number, (before, after) in enumerate(zip(sent, back, strict=True)):
        path = f"tools[{number}]"
        for name in [each.name for each in fields(Tool)]:
            is_told = f"{path}.{name}" in told or (path in told and name in _SENT_ELSE and to != "pml")
            if getattr(before, name) != getattr(after, name) and not is_told:
                yield Difference(path, *said_of_field(name, getattr(before, name), getattr(after, name)))


def _of_message(sent: Message, back: Message, path: str, told: Collection[str]) -> Iterator[Difference]:
    """What is otherwise about a message of the same role."""
    for name in ("name", "id", "turn"):
        before, after = getattr(sent, name), getattr(back, name)
        is_told = path in told or ("messages" in told and after is None)
        if before != after and not is_told:
            yield Difference(path, *said_of_field(name, before, after))
    if not sent.parts and [json.dumps(getattr(part, "text", None)) for part in back.parts] == ['""']:
        sentence = "the message is sent with an empty text: the format has none without content"
        yield Difference(path, sentence, is_loss=False)
        return
    if sent.parts != back.parts:
        after_parts = [Placed("", back.role, part) for part in back.parts]
        yield from (Difference(*each) for each in of_parts(_placed(sent, path), after_parts, told, path))


def _missing(sent: Prompt, back: Prompt, told: Collection[str]) -> Iterator[Difference]:
    """Messages with nothing in them, which no part can miss."""
    empty = Counter(each.role for each in back.messages if not any(map(_says_something, each.parts)))
    for number, each in enumerate(sent.messages):
        if not each.parts and f"messages[{number}]" not in told:
            empty[each.role] -= 1
            if empty[each.role] < 0:
                yield Difference(f"messages[{number}]", "the message has nothing in it and is not read again")


def _says_something(part: object) -> bool:
    return isinstance(part, Call | Output) or getattr(part, "text", None) != ""


def _roles(before: Sequence[Message], after: Sequence[Message]) -> str:
    """A sentence about messages that are others."""
    if len(before) != len(after):
        return f"the number of messages is {len(before)}, and read again it is {len(after)}"
    was, is_now = next((a.role, b.role) for a, b in zip(before, after, strict=True) if a.role != b.role)
    return f"a message of `{was}` is read again as one of `{is_now}`"
