"""Rule `time-without-turn`: a step is read without its turn."""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import turns_of_loops
from acdl_mkdocs.language.syntax.build_expressions import time_in_brackets
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text
from acdl_mkdocs.language.syntax.nodes import Arguments, Index, Node, TimeIndex


def time_without_turn(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every time index without its first part: `@.i` instead of `@t.i` or `@T.i`.

    ## Why
    Every turn has steps; without the turn it is not clear which of them is read.

    ## Example
    ```acdl
    P[@T.I]: {
        ForEach(i: range(1, @T.I+1)) {
            T: sys.tool[@.i].tool_response
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T.I]: {
        ForEach(i: range(1, @T.I+1)) {
            T: sys.tool[@T.i].tool_response
        }
    }
    ```

    Reference: Language Reference, "Time Indices".
    """
    tree = build_outline(resolved.parsed.file)
    turns = turns_of_loops(tree)
    for time in tree.nodes_of(TimeIndex):
        if not time.name and not time.is_reference:
            turn = turns.fact_of(time) or None
            yield _report_missing_turn(time, turn, _current_turn(time, tree), resolved)


def _current_turn(node: Node, outline: Outline) -> str:
    definition = outline.definition_of(node)
    parameters = definition.parameters if definition is not None else ()
    return next((each.name for each in parameters if isinstance(each, TimeIndex) and each.name.isupper()), "T")


def _report_missing_turn(time: TimeIndex, turn: str | None, now: str, resolved: Resolved) -> Diagnostic:
    if time.parts and isinstance(time.parts[0], (Arguments, Index)):
        return _report_no_time(time, now, resolved)
    rest = resolved.source.one_line(time.span.start + 1, time.span.end)
    cures = [f"for the current turn, write `@{now}{rest}`"]
    if turn is not None:
        cures.insert(0, f"for the turn of the loop, write `@{turn}{rest}`")
    best = turn or now
    return warning(
        "time-without-turn",
        f"`@{rest}` does not say which turn",
        Label(Span(time.span.start, time.span.end), "a turn is missing after `@`"),
        help=cures,
        fix=Fix(f"write `@{best}{rest}`", (insert_text(time.span.start + 1, best),), is_safe=False),
    )


def _report_no_time(time: TimeIndex, now: str, resolved: Resolved) -> Diagnostic:
    """Report `@(T-1).I`, `@(f(x))`, `@()`."""
    inside, *others = time.parts
    values = inside.values if isinstance(inside, (Arguments, Index)) else ()
    rest = resolved.source.one_line(inside.span.end, time.span.end) if others else ""
    bracketed = replace(time, parts=(inside,))
    inner_time = time_in_brackets(bracketed)
    value = format_expression(inner_time) if inner_time is not bracketed else ", ".join(map(format_expression, values))
    name = f"give it a name before, `Name turn := {value}`, and write `@$turn{rest}`"
    return warning(
        "time-without-turn",
        f"`{resolved.source.one_line(time.span.start, time.span.end)}` does not say which turn",
        Label(time.span, "expected the name of a time after `@`"),
        help=name if values else f"for the current turn, write `@{now}{rest}`",
    )
