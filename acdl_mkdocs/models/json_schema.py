"""What of a value is not as a JSON Schema says: the part of JSON Schema that asks models for replies.

Knows `type`, `properties`, `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `enum`, `const`,
`minimum`, `maximum`, `minLength`, `maxLength` and `anyOf`; other words demand nothing.
"""

from collections.abc import Callable, Iterator, Mapping

from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompts.prompt import Json

_KINDS: Mapping[str, Callable[[Json], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "null": lambda value: value is None,
}


def faults(value: Json, schema: Mapping[str, Json], path: str = "") -> Iterator[str]:
    """What is wrong with a value, each with its path: `bullet_tags[0].tag: expected one of helpful, harmful`."""
    place = path or "the reply"
    types = schema.get("type")
    wanted = [each for each in (types if isinstance(types, list) else [types]) if isinstance(each, str)]
    if wanted and not any(_KINDS[kind](value) for kind in wanted if kind in _KINDS):
        yield f"{place}: expected {' or '.join(wanted)}, found {_found(value)}"
        return
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(allowed, list) and not any(_is_same(value, each) for each in allowed):
        yield f"{place}: expected one of {', '.join(str(each) for each in allowed)}"
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        tried = [list(faults(value, each, path)) for each in choices if isinstance(each, dict)]
        if tried and all(tried):
            yield from min(tried, key=len)
    yield from _sizes(value, schema, place)
    if isinstance(value, dict):
        yield from _members(value, schema, path)
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        for idx, each in enumerate(value):
            yield from faults(each, items, f"{path}[{idx}]")


def _found(value: Json) -> str:
    return next((kind for kind, is_it in _KINDS.items() if is_it(value)), "no JSON")


def _is_same(a: Json, b: Json) -> bool:
    return type(a) is type(b) and a == b


def _sizes(value: Json, schema: Mapping[str, Json], place: str) -> Iterator[str]:
    if isinstance(value, str | list):
        least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
        size: float = len(value)
        noun = "characters" if isinstance(value, str) else "elements"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most, size, noun = "minimum", "maximum", value, ""
    else:
        return
    low, high = schema.get(least), schema.get(most)
    if isinstance(low, int | float) and size < low:
        yield f"{place}: expected at least {low} {noun}".rstrip()
    if isinstance(high, int | float) and size > high:
        yield f"{place}: expected at most {high} {noun}".rstrip()


def _members(value: dict[str, Json], schema: Mapping[str, Json], path: str) -> Iterator[str]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in value:
            near = closest(name, [each for each in value if each not in known])
            hint = f"; `{near}` is there" if near else ""
            yield f"{path or 'the reply'}: the key `{name}` is missing{hint}"
    for name, inner in value.items():
        at = f"{path}.{name}" if path else name
        rule = known.get(name, schema.get("additionalProperties"))
        if isinstance(rule, dict):
            yield from faults(inner, rule, at)
        elif rule is False:
            yield f"{at}: no such key was asked for"


def is_strict(schema: Json) -> bool:
    """Whether every object of a schema demands all of its keys and forbids others, as providers' strict modes want."""
    if isinstance(schema, list):
        return all(is_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object":
        names = set(properties) if isinstance(properties, dict) else set()
        required = schema.get("required")
        if schema.get("additionalProperties") is not False or names != set(map(str, required or [])):  # type: ignore[arg-type]
            return False
    inner = [value for key, value in schema.items() if key in ("items", "anyOf")]
    inner += list(properties.values()) if isinstance(properties, dict) else []
    return all(is_strict(each) for each in inner)
