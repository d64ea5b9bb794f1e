"""`parse_input()`: a text in any format, a request or a list of tools."""

from dataclasses import replace
from typing import Literal

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.prompts.changes import (
    Change,
    SourcePositions,
    changes_from_diagnostics,
    changes_from_ignored_content,
    changes_from_problems,
    changes_from_repairs,
    find_fault_offset,
)
from acdl_mkdocs.prompts.pml.losses import find_ignored_content
from acdl_mkdocs.prompts.pml.read import read as read_document
from acdl_mkdocs.prompts.prompt import Json, Opaque, Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read
from acdl_mkdocs.prompts.providers.sniff import find_dialect, sniff
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_DECLARATIONS = ("functionDeclarations", "function_declarations")


def is_tool_list(body: Json) -> bool:
    """Return whether JSON is a list of tools, an object with only such a list, or one of Gemini's with declarations."""
    if isinstance(body, dict):
        is_declaring = any(key in body for key in _DECLARATIONS) and "contents" not in body
        return is_declaring or (body.keys() == {"tools"} and isinstance(body["tools"], list))
    return isinstance(body, list)


def sniff_tools(body: Json) -> str | None:
    """Return the key in `PROVIDERS` of the format of a list of tools; `None` if several formats are possible."""
    for tool in _list_tools(body):
        format_name = next(
            (name for name, each in PROVIDERS.items() if isinstance(tool, dict) and each.is_tool(tool)), None
        )
        if format_name is not None:
            return format_name
    return None


def read_tools(body: Json, format: str) -> Read:
    """Read a list of tools as a prompt without messages.

    Parameters:
        body: The list, or an object with `tools`.
        format: Key in `PROVIDERS`.
    """
    provider = PROVIDERS[format]
    tools = provider.list_request_tools(_list_tools(body))
    read = provider.read({provider.messages_key: [], "tools": tools})
    key = provider.tool_key
    odd = [number for number, tool in enumerate(tools) if key and not _is_tool(tool, key)]
    cure = f"write it as a tool of `{format}`, or specify its format, such as `--from openai`"
    problems = [Problem(f"tools[{number}]", f"this is not a tool definition of `{format}`", cure) for number in odd]
    return Read(read.prompt, (*read.problems, *problems))


def write_tools(prompt: Prompt, format: str) -> tuple[list[Json], tuple[Loss, ...]]:
    """Write the tools of a prompt in the format of a provider; return the list and what it cannot hold."""
    written = PROVIDERS[format].write(Prompt((), prompt.tools, settings=prompt.settings))
    tools = written.request.get("tools")
    losses = tuple(loss for loss in written.losses if loss.path.startswith(("tools", "settings")))
    return tools if isinstance(tools, list) else [], losses


def _list_tools(body: Json) -> list[Json]:
    if isinstance(body, dict):
        tools = body.get("tools")
        return tools if isinstance(tools, list) else [body]
    return body if isinstance(body, list) else []


def _is_tool(tool: Json, key: str) -> bool:
    """Return whether it is a declared tool, or one that the provider runs itself and identifies by type."""
    return isinstance(tool, dict) and (key in tool or isinstance(tool.get("type"), str))


@dataclass(frozen=True, slots=True)
class ParsedInput:
    """The content of an input text."""

    prompt: Prompt | None
    """`None` if it has errors and reading is strict, or if nothing can be read."""
    format: str | None
    """Key in `WIRES`; `None` if it was not detected."""
    changes: tuple[Change, ...]
    places: SourcePositions
    section: Literal["memory", "tools"] | None = None
    """The section of a prompt, if it is not a whole prompt."""

    @property
    def is_tools(self) -> bool:
        """Whether it is a list of tools without a request around it."""
        return self.section == "tools"


def parse_input(text: str | bytes, format: str | None, *, is_lenient: bool) -> ParsedInput:
    """Read a text in a format of `WIRES`, detected by default."""
    if format == "pml" or (format is None and _begins_as_xml(text)):
        return _read_pml(text, is_lenient=is_lenient)
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as problem:
            where = f"byte {problem.start + 1} is not UTF-8"
            return _make_failure(format, SourcePositions(Source("")), Change("error", where, "save the text in UTF-8"))
    text = text.removeprefix("\ufeff")
    positions = SourcePositions(Source(text))
    try:
        body = strict_json(text)
    except JsonFault as fault:
        cure = "write one JSON value; for a PML document that does not begin with `<`, add `--from pml`"
        line, column = positions.locate_offset(find_fault_offset(text))
        return _make_failure(
            format, positions, Change("error", f"this is not valid JSON: {fault}", cure, "", "", line, column)
        )
    return _read_json(body, format, positions, is_lenient=is_lenient)


def _begins_as_xml(text: str | bytes) -> bool:
    """Return whether a text can only be XML: no JSON begins like this, and no other format is text."""
    begin = text[:1000].decode("utf-8", "replace") if isinstance(text, bytes) else text[:1000]
    return begin.lstrip("\ufeff \t\r\n").startswith("<")


def _read_pml(text: str | bytes, *, is_lenient: bool) -> ParsedInput:
    document = read_document(text, is_lenient=is_lenient)
    positions = SourcePositions(document.source, document.places)
    changes = (
        *changes_from_repairs(document.repairs, positions),
        *changes_from_diagnostics(document.problems, positions),
    )
    if document.prompt is not None:
        changes = (*changes, *changes_from_ignored_content(find_ignored_content(document.source), positions))
    is_refused = not is_lenient and any(each.kind == "error" for each in changes)
    section = document.kind if document.kind in ("memory", "tools") else None
    return ParsedInput(None if is_refused else document.prompt, "pml", changes, positions, section)


def _read_json(body: Json, format: str | None, positions: SourcePositions, *, is_lenient: bool) -> ParsedInput:
    """Read a request or a list of tools."""
    is_tools = is_tool_list(body)
    format_name = format or (sniff_tools(body) if is_tools else sniff(body) or _sniff_declarations(body))
    if format_name is None and (other := find_dialect(body)) is not None:
        return _make_failure(None, positions, Change("error", f"this is {other.sentence}", other.cure))
    if format_name is None or format_name not in PROVIDERS:
        names = ", ".join(f"`{name}`" for name in PROVIDERS)
        sentence = "the format of this list of tools cannot be detected" if is_tools else _UNKNOWN
        return _make_failure(
            None, positions, Change("error", sentence, f"specify its format, such as `--from openai`: {names}")
        )
    read = read_tools(body, format_name) if is_tools else PROVIDERS[format_name].read(body)
    changes = tuple(changes_from_problems(read.problems, positions))
    section: Literal["tools"] | None = "tools" if is_tools else None
    is_refused = not is_lenient and any(each.kind == "error" for each in changes)
    prompt = None if is_refused else _add_model(read, format_name)
    return ParsedInput(prompt, format_name, changes, positions, section)


def _sniff_declarations(body: Json) -> str | None:
    """Return the format of a request without messages, detected by its tools."""
    return sniff_tools(body) if isinstance(body, dict) and "tools" in body else None


_UNKNOWN = "this is not a request in a known format, and not a list of tools"


def _add_model(read: Read, format: str) -> Prompt:
    """Return the prompt with the name of the model in the settings of its provider: it is for that provider only."""
    prompt = read.prompt
    if read.model is None:
        return prompt
    settings = list(prompt.settings)
    for number, each in enumerate(settings):
        if each.provider == format and isinstance(each.json, dict):
            settings[number] = replace(each, json={"model": read.model, **each.json})
            return replace(prompt, settings=tuple(settings))
    return replace(prompt, settings=(Opaque(format, {"model": read.model}), *settings))


def _make_failure(format: str | None, positions: SourcePositions, change: Change) -> ParsedInput:
    return ParsedInput(None, format, (change,), positions)
