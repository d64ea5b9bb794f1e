"""Times in words: `@T-1` is the turn before the present one. Knows nothing of documents."""

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.language.names.outline import Outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import first_time, format_time, is_current, loop_of, measure_distance
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import Expression, Field, Operation, Range, TimeIndex

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def describe_time(time: Expression, resolved: Resolved, outline: Outline, mode: RangeMode) -> str:
    """Describe a time in words; empty if it is none."""
    if isinstance(time, TimeIndex):
        return _describe_index(time, resolved, outline, mode)
    start = first_time(time)
    distance = measure_distance(time) if isinstance(time, Operation) and start is not None else None
    if distance is None or start is None or not distance.steps:
        return ""
    n, side = abs(distance.steps), "before" if distance.steps < 0 else "after"
    counted = f"{_SMALL[n] if n < len(_SMALL) else n} turn{'' if n == 1 else 's'}"
    return f"{'the turn' if n == 1 else counted} {side} {_describe_plain(start, resolved, outline, mode)}"


def _describe_plain(time: TimeIndex, resolved: Resolved, outline: Outline, mode: RangeMode) -> str:
    """Describe a time as part of a longer phrase: `the present one`."""
    return _describe_index(time, resolved, outline, mode).replace("the current turn", "the present one", 1)


def _describe_index(time: TimeIndex, resolved: Resolved, outline: Outline, mode: RangeMode) -> str:
    turn = _describe_turn(time, resolved, outline, mode)
    fields = [part.name for part in time.parts if isinstance(part, Field)]
    if not fields:
        return turn
    last = fields[-1]
    if last == "*":
        return f"all steps of {turn}"
    if last == "substeps":
        return f"how many steps {turn} has"
    if last == "0":
        return f"{turn}, before its first step"
    number = last if last.isdigit() else f"`{last}`"
    return f"step {number} of {turn}"


def _describe_turn(time: TimeIndex, resolved: Resolved, outline: Outline, mode: RangeMode) -> str:
    if time.is_reference:
        return f"the time that `${time.name}` holds"
    if not time.name:
        return "a turn that is not named"
    if time.name.isdigit():
        return f"turn {time.name}" if time.name != "1" else "the first turn"
    binder = resolved.bindings.get(time)
    loop = loop_of(binder, outline) if binder is not None else None
    if loop is not None and loop.iterable is not None:
        bounds = loop.iterable
        over = describe_bounds(bounds, mode) if isinstance(bounds, Range) else f"`{format_expression(bounds)}`"
        return f"turn `{format_time(TimeIndex(span=time.span, name=time.name, is_reference=False, parts=()))}` ({over})"
    if is_current(time, resolved, outline):
        return "the current turn"
    return f"the turn `@{time.name}` that is given"


def describe_bounds(bounds: Range, mode: RangeMode) -> str:
    """Describe the range of a loop in words."""
    is_left_out = mode == "half-open" and not bounds.includes_stop
    return (
        f"each from `{format_expression(bounds.start)}` to {'before ' * is_left_out}`{format_expression(bounds.stop)}`"
    )
