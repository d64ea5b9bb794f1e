"""Rule `completion-mixed-with-chat`: chat messages or control flow are beside an `N:` message."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline, fragment_uses, statements_between_messages
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS, ForEach, FragUse, If, Node, RoleMessage, Switch


def completion_mixed_with_chat(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report what is beside the `N:` message of a prompt: chat messages, else control flow.

    ## Why
    `N:` is the single text of a completion interface, which has no messages; a chat interface has no `N:`.

    ## Example
    ```acdl
    P[@T]: {
        N: TASK_DESCRIPTION
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        N: {
            TASK_DESCRIPTION
            env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Completion Format".
    """
    if all(message.role != "none" for message in build_outline(resolved.parsed.file).nodes_of(RoleMessage)):
        return
    uses = [use for use in fragment_uses(resolved) if use.fragment.kind == "roles" and use.position.message is None]
    fragments = {use.position.definition: use.node for use in uses}
    for definition, places in statements_between_messages(resolved.parsed.file).items():
        messages = [position.node for position in places if isinstance(position.node, RoleMessage)]
        completion = next((each for each in messages if each.role == "none"), None)
        if completion is None:
            continue
        chat = [each for each in messages if each.role != "none"]
        if chat:
            yield _report_messages(completion, chat, resolved.source.text)
        elif definition in fragments:
            yield _report_fragment(completion, fragments[definition])
        else:
            flow = [
                each.node for each in places if isinstance(each.node, (ForEach, If, Switch)) and each.is_unconditional
            ]
            yield from (_report_statement(node, completion, resolved) for node in flow)


def _report_beside(completion: RoleMessage, label: Label, help: str | list[str], fix: Fix | None = None) -> Diagnostic:
    return error(
        "completion-mixed-with-chat",
        "a prompt with a None message cannot have chat messages",
        label,
        related=[Label(completion.marker, "this makes the prompt one text, without messages")],
        help=help,
        fix=fix,
    )


def _report_messages(completion: RoleMessage, chat: list[RoleMessage], text: str) -> Diagnostic:
    marker = text[chat[0].marker.start : chat[0].marker.end]
    kind = f"{ROLE_WORDS[chat[0].role]} message"
    cures = [
        f"for a completion, drop `{marker}:` and put what it holds inside the braces of `N: {{ ... }}`",
        "for a chat, write `S:`, `U:`, `A:` or `T:` in place of `N:`",
    ]
    label = Label(chat[0].marker, f"the first of {len(chat)} chat messages" if len(chat) > 1 else f"this is a {kind}")
    fix = Fix("make it a User message", (replace_text(completion.marker, "U"),), is_safe=False)
    return _report_beside(completion, label, cures, fix)


def _report_statement(node: Node, completion: RoleMessage, resolved: Resolved) -> Diagnostic:
    keyword = node.arms[0].span if isinstance(node, If) else node.span
    text = resolved.source.text[keyword.start : keyword.end]
    head = " ".join(text.partition("{")[0].split())
    return error(
        "completion-mixed-with-chat",
        "control flow cannot stand outside the None message",
        Label(Span(keyword.start, keyword.start + len(head.partition(" ")[0].partition("(")[0])), "stands outside it"),
        related=[Label(completion.marker, "this message is all that the prompt can have")],
        help=f"put it inside: `N: {{ {head} {{ ... }} }}`",
    )


def _report_fragment(completion: RoleMessage, use: FragUse) -> Diagnostic:
    cure = (
        f"define `StrFrag {use.name.name}` without roles in it, and use it inside: `N: {{ "
        f"{format_expression(use)} ... }}`"
    )
    return _report_beside(completion, Label(use.span, "this fragment gives messages"), cure)
