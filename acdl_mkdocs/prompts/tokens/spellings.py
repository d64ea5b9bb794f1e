"""One prompt in several spellings, and the model tokens of each, part by part.

`SPELLINGS` names them: requests of OpenAI as JSON and as YAML, PML, the convention for tools, Markdown. `compare()`
counts them for one prompt and reports what each loses. Knows no files and prints nothing.
"""

import json as json_module
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import code_fence
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.yaml.pyyaml import dump_yaml
from acdl_mkdocs.prompts.pml.calls import write_call
from acdl_mkdocs.prompts.pml.limits import Limits
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.pml.tools import index_by_name, write_tools_text
from acdl_mkdocs.prompts.pml.write import Style, write
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Output, Part, Prompt, Text, Thinking, Tool
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.tagged_text import write_memory
from acdl_mkdocs.prompts.tokens.differences import describe_differences

Kind: TypeAlias = Literal["tools", "memory", "calls", "results", "files", "words"]
KINDS: tuple[Kind, ...] = ("tools", "memory", "calls", "results", "files", "words")
"""The kinds of content of a prompt. `words` are the texts of messages; all others are counted in their spelling."""


@dataclass(frozen=True, slots=True)
class SpelledPrompt:
    """A prompt in one spelling."""

    whole: str | None
    """The text; `None` where the spelling has no place for a whole prompt."""
    pieces: Mapping[Kind, Sequence[str]]
    """The text of each kind; a missing kind has no place in the spelling."""
    lost: tuple[str, ...] = ()
    """Content of the prompt that cannot be read from the text again; empty if all of it can."""


def spell_laic(prompt: Prompt) -> SpelledPrompt:
    """Write tools and calls only, because the convention has no form for a whole prompt."""
    tools = index_by_name(prompt.tools)
    calls = [part for message in prompt.messages for part in message.parts if isinstance(part, Call)]
    pieces = [write_call(replace(call, id=None), tools.get(call.tool)) for call in calls]
    lost = ("ids of calls, so that results belong to them by their order",) if any(call.id for call in calls) else ()
    return SpelledPrompt(
        None, {"tools": [write_tools_text(prompt.tools)] if prompt.tools else [], "calls": pieces}, lost
    )


_ANY = Limits(size_bytes=2**31, elements=2**31, all_attributes=2**31)
"""The text is ours."""


def spell_pml(prompt: Prompt) -> SpelledPrompt:
    """Write a line for each element."""
    return _spell_document(prompt, "pretty")


def spell_minimal_pml(prompt: Prompt) -> SpelledPrompt:
    """Write no white space between elements."""
    return _spell_document(prompt, "min")


def _spell_document(prompt: Prompt, style: Style) -> SpelledPrompt:
    text = write(prompt, style)
    document = read(text, limits=_ANY)
    pieces: dict[Kind, list[str]] = {
        "tools": list(_write_sections(document, "tools", len(prompt.tools))),
        "memory": list(_write_sections(document, "memory", len(prompt.memory))),
        "calls": [],
        "results": [],
        "files": [],
        "words": [part.text for each in prompt.messages for part in each.parts if isinstance(part, (Text, Thinking))],
    }
    back = document.prompt
    for number, message in enumerate(back.messages if back is not None else ()):
        for at, part in enumerate(message.parts):
            kind = _KINDS.get(type(part))
            if kind is not None:
                pieces[kind].append(_find_line(text, document.places[f"messages[{number}].parts[{at}]"]))
    lost = (
        ("all of it: what is written is not a valid document",) if back is None else describe_differences(prompt, back)
    )
    return SpelledPrompt(text, pieces, lost)


_KINDS: dict[type, Kind] = {Call: "calls", Output: "results", Attachment: "files"}


def _write_sections(document: ReadPml, name: str, number: int) -> Iterator[str]:
    """Yield the section of all tools, or of memory."""
    if number and f"{name}[{number - 1}]" in document.places:
        text = document.source.text
        start = text.rfind(f"<{name}", 0, document.places[f"{name}[0]"].start)
        end = text.find(f"</{name}>", document.places[f"{name}[{number - 1}]"].end) + len(f"</{name}>")
        yield _find_line(text, Span(start, end))


def _find_line(text: str, span: Span) -> str:
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
class _JsonLayout:
    """The layout of JSON; depths are those of indented JSON."""

    entry: Callable[[str, Json, int], str]
    """A key with its value."""
    item: Callable[[Json, int], str]
    """An element of a list."""
    whole: Callable[[Json], str]
    has_spaces: bool = True
    """Whether the arguments of calls, which are JSON in a string, have blanks."""


def spell_json(prompt: Prompt) -> SpelledPrompt:
    """Write JSON without white space."""
    return _spell_request(prompt, _COMPACT)


def spell_pretty_json(prompt: Prompt) -> SpelledPrompt:
    """Write JSON indented by two blanks."""
    return _spell_request(prompt, _INDENTED)


def spell_yaml(prompt: Prompt) -> SpelledPrompt:
    """Write the same request as YAML."""
    return _spell_request(prompt, _YAML)


def _write_compact(value: Json) -> str:
    return json_module.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _write_indented(value: Json, depth: int = 0) -> str:
    return json_module.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + "  " * depth)


_COMPACT = _JsonLayout(
    lambda key, value, _: f"{_write_compact(key)}:{_write_compact(value)},",
    lambda value, _: f"{_write_compact(value)},",
    _write_compact,
    has_spaces=False,
)
_INDENTED = _JsonLayout(
    lambda key, value, depth: f"{'  ' * depth}{_write_compact(key)}: {_write_indented(value, depth)},\n",
    lambda value, depth: f"{'  ' * depth}{_write_indented(value, depth)},\n",
    lambda value: _write_indented(value) + "\n",
)
_YAML = _JsonLayout(
    lambda key, value, depth: yaml_text({key: value}, (depth - 1) // 2),
    lambda value, depth: yaml_text([value], (depth - 1) // 2),  # lists are not indented below their key
    yaml_text,
)


def _spell_request(prompt: Prompt, layout: _JsonLayout) -> SpelledPrompt:
    body = _WIRE.write(prompt if layout.has_spaces else _compact_arguments(prompt)).request
    pieces: dict[Kind, list[str]] = {
        "tools": [layout.entry("tools", body["tools"], 1)] if "tools" in body else [],
        "memory": [write_memory(prompt.memory)] if prompt.memory else [],
        "calls": [],
        "results": [],
        "files": [layout.item(block, 4) for block in _list_file_blocks(prompt)],
        "words": [part.text for each in prompt.messages for part in each.parts if isinstance(part, Text)],
    }
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "tool":
            pieces["results"].append(layout.item(message, 2))
        elif isinstance(message, dict) and "tool_calls" in message:
            pieces["calls"].append(layout.entry("tool_calls", message["tool_calls"], 3))
    return SpelledPrompt(layout.whole(body), pieces, describe_differences(prompt, _WIRE.read(body).prompt))


def _compact_arguments(prompt: Prompt) -> Prompt:
    """Return the prompt with the arguments of its calls as compact JSON, as most models write them."""

    def part_of(part: Part) -> Part:
        return replace(part, args_raw=_write_compact(dict(part.args))) if isinstance(part, Call) else part

    messages = (replace(each, parts=tuple(map(part_of, each.parts))) for each in prompt.messages)
    return replace(prompt, messages=tuple(messages))


def _list_file_blocks(prompt: Prompt) -> Iterator[Json]:
    """Yield the block of each file, as the format has it beside a text."""
    for message in prompt.messages:
        for part in message.parts:
            if isinstance(part, Attachment) and message.role in ("system", "user", "assistant"):
                yield _make_block(Message(message.role, (_MARK, part)))


def _make_block(message: Message) -> Json:
    match _WIRE.write(Prompt((message,))).request:
        case {"messages": [{"content": [_, block]}]}:
            return block
        case _:
            return ""


_HEADS = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tools", "none": "Text"}
_LOST = ("types and ids, and what is a heading and what is text: no program can read it again",)


def spell_markdown(prompt: Prompt) -> SpelledPrompt:
    """Write sections of tools, memory and messages."""
    pieces: dict[Kind, list[str]] = {}
    texts: list[str] = []
    for kind, text in _write_markdown_sections(prompt):
        texts.append(text)
        if kind is not None:
            pieces.setdefault(kind, []).append(text)
    return SpelledPrompt("".join(texts), {**_NOTHING, **pieces}, _LOST)


_NOTHING: dict[Kind, list[str]] = {"tools": [], "memory": [], "calls": [], "results": [], "files": [], "words": []}


def _write_markdown_sections(prompt: Prompt) -> Iterator[tuple[Kind | None, str]]:
    if prompt.tools:
        yield "tools", "# Tools\n\n" + "".join(map(_write_tool, prompt.tools))
    if prompt.memory:
        entries = (f"- {f'{each.key}: ' if each.key else ''}{each.text}\n" for each in prompt.memory)
        yield "memory", f"# Memory\n\n{''.join(entries)}\n"
    names = {
        part.id: part.tool for each in prompt.messages for part in each.parts if isinstance(part, Call) and part.id
    }
    for message in prompt.messages:
        yield from _write_message(message, names)


def _write_tool(tool: Tool) -> str:
    described = f"{tool.description}\n\n" if tool.description else ""
    parameters = "".join(f"{line}\n" for line in _write_parameters(tool.parameters, 0))
    return f"## {tool.alias or tool.name}\n\n{described}" + (f"{parameters}\n" if parameters else "")


def _write_parameters(schema: Json | object, depth: int) -> Iterator[str]:
    """Yield a line for each parameter of an object, nested ones below it."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    for key, each in properties.items() if isinstance(properties, dict) else ():
        fields = each if isinstance(each, dict) else {}
        is_required = isinstance(required, list) and key in required
        notes = [_describe_type(fields), *(["required"] if is_required else [])]
        words = fields.get("description")
        described = f": {words}" if isinstance(words, str) else ""
        yield f"{'  ' * depth}- `{key}` ({', '.join(filter(None, notes))}){described}"
        yield from _write_parameters(fields.get("items") if "items" in fields else fields, depth + 1)


def _describe_type(schema: dict[str, Json]) -> str:
    enum, kind, items = schema.get("enum"), schema.get("type"), schema.get("items")
    if isinstance(enum, list):
        return " or ".join(json_module.dumps(each, ensure_ascii=False) for each in enum)
    if kind == "array" and isinstance(items, dict):
        return f"list of {_describe_type(items) or 'anything'}"
    return kind if isinstance(kind, str) else ""


def _write_message(message: Message, names: dict[str, str]) -> Iterator[tuple[Kind | None, str]]:
    if not (message.role == "tool" and all(isinstance(part, Output) for part in message.parts)):
        yield None, f"# {message.name or _HEADS[message.role]}\n\n"
    for part in message.parts:
        yield from _write_part(part, names)


def _write_part(part: Part, names: dict[str, str]) -> Iterator[tuple[Kind | None, str]]:
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
            yield "calls", f"Call `{part.tool}`:\n\n{_fence_text(arguments, 'json')}"
        case Attachment():
            yield "files", _write_file(part)
        case Output():
            tool = part.tool or names.get(part.call_id or "") or "a tool"
            inside = "".join(
                _fence_text(each.text) if isinstance(each, Text) else _write_file(each)
                for each in part.parts
                if isinstance(each, (Text, Attachment))
            )
            yield "results", f"# {'Error' if part.is_error else 'Result'} of {tool}\n\n{inside}"


def _write_file(file: Attachment) -> str:
    name = file.path or file.name or file.href or file.type
    return f"`{name}`\n\n{_fence_text(file.text)}" if file.text is not None else f"![{file.type}]({name})\n\n"


def _fence_text(text: str, language: str = "") -> str:
    """Put a text into a fence that is longer than any in it."""
    fence = code_fence(text)
    line_end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{line_end}{fence}\n\n"


Spell: TypeAlias = Callable[[Prompt], SpelledPrompt]

BASE = "JSON"
"""The spelling that the others are compared with."""
SPELLINGS: Mapping[str, Spell] = {
    BASE: spell_json,
    "JSON pretty": spell_pretty_json,
    "YAML": spell_yaml,
    "PML": spell_minimal_pml,
    "PML pretty": spell_pml,
    "LAIC": spell_laic,
    "Markdown": spell_markdown,
}
