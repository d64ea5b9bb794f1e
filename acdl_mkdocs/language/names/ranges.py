"""The intended range of a call of `range` with other arguments than two bounds and a step."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Label, TextEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import (
    Distance,
    definitions_with_last_turn,
    distance_from_now,
    exclusive_range_of,
    format_time,
    is_current,
    measure_distance,
    range_mode,
)
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text, replace_text
from acdl_mkdocs.language.syntax.loop_spellings import next_after
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Call,
    Expression,
    Field,
    Index,
    Node,
    Number,
    Operation,
    Prompt,
    Range,
    Symbol,
    Template,
    TimeIndex,
    walk,
)
from acdl_mkdocs.language.syntax.pragmas import read_settings

_PLACES = {
    **dict.fromkeys(("start", "from", "begin", "first", "low", "lo", "min"), 0),
    **dict.fromkeys(("stop", "to", "end", "last", "until", "high", "hi", "max"), 1),
    **dict.fromkeys(("step", "by", "every"), 2),
}
"""Names of the arguments in other languages, and the position of each."""
_FEWEST, _MOST = 2, 3


def arguments_of(call: Call) -> tuple[Expression, ...]:
    """Return the values between the first parentheses."""
    return next((part.values for part in call.parts if isinstance(part, Arguments)), ())


def is_malformed(arguments: tuple[Expression, ...]) -> bool:
    """Return whether the arguments of a `range` are malformed: too few or many, with names, or a nested range."""
    if not _FEWEST <= len(arguments) <= _MOST:
        return True
    for each in arguments:
        kind = type(each)
        if kind is Range or (kind is Operation and _is_named(each)):
            return True
    return False


def is_indexed_range(word: Symbol) -> bool:
    """Return whether a word is `range[1, @T]`, with brackets instead of parentheses."""
    return word.name.lower() == "range" and bool(word.parts) and isinstance(word.parts[0], Index)


def bounds_of(bounds: Range) -> tuple[Expression, ...]:
    """Return the arguments of a written `range`; empty for `a ... b`, which is well formed."""
    if bounds.includes_stop:
        return ()
    return (bounds.start, bounds.stop) if bounds.step is None else (bounds.start, bounds.stop, bounds.step)


def describe_problem(arguments: tuple[Expression, ...]) -> str:
    """Describe the problem of the arguments of a `range`, in one sentence."""
    text = f"range({', '.join(map(_format_argument, arguments))})"
    if any(map(_is_named, arguments)):
        return f"the arguments of `range` have no names, and `{text}` gives some"
    if any(isinstance(each, Range) for each in arguments):
        return f"`range` takes its bounds one by one, and `{text}` joins them"
    return f"`range` needs two bounds, perhaps a step, and `{text}` has {len(arguments)}"


def suggest_range(arguments: tuple[Expression, ...], mode: RangeMode) -> str:
    """Return the intended range in the documented spelling; `a..b` includes its end, and `range(n)` counts to `n`."""
    values = list(_flatten_arguments(arguments, mode))
    places = (
        [_PLACES.get(_name_of(each), at) for at, each in enumerate(arguments)] if any(map(_is_named, arguments)) else []
    )
    if len(places) == len(values) == len(set(places)):
        values = [value for _, value in sorted(zip(places, values, strict=True))]
        if places and 0 not in places:
            values.insert(0, "1")
    if not values:
        values = ["@T"]
    if len(values) == 1:
        alone = next((each for each in arguments if not isinstance(each, Range)), None)
        values = ["1", _range_end(alone, mode) if alone is not None and not _is_named(alone) else values[0]]
    return f"range({', '.join(values[:_MOST])})"


def _format_argument(value: Expression) -> str:
    """Format an argument as people write it."""
    if isinstance(value, Operation) and _is_named(value):
        return "=".join(map(format_expression, value.operands))
    return format_expression(value)


def _flatten_arguments(arguments: Iterable[Expression], mode: RangeMode) -> Iterable[str]:
    """Yield the arguments one by one, without names and with nested ranges split."""
    for each in arguments:
        if isinstance(each, Range):
            is_exact = mode == "inclusive" or not each.includes_stop
            yield format_expression(each.start)
            yield format_expression(each.stop) if is_exact else next_after(each.stop)
            if each.step is not None:
                yield format_expression(each.step)
        else:
            yield format_expression(each.operands[1] if isinstance(each, Operation) and _is_named(each) else each)


def _range_end(value: Expression, mode: RangeMode) -> str:
    """Format the end of a range that counts to a number; one over time ends before the current turn as it is."""
    if isinstance(value, Symbol) and value.name.isupper():  # the current turn without its sign
        return f"@{value.name}"
    is_time = isinstance(value, TimeIndex) and not value.parts
    return format_expression(value) if is_time or mode == "inclusive" else next_after(value)


def range_to(value: Expression, mode: RangeMode) -> str:
    """Format a range from 1 to a number."""
    return f"range(1, {_range_end(value, mode)})"


def suggest_loops(value: Expression, mode: RangeMode, *, is_number: bool) -> tuple[str, ...]:
    """Suggest what to loop over instead of a single value.

    Parameters:
        value: The value.
        mode: How ranges are read.
        is_number: Whether it is a number or a time.
    """
    if is_number:
        return (f"to count, write `{range_to(value, mode)}`",)
    if isinstance(value, (Symbol, Template)) and not value.parts:
        name = value.name.lower() if isinstance(value, Template) else value.name
        return f"for data from outside, write `env.{name}`", f"for data of the agent, write `sys.{name}`"
    return ("loop over a list, such as `env.documents`",)


def _name_of(value: Expression) -> str:
    name = value.operands[0] if isinstance(value, Operation) else None
    return name.name.lower() if isinstance(name, (Symbol, Template)) else ""


def _is_named(value: Expression) -> bool:
    """Return whether an argument has a name: `start=1`."""
    if not isinstance(value, Operation) or value.operators != ("==",):
        return False
    name = value.operands[0]
    return isinstance(name, (Symbol, Template)) and not name.parts


_COUNTS = {"len": "element", "length": "element", "substeps": "sub-step"}
"""Fields that count something, and what they count."""


@dataclass(frozen=True, slots=True)
class ExcludedEnd:
    """A range that stops before an end that was meant to belong to it."""

    bounds: Range
    message: str
    label: Label
    cure: str
    """The range as it includes that end."""
    edit: TextEdit
    """The edit that includes the end."""
    is_test: bool = False
    """Whether a test in the loop shows it; the label is at the test."""


def excluded_turns(resolved: Resolved, config: Config) -> list[ExcludedEnd]:
    """Return histories that leave out the last turn, and loops with a test that is never true, in source order."""
    return [] if range_mode(resolved, config) == "inclusive" else _excluded_turns(resolved)


@lru_cache(maxsize=1)
def _excluded_turns(resolved: Resolved) -> list[ExcludedEnd]:
    """Return the same for ranges that exclude their end; the last text's result is cached, as two rules need it."""
    tree = build_outline(resolved.parsed.file)
    ranges = tree.nodes_of(Range)
    histories: list[tuple[Range, str]] = []
    for bounds in ranges:
        stop = distance_from_now(bounds.stop, resolved, tree)
        is_history = not bounds.includes_stop and bounds.step is None and stop is not None and stop.steps == -1
        if stop is not None and is_history:
            histories.append((bounds, stop.origin))
    reads = definitions_with_last_turn(resolved, tree) if histories else set()
    ends = [_make_dropped_turn(bounds, now) for bounds, now in histories if tree.definition_of(bounds) not in reads]
    for test in tree.nodes_of(Operation) if ranges else ():
        if test.operators == ("==",):
            ends += _find_never_true_test(test, resolved, tree)
    return sorted(ends, key=lambda each: each.label.span.start)


def excluded_elements(resolved: Resolved, config: Config) -> list[ExcludedEnd]:
    """Return loops from 1 to a number of elements or sub-steps or to the last completed step, in source order."""
    if range_mode(resolved, config) == "inclusive":
        return []
    ends: list[ExcludedEnd] = []
    tree = build_outline(resolved.parsed.file)
    ranges = tree.nodes_of(Range)
    to_step = [each for each in ranges if _is_step(each.stop, resolved, tree)]
    reads = _definitions_with_last_step(resolved, tree) if to_step else set()
    for bounds in ranges:
        is_to_step = bounds in to_step
        counted = "completed step" if is_to_step else _counted_noun(bounds.stop)
        if not counted or (is_to_step and tree.definition_of(bounds) in reads):
            continue
        starts_at = int(bounds.start.text) if isinstance(bounds.start, Number) and bounds.start.text.isdecimal() else 0
        is_whole = isinstance(bounds.start, TimeIndex) and not bounds.start.parts  # no step, which is reported
        starts_at = starts_at or int(is_to_step and not isinstance(bounds.start, Number) and not is_whole)
        if starts_at and bounds.step is None and not bounds.includes_stop:
            start, stop = format_expression(bounds.start), format_expression(bounds.stop)
            message = f"`range({start}, {stop})` leaves out the last {counted}"
            label = Label(bounds.stop.span, "a range stops before its end")
            edit = insert_text(bounds.stop.span.end, "+1")
            ends.append(ExcludedEnd(bounds, message, label, f"range({start}, {stop}+1)", edit))
    return ends


def are_ends_included(resolved: Resolved, ends: list[ExcludedEnd]) -> bool:
    """Return whether nothing in the text suggests that the end of a range is excluded.

    `range(1, @T)` beside the current turn and `range(1, $docs.len+1)` do, and the text itself may.
    """
    if "range" in read_settings(resolved.parsed.file):
        return False
    tree, excluded = build_outline(resolved.parsed.file), {each.bounds for each in ends}
    for bounds in tree.nodes_of(Range):
        if bounds in excluded or bounds.includes_stop:
            continue
        stop = distance_from_now(bounds.stop, resolved, tree)
        is_next = isinstance(bounds.stop, Operation) and format_expression(bounds.stop).replace(" ", "").endswith("+1")
        if is_next or (stop is not None and stop.steps >= 0):
            return False
    return True


def _make_dropped_turn(bounds: Range, now: str) -> ExcludedEnd:
    start, stop = format_expression(bounds.start), format_expression(bounds.stop)
    message = f"`range({start}, {stop})` leaves out `{stop}`"
    label = Label(bounds.stop.span, f"a range stops before its end, so `{stop}` is never read")
    return ExcludedEnd(bounds, message, label, f"range({start}, {now})", replace_text(bounds.stop.span, now))


def _find_never_true_test(test: Operation, resolved: Resolved, outline: Outline) -> Iterator[ExcludedEnd]:
    """Find tests whether the loop variable is the end of its range, which is never true."""
    for one, other in (test.operands, test.operands[::-1]):
        bounds = exclusive_range_of(one, resolved, outline)
        value = distance_from_now(other, resolved, outline) if bounds is not None else None
        if bounds is not None and value is not None and measure_distance(bounds.stop) == value:
            start, end = format_expression(bounds.start), str(Distance(value.origin, value.steps + 1))
            message, edit = (
                f"`{format_expression(test)}` is never true in this loop",
                replace_text(bounds.stop.span, end),
            )
            label = Label(test.span, f"`{format_expression(bounds.stop)}` is not reached")
            yield ExcludedEnd(bounds, message, label, f"range({start}, {end})", edit, is_test=True)
            return


def _is_step(value: Expression, resolved: Resolved, outline: Outline) -> bool:
    """Return whether an expression is the last completed step: the `I` or the `@T.I` of a spec `Agent[@T.I]`."""
    if isinstance(value, TimeIndex):
        return _is_last_step(value, resolved, outline)
    now = resolved.bindings.get(value) if isinstance(value, Symbol) and not value.parts else None
    if (
        not isinstance(value, Symbol)
        or not isinstance(now, TimeIndex)
        or not isinstance(outline.parents.get(now), Prompt)
    ):
        return False
    return any(isinstance(part, Field) and part.name == value.name for part in now.parts)


def _is_last_step(time: TimeIndex, resolved: Resolved, outline: Outline) -> bool:
    """Return whether a time is the one in the title of its spec, with its step."""
    now = resolved.bindings.get(time)
    is_same = isinstance(now, TimeIndex) and format_time(now) == format_time(time)
    return is_same and bool(time.parts) and is_current(time, resolved, outline)


def _definitions_with_last_step(resolved: Resolved, outline: Outline) -> set[Node | None]:
    """Return the specs that read the last completed step: a value at `@T.I`, or a range from or including it."""
    definitions: set[Node | None] = set()
    for time in outline.nodes_of(TimeIndex):
        if isinstance(outline.parents.get(time), (Index, Arguments)) and _is_last_step(time, resolved, outline):
            definitions.add(outline.definition_of(time))
    for bounds in outline.nodes_of(Range):
        stop = measure_distance(bounds.stop)
        has_step = any(
            _is_step(each, resolved, outline) for each in walk(bounds.stop) if isinstance(each, (Symbol, TimeIndex))
        )
        is_reached = has_step and stop is not None and stop.steps >= (0 if bounds.includes_stop else 1)
        if is_reached or _is_step(bounds.start, resolved, outline):
            definitions.add(outline.definition_of(bounds))
    return definitions


def _counted_noun(stop: Expression) -> str:
    """Return what the expression counts; empty if it is not a count."""
    parts = getattr(stop, "parts", ())
    last = parts[-1] if parts else None
    return _COUNTS.get(last.name, "") if isinstance(last, Field) else ""
