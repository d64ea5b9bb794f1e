"""Values checked by JSON Schema, and schemas that no call can satisfy."""

import json
import math
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from typing import TypeAlias, TypeGuard

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompts.pml.calls import is_of, kind_of
from acdl_mkdocs.prompts.pml.faults import MOST_FAULTS, Fault, place, said, short
from acdl_mkdocs.prompts.pml.xml_text import json_text
from acdl_mkdocs.prompts.prompt import Json

Schema: TypeAlias = Mapping[str, Json]

_SIZES = {
    str: ("minLength", "maxLength", "the length"),
    list: ("minItems", "maxItems", "the length"),
    dict: ("minProperties", "maxProperties", "the number of keys"),
}
"""The limits of what has a length."""
_OF_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LIMITS = frozenset((*_OF_NUMBERS, *(name for *names, _ in _SIZES.values() for name in names)))


def listed(value: Json) -> list[Json]:
    """A list, or nothing where there is none."""
    return value if isinstance(value, list) else []


def wrong_type(value: Json, schema: Schema, path: str) -> Fault | None:
    """A value of another type than those that are allowed."""
    declared = schema.get("type")
    if declared is None:
        return None
    kinds = frozenset(each for each in (listed(declared) or [declared]) if isinstance(each, str))
    if not kinds or is_of(value, kinds) or ("integer" in kinds and isinstance(value, float) and value.is_integer()):
        return None
    expected = " or ".join(map(short, sorted(kinds)[:MOST_FAULTS]))
    return Fault("wrong-type", f"{said(value)} is of type {kind_of(value)}, expected {expected}", path)


def wrong_value(value: Json, allowed: list[Json], path: str) -> Fault:
    """A value that is none of those that are allowed."""
    if not allowed:
        return Fault("wrong-value", f"{said(value)} is given where no value is allowed", path)
    shown = ", ".join(said(each) for each in allowed[:MOST_FAULTS])
    more = f" and {len(allowed) - MOST_FAULTS:,} more" if len(allowed) > MOST_FAULTS else ""
    return Fault("wrong-value", f"{said(value)} is not one of {shown}{more}", path)


def wrong_size(value: Json, schema: Schema, path: str) -> Iterator[Fault]:
    """Numbers out of their range, and texts, lists and objects of a wrong length."""
    if isinstance(value, bool) or value is None or _LIMITS.isdisjoint(schema):
        return
    if isinstance(value, int | float):
        yield from _wrong_number(value, schema, path)
        return
    least, most, what = next(names for kind, names in _SIZES.items() if isinstance(value, kind))
    yield from _out_of_range(len(value), schema, (least, most), what, path)


def key_of(value: Json) -> Hashable:
    """Something that two values have in common exactly where they are the same."""
    if isinstance(value, str):
        return value
    try:
        return (json.dumps(_plain(value), sort_keys=True),)
    except (RecursionError, ValueError):
        return (id(value), "no two of them are the same")


def _plain(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def _wrong_number(value: float, schema: Schema, path: str) -> Iterator[Fault]:
    yield from _out_of_range(value, schema, ("minimum", "maximum"), "the number", path)
    low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    low, high = (schema.get("minimum") if low is True else low), (schema.get("maximum") if high is True else high)
    if _is_number(low) and value <= low:
        yield Fault("wrong-size", f"the number is {_number(value)}, expected more than {_number(low)}", path)
    if _is_number(high) and value >= high:
        yield Fault("wrong-size", f"the number is {_number(value)}, expected less than {_number(high)}", path)
    step = schema.get("multipleOf")
    if _is_number(step) and step > 0 and not _is_multiple(value, step):
        yield Fault("wrong-size", f"the number is {_number(value)}, expected a multiple of {_number(step)}", path)


def _out_of_range(value: float, schema: Schema, names: tuple[str, str], what: str, path: str) -> Iterator[Fault]:
    low, high = (schema.get(name) for name in names)
    if _is_number(low) and value < low:
        yield Fault("wrong-size", f"{what} is {_number(value)}, expected at least {_number(low)}", path)
    if _is_number(high) and value > high:
        yield Fault("wrong-size", f"{what} is {_number(value)}, expected at most {_number(high)}", path)


def _is_multiple(value: float, step: float) -> bool:
    """Whether a number is a multiple, as it is written: 0.3 is three times 0.1."""
    from fractions import Fraction  # only this rare limit is worth its import

    if any(isinstance(each, float) and not math.isfinite(each) for each in (value, step)):
        return True
    exact = [Fraction(each) if isinstance(each, int) else Fraction(repr(each)) for each in (value, step)]
    return exact[0] % exact[1] == 0


def _is_number(value: Json) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: float) -> str:
    """A number as JSON; one of thousands of digits in words."""
    spelled = json_text(value)
    return "a number of more than 4300 digits" if spelled == "null" else short(spelled)


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
