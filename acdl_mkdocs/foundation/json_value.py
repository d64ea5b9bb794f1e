"""`Json`: a value of JSON as Python holds it, and what JSON Schema calls its type."""

from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


def json_type(value: Json) -> str:
    """Return the JSON Schema name of the type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def is_spelled_as(value: Json, types: frozenset[str]) -> bool:
    """Return whether a value is written as one of these JSON Schema types; 1 is also a number, 1.0 not an integer."""
    return json_type(value) in types or (json_type(value) == "integer" and "number" in types)


def is_of_type(value: Json, types: frozenset[str]) -> bool:
    """Return whether a value has one of these types of JSON Schema, where 1.0 is an integer too."""
    return is_spelled_as(value, types) or ("integer" in types and isinstance(value, float) and value.is_integer())
