"""Rule `prompt-as-block`: a spec is used like a part of another."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import NodePosition, definitions_with_messages, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import Call, Content, Prompt, Symbol, Template


def prompt_as_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every use of the name of a spec as content.

    ## Why
    A spec is a whole context of one call of a model. What specs have in common is a fragment.

    ## Example
    ```acdl
    Moderator[@T]: { S: MODERATOR_RULES }
    Debate[@T]: {
        Moderator[@T]
        U: env.statement[@T]
    }
    ```

    ## Use instead
    ```acdl
    RolesFrag Moderator[@T]: {
        S: MODERATOR_RULES
    }
    Debate[@T]: {
        Frag Moderator[@T]
        U: env.statement[@T]
    }
    ```

    Reference: Language Reference, "Fragments".
    """
    prompts = {
        name: entries[0].node
        for name, entries in resolved.definitions.items()
        if isinstance(entries[0].node, Prompt) and name not in resolved.fragments
    }
    for position in find_positions(resolved.parsed.file) if prompts else ():
        value = position.node.value if isinstance(position.node, Content) else None
        if not isinstance(value, (Symbol, Call, Template)) or value in resolved.bindings:
            continue
        prompt = prompts.get(value.name)
        is_text = isinstance(value, Template) and not value.parts and position.is_text
        if prompt is not None and not is_text:
            yield _report_use(value, prompt, position, resolved)


def _report_use(
    value: Symbol | Call | Template, prompt: Prompt, position: NodePosition, resolved: Resolved
) -> Diagnostic:
    kind = "StrFrag" if position.is_text else "RolesFrag"
    has_messages = prompt in definitions_with_messages(resolved.parsed.file)
    without = ", without roles in it," if position.is_text and has_messages else ""
    parameters = (
        "" if value.parts or not prompt.parameters else f"[{', '.join(map(format_expression, prompt.parameters))}]"
    )
    use = f"Frag {format_expression(value)}{parameters}"
    title = replace_text(Span(prompt.span.start, prompt.name.span.start), f"{kind} ")
    fix = Fix("make a fragment of it", (title, replace_text(value.span, use)), is_safe=False)
    return warning(
        "prompt-as-block",
        f"`{value.name}` is a spec, not a part of one",
        Label(value.span, "a spec cannot stand inside another"),
        related=[Label(prompt.name.span, "this makes it a spec")],
        help=f"define it as `{kind} {value.name}`{without} and write `{use}` here",
        fix=fix if position.definition is not prompt and has_messages != position.is_text else None,
    )
