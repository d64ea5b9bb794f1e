"""`by_long_names()`: a prompt that names tools and parameters by their aliases, which providers and people know.

A document may give them short codes, which cost a model less to write. Requests have one name for each.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from acdl_mkdocs.pml.tools import by_name
from acdl_mkdocs.prompt import Call, Json, Output, Part, Prompt, Tool

ALIAS = "x-alias"
"""Keyword of a schema for the long name of a parameter."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def by_long_names(prompt: Prompt) -> Prompt:
    """A prompt whose calls, results and parameters have long names; its tools keep both of theirs."""
    if not any(tool.alias is not None or ALIAS in str(tool.parameters) for tool in prompt.tools):
        return prompt
    tools = by_name(prompt.tools)

    def named(part: Part) -> Part:
        tool = tools.get(part.tool) if isinstance(part, Call | Output) and part.tool is not None else None
        if tool is None or not isinstance(part, Call | Output):
            return part
        called = replace(part, tool=tool.alias or tool.name)
        return _with_long_keys(called, tool) if isinstance(called, Call) else called

    messages = [replace(each, parts=tuple(map(named, each.parts))) for each in prompt.messages]
    longer = tuple(replace(each, parameters=_schema(each.parameters)) for each in prompt.tools)
    return replace(prompt, messages=tuple(messages), tools=longer)


def long_keys(tool: Tool) -> dict[str, str]:
    """Parameters of a tool that have long names, also inside others, each with that name."""
    return _found(tool.parameters)


def _found(schema: Json | Mapping[str, Json]) -> dict[str, str]:
    if not isinstance(schema, Mapping):
        return {}
    found = _names(schema)
    properties = schema.get("properties")
    inner = [schema.get("items"), *(properties.values() if isinstance(properties, dict) else ())]
    for each in inner:
        found |= _found(each)
    return found


def _names(schema: Mapping[str, Json]) -> dict[str, str]:
    """The long names of the properties of an object, where each is free."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    said = [(key, each.get(ALIAS) if isinstance(each, dict) else None) for key, each in properties.items()]
    names = {key: alias for key, alias in said if isinstance(alias, str) and _NAME.fullmatch(alias)}
    every = [names.get(key, key) for key in properties]
    return {key: alias for key, alias in names.items() if every.count(alias) == 1} if names else {}


def _schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """A schema whose properties have their long names, and no keyword for them."""
    names = _names(schema)
    found: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            found[key] = {names.get(name, name): _inner(each) for name, each in value.items()}
        elif key == "required" and isinstance(value, list):
            found[key] = [names.get(each, each) if isinstance(each, str) else each for each in value]
        elif key != ALIAS:
            found[key] = _inner(value) if key == "items" else value
    return found


def _inner(schema: Json) -> Json:
    return _schema(schema) if isinstance(schema, dict) else schema


def _with_long_keys(call: Call, tool: Tool) -> Call:
    args = _args(dict(call.args), tool.parameters)
    return call if args == call.args or not isinstance(args, dict) else replace(call, args=args, args_raw=None)


def _args(value: Json, schema: Json | Mapping[str, Json]) -> Json:
    """Arguments by the long names of their parameters."""
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, list):
        return [_args(each, schema.get("items")) for each in value]
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return value
    names = _names(schema)
    return {names.get(key, key): _args(each, properties.get(key)) for key, each in value.items()}
