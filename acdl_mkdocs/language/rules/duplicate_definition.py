"""Rule `duplicate-definition`: two definitions of one text have the same name."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.resolve import Resolved


def duplicate_definition(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every definition whose name an earlier one has.

    ## Why
    `Frag Name`, links and `#Name` in a page can only mean one of them: the first.

    ## Example
    ```acdl
    Chat[@T]: { U: env.query[@T] }
    Chat[@T]: { S: INSTRUCTIONS }
    ```

    ## Use instead
    ```acdl
    Chat[@T]: { U: env.query[@T] }
    ChatWithInstructions[@T]: { S: INSTRUCTIONS }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    if find_host_content(resolved.parsed.file).has_choices:
        return  # perhaps only one of them remains in the end
    for name, entries in resolved.definitions.items():
        for entry in entries[1:]:
            yield warning(
                "duplicate-definition",
                f"`{name}` is defined twice",
                Label(entry.node.name.span, "defined again"),
                related=[Label(entries[0].node.name.span, "first defined here")],
                help="give one of them another name",
            )
