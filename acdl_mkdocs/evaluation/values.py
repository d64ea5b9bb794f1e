"""Values of expressions: their kinds and their text.

Plain values are those of JSON. There are also times, values with their own fields, parts of messages (calls,
results, images), and missing values. Knows nothing about the tree or about states.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Opaque, Output, Text, Thinking

Special: TypeAlias = Call | Output | Attachment | Thinking
"""A part of a message that is not words."""
UnknownKind: TypeAlias = Literal["missing", "function", "template", "error"]
"""The reason for a missing value: not in the state; no sample of a function; no text of a template; an error."""
_NAMES: Mapping[type, str] = {
    Call: "a call",
    Output: "a result",
    Attachment: "an image or a file",
    Thinking: "a thought",
}
_MOST_BITS = 4_096
"""Of a whole number that is written in digits."""


@dataclass(frozen=True, slots=True, order=True)
class Time:
    """A turn and its steps: `@2.1` is `Time((2, 1))`; one number alone counts as a whole number too."""

    parts: tuple[int, ...]

    def __str__(self) -> str:
        """Return the time as it is written after `@`: `2.1`."""
        return ".".join(map(str, self.parts))

    def shift_by(self, steps: int) -> "Time":
        """Return the time moved by a number of turns or steps, counted at its last part."""
        return Time((*self.parts[:-1], self.parts[-1] + steps))

    @property
    def significant(self) -> tuple[int, ...]:
        """Its parts without trailing zeros: `@2.0` is turn 2 itself."""
        parts = self.parts
        while len(parts) > 1 and parts[-1] == 0:
            parts = parts[:-1]
        return parts

    def get_part(self, position: int) -> int:
        """Return the part at a level, the turn at 0; missing parts are 0."""
        return self.parts[position] if position < len(self.parts) else 0

    def is_after(self, other: "Time") -> bool:
        """Return whether it is later; a time without steps is the whole turn, so `@2` is not after `@2.1`."""
        mine = self.significant
        theirs = (*other.parts, *(0,) * (len(mine) - len(other.parts)))[: len(mine)]
        return mine > theirs

    def has_inside(self, other: "Time") -> bool:
        """Return whether another time is this one or one of its steps."""
        mine = self.significant
        return other.parts[: len(mine)] == mine


@dataclass(frozen=True, slots=True)
class ValueWithFields:
    """A value that also has fields: a call with its answer, or a name with a description."""

    value: "Value"
    fields: "Mapping[str, Value]"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A missing value: absent from the state, a function without a sample, a template without its text."""

    kind: UnknownKind
    text: str
    """The expression without a value, with its arguments and times filled in: `env.question[@2]`."""
    problem: Callable[[], Diagnostic] | None = field(default=None, compare=False)
    """Makes the diagnostic to report if the value is needed."""

    @property
    def placeholder(self) -> str:
        """The visible placeholder of the value."""
        return f"⟦{self.text}⟧"


Value: TypeAlias = (
    bool
    | int
    | float
    | str
    | Sequence["Value"]
    | Mapping[str, "Value"]
    | Time
    | ValueWithFields
    | Special
    | Unknown
    | None
)


# ------------------------------------------------------------------------------------------------------------- reading


def drop_fields(value: Value) -> Value:
    """Return a value without its fields."""
    while isinstance(value, ValueWithFields):
        value = value.value
    return value


def to_json(value: Value) -> Json:  # noqa: C901  # one line a kind of value
    """Return a value as plain data: times as text, parts of messages as the state file writes them."""
    match value:
        case None | bool() | float() | str():
            return value
        case int():
            return value if value.bit_length() < _MOST_BITS else hex(value)
        case Time():
            return to_json(value.parts[0]) if len(value.parts) == 1 else str(value)
        case ValueWithFields():
            return to_json(value.value)
        case Unknown():
            return value.placeholder
        case Call():
            return {"name": value.tool, "arguments": dict(value.args), **({"id": value.id} if value.id else {})}
        case Output():
            return "\n".join(map(_format_part, value.parts))
        case Attachment():
            return _format_part(value)
        case Thinking():
            return value.text
        case Mapping():
            return {key: to_json(each) for key, each in value.items()}
        case Sequence():
            return [to_json(each) for each in value]


def _format_part(part: Text | Attachment | Opaque) -> str:
    match part:
        case Text():
            return part.text
        case Opaque():
            return json.dumps(part.json, ensure_ascii=False)
        case Attachment():
            return part.text or f"[{part.type}: {part.path or part.href or part.name or part.mime or 'data'}]"


def format_value(value: Value) -> str:
    """Return a value as words of a message: text unchanged, numbers as written, lists and maps as JSON."""
    value = drop_fields(value)
    if isinstance(value, str):
        return value
    if type(value) is int and value.bit_length() < _MOST_BITS:  # the most frequent kind besides text
        return str(value)
    plain = to_json(value)
    if plain is None:
        return ""
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def describe_kind(value: Value) -> str:  # one line a kind of value
    """Describe the kind of a value."""
    plain = drop_fields(value)
    match plain:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case Time():
            return "a time"
        case Mapping():
            return "a map"
        case Unknown():
            return "a value that is not given"
        case Sequence():
            return "a list"
        case _:
            return _NAMES.get(type(plain), "a part of a message")


def quote_value(value: Value, most: int = 60) -> str:
    """Format a value for a sentence, shortened."""
    return shorten_text(f"@{value}" if isinstance(value, Time) else format_value(value), most)


def shorten_text(text: str, most: int = 60) -> str:
    """Shorten a text for a sentence."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def is_nothing(value: Value) -> bool:
    """Return whether a value is one of `none`, `null` and `empty`."""
    value = drop_fields(value)
    return value is None or (isinstance(value, (str, Mapping, Sequence)) and len(value) == 0)


def is_true(value: Value) -> bool:
    """Return whether a value counts as true: not false, none, 0, "" or empty."""
    if isinstance(value, bool):
        return value
    value = drop_fields(value)
    if isinstance(value, Time):
        return any(value.parts)
    return not is_nothing(value) and value is not False and value != 0


def find_unknowns(value: Value) -> Iterator[Unknown]:
    """Yield the unknown values in a value: itself, or elements of lists."""
    stack = [value]
    while stack:
        item = drop_fields(stack.pop())
        if isinstance(item, Unknown):
            yield item
        elif isinstance(item, Sequence) and not isinstance(item, str):
            stack.extend(reversed(item))


def find_required_unknowns(args: Sequence[Value]) -> Iterator[Unknown]:
    """Yield unknown arguments, and elements of their lists that are errors."""
    for each in args:
        yield from (unknown for unknown in find_unknowns(each) if unknown is each or unknown.kind == "error")


def find_special_parts(value: Value) -> Iterator[Special]:
    """Yield the parts of messages in a value: itself, or in lists and maps."""
    stack = [value]
    while stack:
        item = drop_fields(stack.pop())
        if isinstance(item, Special):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, Sequence) and not isinstance(item, str):
            stack.extend(item)


def flatten_lists(value: Value) -> Iterator[Value]:
    """Yield the elements of a list and of the lists in it, in order; another value itself."""
    stack = [value]
    while stack:
        item = drop_fields(stack.pop())
        if isinstance(item, Sequence) and not isinstance(item, str):
            stack.extend(reversed(item))
        else:
            yield item


def drop_missing(value: Value) -> Value:
    """Return a list without the elements that the state does not have."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value
    present = (each for each in value if not (isinstance(each, Unknown) and each.kind == "missing"))
    return [drop_missing(each) for each in present]


# -------------------------------------------------------------------------------------------------------------- times


def to_time(value: Value) -> Time | None:
    """Return a value as a time: whole numbers and text such as `2.1` are times."""
    value = drop_fields(value)
    if isinstance(value, Time):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Time((value,))
    if isinstance(value, str) and is_time_key(value):
        return Time(tuple(map(int, value.split("."))))
    return None


def is_time_key(key: str) -> bool:
    """Return whether a key of a map is a time: `3`, `3.2`."""
    return all(part.isascii() and part.isdigit() and len(part) < 10 for part in key.split("."))


def is_series(value: Value) -> bool:
    """Return whether a value looks like a series, one value for each turn: a map whose keys are all times."""
    return isinstance(value, Mapping) and len(value) > 0 and all(map(is_time_key, value))


class Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        """Return its name."""
        return "ABSENT"


ABSENT = Absent()
"""Marks that nothing is under a key; `None` is a value."""


def get_value(value: Value, key: Value) -> Value | Absent:
    """Return the value under a key of a map, or at a position of a list, counted from 1.

    `len` is the length of both and of text, and `*` is everything in a map.
    """
    inner: Value | Absent = ABSENT
    if isinstance(value, ValueWithFields):
        inner = get_value(value.fields, key)
        return get_value(value.value, key) if isinstance(inner, Absent) or key in ("len", "*") else inner
    if isinstance(value, Mapping):
        inner = value.get(key if isinstance(key, str) else format_value(key), ABSENT)
        if isinstance(inner, Absent) and key == "*":
            return value
    elif isinstance(value, (Call, Output)):
        inner = _list_fields(value).get(key, ABSENT) if isinstance(key, str) else ABSENT
    elif isinstance(value, Sequence) and not isinstance(value, str):
        position = _get_position(key)
        inner = value[position - 1] if position is not None and 0 < position <= len(value) else ABSENT
    if isinstance(inner, Absent) and key == "len" and isinstance(value, (str, Mapping, Sequence)):
        return len(value)
    return inner


def follow_keys(value: Value, keys: Sequence[Value]) -> Value | Absent:
    """Follow keys into a value."""
    current = value
    for key in keys:
        inner = get_value(current, key)
        if isinstance(inner, Absent):
            return ABSENT
        current = inner
    return current


def _list_fields(part: Call | Output) -> Mapping[str, Value]:
    if isinstance(part, Call):
        return {"id": part.id, "name": part.tool, "arguments": part.args}
    return {"id": part.call_id, "content": format_value(part), "error": part.is_error}


def _get_position(key: Value) -> int | None:
    key = drop_fields(key)
    if isinstance(key, Time) and len(key.parts) == 1:
        return key.parts[0]
    if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10:
        return int(key)
    return key if isinstance(key, int) and not isinstance(key, bool) else None


def list_keys(value: Value) -> list[str]:
    """Return the keys of a value, for suggestions."""
    if isinstance(value, ValueWithFields):
        return [*value.fields, *list_keys(value.value)]
    if isinstance(value, (Call, Output)):
        return list(_list_fields(value))
    return list(value) if isinstance(value, Mapping) else []


def get_value_at(value: Value, time: Time) -> Value | Absent:
    """Return the value of a series at a time: under the key `2.1`, or under 2 and then 1, or at those positions."""
    parts = time.significant
    if isinstance(value, Mapping):
        inner = get_value(value, ".".join(map(str, parts)))
        if not isinstance(inner, Absent) or len(parts) == 1:
            return inner
    elif not isinstance(value, Sequence) or isinstance(value, str):
        return ABSENT
    current: Value = value
    for part in parts:
        if not isinstance(current, (Mapping, Sequence)) or isinstance(current, str):
            return ABSENT
        inner = get_value(current, part)
        if isinstance(inner, Absent):
            return ABSENT
        current = inner
    return current


def cut_series(value: Value, now: Time, step: tuple[int, ...] = ()) -> Value:
    """Return a value without the later turns of series in it; the same object if there are none.

    Parameters:
        value: A value that may be a series, or a map with series in it.
        now: The last visible time.
        step: The turn of the value, if it is a series of its steps.
    """
    if not isinstance(value, Mapping):
        return value
    if not is_series(value):
        items = {key: cut_series(each, now) for key, each in value.items()} if not step else value
    else:
        keys = {key: (*step, *map(int, key.split("."))) for key in value}
        seen = {key: time for key, time in keys.items() if not Time(time).is_after(now)}
        items = {key: cut_series(value[key], now, time) for key, time in seen.items()}
    is_same = len(items) == len(value) and all(items[key] is value[key] for key in items)
    return value if is_same else items
