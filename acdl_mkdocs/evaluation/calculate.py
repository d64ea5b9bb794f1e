"""Comparison of values and arithmetic. Knows nothing about the tree or about states."""

import math
import re
from typing import TypeVar

from acdl_mkdocs.evaluation.values import (
    Time,
    Value,
    describe_kind,
    drop_fields,
    format_value,
    is_nothing,
    quote_value,
    to_json,
    to_time,
)

_Number = TypeVar("_Number", int, float)
_SPELLED = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?")
"""Text that is a number."""
_LARGEST = 1 << 63
"""Numbers beyond it count nothing that a prompt is about."""


class IncomparableError(Exception):
    """Two values have no order, or cannot be calculated with; the message names which."""

    def __init__(self, message: str, cure: str | None = None) -> None:
        super().__init__(message)
        self.cure = cure
        """The help, if the values are numbers."""


def to_number(value: Value) -> int | float | None:
    """Return a value as a number; `None` if it is not a number."""
    value = drop_fields(value)
    if isinstance(value, Time):
        return value.parts[0] if len(value.parts) == 1 else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def to_whole_number(value: Value) -> int | None:
    """Return a value as a whole number; `None` if it is not a whole number."""
    number = to_number(value)
    return number if isinstance(number, int) else None


def are_equal(left: Value, right: Value) -> bool:
    """Return whether two values are equal; a number equals text that spells it."""
    left, right = take_substep(drop_fields(left), drop_fields(right))
    if left is None or right is None:
        return is_nothing(left) and is_nothing(right)
    if is_text_comparison(left, right):
        return format_value(left) == format_value(right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Time) and isinstance(right, Time):
        return left.significant == right.significant
    one, other = to_number(left), to_number(right)
    if one is not None and other is not None:
        return one == other
    return to_json(left) == to_json(right)


def is_text_comparison(left: Value, right: Value) -> bool:
    """Return whether two values compare only as text: one is text, the other a number, a time, true or false."""
    left, right = drop_fields(left), drop_fields(right)
    return (isinstance(left, str) and isinstance(right, (bool, int, float, Time))) or (
        isinstance(right, str) and isinstance(left, (bool, int, float, Time))
    )


def take_substep(left: Value, right: Value) -> tuple[Value, Value]:
    """Replace a time by the number of its step if the other value is a whole number: `@T.I > 0`."""
    if isinstance(left, Time) and len(left.parts) > 1 and isinstance(right, int) and not isinstance(right, bool):
        return left.parts[-1], right
    if isinstance(right, Time) and len(right.parts) > 1 and isinstance(left, int) and not isinstance(left, bool):
        return left, right.parts[-1]
    return left, right


def compare_order(left: Value, right: Value) -> int:
    """Return -1, 0 or 1: whether the left value is less than, equal to or greater than the right one.

    Raises:
        IncomparableError: They are not of one kind.
    """
    left, right = take_substep(drop_fields(left), drop_fields(right))
    one, other = to_number(left), to_number(right)
    if one is not None and other is not None:
        return (one > other) - (one < other)
    if isinstance(left, Time) or isinstance(right, Time):
        first, second = to_time(left), to_time(right)
        if first is not None and second is not None:
            first_parts, second_parts = first.significant, second.significant
            return (first_parts > second_parts) - (first_parts < second_parts)
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)
    one, other = _parse_number(left), _parse_number(right)
    if one is not None and other is not None:
        return (one > other) - (one < other)
    raise IncomparableError(f"{_describe_value(left)} and {_describe_value(right)}: they have no order")


def _parse_number(value: Value) -> int | float | None:
    """Return a number, also one that is spelled as text."""
    if not isinstance(value, str):
        return to_number(value)
    return None if not _SPELLED.fullmatch(value) else float(value) if "." in value else int(value)


def calculate(operator: str, left: Value, right: Value) -> Value:
    """Calculate `- * / %`, and `+` without text: `/` and `%` of integers round down; a time shifts at its last part.

    Raises:
        IncomparableError: The values cannot be calculated with, or something is divided by zero.
    """
    left, right = drop_fields(left), drop_fields(right)
    if isinstance(left, Time) and operator in "+-" and isinstance(right, int) and not isinstance(right, bool):
        return left.shift_by(check_magnitude(right if operator == "+" else -right))
    if isinstance(right, Time) and operator == "+" and isinstance(left, int) and not isinstance(left, bool):
        return right.shift_by(check_magnitude(left))
    one, other = to_number(left), to_number(right)
    if one is None or other is None:
        raise IncomparableError(f"`{operator}` needs numbers, and {_describe_value(left if one is None else right)}")
    return check_magnitude(_apply_operator(operator, check_magnitude(one), check_magnitude(other)))


def check_magnitude(value: _Number) -> _Number:
    """Return the number after checking its size.

    Raises:
        IncomparableError: It is too large to count anything, or not a finite number.
    """
    if abs(value) > _LARGEST or not math.isfinite(value):
        raise IncomparableError("the number is too large", "write a smaller number")
    return value


def _apply_operator(operator: str, one: int | float, other: int | float) -> int | float:
    match operator:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
    if other == 0:
        raise IncomparableError(f"`{operator}` divides by zero", "divide by another number")
    if operator == "%":
        return one % other
    return one // other if isinstance(one, int) and isinstance(other, int) else one / other


def _describe_value(value: Value) -> str:
    text = quote_value(value, 40)
    return f"`{text}` is {describe_kind(value)}" if text else f"one of them is {describe_kind(value)}"
