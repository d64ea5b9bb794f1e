"""Rule `undefined-name`: `$x` refers to no `Name`."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.suggest import closest

_SIMILAR = "a similar name is defined here"
_ELSEWHERE = "defined here, for another spec"


def undefined_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report every `$x` and `@$x` that no `Name` of the same definition binds.

    In a snippet the definition may stand elsewhere, so nothing is reported there.

    ## Why
    A reader cannot know what is sent, and nothing can be evaluated.

    ## Example
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: $dcos.text
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: $docs.text
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    if config.snippet and resolved.parsed.file.is_snippet:
        return
    broken = resolved.broken_words() if resolved.unknown_names else frozenset()
    for use in resolved.unknown_names:
        if use.name in broken:
            continue  # its definition is what was not understood
        near = closest(use.name, resolved.named)
        yield error(
            "undefined-name",
            f"no `Name` defines `${use.name}`",
            Label(use.span, "not defined in this spec"),
            related=[Label(resolved.named[near].span, _SIMILAR if near != use.name else _ELSEWHERE)] if near else [],
            help=f"did you mean `${near}`?"
            if near and near != use.name
            else f"write `Name {use.name} := ...` before it",
        )
