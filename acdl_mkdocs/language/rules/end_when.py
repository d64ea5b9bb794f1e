"""Rule `end-when`: the end of a prompt is spelled `END when`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import EndsHere


def end_when(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `END when` condition; it is read as `PromptEndsHere when`.

    ## Why
    `END` reads like the end of a block, but everything after it is left out of the prompt.

    ## Example
    ```acdl
    P[@T]: {
        U: env.query[@T]
        END when @T == 1
        A: resp.answer[@T-1]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.query[@T]
        PromptEndsHere when @T == 1
        A: resp.answer[@T-1]
    }
    ```

    Reference: Language Reference, "Early Termination".
    """
    text = resolved.source.text
    for node in build_outline(resolved.parsed.file).nodes_of(EndsHere):
        word = Span(node.span.start, node.span.start + len("end"))
        if text[word.start : word.end].lower() == "end":
            condition = f" when {format_expression(node.condition)}" if node.condition is not None else ""
            yield warning(
                "end-when",
                f"`{text[word.start : word.end]}` is not the documented word for the end of a prompt",
                Label(word, "read as `PromptEndsHere`"),
                help=f"write `PromptEndsHere{condition}`",
                fix=Fix("write `PromptEndsHere`", (replace_text(word, "PromptEndsHere"),)),
            )
