"""How many rounds a loop makes, and whether that grows as time goes on; only what is certain from the text."""

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.language.names.times import distance
from acdl_mkdocs.language.syntax.nodes import Arguments, Call, Expression, Group, Range


def most_rounds(bounds: Range, mode: RangeMode) -> int | None:
    """How many rounds a range makes at most; `None` where its ends are not the same distance apart at all times."""
    first, last = distance(bounds.start), distance(bounds.stop)
    if first is None or last is None or first.origin != last.origin or bounds.step is not None:
        return None
    is_open = not bounds.includes_stop and mode == "half-open"
    return max(last.steps - first.steps + (not is_open), 0)


def growth(iterable: Expression, fixed: frozenset[str], mode: RangeMode) -> str | None:
    """What ends the growth of a loop: empty if nothing does, `None` if it does not surely grow.

    Parameters:
        iterable: What the loop runs over. A list of the state may grow or not, so that nothing is said of it.
        fixed: Names that stand still while the loop runs: variables of loops around it.
        mode: How `range(a, b)` is read.
    """
    while isinstance(iterable, Group):
        iterable = iterable.value
    if not isinstance(iterable, Range) or not is_moving(iterable.stop, fixed):
        return None
    most = _most(iterable, mode)
    if most is not None:
        return f"never more than {most}" if most else None
    if isinstance(iterable.stop, Call):
        return "up to a limit"
    if is_moving(iterable.start, fixed):
        return "both ends move"
    first = distance(iterable.start)
    return "" if first is not None and not first.origin else "while its beginning stays"


def is_moving(value: Expression, fixed: frozenset[str]) -> bool:
    """Whether an end of a range goes on with time."""
    if isinstance(value, Call):
        return value.name in ("min", "max") and any(is_moving(each, fixed) for each in _arguments(value))
    found = distance(value)
    name = found.origin.removeprefix("@").partition(".")[0] if found is not None else ""
    is_time = found is not None and found.origin.startswith("@")
    is_held = name.startswith("$")  # a `Name` has whatever time the state says
    return bool(name) and not is_held and name not in fixed and (is_time or name.isupper())


def _most(bounds: Range, mode: RangeMode) -> int | None:
    """As `most_rounds`, also where the beginning is `max(1, @T-6)`."""
    start = bounds.start
    if not isinstance(start, Call) or start.name != "max":
        return most_rounds(bounds, mode)
    last, is_open = distance(bounds.stop), not bounds.includes_stop and mode == "half-open"
    for each in _arguments(start):
        first = distance(each)
        if first is not None and last is not None and first.origin == last.origin and bounds.step is None:
            return max(last.steps - first.steps + (not is_open), 0)
    return None


def _arguments(call: Call) -> list[Expression]:
    return [each for part in call.parts if isinstance(part, Arguments) for each in part.values]
