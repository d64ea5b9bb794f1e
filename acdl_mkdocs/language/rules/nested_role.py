"""Rule `nested-role`: a role message is inside another one."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.language.names.outline import InheritedFact, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS, Fragment, Node, Prompt, RoleMessage


def nested_role(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every role message inside another role message.

    ## Why
    Chat interfaces take a flat list of messages: a message inside a message cannot be sent.

    ## Example
    ```acdl
    P[@T]: {
        U: {
            S: INSTRUCTIONS
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Scoping Rules".
    """
    tree = build_outline(resolved.parsed.file)
    around: InheritedFact[Node] = InheritedFact(tree.parents, _enclosing_holder, resolved.parsed.file)
    for message in tree.nodes_of(RoleMessage):
        outer = around.fact_of(message)
        if isinstance(outer, RoleMessage):
            yield _report_nested(message, outer, resolved.source.text)


def _enclosing_holder(_inner: Node, outer: Node) -> Node | None:
    return outer if isinstance(outer, (RoleMessage, Prompt, Fragment)) else None


def _report_nested(inner: RoleMessage, outer: RoleMessage, text: str) -> Diagnostic:
    name, outer_name = ROLE_WORDS[inner.role], ROLE_WORDS[outer.role]
    opening = text[outer.marker.start : outer.marker.end] + ": {"
    marker = text[inner.marker.start : inner.marker.end]
    return error(
        "nested-role",
        f"{_choose_article(name)} {name} message cannot be inside {_choose_article(outer_name)} {outer_name} message",
        Label(inner.marker, "this message starts here"),
        related=[Label(outer.marker, f"but this {outer_name} message is still open")],
        help=[
            f"to send two messages, close `{opening}` first and put `{marker}:` after it"
            if outer.is_braced
            else f"to send two messages, write what each of them holds: `{opening[:-2]} INSTRUCTIONS`",
            f"to keep the text in the {outer_name} message, drop the `{marker}:` marker and its braces",
        ],
    )


def _choose_article(role: str) -> str:
    return "an" if role == "Assistant" else "a"
