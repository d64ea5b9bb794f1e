"""Rule `role-fragment-inside-role`: a fragment of messages is used inside a message."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.language.names.outline import ResolvedUse, fragment_uses
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import RoleMessage


def role_fragment_inside_role(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every use of a roles fragment inside a message or a string fragment.

    ## Why
    A roles fragment gives whole messages, and a message cannot be inside a message.

    ## Example
    ```acdl
    RolesFrag Turn[@t]: { U: env.user_input[@t] }
    P[@T]: {
        U: {
            Frag Turn[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    RolesFrag Turn[@t]: { U: env.user_input[@t] }
    P[@T]: {
        Frag Turn[@T]
    }
    ```

    Reference: Language Reference, "Role Fragments".
    """
    for use in fragment_uses(resolved):
        if use.fragment.kind == "roles" and use.position.is_text:
            yield _report_use(use, resolved)


def _report_use(use: ResolvedUse, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    message = use.position.message
    definition = use.position.definition
    written = " ".join(text[use.node.span.start : use.node.span.end].split())
    name = use.node.name.name
    related = [Label(use.fragment.keyword, f"`{name}` gives messages")] if use.is_here else []
    if message is not None:
        related.append(Label(message.marker, "this message is still open"))
        marker = text[message.marker.start : message.marker.end]
        cure = f"to send its messages, write `{written}` outside the braces of `{marker}: {{ ... }}`"
    else:
        cure = f"to send its messages, write `{written}` between the messages of a spec"
    where = "a message" if message is not None or definition is None else "a string fragment"
    return error(
        "role-fragment-inside-role",
        f"`{name}` gives messages, and stands inside {where}",
        Label(use.node.span, "messages cannot stand here"),
        related=related,
        help=[cure, f"to use its text here, define it as `StrFrag {name}`, without roles in it"],
        fix=_drop_message(use, message, written),
    )


def _drop_message(use: ResolvedUse, message: RoleMessage | None, written: str) -> Fix | None:
    """Return a fix that replaces a message by its only content, the fragment."""
    if message is None or use.position.parent is not message or len(message.body) != 1 or not use.is_statement:
        return None
    return Fix("drop the message around it", (replace_text(message.span, written),), is_safe=False)
