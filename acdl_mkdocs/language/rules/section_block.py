"""Rule `section-block`: a section of a request is used where ACDL only has messages."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error, warning
from acdl_mkdocs.language.names.outline import build_outline, find_positions
from acdl_mkdocs.language.names.outside_messages import (
    choose_marker,
    content_outside_messages,
    content_values,
    has_messages,
    section_of,
)
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Label as LabelBlock
from acdl_mkdocs.language.syntax.nodes import Node

_CURES = {
    "systemprompt": "write what it holds as a System message: `S: { INSTRUCTIONS }`",
    "messages": "leave the title and its braces out: the body of a spec is its messages",
    "tools": "name the tools in a message: `S: sys.tools`",
    "functions": "name the functions in a message: `S: sys.functions`",
}
"""The equivalent of each part of a request in ACDL."""


def section_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report blocks such as `Tools: { ... }`, `SystemPrompt: { ... }` and `Messages: { ... }`.

    They are drawn as labelled groups. Where such a block holds content without a role, this is an error: it was meant
    as a message.

    ## Why
    ACDL describes the list of messages. Its other readers do not know that such a block is not a message.

    ## Example
    ```acdl
    P[@T]: {
        SystemPrompt: {
            S: INSTRUCTIONS
        }
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Role Messages".
    """
    blocks = [block for block in build_outline(resolved.parsed.file).nodes_of(LabelBlock) if section_of(block)]
    stray = [position.node for position in content_outside_messages(resolved)] if blocks else []
    texts = (
        {position.node for position in find_positions(resolved.parsed.file) if position.is_text} if blocks else set()
    )
    for block in blocks:
        inside = [node for node in stray if block.span.start <= node.span.start < block.span.end]
        if inside and not has_messages(block, build_outline(resolved.parsed.file)):
            yield _report_content(block, inside, resolved)
        else:
            yield _report_section(block, is_text=block in texts)


def _report_section(block: LabelBlock, *, is_text: bool) -> Diagnostic:
    return warning(
        "section-block",
        f"`{_block_title(block)}` is not part of ACDL; it is drawn as a labelled group",
        Label(block.title.span, "ACDL knows messages only"),
        help="leave the title and its braces out" if is_text else _CURES[section_of(block)],
    )


def _report_content(block: LabelBlock, content: list[Node], resolved: Resolved) -> Diagnostic:
    """Report a section whose content has no role: the block was meant as a message."""
    marker = choose_marker(content_values(content)) if section_of(block) == "messages" else "S"
    has_colon = resolved.source.text[block.title.span.end :].lstrip().startswith(":")
    return error(
        "section-block",
        f"`{_block_title(block)}` is not part of ACDL, and its content has no role",
        Label(block.title.span, "ACDL knows messages only"),
        help=f"make it a message: `{marker}: {{ ... }}`",
        fix=Fix(
            f"write `{marker}:`",
            (replace_text(block.title.span, marker if has_colon else f"{marker}:"),),
            is_safe=False,
        ),
    )


def _block_title(block: LabelBlock) -> str:
    return getattr(block.title, "name", "")
