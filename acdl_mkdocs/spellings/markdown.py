"""A prompt as Markdown: headings say who speaks, fences hold files and results. For reading, not to be read again."""

import json
import re
from collections.abc import Iterator

from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Output, Part, Prompt, Text, Thinking, Tool
from acdl_mkdocs.spellings.spelled import Kind, Spelled

_FENCE = re.compile(r"`{3,}")
_HEADS = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tools", "none": "Text"}
_LOST = ("types and ids, and what is a heading and what is text: no program can read it again",)


def markdown(prompt: Prompt) -> Spelled:
    """Sections of tools, memory and messages."""
    pieces: dict[Kind, list[str]] = {}
    whole: list[str] = []
    for kind, text in _sections(prompt):
        whole.append(text)
        if kind is not None:
            pieces.setdefault(kind, []).append(text)
    return Spelled("".join(whole), {**_NOTHING, **pieces}, _LOST)


_NOTHING: dict[Kind, list[str]] = {"tools": [], "memory": [], "calls": [], "results": [], "files": [], "words": []}


def _sections(prompt: Prompt) -> Iterator[tuple[Kind | None, str]]:
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
    """A line for each parameter of an object, with those inside it below."""
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
        return " or ".join(json.dumps(each, ensure_ascii=False) for each in enum)
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
            arguments = json.dumps(dict(part.args), ensure_ascii=False)
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
    """A text in a fence that is longer than any in it."""
    fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(text))])
    line_end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{line_end}{fence}\n\n"
