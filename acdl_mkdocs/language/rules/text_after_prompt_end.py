"""Rule `text-after-prompt-end`: something follows a `PromptEndsHere` that always ends the prompt."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.conditions import is_always
from acdl_mkdocs.language.names.outline import body_of, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import remove_statement
from acdl_mkdocs.language.syntax.nodes import Arm, Comment, EndsHere, File, Fragment, If, Mark, Node, Prompt, Switch
from acdl_mkdocs.language.syntax.nodes import Label as LabelBlock


def text_after_prompt_end(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report what follows a `PromptEndsHere` without a condition, or one in every alternative.

    ## Why
    It is never sent.

    ## Example
    ```acdl
    P[@T]: {
        U: env.user_input[@T]
        PromptEndsHere
        S: REMINDER
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.user_input[@T]
        PromptEndsHere when @T == 1
        S: REMINDER
    }
    ```

    Reference: Language Reference, "Early Termination".
    """
    if not build_outline(resolved.parsed.file).nodes_of(EndsHere):
        return
    order = find_positions(resolved.parsed.file)
    ends: dict[Node, EndsHere] = {}  # what ends the prompt whenever it is reached, and where
    for position in reversed(order):
        end = _end_of(position.node, ends)
        if end is not None:
            ends[position.node] = end
    reported: set[Node] = set()
    for position in order:
        if position.node in ends and position.parent not in reported:
            after = [each for each in position.following if _is_sent(each)]
            if after and not isinstance(position.parent, (If, Switch, File)):
                reported.add(position.parent)
                yield _report_unsent(after, ends[position.node], resolved)


def _is_sent(node: Node) -> bool:
    return not isinstance(node, (Comment, Prompt, Fragment))


def _end_of(node: Node, ends: dict[Node, EndsHere]) -> EndsHere | None:
    """Return the `PromptEndsHere` that is reached whenever the statement is; `None` if there is none."""
    if isinstance(node, EndsHere):
        return node if node.condition is None or is_always(node.condition) else None
    if isinstance(node, (If, Switch)):
        arms = [arm for arm in node.arms if isinstance(arm, Arm)]
        is_complete = bool(arms) and arms[-1].kind in ("else", "default")
        return ends[arms[-1]] if is_complete and all(arm in ends for arm in arms) else None
    if isinstance(node, (Arm, Mark, LabelBlock)):
        return next((ends[each] for each in body_of(node) if each in ends), None)
    return None


def _report_unsent(after: list[Node], end: EndsHere, resolved: Resolved) -> Diagnostic:
    span = Span(after[0].span.start, after[-1].span.end)
    first_line = resolved.source.text[span.start : span.end].split("\n")[0]
    word = resolved.source.text[end.span.start : end.span.end]
    return warning(
        "text-after-prompt-end",
        "the prompt always ends before this",
        Label(Span(span.start, span.start + len(first_line.rstrip())), "never sent"),
        related=[Label(end.span, "the prompt ends here")],
        help=[
            "to end it only sometimes, give a condition: `PromptEndsHere when @T == 1`",
            "to end it always, take out what follows",
        ],
        fix=Fix(f"take out what follows `{word}`", (remove_statement(resolved.source, span),), is_safe=False),
    )
