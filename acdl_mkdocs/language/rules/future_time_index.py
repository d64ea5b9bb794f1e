"""Rule `future-time-index`: something is read that has not happened yet."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import first_time, format_time, is_current, measure_distance, range_mode
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import ContextVar, Expression, Group, Index, Operation, Range, TimeIndex


def future_time_index(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report every context variable at a time after the current one, and every loop that runs past it.

    ## Why
    While the prompt for `@T` is being built, the data of `@T+1` does not exist yet.

    ## Example
    ```acdl
    P[@T]: {
        U: env.query[@T+1]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Time Indices".
    """
    tree = build_outline(resolved.parsed.file)
    for variable in tree.nodes_of(ContextVar):
        for part in variable.parts:
            for value in part.values if isinstance(part, Index) else ():
                is_shifted = isinstance(value, (Operation, Group)) and _count_steps(value) > 0
                now = _find_current_time(value, resolved, tree) if is_shifted else None
                if now is not None:
                    yield _report_future(
                        value, now, resolved, f"{_format_steps(_count_steps(value))} later, nothing is known yet"
                    )
    last = 0 if range_mode(resolved, config) == "inclusive" else 1
    for bounds in tree.nodes_of(Range):
        now = _find_current_time(bounds.stop, resolved, tree)
        beyond = 0 if bounds.includes_stop else last
        if now is not None and _count_steps(bounds.stop) > beyond:
            past = f"the loop runs {_format_steps(_count_steps(bounds.stop) - beyond)} too far"
            yield _report_future(bounds.stop, now, resolved, past)


def _find_current_time(value: Expression, resolved: Resolved, outline: Outline) -> TimeIndex | None:
    """Return the current time that an expression is relative to."""
    now = first_time(value)
    return now if now is not None and is_current(now, resolved, outline) else None


def _count_steps(value: Expression) -> int:
    """Return how many steps an expression certainly is after its time; 0 if unknown."""
    distance = measure_distance(value)
    return distance.steps if distance is not None and distance.origin else 0


def _format_steps(n_steps: int) -> str:
    return f"{n_steps} step{'s' if n_steps > 1 else ''}"


def _report_future(value: Expression, now: TimeIndex, resolved: Resolved, why: str) -> Diagnostic:
    written = resolved.source.one_line(value.span.start, value.span.end)
    time = format_time(now)
    return warning(
        "future-time-index",
        f"`{written}` is after the current time `{time}`",
        Label(value.span, why),
        help=[f"for the current time, write `{time}`", f"for the time before it, write `{time}-1`"],
        fix=Fix(f"write `{time}`", (replace_text(value.span, time),), is_safe=False),
    )
