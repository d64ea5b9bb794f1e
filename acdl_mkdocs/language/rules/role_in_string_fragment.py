"""Rule `role-in-string-fragment`: a `StrFrag` holds a message."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.language.names.outline import build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Fragment, RoleMessage


def role_in_string_fragment(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report the first message of every string fragment that holds one.

    ## Why
    A string fragment is content of the message that uses it, and a message cannot be inside a message.

    ## Example
    ```acdl
    P[@T]: { S: { Frag Turn[@T] } }
    StrFrag Turn[@t]: {
        U: env.user_input[@t]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: { Frag Turn[@T] }
    RolesFrag Turn[@t]: {
        U: env.user_input[@t]
    }
    ```

    Reference: Language Reference, "String Fragments".
    """
    if all(fragment.kind != "string" for fragment in build_outline(resolved.parsed.file).nodes_of(Fragment)):
        return
    reported: set[Fragment] = set()
    for position in find_positions(resolved.parsed.file):
        node, fragment = position.node, position.definition
        if not isinstance(node, RoleMessage) or not isinstance(fragment, Fragment) or fragment.kind != "string":
            continue
        if position.message is not None or fragment in reported:
            continue
        reported.add(fragment)
        marker = resolved.source.text[node.marker.start : node.marker.end]
        yield error(
            "role-in-string-fragment",
            "a string fragment cannot hold messages",
            Label(node.marker, "a message starts here"),
            related=[Label(fragment.keyword, "this says that the fragment gives text for one message")],
            help=[
                f"if it gives messages, write `RolesFrag {fragment.name.name}` and use it between messages",
                f"if it gives text, drop the `{marker}:` marker and its braces",
            ],
            fix=Fix("make it a roles fragment", (replace_text(fragment.keyword, "RolesFrag"),), is_safe=False),
        )
