"""Rule `completion-mixed-with-chat`: chat messages or control flow stand beside an `N:` message."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.places import Place, Use, fragment_uses, places
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.edits import replacement, written
from acdl_mkdocs.syntax.nodes import ROLE_WORDS, ForEach, Fragment, If, Node, Prompt, RoleMessage, Switch
from acdl_mkdocs.syntax.nodes import Label as LabelBlock
from acdl_mkdocs.syntax.nodes import Mark as MarkBlock


def completion_mixed_with_chat(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report what stands beside the `N:` message of a prompt: chat messages, else control flow.

    ## Why
    `N:` is the one text of a completion interface, which knows no messages; a chat interface knows no `N:`.

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
    if all(message.role != "none" for message in outline(resolved.parsed.file).of(RoleMessage)):
        return
    mine: dict[Prompt | Fragment, list[Place]] = {}
    for place in places(resolved.parsed.file):
        if place.definition is not None and place.message is None:
            mine.setdefault(place.definition, []).append(place)
    fragments = {
        use.place.definition: use
        for use in fragment_uses(resolved)
        if use.fragment.kind == "roles" and use.place.message is None
    }
    for definition, found in mine.items():
        messages = [place.node for place in found if isinstance(place.node, RoleMessage)]
        completion = next((each for each in messages if each.role == "none"), None)
        if completion is None:
            continue
        chat = [each for each in messages if each.role != "none"]
        if chat:
            yield _mixed(completion, chat, resolved.source.text)
        elif definition in fragments:
            yield _with_fragment(completion, fragments[definition])
        else:
            yield from (_outside(place.node, completion, resolved) for place in found if _is_control_flow(place))


def _is_control_flow(place: Place) -> bool:
    """Whether it is a loop or condition that stands in no other."""
    outer = Prompt | Fragment | MarkBlock | LabelBlock
    return isinstance(place.node, ForEach | If | Switch) and isinstance(place.parent, outer)


def _mixed(completion: RoleMessage, chat: list[RoleMessage], text: str) -> Diagnostic:
    marker = text[chat[0].marker.start : chat[0].marker.end]
    kind = f"{ROLE_WORDS[chat[0].role]} message"
    return error(
        "completion-mixed-with-chat",
        "a prompt with a None message cannot have chat messages",
        Label(chat[0].marker, f"the first of {len(chat)} chat messages" if len(chat) > 1 else f"this is a {kind}"),
        related=[Label(completion.marker, "this makes the prompt one text, without messages")],
        help=[
            f"for a completion, drop `{marker}:` and put what it holds inside the braces of `N: {{ ... }}`",
            "for a chat, write `S:`, `U:`, `A:` or `T:` in place of `N:`",
        ],
        fix=Fix("make it a User message", (replacement(completion.marker, "U"),), is_safe=False),
    )


def _outside(node: Node, completion: RoleMessage, resolved: Resolved) -> Diagnostic:
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


def _with_fragment(completion: RoleMessage, use: Use) -> Diagnostic:
    name = use.node.name.name
    shown = written(use.node)
    return error(
        "completion-mixed-with-chat",
        "a prompt with a None message cannot have chat messages",
        Label(use.node.span, "this fragment gives messages"),
        related=[Label(completion.marker, "this makes the prompt one text, without messages")],
        help=f"define `StrFrag {name}` without roles in it, and use it inside: `N: {{ {shown} ... }}`",
    )
