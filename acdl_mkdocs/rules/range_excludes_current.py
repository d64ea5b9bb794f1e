"""Rule `range-excludes-current`: a loop over time stops one turn earlier than its author seems to think."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.outline import Outline, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.times import distance, first_time, is_current, loop_of, range_mode
from acdl_mkdocs.syntax.edits import replacement, written
from acdl_mkdocs.syntax.nodes import ContextVar, Expression, Index, Node, Operation, Range, Symbol, TimeIndex

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
    reads = _definitions_that_read_the_last_turn(resolved, tree)
    for bounds in tree.of(Range):
        now = first_time(bounds.stop)
        stop = distance(bounds.stop)
        if bounds.includes_stop or now is None or stop is None or not is_current(now, resolved, tree):
            continue
        if stop.steps == -1 and bounds.step is None and tree.definition(bounds) not in reads:
            yield _drops_last_turn(bounds, stop.origin)
    for test in tree.of(Operation):
        if test.operators == ("==",):
            yield from _never_true(test, resolved, tree)


def _definitions_that_read_the_last_turn(resolved: Resolved, tree: Outline) -> set[Node | None]:
    found: set[Node | None] = set()
    for value in tree.of(Operation):
        now = first_time(value) if isinstance(tree.parents.get(value), Index) else None
        steps = distance(value) if now is not None and is_current(now, resolved, tree) else None
        if steps is not None and steps.steps == -1:
            found.add(tree.definition(value))
    return found


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
        bounds = _bounds(one, resolved, tree)
        now, value = first_time(other), distance(other)
        if bounds is None or now is None or value is None or not is_current(now, resolved, tree):
            continue
        stop = distance(bounds.stop)
        if stop is not None and stop.origin == value.origin and value.steps == stop.steps:
            end = written(bounds.stop)
            yield warning(
                "range-excludes-current",
                f"`{written(test)}` is never true in this loop",
                Label(test.span, f"`{end}` is not reached"),
                related=[Label(bounds.span, f"this range stops before `{end}`")],
                help=[
                    f"to include it, write `range({written(bounds.start)}, {_next(stop.origin, stop.steps)})`",
                    _INCLUSIVE,
                ],
                fix=Fix("include it", (replacement(bounds.stop.span, _next(stop.origin, stop.steps)),), is_safe=False),
            )
            return


def _bounds(value: Expression, resolved: Resolved, tree: Outline) -> Range | None:
    """The range of the loop that binds a name, if it leaves its end out and takes every step."""
    if not isinstance(value, TimeIndex | Symbol) or value.parts:
        return None
    loop = loop_of(resolved.bindings.get(value, value), tree)
    bounds = loop.iterable if loop is not None else None
    if not isinstance(bounds, Range) or bounds.includes_stop or isinstance(tree.parents.get(value), ContextVar):
        return None
    return bounds


def _next(origin: str, steps: int) -> str:
    return origin if steps == -1 else f"{origin}{steps + 1:+d}"
