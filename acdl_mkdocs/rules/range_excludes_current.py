"""Rule `range-excludes-current`: a loop over time stops one turn earlier than its author seems to think."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.outline import Outline, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.times import (
    Distance,
    definitions_with_last_turn,
    distance,
    exclusive_range_of,
    from_now,
    range_mode,
)
from acdl_mkdocs.syntax.edits import replacement, written
from acdl_mkdocs.syntax.nodes import Operation, Range

_INCLUSIVE = "if ranges include their end here, say so at the top of the text: `// acdl: range=inclusive`"


def range_excludes_current(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report loops that only make sense if the end of a range belongs to it, where it does not.

    That is a history up to `@T-1` of a spec that reads the turn `@T-1` nowhere else, and a test `@t == @T` inside a
    loop that stops before `@T`. With `range = "inclusive"` the rule is silent.

    ## Why
    The paper's ranges stop before their end, those of the website reference include it: copied from one to the other,
    a history loses its last turn.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T-1)) {
            U: env.query[@t]
        }
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T)) {
            U: env.query[@t]
        }
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Functions".
    """
    if range_mode(resolved, config) == "inclusive":
        return
    tree = outline(resolved.parsed.file)
    reads = definitions_with_last_turn(resolved, tree)
    for bounds in tree.of(Range):
        stop = from_now(bounds.stop, resolved, tree)
        if bounds.includes_stop or bounds.step is not None or stop is None or stop.steps != -1:
            continue
        if tree.definition(bounds) not in reads:
            yield _drops_last_turn(bounds, stop.origin)
    for test in tree.of(Operation):
        if test.operators == ("==",):
            yield from _never_true(test, resolved, tree)


def _drops_last_turn(bounds: Range, now: str) -> Diagnostic:
    start, stop = written(bounds.start), written(bounds.stop)
    return warning(
        "range-excludes-current",
        f"`range({start}, {stop})` leaves out `{stop}`",
        Label(bounds.stop.span, f"a range stops before its end, so `{stop}` is never read"),
        help=[f"to include it, write `range({start}, {now})`", _INCLUSIVE],
        fix=Fix("include it", (replacement(bounds.stop.span, now),), is_safe=False),
    )


def _never_true(test: Operation, resolved: Resolved, tree: Outline) -> Iterator[Diagnostic]:
    """The finding about a test whether the variable of a loop is the end of its range, which it never is."""
    for one, other in (test.operands, test.operands[::-1]):
        bounds = exclusive_range_of(one, resolved, tree)
        value = from_now(other, resolved, tree) if bounds is not None else None
        if bounds is not None and value is not None and distance(bounds.stop) == value:
            yield _ends_before(test, bounds, Distance(value.origin, value.steps + 1))
            return


def _ends_before(test: Operation, bounds: Range, next_stop: Distance) -> Diagnostic:
    start, end = written(bounds.start), written(bounds.stop)
    return warning(
        "range-excludes-current",
        f"`{written(test)}` is never true in this loop",
        Label(test.span, f"`{end}` is not reached"),
        related=[Label(bounds.span, f"this range stops before `{end}`")],
        help=[f"to include it, write `range({start}, {next_stop})`", _INCLUSIVE],
        fix=Fix("include it", (replacement(bounds.stop.span, str(next_stop)),), is_safe=False),
    )
