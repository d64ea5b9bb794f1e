"""Rule `impossible-calculation`: something is calculated, counted or put in order that is no number."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.names.explained import explained
from acdl_mkdocs.names.impossible import impossible
from acdl_mkdocs.names.resolve import Resolved


def impossible_calculation(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report arithmetic, order, ranges, `max` and `min` with text, lists, truths or nothing, whatever the data.

    Text that spells a number can be compared with a number. Where a value may be a number, nothing is reported.

    ## Why
    There is no result, so the prompt cannot be built.

    ## Example
    ```acdl
    P[@T]: {
        If depth < 3 {
            U: env.query[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If env.depth < 3 {
            U: env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Non-Time Indices".
    """
    found = list(impossible(resolved))
    skipped = explained(resolved) if found else frozenset()
    for each in found:
        if resolved.source.line_index(each.span.start) not in skipped:
            yield warning("impossible-calculation", each.message, Label(each.span, each.label), help=each.cure)
