"""Rule `skipped-block`: a block of another notation is among the specs and is left out."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Skipped


def skipped_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Struct`, `Event`, `Pipeline`, `Flow` and `Fact` block.

    The contents of such a block are not read; the text before and after it is.

    ## Why
    It is missing from the figure and from the messages.

    ## Example
    ```acdl
    Struct Memory {
        text: string
    }
    P[@T]: {
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    // Memory: its text is a string
    P[@T]: {
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    unclosed = {problem.label.span.start for problem in resolved.parsed.diagnostics}
    for block in build_outline(resolved.parsed.file).nodes_of(Skipped):
        if block.span.start in unclosed:
            continue
        name = " ".join(block.text.partition("{")[0].split()).rstrip(" :=")
        yield warning(
            "skipped-block",
            f"`{block.keyword}` is not part of ACDL; its block is skipped",
            Label(Span(block.span.start, block.span.start + len(block.keyword)), "from here to its closing brace"),
            help=[
                f"to tell readers about it, write a comment: `// {name}`",
                "for content that is sent, write a fragment: `StrFrag Name[@t]: { ... }`",
            ],
        )
