"""Rule `range-excludes-last`: a loop over all elements or steps leaves out the last one."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.names.ranges import excluded_elements, excluded_turns
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.rules.range_excludes_current import report_excluded


def range_excludes_last(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report `range(1, X.len)`, `range(1, @t.substeps)` and `range(1, I)` where a range stops before its end.

    `range(1, I)` is not reported in a spec that reads the last completed step elsewhere, as `resp.call[@T.I]` or in a
    range that begins with `I` or includes it. All of a text are one report; where `range-excludes-current` reports the
    text, they are part of that one. With `range = "inclusive"` the rule is silent.

    ## Why
    Elements and steps are counted from 1, so the number of the last one is the count itself. In a spec `P[@T.I]`,
    `I` is the last completed step of the turn.

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
    ends = excluded_elements(resolved, config)
    is_silenced = config.levels.get("range-excludes-current") == "off"
    if ends and (is_silenced or not excluded_turns(resolved, config)):
        yield report_excluded("range-excludes-last", ends, [], resolved)
