"""One prompt in several spellings, and the model tokens of each, part by part.

`SPELLINGS` names them: requests of OpenAI as JSON and as YAML, PML, the convention for tools, Markdown. `compare()`
counts them for one prompt and reports what each does not hold. Knows no files and prints nothing.
"""

import json as json_module
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import code_fence
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.yaml.pyyaml import dump_yaml
from acdl_mkdocs.prompts.pml.calls import call_text
from acdl_mkdocs.prompts.pml.limits import Limits
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.pml.tools import by_name, tools_text
from acdl_mkdocs.prompts.pml.write import Style, write
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Output, Part, Prompt, Text, Thinking, Tool
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.tagged_text import memory_in_words
from acdl_mkdocs.prompts.tokens.differences import differences

Kind: TypeAlias = Literal["tools", "memory", "calls", "results", "files", "words"]
KINDS: tuple[Kind, ...] = ("tools", "memory", "calls", "results", "files", "words")
"""The kinds of content of a prompt. `words` are the texts of messages; all others are counted in their spelling."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A prompt in one spelling."""

    whole: str | None
    """The text; `None` where the spelling has no place for a whole prompt."""
    pieces: Mapping[Kind, Sequence[str]]
    """The text of each kind; a missing kind has no place in the spelling."""
    lost: tuple[str, ...] = ()
    """Content of the prompt that cannot be read from the text again; empty if all of it can."""


def laic(prompt: Prompt) -> Spelled:
    """Write tools and calls only, because the convention has no form for a whole prompt."""
    tools = by_name(prompt.tools)
    calls = [part for message in prompt.messages for part in message.parts if isinstance(part, Call)]
    pieces = [call_text(replace(call, id=None), tools.get(call.tool)) for call in calls]
    lost = ("ids of calls, so that results belong to them by their order",) if any(call.id for call in calls) else ()
    return Spelled(None, {"tools": [tools_text(prompt.tools)] if prompt.tools else [], "calls": pieces}, lost)


_ANY = Limits(size_bytes=2**31, elements=2**31, all_attributes=2**31)
"""The text is ours."""


def pml(prompt: Prompt) -> Spelled:
    """Write a line for each element."""
    return _as_pml(prompt, "pretty")


def pml_min(prompt: Prompt) -> Spelled:
    """Write no white space between elements."""
    return _as_pml(prompt, "min")


def _as_pml(prompt: Prompt, style: Style) -> Spelled:
    text = write(prompt, style)
    found = read(text, limits=_ANY)
    pieces: dict[Kind, list[str]] = {
        "tools": list(_pml_sections(found, "tools", len(prompt.tools))),
        "memory": list(_pml_sections(found, "memory", len(prompt.memory))),
        "calls": [],
        "results": [],
        "files": [],
        "words": [part.text for each in prompt.messages for part in each.parts if isinstance(part, Text | Thinking)],
    }
    back = found.prompt
    for number, message in enumerate(back.messages if back is not None else ()):
        for at, part in enumerate(message.parts):
            kind = _KINDS.get(type(part))
            if kind is not None:
                pieces[kind].append(_with_line(text, found.places[f"messages[{number}].parts[{at}]"]))
    lost = ("all of it: what is written is no valid document",) if back is None else differences(prompt, back)
    return Spelled(text, pieces, lost)


_KINDS: dict[type, Kind] = {Call: "calls", Output: "results", Attachment: "files"}


def _pml_sections(found: ReadPml, name: str, number: int) -> Iterator[str]:
    """Yield the section of all tools, or of memory."""
    if number and f"{name}[{number - 1}]" in found.places:
        text = found.source.text
        start = text.rfind(f"<{name}", 0, found.places[f"{name}[0]"].start)
        end = text.find(f"</{name}>", found.places[f"{name}[{number - 1}]"].end) + len(f"</{name}>")
        yield _with_line(text, Span(start, end))


def _with_line(text: str, span: Span) -> str:
    """Return an element with its indentation and line end, if it has its own lines."""
    start = span.start
    while text[start - 1 : start] == " ":
        start -= 1
    is_line = text[start - 1 : start] == "\n" and text[span.end : span.end + 1] == "\n"
    return text[start : span.end + 1] if is_line else text[span.start : span.end]


def yaml_text(value: Json, depth: int = 0) -> str:
    """Write lines of YAML.

    Parameters:
        value: An object or a list.
        depth: Indentation of each line, in units of two blanks.
    """
    text = dump_yaml(value)
    pad = "  " * depth
    return "\n".join(f"{pad}{line}" if line else "" for line in text.split("\n")) if pad else text


_WIRE = PROVIDERS["openai"]
_MARK = Text(".")


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of JSON; depths are those of indented JSON."""

    entry: Callable[[str, Json, int], str]
    """A key with its value."""
    item: Callable[[Json, int], str]
    """An element of a list."""
    whole: Callable[[Json], str]
    has_spaces: bool = True
    """Whether the arguments of calls, which are JSON in a string, have blanks."""


def json(prompt: Prompt) -> Spelled:
    """Write JSON without white space."""
    return _as_request(prompt, _COMPACT)


def json_pretty(prompt: Prompt) -> Spelled:
    """Write JSON indented by two blanks."""
    return _as_request(prompt, _INDENTED)


def yaml(prompt: Prompt) -> Spelled:
    """Write the same request as YAML."""
    return _as_request(prompt, _YAML)


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


def _as_request(prompt: Prompt, layout: _Layout) -> Spelled:
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
    """Return the prompt with the arguments of its calls as compact JSON, as most models write them."""

    def part_of(part: Part) -> Part:
        return replace(part, args_raw=_compact(dict(part.args))) if isinstance(part, Call) else part

    messages = (replace(each, parts=tuple(map(part_of, each.parts))) for each in prompt.messages)
    return replace(prompt, messages=tuple(messages))


def _blocks(prompt: Prompt) -> Iterator[Json]:
    """Yield the block of each file, as the format has it beside a text."""
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


_HEADS = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tools", "none": "Text"}
_LOST = ("types and ids, and what is a heading and what is text: no program can read it again",)


def markdown(prompt: Prompt) -> Spelled:
    """Write sections of tools, memory and messages."""
    pieces: dict[Kind, list[str]] = {}
    whole: list[str] = []
    for kind, text in _markdown_sections(prompt):
        whole.append(text)
        if kind is not None:
            pieces.setdefault(kind, []).append(text)
    return Spelled("".join(whole), {**_NOTHING, **pieces}, _LOST)


_NOTHING: dict[Kind, list[str]] = {"tools": [], "memory": [], "calls": [], "results": [], "files": [], "words": []}


def _markdown_sections(prompt: Prompt) -> Iterator[tuple[Kind | None, str]]:
    if prompt.tools:
        yield "tools", "# Tools\n\n" + "".join(map(_tool, prompt.tools))
    if prompt.memory:
        entries = (f"- {f'{each.key}: ' if each.key else ''}{each.text}\n" for each in prompt.memory)
        yield "memory", f"# Memory\n\n{''.join(entries)}\n"
    names = {
        part.id: part.tool for each in prompt.messages for part in each.parts if isinstance(part, Call) and part.id
    }
    for message in prompt.messages:
        yield from _message(message, names)


def _tool(tool: Tool) -> str:
    described = f"{tool.description}\n\n" if tool.description else ""
    parameters = "".join(f"{line}\n" for line in _parameters(tool.parameters, 0))
    return f"## {tool.alias or tool.name}\n\n{described}" + (f"{parameters}\n" if parameters else "")


def _parameters(schema: Json | object, depth: int) -> Iterator[str]:
    """Yield a line for each parameter of an object, nested ones below it."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    for key, each in properties.items() if isinstance(properties, dict) else ():
        said = each if isinstance(each, dict) else {}
        is_required = isinstance(required, list) and key in required
        notes = [_type(said), *(["required"] if is_required else [])]
        words = said.get("description")
        described = f": {words}" if isinstance(words, str) else ""
        yield f"{'  ' * depth}- `{key}` ({', '.join(filter(None, notes))}){described}"
        yield from _parameters(said.get("items") if "items" in said else said, depth + 1)


def _type(schema: dict[str, Json]) -> str:
    enum, kind, items = schema.get("enum"), schema.get("type"), schema.get("items")
    if isinstance(enum, list):
        return " or ".join(json_module.dumps(each, ensure_ascii=False) for each in enum)
    if kind == "array" and isinstance(items, dict):
        return f"list of {_type(items) or 'anything'}"
    return kind if isinstance(kind, str) else ""


def _message(message: Message, names: dict[str, str]) -> Iterator[tuple[Kind | None, str]]:
    if not (message.role == "tool" and all(isinstance(part, Output) for part in message.parts)):
        yield None, f"# {message.name or _HEADS[message.role]}\n\n"
    for part in message.parts:
        yield from _part(part, names)


def _part(part: Part, names: dict[str, str]) -> Iterator[tuple[Kind | None, str]]:
    match part:
        case Text(text):
            yield "words", text
            yield None, "\n\n"
        case Thinking(text):
            yield None, "Thinking: "
            yield "words", text
            yield None, "\n\n"
        case Call():
            arguments = json_module.dumps(dict(part.args), ensure_ascii=False)
            yield "calls", f"Call `{part.tool}`:\n\n{_fenced(arguments, 'json')}"
        case Attachment():
            yield "files", _file(part)
        case Output():
            tool = part.tool or names.get(part.call_id or "") or "a tool"
            inside = "".join(
                _fenced(each.text) if isinstance(each, Text) else _file(each)
                for each in part.parts
                if isinstance(each, Text | Attachment)
            )
            yield "results", f"# {'Error' if part.is_error else 'Result'} of {tool}\n\n{inside}"


def _file(file: Attachment) -> str:
    name = file.path or file.name or file.href or file.type
    return f"`{name}`\n\n{_fenced(file.text)}" if file.text is not None else f"![{file.type}]({name})\n\n"


def _fenced(text: str, language: str = "") -> str:
    """Put a text into a fence that is longer than any in it."""
    fence = code_fence(text)
    line_end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{line_end}{fence}\n\n"


Spell: TypeAlias = Callable[[Prompt], Spelled]

BASE = "JSON"
"""The spelling that the others are compared with."""
SPELLINGS: Mapping[str, Spell] = {
    BASE: json,
    "JSON pretty": json_pretty,
    "YAML": yaml,
    "PML": pml_min,
    "PML pretty": pml,
    "LAIC": laic,
    "Markdown": markdown,
}
