"""What values hold: fields, positions, lengths, and the value of a series at a time."""

from collections.abc import Mapping, Sequence

from acdl_mkdocs.evaluation.values import Rich, Time, Value, is_series, plain, text_of
from acdl_mkdocs.prompt import Call, Output


class Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        """Its name."""
        return "ABSENT"


ABSENT = Absent()
"""There is nothing under a key; `None` is a value."""


def inside(value: Value, key: Value) -> Value | Absent:
    """What a map holds under a key, or a list at a position counted from 1.

    `len` is the length of both and of text, and `*` is everything in a map.
    """
    found: Value | Absent = ABSENT
    if isinstance(value, Rich):
        found = inside(value.fields, key)
        return inside(value.value, key) if isinstance(found, Absent) or key in ("len", "*") else found
    if isinstance(value, Mapping):
        found = value.get(key if isinstance(key, str) else text_of(key), ABSENT)
        if isinstance(found, Absent) and key == "*":
            return value
    elif isinstance(value, Call | Output):
        found = _fields(value).get(key, ABSENT) if isinstance(key, str) else ABSENT
    elif isinstance(value, Sequence) and not isinstance(value, str):
        position = _position(key)
        found = value[position - 1] if position is not None and 0 < position <= len(value) else ABSENT
    if isinstance(found, Absent) and key == "len" and isinstance(value, str | Mapping | Sequence):
        return len(value)
    return found


def below(value: Value, keys: Sequence[Value]) -> Value | Absent:
    """What is found by going in, key after key."""
    current = value
    for key in keys:
        found = inside(current, key)
        if isinstance(found, Absent):
            return ABSENT
        current = found
    return current


def _fields(part: Call | Output) -> Mapping[str, Value]:
    if isinstance(part, Call):
        return {"id": part.id, "name": part.tool, "arguments": part.args}
    return {"id": part.call_id, "content": text_of(part), "error": part.is_error}


def _position(key: Value) -> int | None:
    key = plain(key)
    if isinstance(key, Time) and len(key.parts) == 1:
        return key.parts[0]
    if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10:
        return int(key)
    return key if isinstance(key, int) and not isinstance(key, bool) else None


def keys_of(value: Value) -> list[str]:
    """The keys under which a value holds something, for suggestions."""
    if isinstance(value, Rich):
        return [*value.fields, *keys_of(value.value)]
    if isinstance(value, Call | Output):
        return list(_fields(value))
    return list(value) if isinstance(value, Mapping) else []


def at_time(value: Value, time: Time) -> Value | Absent:
    """The value of a series at a time: under the key `2.1`, or under 2 and in that under 1, or at those positions."""
    parts = time.significant
    if isinstance(value, Mapping):
        found = inside(value, ".".join(map(str, parts)))
        if not isinstance(found, Absent) or len(parts) == 1:
            return found
    elif not isinstance(value, Sequence) or isinstance(value, str):
        return ABSENT
    current: Value = value
    for part in parts:
        if not isinstance(current, Mapping | Sequence) or isinstance(current, str):
            return ABSENT
        found = inside(current, part)
        if isinstance(found, Absent):
            return ABSENT
        current = found
    return current


def until(value: Value, now: Time, step: tuple[int, ...] = ()) -> Value:
    """A value without what a series in it holds of later steps; the value itself where there is none.

    Parameters:
        value: A value that may be a series, or a map with series in it.
        now: The last time that may be seen.
        step: The step that the value is of, where it is a series of its sub-steps.
    """
    if not isinstance(value, Mapping):
        return value
    if not is_series(value):
        kept = {key: until(each, now) for key, each in value.items()} if not step else value
    else:
        keys = {key: (*step, *map(int, key.split("."))) for key in value}
        seen = {key: time for key, time in keys.items() if not Time(time).is_after(now)}
        kept = {key: until(value[key], now, time) for key, time in seen.items()}
    is_same = len(kept) == len(value) and all(kept[key] is value[key] for key in kept)
    return value if is_same else kept
