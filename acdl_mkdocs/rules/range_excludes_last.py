"""Rule `range-excludes-last`: a loop over all elements leaves out the last one."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.names.excluded import excluded_elements, excluded_turns
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.rules.range_excludes_current import report


def range_excludes_last(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report `range(1, X.len)` and `range(1, @t.substeps)` where a range stops before its end.

    All of a text are one report; where `range-excludes-current` reports the text, they are part of that one. With
    `range = "inclusive"` the rule is silent.

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
    found = excluded_elements(resolved, config)
    is_silenced = config.levels.get("range-excludes-current") == "off"
    if found and (is_silenced or not excluded_turns(resolved, config)):
        yield report("range-excludes-last", found, [], resolved)
