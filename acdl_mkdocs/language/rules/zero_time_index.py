"""Rule `zero-time-index`: time begins at 0 where it should begin at 1."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import first_time
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Field, Number, Range, TimeIndex


def zero_time_index(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report `@0`, and loops over turns or steps that begin at 0.

    ## Why
    The first turn is `@1` and its first step `@1.1`: nothing happened at 0.

    ## Example
    ```acdl
    P[@T]: {
        U: env.task[@0]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.task[@1]
    }
    ```

    Reference: Language Reference, "Time Indices".
    """
    tree = build_outline(resolved.parsed.file)
    for time in tree.nodes_of(TimeIndex):
        if time.name.isdecimal() and int(time.name) == 0:
            rest = resolved.source.one_line(time.span.start + 1 + len(time.name), time.span.end)
            zero = Span(time.span.start + 1, time.span.start + 1 + len(time.name))
            yield _report_zero("`@0` is before the first step", zero, f"@1{rest}")
    for bounds in tree.nodes_of(Range):
        end = first_time(bounds.stop)
        if isinstance(bounds.start, Number) and bounds.start.text == "0" and end is not None:
            is_steps = any(isinstance(part, Field) for part in end.parts)
            before = resolved.source.text[bounds.span.start : bounds.start.span.start]
            after = resolved.source.text[bounds.start.span.end : bounds.span.end]
            what = "sub-steps" if is_steps else "time"
            yield _report_zero(
                f"a loop over {what} begins at 0", bounds.start.span, " ".join(f"{before}1{after}".split())
            )


def _report_zero(message: str, zero: Span, cure: str) -> Diagnostic:
    return warning(
        "zero-time-index",
        message,
        Label(zero, "steps count from 1"),
        help=f"for the first step on, write `{cure}`" if cure[0] != "@" else f"for the first step, write `{cure}`",
        fix=Fix(f"write `{cure}`", (replace_text(zero, "1"),), is_safe=False),
    )
