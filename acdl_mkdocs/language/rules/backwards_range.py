"""Rule `backwards-range`: a range ends before it begins, without a negative step."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import Distance, measure_distance
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import Range


def backwards_range(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every range from a later to an earlier number that has no negative step.

    Such a range is read as running downward, the later number first. Where that is meant, mark the line with
    `// acdl: allow(backwards-range)`.

    ## Why
    The reference's own example counts down with a positive step, other tools read such a range as empty.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(@t: range(@T, 1)) {
            U: env.query[@t]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T)) {
            U: env.query[@t]
        }
    }
    ```

    Reference: Language Reference, "List Comprehensions".
    """
    for bounds in build_outline(resolved.parsed.file).nodes_of(Range):
        start, stop = measure_distance(bounds.start), measure_distance(bounds.stop)
        step = measure_distance(bounds.step) if bounds.step is not None else Distance("", 1)
        is_upward = step is not None and not step.origin and step.steps > 0
        if start is not None and stop is not None and is_upward and _is_later(start, stop):
            yield _report_range(bounds, resolved)


def _is_later(one: Distance, other: Distance) -> bool:
    """Return whether one number is certainly after another; a time is never before 1."""
    if one.origin == other.origin:
        return one.steps > other.steps
    return one.origin.startswith("@") and not other.origin and one.steps >= 0 and other.steps <= 1


def _report_range(bounds: Range, resolved: Resolved) -> Diagnostic:
    text = resolved.source.one_line(bounds.span.start, bounds.span.end)
    start, stop = format_expression(bounds.start), format_expression(bounds.stop)
    edits = (replace_text(bounds.start.span, stop), replace_text(bounds.stop.span, start))
    return note(
        "backwards-range",
        f"`{text}` runs downward",
        Label(bounds.span, f"from `{start}` down to `{stop}`"),
        help=f"for rising order, write the earlier one first: `{_swap_bounds(bounds, start, stop)}`",
        fix=Fix("write the earlier one first", edits, is_safe=False),
    )


def _swap_bounds(bounds: Range, start: str, stop: str) -> str:
    step = format_expression(bounds.step) if bounds.step is not None else ""
    if bounds.includes_stop:
        return f"{stop} ... {start}" + (f" every {step}" if step else "")
    return f"range({stop}, {start}{f', {step}' if step else ''})"
