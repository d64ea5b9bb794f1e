"""Rule `undefined-name`: `$x` refers to no `Name`."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.suggest import closest


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
    for use in resolved.unknown_names:
        near = closest(use.name, resolved.named)
        yield error(
            "undefined-name",
            f"no `Name` defines `${use.name}`",
            Label(use.span, "not defined in this spec"),
            related=[Label(resolved.named[near].span, "a similar name is defined here")] if near else [],
            help=f"did you mean `${near}`?" if near else f"write `Name {use.name} := ...` before it",
        )
