"""Rule `string-fragment-outside-role`: a fragment of text is used between messages."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.language.names.outline import definitions_with_messages, fragment_uses
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import insert_text


def string_fragment_outside_role(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every use of a string fragment that no message holds.

    ## Why
    A string fragment gives text without a role, which no message can send.

    ## Example
    ```acdl
    StrFrag Document[doc]: { env.content[doc] }
    P[@T]: {
        Frag Document[env.newest]
        U: env.question[@T]
    }
    ```

    ## Use instead
    ```acdl
    StrFrag Document[doc]: { env.content[doc] }
    P[@T]: {
        U: {
            Frag Document[env.newest]
            env.question[@T]
        }
    }
    ```

    Reference: Language Reference, "String Fragments".
    """
    mistaken = definitions_with_messages(resolved.parsed.file)
    for use in fragment_uses(resolved):
        position = use.position
        if use.fragment.kind != "string" or position.is_text or not position.is_certain or not use.is_statement:
            continue
        if use.fragment in mistaken:
            continue  # `role-in-string-fragment` reports the fragment
        name = use.node.name.name
        written = resolved.source.one_line(use.node.span.start, use.node.span.end)
        yield error(
            "string-fragment-outside-role",
            f"`{name}` gives text, and stands outside any message",
            Label(use.node.span, "needs a role"),
            related=[Label(use.fragment.keyword, f"`{name}` gives text for a message")] if use.is_here else [],
            help=f"write `U: {written}`, or put it into the braces of a message",
            fix=Fix("make it a User message", (insert_text(use.node.span.start, "U: "),), is_safe=False),
        )
