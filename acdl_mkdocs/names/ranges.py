"""What a call of `range` with other arguments than two bounds and a step was meant to be."""

from collections.abc import Iterable

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.syntax.edits import written
from acdl_mkdocs.syntax.loop_spellings import next_after
from acdl_mkdocs.syntax.nodes import Arguments, Call, Expression, Index, Operation, Range, Symbol, Template, TimeIndex

_PLACES = {
    **dict.fromkeys(("start", "from", "begin", "first", "low", "lo", "min"), 0),
    **dict.fromkeys(("stop", "to", "end", "last", "until", "high", "hi", "max"), 1),
    **dict.fromkeys(("step", "by", "every"), 2),
}
"""What other languages call the arguments, and which one it is."""
_FEWEST, _MOST = 2, 3


def arguments_of(call: Call) -> tuple[Expression, ...]:
    """The values between the first parentheses."""
    return next((part.values for part in call.parts if isinstance(part, Arguments)), ())


def is_malformed(given: tuple[Expression, ...]) -> bool:
    """Whether the arguments of a `range` are no bounds and step: too few or many, with names, or a range again."""
    if not _FEWEST <= len(given) <= _MOST:
        return True
    for each in given:
        kind = type(each)
        if kind is Range or (kind is Operation and _is_named(each)):
            return True
    return False


def is_indexed_range(word: Symbol) -> bool:
    """Whether it is `range[1, @T]`, with brackets for parentheses."""
    return word.name.lower() == "range" and bool(word.parts) and isinstance(word.parts[0], Index)


def bounds_of(bounds: Range) -> tuple[Expression, ...]:
    """The arguments of a written `range`; none for `a ... b`, which is well formed."""
    if bounds.includes_stop:
        return ()
    return (bounds.start, bounds.stop) if bounds.step is None else (bounds.start, bounds.stop, bounds.step)


def complaint(given: tuple[Expression, ...]) -> str:
    """What is wrong with the arguments of a `range`, in one sentence."""
    text = f"range({', '.join(map(_spelled, given))})"
    if any(map(_is_named, given)):
        return f"the arguments of `range` have no names, and `{text}` gives some"
    if any(isinstance(each, Range) for each in given):
        return f"`range` takes its bounds one by one, and `{text}` joins them"
    return f"`range` needs two bounds, perhaps a step, and `{text}` has {len(given)}"


def documented_range(given: tuple[Expression, ...], mode: RangeMode) -> str:
    """The range that was meant, in the documented spelling; `a..b` takes in its end, and `range(n)` counts to `n`."""
    values = list(_flat(given, mode))
    places = [_PLACES.get(_name_of(each), at) for at, each in enumerate(given)] if any(map(_is_named, given)) else []
    if len(places) == len(values) == len(set(places)):
        values = [value for _, value in sorted(zip(places, values, strict=True))]
        if places and 0 not in places:
            values.insert(0, "1")
    if not values:
        values = ["@T"]
    if len(values) == 1:
        alone = next((each for each in given if not isinstance(each, Range)), None)
        values = ["1", _up_to(alone, mode) if alone is not None and not _is_named(alone) else values[0]]
    return f"range({', '.join(values[:_MOST])})"


def _spelled(value: Expression) -> str:
    """An argument as people write it."""
    if isinstance(value, Operation) and _is_named(value):
        return "=".join(map(written, value.operands))
    return written(value)


def _flat(given: Iterable[Expression], mode: RangeMode) -> Iterable[str]:
    """The arguments one by one, without names, the bounds of ranges apart."""
    for each in given:
        if isinstance(each, Range):
            is_exact = mode == "inclusive" or not each.includes_stop
            yield written(each.start)
            yield written(each.stop) if is_exact else next_after(each.stop)
            if each.step is not None:
                yield written(each.step)
        else:
            yield written(each.operands[1] if isinstance(each, Operation) and _is_named(each) else each)


def _up_to(value: Expression, mode: RangeMode) -> str:
    """The end of a range that counts to a number; one over time ends before the current step as it is."""
    if isinstance(value, Symbol) and value.name.isupper():  # the current step without its sign
        return f"@{value.name}"
    is_time = isinstance(value, TimeIndex) and not value.parts
    return written(value) if is_time or mode == "inclusive" else next_after(value)


def counted_to(value: Expression, mode: RangeMode) -> str:
    """A range from 1 to a number."""
    return f"range(1, {_up_to(value, mode)})"


def loop_cures(value: Expression, mode: RangeMode, *, is_number: bool) -> tuple[str, ...]:
    """What to loop over in place of one value.

    Parameters:
        value: The value.
        mode: How ranges are read.
        is_number: Whether it is a number or a time.
    """
    if is_number:
        return (f"to count, write `{counted_to(value, mode)}`",)
    if isinstance(value, Symbol | Template) and not value.parts:
        name = value.name.lower() if isinstance(value, Template) else value.name
        return f"for data from outside, write `env.{name}`", f"for data of the agent, write `sys.{name}`"
    return ("loop over a list, such as `env.documents`",)


def _name_of(value: Expression) -> str:
    name = value.operands[0] if isinstance(value, Operation) else None
    return name.name.lower() if isinstance(name, Symbol | Template) else ""


def _is_named(value: Expression) -> bool:
    """Whether it is `start=1`."""
    if not isinstance(value, Operation) or value.operators != ("==",):
        return False
    name = value.operands[0]
    return isinstance(name, Symbol | Template) and not name.parts
