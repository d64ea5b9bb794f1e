"""Rule `range-excludes-last`: a loop over all elements leaves out the last one."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.times import range_mode
from acdl_mkdocs.syntax.edits import insertion, written
from acdl_mkdocs.syntax.nodes import Expression, Field, Number, Range

_COUNTS = {"len": "element", "length": "element", "substeps": "sub-step"}
"""Fields that say how many there are, and of what."""


def range_excludes_last(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report `range(1, X.len)` and `range(1, @t.substeps)` where a range stops before its end.

    With `range = "inclusive"` the rule is silent.

    ## Why
    Elements and sub-steps are counted from 1, so the number of the last one is the count itself.

    ## Example
    ```acdl
    P[@T]: {
        Name docs := search(env.query[@T])
        U: {
            ForEach(i: range(1, $docs.len)) {
                $docs[i].content
            }
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := search(env.query[@T])
        U: {
            ForEach(i: range(1, $docs.len+1)) {
                $docs[i].content
            }
        }
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    if range_mode(resolved, config) == "inclusive":
        return
    for bounds in outline(resolved.parsed.file).of(Range):
        counted = _counted(bounds.stop)
        starts_at = int(bounds.start.text) if isinstance(bounds.start, Number) and bounds.start.text.isdecimal() else 0
        if counted and starts_at and bounds.step is None and not bounds.includes_stop:
            start, stop = written(bounds.start), written(bounds.stop)
            yield warning(
                "range-excludes-last",
                f"`range({start}, {stop})` leaves out the last {counted}",
                Label(bounds.stop.span, "a range stops before its end"),
                help=[
                    f"to include it, write `range({start}, {stop}+1)`",
                    "if ranges include their end here, say so at the top of the text: `// acdl: range=inclusive`",
                ],
                fix=Fix("include it", (insertion(bounds.stop.span.end, "+1"),), is_safe=False),
            )


def _counted(stop: Expression) -> str:
    """What the expression is the number of; empty if it is no such number."""
    parts = getattr(stop, "parts", ())
    last = parts[-1] if parts else None
    return _COUNTS.get(last.name, "") if isinstance(last, Field) else ""
