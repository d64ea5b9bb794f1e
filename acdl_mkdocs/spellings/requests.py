"""A request of OpenAI's Chat Completions as compact JSON, as indented JSON and as YAML."""

import json as json_module
from collections.abc import Callable, Iterator
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Part, Prompt, Text
from acdl_mkdocs.spellings.differences import differences
from acdl_mkdocs.spellings.spelled import Kind, Spelled
from acdl_mkdocs.spellings.yaml_text import yaml_text
from acdl_mkdocs.wire import PROVIDERS
from acdl_mkdocs.wire.in_words import memory_in_words

_WIRE = PROVIDERS["openai"]
_MARK = Text(".")


@dataclass(frozen=True, slots=True)
class _Layout:
    """How JSON is laid out; depths are those of indented JSON."""

    entry: Callable[[str, Json, int], str]
    """A key with its value."""
    item: Callable[[Json, int], str]
    """An element of a list."""
    whole: Callable[[Json], str]
    has_spaces: bool = True
    """Whether the arguments of calls, which are JSON in a string, have blanks."""


def json(prompt: Prompt) -> Spelled:
    """JSON without white space."""
    return _spelled(prompt, _COMPACT)


def json_pretty(prompt: Prompt) -> Spelled:
    """JSON that is indented by two blanks."""
    return _spelled(prompt, _INDENTED)


def yaml(prompt: Prompt) -> Spelled:
    """The same request as YAML."""
    return _spelled(prompt, _YAML)


def _compact(value: Json) -> str:
    return json_module.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _indented(value: Json, depth: int = 0) -> str:
    return json_module.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + "  " * depth)


_COMPACT = _Layout(
    lambda key, value, _: f"{_compact(key)}:{_compact(value)},",
    lambda value, _: f"{_compact(value)},",
    _compact,
    has_spaces=False,
)
_INDENTED = _Layout(
    lambda key, value, depth: f"{'  ' * depth}{_compact(key)}: {_indented(value, depth)},\n",
    lambda value, depth: f"{'  ' * depth}{_indented(value, depth)},\n",
    lambda value: _indented(value) + "\n",
)
_YAML = _Layout(
    lambda key, value, depth: yaml_text({key: value}, (depth - 1) // 2),
    lambda value, depth: yaml_text([value], (depth - 1) // 2),  # lists stand no deeper than their key
    yaml_text,
)


def _spelled(prompt: Prompt, layout: _Layout) -> Spelled:
    body = _WIRE.write(prompt if layout.has_spaces else _without_blanks(prompt)).request
    pieces: dict[Kind, list[str]] = {
        "tools": [layout.entry("tools", body["tools"], 1)] if "tools" in body else [],
        "memory": [memory_in_words(prompt.memory)] if prompt.memory else [],
        "calls": [],
        "results": [],
        "files": [layout.item(block, 4) for block in _blocks(prompt)],
        "words": [part.text for each in prompt.messages for part in each.parts if isinstance(part, Text)],
    }
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "tool":
            pieces["results"].append(layout.item(message, 2))
        elif isinstance(message, dict) and "tool_calls" in message:
            pieces["calls"].append(layout.entry("tool_calls", message["tool_calls"], 3))
    return Spelled(layout.whole(body), pieces, differences(prompt, _WIRE.read(body).prompt))


def _without_blanks(prompt: Prompt) -> Prompt:
    """The prompt with the arguments of its calls as compact JSON, as most models write them."""

    def part_of(part: Part) -> Part:
        return replace(part, args_raw=_compact(dict(part.args))) if isinstance(part, Call) else part

    messages = (replace(each, parts=tuple(map(part_of, each.parts))) for each in prompt.messages)
    return replace(prompt, messages=tuple(messages))


def _blocks(prompt: Prompt) -> Iterator[Json]:
    """The block of each file, as the format has it beside a text."""
    for message in prompt.messages:
        for part in message.parts:
            if isinstance(part, Attachment) and message.role in ("system", "user", "assistant"):
                yield _block(Message(message.role, (_MARK, part)))


def _block(message: Message) -> Json:
    match _WIRE.write(Prompt((message,))).request:
        case {"messages": [{"content": [_, block]}]}:
            return block
        case _:
            return ""
