"""`impossible()`: what schemas of a tool say that no call can ever satisfy, or that nobody can have meant.

Looks at types and lists of values only; a schema that refuses everything in other ways is not found out.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.pml.calls import is_of
from acdl_mkdocs.pml.check_values import listed
from acdl_mkdocs.pml.faults import place, said
from acdl_mkdocs.prompt import Json

_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_MOST_SCHEMAS = 10_000
"""Of one tool; no more are looked at."""
_MOST_VALUES = 1_000
"""Of one list of values; in a longer one, one of them is taken to be right."""
_CURE = "list the values, or remove `enum`"
_HOLDERS = ("properties", "$defs", "definitions")
_Schema: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Impossible:
    """Something in the schema of a tool that no value can be."""

    path: str
    """Which argument; empty for the whole schema."""
    message: str
    """What is wrong; lower case, no full stop."""
    cure: str


def impossible(parameters: _Schema) -> Iterator[Impossible]:
    """What is wrong with the schema of the arguments of a tool.

    Parameters:
        parameters: JSON Schema.
    """
    kinds = _kinds(parameters)
    if kinds and "object" not in kinds:
        cure = 'write `"type": "object"`, and the arguments as `properties`'
        yield Impossible("", f"arguments are an object, and `type` is {said(parameters['type'])}", cure)
        return
    waiting: deque[tuple[str, Json | _Schema]] = deque([("", parameters)])
    for _ in range(_MOST_SCHEMAS):
        if not waiting:
            return
        path, schema = waiting.popleft()
        if isinstance(schema, Mapping):
            yield from _wrong_types(schema, path)
            yield from _wrong_values(schema, path)
            waiting.extend(_inside(schema, path))


def _kinds(schema: _Schema) -> list[Json]:
    declared = schema.get("type")
    return listed(declared) if isinstance(declared, list) else [] if declared is None else [declared]


def _wrong_types(schema: _Schema, path: str) -> Iterator[Impossible]:
    for kind in _kinds(schema)[: len(_TYPES)]:
        if kind not in _TYPES:
            near = closest(kind, _TYPES) if isinstance(kind, str) else None
            cure = f"did you mean `{near}`?" if near else f"write one of {', '.join(f'`{each}`' for each in _TYPES)}"
            yield Impossible(path, f"{said(kind)} is no type of JSON Schema", cure)


def _wrong_values(schema: _Schema, path: str) -> Iterator[Impossible]:
    enum = schema.get("enum")
    if not isinstance(enum, list):
        return
    kinds = frozenset(kind for kind in _kinds(schema) if isinstance(kind, str))
    if not enum:
        yield Impossible(path, "`enum` has no values, so that none is allowed", _CURE)
    elif enum == [""]:
        yield Impossible(path, "`enum` allows the empty text only", _CURE)
    elif kinds and kinds <= set(_TYPES) and not any(_is_of(value, kinds) for value in enum[:_MOST_VALUES]):
        message = f"none of the values of `enum` is of type {' or '.join(sorted(kinds))}"
        yield Impossible(path, message, f"write values of that type, or another type: the first is {said(enum[0])}")


def _is_of(value: Json, kinds: frozenset[str]) -> bool:
    return is_of(value, kinds) or ("integer" in kinds and isinstance(value, float) and value.is_integer())


def _inside(schema: _Schema, path: str) -> Iterator[tuple[str, Json]]:
    """The schemas that a schema has for parts of a value."""
    for holder in _HOLDERS:
        inner = schema.get(holder)
        if isinstance(inner, dict):
            yield from ((place(path, key), each) for key, each in inner.items())
    for name in ("items", "additionalProperties"):
        yield f"{path}[]" if name == "items" else place(path, "*"), schema.get(name)
    for name in ("prefixItems", "allOf"):
        yield from ((path, each) for each in listed(schema.get(name)))
