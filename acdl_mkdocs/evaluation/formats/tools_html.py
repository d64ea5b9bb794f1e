"""Tools and tool calls as HTML: a table of parameters for each tool, a call as a line of code.

Complete without scripts and styles, and safe for any names and descriptions. Class names begin with `acdl-tool`
and `acdl-call`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import json_text, make_visible, visible_lines
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.prompts.prompt import Call, Json, Tool

_SAID = frozenset(("type", "enum", "default", "description", "x-alias", "format", "items", "properties", "required"))
_OF_OBJECT = frozenset(("type", "properties", "required", "additionalProperties", "description"))
_DEEPEST = 24
"""Nesting of parameters; deeper ones are shown as JSON Schema."""


@dataclass(frozen=True, slots=True)
class Default:
    """The value of a parameter that is not given; it may be `null`."""

    value: Json


@dataclass(frozen=True, slots=True)
class Parameter:
    """One row."""

    key: str
    type: str
    """In words: `string`, `integer or null`, `list of string`, `string (date-time)`."""
    depth: int = 0
    """Its nesting level."""
    inside: str = ""
    """The path of the parameter that it is in: `filter.`, `tags[].`."""
    alias: str = ""
    is_required: bool = False
    values: tuple[Json, ...] = ()
    default: Default | None = None
    description: str = ""
    schema: Json | None = None
    """The rest of its schema, as JSON Schema."""


def has_rows(schema: Mapping[str, Json]) -> bool:
    """Return whether rows show all of the schema of a tool's arguments, or the schema is empty."""
    if not schema:
        return True
    others = schema.get("additionalProperties", True)
    is_plain = schema.get("type", "object") == "object" and schema.keys() <= _OF_OBJECT
    properties = schema.get("properties", {})
    return is_plain and isinstance(properties, dict) and isinstance(others, bool)


def list_parameters(schema: Mapping[str, Json]) -> Iterator[Parameter]:
    """Yield a row for each parameter, inner parameters after the outer one."""
    yield from _is_object(schema, "", 0)


def _is_object(schema: Mapping[str, Json], inside: str, depth: int) -> Iterator[Parameter]:
    properties, required = schema.get("properties"), schema.get("required")
    wanted = required if isinstance(required, list) else []
    for key, inner in properties.items() if isinstance(properties, dict) else ():
        fields = inner if isinstance(inner, dict) else {}
        innermost, suffix = _unwrap_lists(fields)
        has_inner = isinstance(innermost.get("properties"), dict) and depth < _DEEPEST
        yield Parameter(
            key,
            _describe_type(fields),
            depth,
            inside,
            _read_text(fields.get("x-alias")),
            key in wanted,
            tuple(_read_list(innermost.get("enum"))),
            Default(fields["default"]) if "default" in fields else None,
            _read_text(fields.get("description")),
            inner if not _is_covered(inner, innermost, has_inner=has_inner) else None,
        )
        if has_inner:
            yield from _is_object(innermost, f"{inside}{key}{suffix}.", depth + 1)


def _is_covered(schema: Json, innermost: Mapping[str, Json], *, has_inner: bool) -> bool:
    """Return whether the cells of a row show all of a schema."""
    if not isinstance(schema, dict):
        return schema is True
    if not schema.keys() <= _SAID | {"additionalProperties"} or not innermost.keys() <= _SAID | {
        "additionalProperties"
    }:
        return False
    if "properties" in innermost and not has_inner:
        return False
    others = innermost.get("additionalProperties", True)
    return isinstance(others, bool) or _is_plain(others)


def _is_plain(schema: Json) -> bool:
    """Return whether the words of a type show all of the schema of values."""
    return isinstance(schema, dict) and schema.keys() <= {"type"}


def _unwrap_lists(schema: Mapping[str, Json]) -> tuple[Mapping[str, Json], str]:
    """Return the schema of the elements of a list, and the brackets after its name."""
    suffix = ""
    while (
        schema.get("type") == "array" and isinstance(items := schema.get("items"), dict) and len(suffix) < 2 * _DEEPEST
    ):
        schema, suffix = items, f"{suffix}[]"
    return schema, suffix


def _describe_type(schema: Mapping[str, Json]) -> str:
    """Describe the type."""
    innermost, suffix = _unwrap_lists(schema)
    declared = innermost.get("type")
    kinds = [each for each in _read_list(declared) if isinstance(each, str)] or [_read_text(declared) or "any"]
    words = " or ".join(kinds)
    if kinds == ["array"]:
        words = "list"
    others = innermost.get("additionalProperties")
    if isinstance(others, dict) and "properties" not in innermost:
        words = f"{words} of {_describe_type(others)}"
    if others is False:
        words = f"{words}, no other keys"
    if isinstance(innermost.get("format"), str):
        words = f"{words} ({innermost['format']})"
    return "list of " * (len(suffix) // 2) + words


def _read_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _read_text(value: Json) -> str:
    return value if isinstance(value, str) else ""


_COLUMNS = ("Parameter", "Type", "Required", "Values", "Default", "Description")
_LONG = 60
"""Most characters of an argument in the line of the call; longer ones unfold below."""
_MOST_VALUES = 40
_LONG_VALUE = 200


def write_tools(tools: Sequence[Tool], anchors: Sequence[str], empty_text: str = "") -> str:
    """Write tools, each with the table of its parameters.

    Parameters:
        tools: The tools.
        anchors: The id of each.
        empty_text: The text shown without tools; empty for a default sentence.
    """
    if not tools:
        return f'<p class="acdl-tools-none">{empty_text or "No tools."}</p>'
    items = [_write_tool(tool, anchor) for tool, anchor in zip(tools, anchors, strict=True)]
    return f'<div class="acdl-tools">{_join_lines(items)}</div>'


def write_call(call: Call, tool: Tool | None = None, href: str = "", beside: str = "") -> str:
    """Write a call as a line of code, `get_weather(loc = "Oslo")`, with long arguments below it.

    Parameters:
        call: The call.
        tool: Its tool, whose long names are shown as tooltips.
        href: Link to the tool; empty if it is not shown.
        beside: Markup at the end of the line.
    """
    name = f'<span class="acdl-call-name">{_write_name(call.tool)}</span>'
    title = f' title="{_write_name(tool.alias)}"' if tool and tool.alias and tool.alias != call.tool else ""
    if href:
        name = f'<a href="{escape(href)}"{title}>{name}</a>'
    elif title:
        name = name.replace(">", f"{title}>", 1)
    arguments = {key: _write_argument(value) for key, value in call.args.items()}
    words = ", ".join(_write_pair(key, value, tool) for key, value in arguments.items())
    identity = f' <small class="acdl-call-id">{_write_name(call.id)}</small>' if call.id else ""
    line = f'<code class="acdl-call">{name}({words})</code>{identity}{beside}'
    return _join_lines(
        (line, *(_write_long_argument(key, call.args[key]) for key, value in arguments.items() if value is None))
    )


# ---------------------------------------------------------------------------------------------------------------- tools


def _write_tool(tool: Tool, anchor: str) -> str:
    """Write one tool: its names, its description, and its parameters."""
    rows = list(list_parameters(tool.parameters))
    attributes = f'id="{escape(anchor)}" role="group" aria-labelledby="{escape(anchor)}-title"'
    parts = [f'<section class="acdl-tool" {attributes}>', _write_head(tool, anchor)]
    if tool.description:
        parts.append(f'<p class="acdl-tool-desc">{_write_text(tool.description)}</p>')
    if rows:
        parts.append(_write_table(tool, rows))
    elif has_rows(tool.parameters):
        parts.append('<p class="acdl-tool-none">No parameters.</p>')
    if not has_rows(tool.parameters):
        parts.append(_write_schema(tool.parameters, "Parameters as JSON Schema"))
    if tool.parameters.get("additionalProperties") is False and rows:
        parts.append('<p class="acdl-tool-note">No other keys.</p>')
    return _join_lines((*parts, "</section>"))


def _write_head(tool: Tool, anchor: str) -> str:
    name = f'<a href="#{escape(anchor)}"><code>{_write_name(tool.name)}</code></a>'
    named = f'id="{escape(anchor)}-title"'
    parts = [f'<p class="acdl-tool-head"><strong class="acdl-tool-name" {named}>{name}</strong>']
    if tool.alias and tool.alias != tool.name:
        parts.append(f' <span class="acdl-tool-alias">{_write_name(tool.alias)}</span>')
    if tool.has_trigger:
        code = escape(make_visible(f'[#{tool.name}: "..."]'))
        parts.append(f' <span class="acdl-tool-trigger">on request: <code>{code}</code></span>')
    if tool.more is not None:
        parts.append(f' <span class="acdl-tool-more">more for {_write_name(tool.more.provider)}</span>')
    return "".join((*parts, "</p>"))


def _write_table(tool: Tool, rows: Sequence[Parameter]) -> str:
    """Write a table with the columns that are not empty.

    Its roles hold where a narrow page shows rows as blocks.
    """
    is_wanted = [
        True,
        True,
        any(each.is_required for each in rows),
        any(each.values for each in rows),
        any(each.default is not None for each in rows),
        any(each.description or each.schema is not None for each in rows),
    ]
    columns = [name for name, is_shown in zip(_COLUMNS, is_wanted, strict=True) if is_shown]
    heads = _join_lines(f'<th scope="col" role="columnheader">{name}</th>' for name in columns)
    body = _join_lines(_write_row(each, columns) for each in rows)
    head = f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
    caption = f"<caption>Parameters of <code>{_write_name(tool.name)}</code></caption>"
    body = f'<tbody role="rowgroup">{body}</tbody>'
    table = f'<table class="acdl-tool-table" role="table">{_join_lines((caption, head, body))}</table>'
    label = escape(make_visible(f"Parameters of {tool.name}"))
    return f'<div class="acdl-tool-params" tabindex="0" role="group" aria-label="{label}">{table}</div>'


def _write_row(parameter: Parameter, wanted: Sequence[str]) -> str:
    cells = dict(zip(_COLUMNS, _list_filled_columns(parameter), strict=True))
    depth = min(parameter.depth, 6)
    nested = f' class="acdl-tool-in acdl-tool-in-{depth}"' if depth else ""
    key = f'<th scope="row" role="rowheader">{cells["Parameter"]}</th>'
    columns = (f'<td role="cell" data-label="{name}">{cells[name]}</td>' for name in wanted[1:])
    return f'<tr role="row"{nested}>{_join_lines((key, *columns))}</tr>'


def _list_filled_columns(parameter: Parameter) -> Iterator[str]:
    inside = f'<span class="acdl-tool-path">{_write_name(parameter.inside)}</span>' if parameter.inside else ""
    alias = f' <span class="acdl-tool-alias">{_write_name(parameter.alias)}</span>' if parameter.alias else ""
    yield f"{inside}<code>{_write_name(parameter.key)}</code>{alias}"
    yield f'<span class="acdl-tool-type">{_write_name(parameter.type)}</span>'
    yield '<span class="acdl-tool-req">required</span>' if parameter.is_required else ""
    yield _write_values(parameter.values)
    yield f"<code>{_format_json(parameter.default.value)}</code>" if parameter.default is not None else ""
    schema = _write_schema(parameter.schema, "JSON Schema") if parameter.schema is not None else ""
    yield "\n".join(filter(None, (_write_text(parameter.description or ""), schema)))


def _write_values(values: Sequence[Json]) -> str:
    listed = ", ".join(f"<code>{_format_json(each)}</code>" for each in values[:_MOST_VALUES])
    return f"{listed} and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else listed


def _write_schema(schema: Json | Mapping[str, Json], title: str) -> str:
    """Write JSON Schema, folded."""
    code = escape(json_text(schema))
    return write_details(title, f'\n<pre tabindex="0"><code>{code}</code></pre>', "acdl-tool-schema")


# ---------------------------------------------------------------------------------------------------------------- calls


def _write_pair(key: str, value: str | None, tool: Tool | None) -> str:
    properties = tool.parameters.get("properties") if tool else None
    schema = properties.get(key) if isinstance(properties, dict) else None
    alias = schema.get("x-alias") if isinstance(schema, dict) else None
    title = f' title="{_write_name(alias)}"' if isinstance(alias, str) and alias != key else ""
    return f'<span class="acdl-call-key"{title}>{_write_name(key)}</span> = {value or "…"}'


def _write_argument(value: Json) -> str | None:
    """Write a value as JSON with the class of its type; nothing if it is too long for a line."""
    text = json_text(value, None)
    if len(text) > _LONG:
        return None
    return f'<span class="acdl-call-{_KINDS[type(value)]}">{escape(text)}</span>'


_KINDS: Mapping[type, str] = {
    str: "text", int: "number", float: "number", bool: "word", type(None): "word", list: "json", dict: "json",
}  # fmt: skip


def _write_long_argument(key: str, value: Json) -> str:
    """Write a long argument below the call, a text unchanged."""
    is_text = isinstance(value, str)
    content = "\n".join(visible_lines(value)) if isinstance(value, str) else json_text(value)
    amount = f"{len(value):,} characters" if isinstance(value, str) else "JSON"
    title = f"<code>{_write_name(key)}</code> <small>{amount}</small>"
    kind = "text" if is_text else "json"
    code = f'\n<pre tabindex="0"><code>{escape(content)}</code></pre>'
    return write_details(title, code, f"acdl-call-long acdl-call-{kind}")


def _format_json(value: Json) -> str:
    text = json_text(value, None)
    return escape(text if len(text) <= _LONG_VALUE else f"{text[:_LONG_VALUE]}…")


def _join_lines(parts: Iterable[str]) -> str:
    """Join elements with line ends: a search that strips tags then finds the end of a word."""
    return "\n".join(parts)


def _write_name(text: str) -> str:
    return escape(make_visible(text))


def _write_text(text: str) -> str:
    return "<br>".join(map(escape, visible_lines(text)))
