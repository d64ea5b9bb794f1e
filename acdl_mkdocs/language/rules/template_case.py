"""Rule `template-case`: a bare word in mixed case reads like a template that is not in capitals."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.outline import find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Content, RoleMessage, Symbol

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def template_case(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every bare word inside a message that begins with a capital and is not all capitals.

    ## Why
    Only capitals make a template; anything else is read as a variable that nothing binds.

    ## Example
    ```acdl
    P[@T]: { S: TaskIntro }
    ```

    ## Use instead
    ```acdl
    P[@T]: { S: TASK_INTRO }
    ```

    Reference: Language Reference, "Identifiers and Naming Conventions".
    """
    words = [
        value
        for position in find_positions(resolved.parsed.file)
        if isinstance(position.node, Content) and (position.is_text or isinstance(position.parent, RoleMessage))
        if isinstance(value := position.node.value, Symbol) and is_meant_as_template(value, resolved)
    ]
    skipped = find_explained_lines(resolved) if words else frozenset()
    for value in words:
        if resolved.source.line_index(value.span.start) in skipped:
            continue
        name = _HUMP.sub("_", value.name).upper()
        yield warning(
            "template-case",
            f"`{value.name}` is not in capitals, so it is not a template",
            Label(value.span, "read as a variable"),
            help=f"write `{name}`",
            fix=Fix(f"write `{name}`", (replace_text(value.span, name),), is_safe=False),
        )


def is_meant_as_template(value: Symbol, resolved: Resolved) -> bool:
    """Return whether a bare word looks like a template: a capital first, unbound, and no spec or fragment."""
    is_bare = not value.parts and value not in resolved.bindings
    is_capital = is_bare and value.name[0].isupper()
    return is_capital and value.name not in resolved.definitions and resolved.find_fragment(value.name) is None
