"""The one validator of JSON Schema: it returns faults as data, and the caller words the message.

Schemas and values are untrusted, so the work is limited and no regular expression of a schema is run. Checks types,
choices, keys and sizes; of `oneOf`, one form has to fit, as of `anyOf`. Existing validators have no limit of work, run
`pattern`, and take longer to import than a page takes to build; tests compare the results with one.
"""

import json
import math
from collections.abc import Hashable, Iterator, Mapping
from typing import TypeAlias, TypeGuard

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.json_value import Json, is_of_type

Schema: TypeAlias = Mapping[str, Json]
Steps: TypeAlias = tuple[str | int, ...]

MAX_LEVELS = 128
"""Schemas in schemas; more only where one refers to itself, or a value has more levels than one that is read."""
_CHARACTERS_OF_A_CHECK = 50
_SIZES = {
    str: ("minLength", "maxLength"),
    list: ("minItems", "maxItems"),
    dict: ("minProperties", "maxProperties"),
}
"""The limits of what has a length."""
_NUMBER_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LIMITS = frozenset((*_NUMBER_KEYWORDS, *(name for names in _SIZES.values() for name in names)))


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One way in which a value does not match a schema."""

    keyword: str
    """The keyword of the schema; `false` where nothing is allowed, `limit` where there is too much to check."""
    steps: Steps
    """Keys and indices that lead to the value; for `required`, to the object."""
    value: Json
    """The value found there."""
    schema: Schema
    """The schema that has the keyword."""
    expected: Json = None
    """The limit, the missing key, or the repeated item."""


class SchemaCheck:
    """One check of a value: where references begin, and how much may still be done."""

    def __init__(
        self,
        root: Schema,
        *,
        n_checks: int,
        is_closed: bool = False,
        values: dict[int, frozenset[Hashable]] | None = None,
    ) -> None:
        """Prepare a check.

        Parameters:
            root: The schema, in which references are resolved.
            n_checks: The maximum number of comparisons of a value with a schema.
            is_closed: Whether an undeclared key is a fault unless the schema explicitly allows other keys.
            values: A cache for lists of choices by identity, for schemas that are kept.
        """
        self.root = root
        self.n_left = n_checks
        """Below zero if there was too much to check."""
        self._is_closed = is_closed
        self._values = {} if values is None else values

    def find_faults(self, value: Json, schema: Json | Schema = None, steps: Steps = ()) -> Iterator[SchemaFault]:
        """Find everything that is wrong with a value, in the order of its parts.

        Parameters:
            value: The value.
            schema: A part of the root that the value has to fit; by default the root.
            steps: The path of the value.
        """
        return self._find_faults(value, self.root if schema is None else schema, steps, 0)

    def _find_faults(self, value: Json, schema: Json | Schema, steps: Steps, n_levels: int) -> Iterator[SchemaFault]:
        if schema is False:
            yield SchemaFault("false", steps, value, {})
        if not isinstance(schema, Mapping) or self.n_left < 0:
            return
        self.n_left -= _count_checks(schema)
        if n_levels > MAX_LEVELS or self.n_left < 0:
            self.n_left = -1
            yield SchemaFault("limit", (), None, {})
            return
        if isinstance(schema.get("$ref"), str):
            yield from self._find_faults(value, self._resolve_reference(str(schema["$ref"])), steps, n_levels + 1)
        types = types_of(schema)
        if types and not is_of_type(value, frozenset(types)):
            yield SchemaFault("type", steps, value, schema)
            return
        yield from self._check_value(value, schema, steps)
        yield from self._check_choices(value, schema, steps, n_levels + 1)
        if isinstance(value, dict):
            yield from self._check_object(value, schema, steps, n_levels + 1)
        elif isinstance(value, list):
            yield from self._check_list(value, schema, steps, n_levels + 1)

    def _resolve_reference(self, reference: str) -> Json | Schema:
        """Return the schema that a reference names in the same document, or one that allows everything."""
        if not reference.startswith("#"):
            return True
        schema: Json | Schema = self.root
        for step in reference[1:].split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(schema, Mapping) or key not in schema:
                return True
            schema = schema[key]
        return schema

    def _check_value(self, value: Json, schema: Schema, steps: Steps) -> Iterator[SchemaFault]:
        """Check the value itself: its choices, its size, and whether its items differ."""
        enum = schema.get("enum")
        if "const" in schema and self._count_key(value) != self._count_key(schema["const"]):
            yield SchemaFault("const", steps, value, schema)
        elif isinstance(enum, list) and self._count_key(value) not in self._enum_keys(enum):
            yield SchemaFault("enum", steps, value, schema)
        if not _LIMITS.isdisjoint(schema):
            for keyword, limit in _broken_limits(value, schema):
                yield SchemaFault(keyword, steps, value, schema, limit)
        if schema.get("uniqueItems") is True and isinstance(value, list):
            seen: set[Hashable] = set()
            for number, item in enumerate(value):
                seen.add(self._count_key(item))
                if len(seen) <= number:
                    yield SchemaFault("uniqueItems", steps, value, schema, item)
                    return

    def _enum_keys(self, enum: list[Json]) -> frozenset[Hashable]:
        keys = self._values.get(id(enum))
        if keys is None:
            keys = self._values[id(enum)] = frozenset(map(_comparison_key, enum))
        return keys

    def _count_key(self, value: Json) -> Hashable:
        """Return the comparison key of a value; computing the key of a long value counts as many checks."""
        key = _comparison_key(value)
        if isinstance(key, tuple):
            self.n_left -= len(str(key[0])) // _CHARACTERS_OF_A_CHECK
        return key

    def _check_choices(self, value: Json, schema: Schema, steps: Steps, n_levels: int) -> Iterator[SchemaFault]:
        for inner in as_list(schema.get("allOf")):
            yield from self._find_faults(value, inner, steps, n_levels)
        for keyword in ("anyOf", "oneOf"):
            choices = as_list(schema.get(keyword))
            if len(choices) == 1:
                yield from self._find_faults(value, choices[0], steps, n_levels)
            elif choices and all(self._has_fault(value, inner, steps, n_levels) for inner in choices):
                yield SchemaFault(keyword, steps, value, schema)

    def _has_fault(self, value: Json, schema: Json, steps: Steps, n_levels: int) -> bool:
        return next(self._find_faults(value, schema, steps, n_levels), None) is not None

    def _check_object(
        self, value: dict[str, Json], schema: Schema, steps: Steps, n_levels: int
    ) -> Iterator[SchemaFault]:
        declared = schema.get("properties")
        properties = declared if isinstance(declared, dict) else {}
        for key in as_list(schema.get("required")):
            if isinstance(key, str) and key not in value:
                yield SchemaFault("required", steps, value, schema, key)
        others = self._undeclared_schema(schema, is_whole=not steps)
        for key, inner in value.items():
            if key in properties:
                yield from self._find_faults(inner, properties[key], (*steps, key), n_levels)
            elif others is False:
                yield SchemaFault("additionalProperties", (*steps, key), inner, schema)
            elif others is not True:
                yield from self._find_faults(inner, others, (*steps, key), n_levels)

    def _undeclared_schema(self, schema: Schema, *, is_whole: bool) -> Json:
        """Return the schema for keys that are not declared; one that allows all if ignored patterns may allow them."""
        if "patternProperties" in schema:
            return True
        if "additionalProperties" in schema:
            return schema["additionalProperties"]
        is_combined = any(key in schema for key in ("$ref", "allOf", "anyOf", "oneOf"))
        return not self._is_closed or is_combined or not ("properties" in schema or is_whole)

    def _check_list(self, value: list[Json], schema: Schema, steps: Steps, n_levels: int) -> Iterator[SchemaFault]:
        first, others = as_list(schema.get("prefixItems")), schema.get("items", True)
        for number, inner in enumerate(value):
            expected = first[number] if number < len(first) else others
            if expected is not True:
                yield from self._find_faults(inner, expected, (*steps, number), n_levels)


def as_list(value: Json) -> list[Json]:
    """Return the value if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def types_of(schema: Schema) -> list[str]:
    """Return the types that a schema allows; empty if it allows all."""
    declared = schema.get("type")
    return [each for each in (as_list(declared) or [declared]) if isinstance(each, str)]


def is_strict(schema: Json) -> bool:
    """Return whether every object in a schema requires all its keys and forbids others, as strict modes demand."""
    if isinstance(schema, list):
        return all(is_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object":
        names = set(properties) if isinstance(properties, dict) else set()
        if schema.get("additionalProperties") is not False or names != set(map(str, as_list(schema.get("required")))):
            return False
    inner = [value for key, value in schema.items() if key in ("items", "anyOf")]
    inner += list(properties.values()) if isinstance(properties, dict) else []
    return all(is_strict(each) for each in inner)


def _count_checks(schema: Schema) -> int:
    """Return how many checks a schema counts as, given the lengths of its lists of keys and types."""
    reference = schema.get("$ref")
    n_steps = len(reference) if isinstance(reference, str) else 0
    return 1 + (len(as_list(schema.get("required"))) + len(as_list(schema.get("type"))) + n_steps) // 20


def _comparison_key(value: Json) -> Hashable:
    """Return a key that is equal for two values exactly if JSON Schema regards them as equal."""
    if isinstance(value, str):
        return value
    try:
        return (json.dumps(_normalize_numbers(value), sort_keys=True),)
    except (RecursionError, ValueError):
        return (id(value), "no two of them are the same")


def _normalize_numbers(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_normalize_numbers(each) for each in value]
    if isinstance(value, dict):
        return {key: _normalize_numbers(each) for key, each in value.items()}
    return value


def _broken_limits(value: Json, schema: Schema) -> Iterator[tuple[str, Json]]:
    """Yield keyword and limit for a number out of range, or a text, list or object of the wrong size."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield from _out_of_range(value, schema, ("minimum", "maximum"))
        yield from _wrong_number(value, schema)
        return
    names = next(names for kind, names in _SIZES.items() if isinstance(value, kind))
    yield from _out_of_range(len(value), schema, names)


def _wrong_number(value: float, schema: Schema) -> Iterator[tuple[str, Json]]:
    low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    low, high = (schema.get("minimum") if low is True else low), (schema.get("maximum") if high is True else high)
    if _is_number(low) and value <= low:
        yield "exclusiveMinimum", low
    if _is_number(high) and value >= high:
        yield "exclusiveMaximum", high
    step = schema.get("multipleOf")
    if _is_number(step) and step > 0 and not _is_multiple(value, step):
        yield "multipleOf", step


def _out_of_range(size: float, schema: Schema, names: tuple[str, str]) -> Iterator[tuple[str, Json]]:
    low, high = (schema.get(name) for name in names)
    if _is_number(low) and size < low:
        yield names[0], low
    if _is_number(high) and size > high:
        yield names[1], high


def _is_multiple(value: float, step: float) -> bool:
    """Return whether a number is a multiple as written: 0.3 is three times 0.1."""
    from fractions import Fraction  # imported only for this rare limit

    if any(isinstance(each, float) and not math.isfinite(each) for each in (value, step)):
        return True
    exact = [Fraction(each) if isinstance(each, int) else Fraction(repr(each)) for each in (value, step)]
    return exact[0] % exact[1] == 0


def _is_number(value: Json) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
