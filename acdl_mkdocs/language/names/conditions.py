"""The meaning of a condition without any data: always true, never true, a bound on a value."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import (
    Expression,
    Number,
    Operation,
    String,
    Symbol,
    TimeIndex,
    strip_parentheses,
)

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COMPARISONS = frozenset(("==", "!=", *_MIRRORED))


@dataclass(frozen=True, slots=True)
class Bound:
    """`value sign limit`: `@T > 9`, `sys.mode[@T] == "search"`; any other condition is itself the value."""

    value: str
    """The left side, in its documented spelling."""
    sign: str
    """`==`, `!=`, `<`, `>`, `<=`, `>=`, or empty for a condition that is not a comparison."""
    limit: str
    number: float | None
    """The limit, if it is a number or a time such as `@1`."""


def bound_of(test: Expression) -> Bound:
    """Express a condition as a bound on a value."""
    node = strip_parentheses(test)
    if not isinstance(node, Operation) or len(node.operands) != 2 or node.operators[0] not in _COMPARISONS:
        return Bound(format_expression(node), "", "", None)
    sign, (left, right) = node.operators[0], map(strip_parentheses, node.operands)
    if _number_value(left) is not None and sign in ("==", "!=", *_MIRRORED):
        left, right, sign = right, left, _MIRRORED.get(sign, sign)
    limit = right.value if isinstance(right, String) else format_expression(right)
    return Bound(format_expression(left), sign, limit, _number_value(right))


def covers_bound(one: Bound, other: Bound) -> bool:
    """Return whether the first bound implies the second; both are about the same value."""
    if one.sign == other.sign and one.limit == other.limit:
        return True
    if one.number is None or other.number is None:
        return False
    at, limit = other.number, one.number
    match one.sign:
        case ">":
            return (other.sign in (">", "==", ">=") and at > limit) or (other.sign == ">" and at == limit)
        case ">=":
            return other.sign in (">", "==", ">=") and at >= limit
        case "<":
            return other.sign in ("<", "==", "<=") and at < limit
        case "<=":
            return other.sign in ("<", "==", "<=") and at <= limit
        case "!=":
            return _excludes_number(other, limit)
        case _:
            return False


def _excludes_number(bound: Bound, number: float) -> bool:
    """Return whether a value within the bound never equals that number."""
    at = bound.number
    if at is None:
        return False
    outside = {"==": at != number, ">": number <= at, ">=": number < at, "<": number >= at, "<=": number > at}
    return outside.get(bound.sign, False)


def is_always(test: Expression) -> bool:
    """Return whether a condition is true for any data."""
    return _constant_value(test) is True


def is_never(test: Expression) -> bool:
    """Return whether a condition is false for any data."""
    return _constant_value(test) is False


def _constant_value(test: Expression) -> bool | None:
    node = strip_parentheses(test)
    if isinstance(node, Symbol) and not node.parts and node.name.lower() in ("true", "false"):
        return node.name.lower() == "true"
    if not isinstance(node, Operation) or len(node.operands) != 2 or node.operators[0] not in _COMPARISONS:
        return None
    left, right = (_number_value(strip_parentheses(each)) for each in node.operands)
    if left is None or right is None:
        return None
    signs = {"==": left == right, "!=": left != right, "<": left < right, ">": left > right}
    return signs.get(node.operators[0], left <= right if node.operators[0] == "<=" else left >= right)


def _number_value(node: Expression) -> float | None:
    """Return the value of a number or of a fixed time such as `@1`; `None` for anything else."""
    if isinstance(node, Number):
        return float(node.text)
    if isinstance(node, TimeIndex) and not node.parts and node.name.isdecimal():
        return float(node.name)
    return None
