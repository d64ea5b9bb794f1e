"""Rule `label-block`: a title without a keyword is before a block."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, note
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.outside_messages import content_outside_messages, section_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import unknown_headers
from acdl_mkdocs.language.syntax.nodes import Label as LabelBlock
from acdl_mkdocs.language.syntax.tokens import ROLES


def label_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every block that has a title instead of a keyword.

    Such blocks are drawn as a labelled group. They belonged to the language until May 2026. Of a block with an error
    in it, only the error is reported.

    ## Why
    A title looks as if it changed the prompt; it does not. A mark or a comment says the same and cannot be mistaken.

    ## Example
    ```acdl
    P[@T]: {
        History {
            U: env.query[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        // History
        Mark 1 {
            U: env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Mark Blocks".
    """
    labels = [each for each in build_outline(resolved.parsed.file).nodes_of(LabelBlock) if not section_of(each)]
    text = resolved.source.text
    taken = {header.block for header in unknown_headers(resolved.parsed.file, text)} if labels else ()
    errors = [each.label.span.start for each in resolved.parsed.diagnostics] if labels else []
    errors += [position.node.span.start for position in content_outside_messages(resolved)] if labels else []
    for block in labels:
        if block in taken or any(block.span.start <= at < block.span.end for at in errors):
            continue
        title = " ".join(text[block.title.span.start : block.title.span.end].split())
        role = ROLES.get(title.lower())
        cures = ["to point at it in the figure: `Mark 1 { ... }`", f"to name it: `// {title}` on a line above"]
        if role is not None:
            cures = [f"for a message, write `{role[0].upper()}: {{ ... }}`"]
        yield note(
            "label-block",
            f"`{title}` is not a keyword; its block is drawn as a labelled group",
            Label(block.title.span, "a title of its own"),
            help=cures,
        )
