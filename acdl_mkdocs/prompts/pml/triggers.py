r"""Calls that a person requests in text: `[#W: "Oslo"]`, `[#W: Oslo]` or `[#W: {"loc": "Oslo", "days": 3}]`.

Nothing looks for them unless a program calls `triggers()`, and only tools that are marked for it can be requested.
Text of others, such as quoted mails and files, must never be given to it; `escaped()` makes such text harmless:
`[\#W: ...]` is text.
"""

import re
from collections.abc import Sequence
from json import JSONDecodeError, JSONDecoder

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pml.calls import find_types, read_typed_value
from acdl_mkdocs.prompts.pml.check_calls import CallChecker
from acdl_mkdocs.prompts.pml.faults import Fault
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.prompt import Call, Json, Tool
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_OPEN = re.compile(r"\[#([A-Za-z][A-Za-z0-9_.\-]{0,127}+):[ \t]*+")
_STRING = re.compile('"(' + repeat_possessively(r'[^"\\\n]++|\\["\\n]') + ')"')
_BARE = re.compile(r'[^\]"\n]{1,1000}+')
_END = re.compile(r"[ \t]*+\]")
_ESCAPE = re.compile(r"\\(.)")
_MARK = re.compile(r"\[(\\*+)#")
_MOST = 500
"""Most texts like a trigger in one text; the rest is text. No person writes more."""
_LONGEST = 20_000
"""Characters of a JSON object."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A call that a person requests."""

    span: Span
    """Its position in the text."""
    call: Call
    """The call, with arguments of the types that the tool declares."""
    faults: tuple[Fault, ...] = ()
    """Problems that prevent it from being made; empty for a valid call."""


def triggers(text: str, tools: Sequence[Tool]) -> tuple[Trigger, ...]:
    """Return the calls that a person's own text requests, of tools with `trigger="1"`.

    Parameters:
        text: What the person wrote: the text of the newest message of the user, never an attachment or a result.
        tools: The tools that the model is given.
    """
    tools_by_name = index_by_name([tool for tool in tools if tool.has_trigger])
    checker = CallChecker(tools)
    calls: list[Trigger] = []
    at = 0
    for _ in range(_MOST if tools_by_name else 0):
        opened = _OPEN.search(text, at)
        if opened is None:
            break
        tool = tools_by_name.get(opened[1])
        read = _read_arguments(text, opened.end(), tool) if tool is not None else None
        at = opened.end()
        if tool is not None and read is not None:
            args, at = read
            call = Call(tool.name, args)
            calls.append(Trigger(Span(opened.start(), at), call, checker.check_call(call)))
    return tuple(calls)


def escaped(text: str) -> str:
    r"""Return a text without triggers: `[#` becomes `[\#`. `unescape_triggers()` reverses it.

    Parameters:
        text: Text of others, such as a quoted mail or a file.
    """
    return _MARK.sub(r"[\\\1#", text)


def unescape_triggers(text: str) -> str:
    r"""Return a text as a person reads it: `[\#` is `[#`."""
    return _MARK.sub(lambda mark: f"[{mark[1][1:]}#", text)


def _read_arguments(text: str, at: int, tool: Tool) -> tuple[dict[str, Json], int] | None:
    """Return the requested arguments, and the end of the trigger; `None` if it is not a trigger."""
    if text.startswith("{", at):
        return _read_object(text, at)
    match = _STRING.match(text, at)
    value = _ESCAPE.sub(_unescape_match, match[1]) if match else None
    match = match or _BARE.match(text, at)
    end = _END.match(text, match.end()) if match else None
    if match is None or end is None:
        return None
    value = match[0].strip() if value is None else value
    key = _find_first_key(tool)
    return ({} if key is None else {key: read_typed_value(value, find_types(tool, key))}), end.end()


def _read_object(text: str, at: int) -> tuple[dict[str, Json], int] | None:
    """Return arguments given as JSON."""
    window = text[at : at + _LONGEST]
    try:
        length = JSONDecoder().raw_decode(window)[1]
        args = strict_json(window[:length])
    except (JSONDecodeError, JsonFault, RecursionError, ValueError):
        return None
    end = _END.match(text, at + length)
    return (args, end.end()) if end and isinstance(args, dict) else None


def _unescape_match(match: re.Match[str]) -> str:
    return "\n" if match[1] == "n" else match[1]


def _find_first_key(tool: Tool) -> str | None:
    """Return the parameter for a single value: the first required one, else the first."""
    properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
    if not isinstance(properties, dict):
        return None
    required_keys = [key for key in properties if isinstance(required, list) and key in required]
    return next(iter([*required_keys, *properties]), None)
