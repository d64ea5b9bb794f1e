"""Tools in both directions: `Tool` and `<tool>`, JSON Schema and `<param>`."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.json_schema import Schema, as_list
from acdl_mkdocs.foundation.json_value import is_of_type
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.pml.faults import join_path, quote_value
from acdl_mkdocs.prompts.pml.problems import bad_json
from acdl_mkdocs.prompts.pml.tree import Element
from acdl_mkdocs.prompts.pml.xml_text import (
    Line,
    write_attributes,
    write_block,
    write_json,
    write_leaf,
    write_namespace,
)
from acdl_mkdocs.prompts.prompt import Json, Opaque, Tool
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_DEEPEST = 24
"""Parameters in parameters that are written as such; a document may have 64 levels in all."""
_SCALARS = frozenset(("string", "integer", "number", "boolean", "null"))
_TYPES = _SCALARS | {"object", "array"}
_OF_OBJECT = frozenset(("type", "properties", "required", "additionalProperties"))
_OF_WHOLE = {"description": "desc", "x-alias": "alias"}
"""Keys of a schema and their attributes, besides the type and its keys."""
_BESIDE = {
    "tool": ("closed",),
    "param": ("type", "enum", "default", "format", "values", *_OF_WHOLE.values(), "closed"),
}
"""Attributes that mean nothing beside `<schema>`."""
_TYPE = re.compile(r"(string|integer|number|boolean|object|array|null|any)((?:\[\])*)")
_CURE = 'write JSON, for example `default="10"`, or `default=\'"metric"\'` for a text'


@dataclass(frozen=True, slots=True)
class ImpossibleSchema:
    """A constraint in the schema of a tool that no value can satisfy."""

    path: str
    """Path of the argument; empty for the whole schema."""
    message: str
    """The problem; lower case, no full stop."""
    cure: str


def write_parameters(schema: Mapping[str, Json], depth: int) -> tuple[str, list[Line]] | None:
    """Return the attributes of an element and its `<param>` lines, or `None` if they cannot express the schema."""
    if schema.get("type") != "object" or not schema.keys() <= _OF_OBJECT:
        return None
    properties, required = schema.get("properties"), schema.get("required")
    closed = _write_closed(schema)
    if not isinstance(properties, dict) or closed is None or not (properties or closed) or depth > _DEEPEST:
        return None
    required_keys = {key for key in required if isinstance(key, str)} if isinstance(required, list) else set()
    if "required" in schema and (not required_keys or [key for key in properties if key in required_keys] != required):
        return None
    lines: list[Line] = []
    for key, inner in properties.items():
        lines += _write_param(key, inner, key in required_keys, depth)
    return closed, lines


def write_schema(schema: Json | Mapping[str, Json], depth: int) -> Line:
    """Return JSON Schema as text, for schemas that elements cannot express."""
    return depth, write_leaf("schema", "", write_json(schema), is_file=True)


def read_schema(element: Element, problems: list[Diagnostic]) -> dict[str, Json]:
    """Return the schema of an object that a `<tool>` or `<param>` defines with elements."""
    if any(each.name == "schema" for each in element.elements):
        escaped = _read_escape(element, problems)
        if not isinstance(escaped, dict):
            problems.append(
                _make_problem(element, "the schema is not an object", "write JSON Schema, or `<param>` elements")
            )
        return escaped if isinstance(escaped, dict) else {}
    schema = _read_object(element, problems)
    return {"type": "object", **schema} if schema else {}


def _write_closed(schema: Mapping[str, Json]) -> str | None:
    """Return the attribute that allows or forbids other keys, or `None` if the schema says more about them."""
    if "additionalProperties" not in schema:
        return ""
    return ' closed="1"' if schema["additionalProperties"] is False else None


def _write_param(key: str, schema: Json, is_required: bool, depth: int) -> list[Line]:
    """Write a parameter, in attributes if they can express it."""
    first = [("key", key)]
    req = "1" if is_required else None
    typed = _write_schema(schema, depth) if isinstance(schema, dict) else None
    if typed is None:
        return write_block("param", write_attributes([*first, ("req", req)]), [write_schema(schema, depth + 1)], depth)
    pairs, (closed, lines) = typed
    kind = None if pairs["type"] == "string" else pairs["type"]
    rest = [(name, value) for name, value in pairs.items() if name != "type"]
    return write_block("param", write_attributes([*first, ("type", kind), ("req", req), *rest]) + closed, lines, depth)


def _write_schema(schema: dict[str, Json], depth: int) -> tuple[dict[str, str | None], tuple[str, list[Line]]] | None:
    """Return the attributes and parameters of a schema, or `None` if they cannot express it."""
    kind, inner = _unwrap_lists(schema)
    rest = {key: value for key, value in inner.items() if key not in ("type", "enum", "format")}
    if inner is schema:
        rest = {key: value for key, value in rest.items() if key not in _OF_WHOLE and key != "default"}
    elif not {"type", "items", "default", *_OF_WHOLE} >= schema.keys():
        return None
    annotations = {name: schema.get(key) for key, name in _OF_WHOLE.items() if key in schema}
    value_format, enum = inner.get("format", ""), inner.get("enum", [None])
    if (
        not all(isinstance(value, str) for value in (*annotations.values(), value_format))
        or not enum
        or not isinstance(enum, list)
    ):
        return None
    pairs: dict[str, str | None] = {
        "type": kind,
        "enum": _write_enum(enum, inner.get("type")) if "enum" in inner else None,
        "default": write_json(schema["default"]) if "default" in schema else None,
        "format": str(value_format) if "format" in inner else None,
        "values": None,
        **{name: str(value) for name, value in annotations.items()},
    }
    if not kind or not rest:
        return (pairs, ("", [])) if kind else None
    if not kind.startswith("object"):
        return None
    pairs["values"] = _find_value_type(rest)
    children = ("", []) if pairs["values"] else write_parameters({"type": "object", **rest}, depth + 1)
    return None if children is None else (pairs, children)


def _unwrap_lists(schema: dict[str, Json]) -> tuple[str, dict[str, Json]]:
    """Return the type for an attribute, and the schema of the innermost list; no type if none can express it."""
    suffix, inner = "", schema
    while inner.get("type") == "array" and isinstance(inner.get("items"), dict) and len(suffix) < 2 * _DEEPEST:
        items = inner["items"]
        if inner is not schema and not {"type", "items"} >= inner.keys():
            return "", inner
        suffix += "[]"
        inner = items if isinstance(items, dict) else {}
    kind = inner.get("type", "any")
    return (f"{kind}{suffix}" if (kind == "any" and "type" not in inner) or kind in list(_TYPES) else ""), inner


def _find_value_type(rest: dict[str, Json]) -> str | None:
    """Return the type of the values of an object with free keys, if the schema says nothing else."""
    inner = rest.get("additionalProperties")
    if rest.keys() != {"additionalProperties"} or not isinstance(inner, dict):
        return None
    kind, innermost = _unwrap_lists(inner)
    is_plain = inner is innermost or inner.keys() == {"type", "items"}
    return kind if kind and is_plain and innermost.keys() <= {"type"} else None


def _write_enum(values: list[Json], kind: Json) -> str:
    """Write the values of an enumeration: with `|` between them if all are texts without it, else as a JSON list."""
    texts = [value for value in values if isinstance(value, str) and value and "|" not in value]
    is_plain = kind == "string" and len(texts) == len(values) and texts[0][0] != "["
    return "|".join(texts) if is_plain else write_json(values)


def _read_escape(element: Element, problems: list[Diagnostic]) -> Json:
    """Return the content of `<schema>`; anything beside it is a problem."""
    beside = [name for name in _BESIDE[element.name] if name in element.attributes]
    if beside:
        named = " ".join(f"`{name}`" for name in beside)
        problems.append(_make_problem(element, f"{named} beside a `<schema>` has no effect", "write it in the schema"))
    child = next(each for each in element.elements if each.name == "schema")
    return _read_json(child.text, child, "the schema", "write JSON Schema, or `<param>` elements", problems, {})


def _read_object(element: Element, problems: list[Diagnostic]) -> dict[str, Json]:
    """Return `properties` and related keys from `<param>` elements; empty if there are none."""
    params = [each for each in element.elements if each.name == "param"]
    is_closed = element.attributes.get("closed") == "1"
    if not params and not is_closed:
        return {}
    properties: dict[str, Json] = {}
    required: set[str] = set()
    for param in params:
        attributes = param.attributes
        key = attributes.get("key", "")
        properties[key] = _read_param_schema(param, attributes, problems)
        if attributes.get("req") == "1":
            required.add(key)
    schema: dict[str, Json] = {"properties": properties}
    if required:
        schema["required"] = [key for key in properties if key in required]
    if is_closed:
        schema["additionalProperties"] = False
    return schema


def _read_param_schema(param: Element, attributes: Mapping[str, str], problems: list[Diagnostic]) -> Json:
    """Return the schema of one parameter."""
    if any(each.name == "schema" for each in param.elements):
        return _read_escape(param, problems)
    kind, suffix = _split_type(attributes.get("type", "string"))
    inner: dict[str, Json] = {} if kind == "any" else {"type": kind}
    if "enum" in attributes:
        inner["enum"] = _read_enum(attributes["enum"], kind, param, problems)
    if "format" in attributes:
        inner["format"] = attributes["format"]
    if kind == "object" and "values" in attributes:
        inner["additionalProperties"] = _make_type_schema(*_split_type(attributes["values"]))
    elif kind == "object":
        inner.update(_read_object(param, problems))
    schema = _make_list_schema(inner, suffix)
    schema.update({key: attributes[name] for key, name in _OF_WHOLE.items() if name in attributes})
    if "default" in attributes:
        what = f"the default of `{attributes.get('key', '')}`"
        schema["default"] = _read_json(attributes["default"], param, what, _CURE, problems, attributes["default"])
    _check_free(param, kind, problems)
    return schema


def _check_free(param: Element, kind: str, problems: list[Diagnostic]) -> None:
    """Report a parameter that defines keys it does not have, or defines them in two ways."""
    restrictions = [f"`{name}`" for name in ("values", "closed") if param.attributes.get(name, "0") != "0"]
    restrictions += ["`<param>`"] if param.elements else []
    key = param.attributes.get("key", "")
    if restrictions and kind != "object":
        problems.append(
            _make_problem(
                param, f"`{key}` is not an object, but has {' and '.join(restrictions)}", 'write `type="object"`'
            )
        )
    elif "`values`" in restrictions and len(restrictions) > 1:
        problems.append(_make_problem(param, f"`{key}` has {' and '.join(restrictions)}", "keep one of them"))


def _split_type(spelled: str) -> tuple[str, str]:
    """Split a type and its `[]`; an invalid one becomes any type."""
    match = _TYPE.fullmatch(spelled)
    return (match[1], match[2]) if match and len(match[2]) <= 2 * _DEEPEST else ("any", "")


def _make_type_schema(kind: str, suffix: str) -> dict[str, Json]:
    return _make_list_schema({} if kind == "any" else {"type": kind}, suffix)


def _make_list_schema(schema: dict[str, Json], suffix: str) -> dict[str, Json]:
    """Return the schema of a list, or of a list of lists."""
    for _ in range(len(suffix) // 2):
        schema = {"type": "array", "items": schema}
    return schema


def _read_enum(spelled: str, kind: str, param: Element, problems: list[Diagnostic]) -> list[Json]:
    """Read the values of an enumeration: a JSON list, or separated by `|`, each a text or, for other types, JSON."""
    if spelled.startswith("["):
        cure = 'write the values between `|`, or as a JSON list: `enum="metric|imperial"`'
        values = _read_json(spelled, param, "the values", cure, problems, [])
        return values if isinstance(values, list) else []
    return [_read_literal(value) if kind in _SCALARS - {"string"} else value for value in spelled.split("|")]


def _read_literal(text: str) -> Json:
    try:
        return strict_json(text)
    except JsonFault:
        return text


def _make_problem(at: Element, message: str, cure: str) -> Diagnostic:
    return error("unreadable-parameter", message, Label(at.span, "here"), help=cure)


def _read_json(text: str, at: Element, what: str, cure: str, problems: list[Diagnostic], default: Json) -> Json:
    """Read JSON; report invalid JSON and return a substitute."""
    try:
        return strict_json(text)
    except JsonFault as fault:
        problems.append(_make_problem(at, f"{what} is not JSON: {fault}", cure))
        return default


_Place: TypeAlias = Literal["part", "more", "instead", "message"]
_MOST_TOLD = 10
"""Limit of impossible constraints reported for one tool."""
_PLACES: tuple[_Place, ...] = get_args(_Place)


def write_tools_text(tools: Sequence[Tool]) -> str:
    """Write `<tools>` in one line for the instructions of a model, without data for one provider only."""
    lines = [line for tool in tools for line in write_tool(replace(tool, more=None), 1)]
    return "".join(text for _, text in write_block("tools", write_namespace(lines), lines, 0))


def write_tool(tool: Tool, depth: int) -> list[Line]:
    """Write a tool with its parameters."""
    trigger = "1" if tool.has_trigger else None
    pairs = [("name", tool.name), ("alias", tool.alias), ("desc", tool.description), ("trigger", trigger)]
    parameters = write_parameters(tool.parameters, depth + 1)
    closed, lines = parameters if parameters is not None else ("", [write_schema(tool.parameters, depth + 1)])
    if not tool.parameters:
        lines = []
    if tool.more is not None:
        lines = [*lines, write_opaque(tool.more, depth + 1)]
    return write_block("tool", write_attributes(pairs) + closed, lines, depth)


def index_by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    """Index tools by the names that calls use: a name comes before an alias, an earlier tool before a later one."""
    tools_by_name = {tool.alias: tool for tool in reversed(tools) if tool.alias is not None}
    tools_by_name.update({tool.name: tool for tool in reversed(tools)})
    return tools_by_name


def read_tool(element: Element, problems: list[Diagnostic]) -> Tool:
    """Read a tool from an element; what cannot be read is a problem and left out."""
    attributes = element.attributes
    opaques = [each for each in element.elements if each.name == "x:opaque"]
    n_before = len(problems)
    parameters = read_schema(element, problems)
    if len(problems) == n_before:
        problems += (
            _warn_impossible(element, impossible) for impossible in islice(find_impossible(parameters), _MOST_TOLD)
        )
    return Tool(
        name=attributes.get("name", ""),
        description=attributes.get("desc"),
        parameters=parameters,
        alias=attributes.get("alias"),
        more=read_opaque(opaques[0], problems) if opaques else None,
        has_trigger=attributes.get("trigger") == "1",
    )


def _warn_impossible(element: Element, impossible: ImpossibleSchema) -> Diagnostic:
    """Warn at the parameter, or at the tool if the parameter is in its schema."""
    key = impossible.path.split(".")[0].removesuffix("[]")
    params = [each for each in element.elements if each.name == "param" and each.attributes.get("key") == key]
    at = params[0] if params else element
    where = (
        f"`{impossible.path}` of the tool `{element.attributes.get('name', '')}`" if impossible.path else "the schema"
    )
    return warning(
        "unreadable-parameter", f"{where}: {impossible.message}", Label(at.span, "here"), help=impossible.cure
    )


def write_opaque(opaque: Opaque, depth: int) -> Line:
    """Write data that only one provider understands."""
    place = None if opaque.place == "part" else opaque.place
    attributes = write_attributes([("provider", opaque.provider), ("place", place)])
    return depth, write_leaf("x:opaque", attributes, write_json(opaque.json))


def read_opaque(element: Element, problems: list[Diagnostic]) -> Opaque | None:
    """Read data that only one provider understands; report invalid JSON and return `None`."""
    attributes = element.attributes
    place: _Place = next((each for each in _PLACES if each == attributes.get("place")), "part")
    try:
        return Opaque(attributes.get("provider", ""), strict_json(element.text), place)
    except JsonFault as fault:
        problems.append(bad_json(element.span, "`x:opaque`", str(fault)))
        return None


_TYPE_NAMES = ("string", "integer", "number", "boolean", "object", "array", "null")
_MOST_SCHEMAS = 10_000
"""Limit of parts of one schema that are checked."""
_MOST_VALUES = 1_000
"""Limit of checked values of one list; in a longer one, one value is assumed to be valid."""
_CURE_OF_ENUM = "list the values, or remove `enum`"
_HOLDERS = ("properties", "$defs", "definitions")


def find_impossible(parameters: Schema) -> Iterator[ImpossibleSchema]:
    """Yield the problems of the schema of a tool's arguments.

    Parameters:
        parameters: JSON Schema.
    """
    kinds = _list_types(parameters)
    if kinds and "object" not in kinds:
        cure = 'write `"type": "object"`, and the arguments as `properties`'
        yield ImpossibleSchema(
            "", f"arguments have to be an object, but `type` is {quote_value(parameters['type'])}", cure
        )
        return
    queue: deque[tuple[str, Json | Schema]] = deque([("", parameters)])
    for _ in range(_MOST_SCHEMAS):
        if not queue:
            return
        path, schema = queue.popleft()
        if isinstance(schema, Mapping):
            yield from _find_wrong_types(schema, path)
            yield from _find_wrong_values(schema, path)
            queue.extend(_list_inner_schemas(schema, path))


def _list_types(schema: Schema) -> list[Json]:
    declared = schema.get("type")
    return as_list(declared) if isinstance(declared, list) else [] if declared is None else [declared]


def _find_wrong_types(schema: Schema, path: str) -> Iterator[ImpossibleSchema]:
    for kind in _list_types(schema)[: len(_TYPE_NAMES)]:
        if kind not in _TYPE_NAMES:
            near = find_closest(kind, _TYPE_NAMES) if isinstance(kind, str) else None
            names = ", ".join(f"`{each}`" for each in _TYPE_NAMES)
            cure = f"did you mean `{near}`?" if near else f"write one of {names}"
            yield ImpossibleSchema(path, f"{quote_value(kind)} is not a JSON Schema type", cure)


def _find_wrong_values(schema: Schema, path: str) -> Iterator[ImpossibleSchema]:
    enum = schema.get("enum")
    if not isinstance(enum, list):
        return
    kinds = frozenset(kind for kind in _list_types(schema) if isinstance(kind, str))
    if not enum:
        yield ImpossibleSchema(path, "`enum` has no values, so no value is allowed", _CURE_OF_ENUM)
    elif enum == [""]:
        yield ImpossibleSchema(path, "`enum` allows only the empty string", _CURE_OF_ENUM)
    elif kinds and kinds <= set(_TYPE_NAMES) and not any(is_of_type(value, kinds) for value in enum[:_MOST_VALUES]):
        message = f"none of the values of `enum` is of type {' or '.join(sorted(kinds))}"
        yield ImpossibleSchema(
            path, message, f"write values of that type, or another type: the first is {quote_value(enum[0])}"
        )


def _list_inner_schemas(schema: Schema, path: str) -> Iterator[tuple[str, Json]]:
    """Yield the schemas of parts of a value."""
    for holder in _HOLDERS:
        inner = schema.get(holder)
        if isinstance(inner, dict):
            yield from ((join_path(path, key), each) for key, each in inner.items())
    for name in ("items", "additionalProperties"):
        yield f"{path}[]" if name == "items" else join_path(path, "*"), schema.get(name)
    for name in ("prefixItems", "allOf"):
        yield from ((path, each) for each in as_list(schema.get(name)))
