"""Rule `zero-step`: a range with a step of 0 never comes to its end."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import measure_distance
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Arguments, Call, Expression, Number, Range


def zero_step(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every range whose step is 0.

    ## Why
    From one number to the next nothing changes, so the loop never ends.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T, 0)) {
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

    Reference: Language Reference, "Functions".
    """
    tree = build_outline(resolved.parsed.file)
    for bounds in tree.nodes_of(Range):
        if bounds.step is not None and _is_zero(bounds.step):
            yield _report_zero_step(bounds.stop, bounds.step, bounds.span, resolved)
    for call in tree.nodes_of(Call):
        arguments = call.parts[0].values if call.name == "range" and isinstance(call.parts[0], Arguments) else ()
        if len(arguments) == 3 and _is_zero(arguments[2]):
            yield _report_zero_step(arguments[1], arguments[2], call.span, resolved)


def _is_zero(step: Expression) -> bool:
    if isinstance(step, Number):
        return not step.text.strip("0.")
    distance = measure_distance(step)
    return distance is not None and not distance.origin and distance.steps == 0


def _report_zero_step(stop: Expression, step: Expression, span: Span, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    without = text[span.start : stop.span.end] + text[step.span.end : span.end]
    return error(
        "zero-step",
        "the step of this range is 0",
        Label(step.span, "the range never comes to its end"),
        help=f"for every number, leave the step out: `{' '.join(without.split())}`",
        fix=Fix("leave the step out", (replace_text(Span(stop.span.end, step.span.end), ""),), is_safe=False),
    )
