"""The parameters of a tool as rows of a table, from the JSON Schema of its arguments.

What a row cannot say is kept with it as JSON Schema, so that nothing of a schema is lost.
"""

from collections.abc import Iterator, Mapping

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Json

_SAID = frozenset(("type", "enum", "default", "description", "x-alias", "format", "items", "properties", "required"))
_OF_OBJECT = frozenset(("type", "properties", "required", "additionalProperties", "description"))
_DEEPEST = 24
"""Parameters in parameters; what is deeper is shown as JSON Schema."""


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
    """In how many others it is."""
    inside: str = ""
    """The path of the parameter that it is in: `filter.`, `tags[].`."""
    alias: str = ""
    is_required: bool = False
    values: tuple[Json, ...] = ()
    default: Default | None = None
    description: str = ""
    schema: Json | None = None
    """What else is said of it, as JSON Schema."""


def has_rows(schema: Mapping[str, Json]) -> bool:
    """Whether rows say all of the schema of a tool's arguments, or there is nothing to say."""
    if not schema:
        return True
    others = schema.get("additionalProperties", True)
    is_plain = schema.get("type", "object") == "object" and schema.keys() <= _OF_OBJECT
    properties = schema.get("properties", {})
    return is_plain and isinstance(properties, dict) and isinstance(others, bool)


def parameters(schema: Mapping[str, Json]) -> Iterator[Parameter]:
    """A row for each parameter, those inside of one behind it."""
    yield from _of_object(schema, "", 0)


def _of_object(schema: Mapping[str, Json], inside: str, depth: int) -> Iterator[Parameter]:
    properties, required = schema.get("properties"), schema.get("required")
    wanted = required if isinstance(required, list) else []
    for key, inner in properties.items() if isinstance(properties, dict) else ():
        said = inner if isinstance(inner, dict) else {}
        innermost, suffix = _innermost(said)
        has_inner = isinstance(innermost.get("properties"), dict) and depth < _DEEPEST
        yield Parameter(
            key,
            _type(said),
            depth,
            inside,
            _text(said.get("x-alias")),
            key in wanted,
            tuple(_list(innermost.get("enum"))),
            Default(said["default"]) if "default" in said else None,
            _text(said.get("description")),
            inner if not _is_said(inner, innermost, has_inner=has_inner) else None,
        )
        if has_inner:
            yield from _of_object(innermost, f"{inside}{key}{suffix}.", depth + 1)


def _is_said(schema: Json, innermost: Mapping[str, Json], *, has_inner: bool) -> bool:
    """Whether the cells of a row say all of a schema."""
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
    """Whether the words of a type say all of the schema of values."""
    return isinstance(schema, dict) and schema.keys() <= {"type"}


def _innermost(schema: Mapping[str, Json]) -> tuple[Mapping[str, Json], str]:
    """What is in a list, and the brackets behind its name."""
    suffix = ""
    while (
        schema.get("type") == "array" and isinstance(items := schema.get("items"), dict) and len(suffix) < 2 * _DEEPEST
    ):
        schema, suffix = items, f"{suffix}[]"
    return schema, suffix


def _type(schema: Mapping[str, Json]) -> str:
    """The type in words."""
    innermost, suffix = _innermost(schema)
    declared = innermost.get("type")
    kinds = [each for each in _list(declared) if isinstance(each, str)] or [_text(declared) or "any"]
    words = " or ".join(kinds)
    if kinds == ["array"]:
        words = "list"
    others = innermost.get("additionalProperties")
    if isinstance(others, dict) and "properties" not in innermost:
        words = f"{words} of {_type(others)}"
    if others is False:
        words = f"{words}, no other keys"
    if isinstance(innermost.get("format"), str):
        words = f"{words} ({innermost['format']})"
    return "list of " * (len(suffix) // 2) + words


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
