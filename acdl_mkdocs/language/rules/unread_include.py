"""Rule `unread-include`: what another tool puts into a text was not read."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, note
from acdl_mkdocs.language.names.includes import find_host_content, host_text
from acdl_mkdocs.language.names.resolve import Resolved

_N_LABELS = 4
"""The number of further places to show."""
_LONGEST_QUOTE = 60


def unread_include(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report, once for a text, the lines and words that another tool replaces.

    These are `--8<-- "file"` of `pymdownx.snippets`, `!include file`, `@include file`, `{!file!}`, and the tags and
    macros of Jinja: `{% include "file" %}`, `{{ question }}`. The formatter leaves them unchanged. A docs
    tool that inserts the text before the figure is drawn has nothing to report: there the whole text is read.

    The inserted text may define and use any name. Where such a line is, `unknown-fragment`, `undefined-name`,
    `name-before-definition`, `unused-name`, `unused-fragment`, `unknown-namespace` and `duplicate-definition` report
    nothing that it could make wrong. Comments (`{# ... #}`) and the marks where a section of a file begins and ends
    insert nothing and are not reported.

    ## Why
    The inserted text was not checked, and the figure shows the line in its place.

    ## Example
    ```acdl
    P[@T]: {
        S: RULES
        {% include "history.acdl" %}
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: RULES
        ForEach(t: range(1, @T)) {
            U: env.query[@t]
            A: resp.answer[@t]
        }
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    places = find_host_content(resolved.parsed.file).places
    if not places:
        return
    first, *others = places
    quoted = " ".join(host_text(first).split())
    quoted = quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[: _LONGEST_QUOTE - 1]}…"
    rest = f" and {len(others)} more such {'place' if len(others) == 1 else 'places'}" if others else ""
    yield note(
        "unread-include",
        f"what another tool puts in for `{quoted}`{rest} was not read",
        Label(first.span, "this is kept as it is"),
        related=[Label(each.span, "nor was this") for each in others[:_N_LABELS]],
        help="to check what stands there too, check the file that it comes from; a docs tool that puts it in reads it",
    )
