"""Rule `section-block`: a part of a request stands where ACDL knows messages only."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import Label as LabelBlock
from acdl_mkdocs.syntax.nodes import Symbol, Template

_SECTIONS = {
    "systemprompt": "write what it holds as a System message: `S: { INSTRUCTIONS }`",
    "messages": "leave the title and its braces out: the body of a spec is its messages",
    "tools": "name the tools in a message: `S: sys.tools`",
    "functions": "name the functions in a message: `S: sys.functions`",
}
"""Parts of a request to a chat interface, in lower case without `_`, and how ACDL says the same."""


def section_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report blocks such as `Tools: { ... }`, `SystemPrompt: { ... }` and `Messages: { ... }`.

    They are drawn as labelled groups.

    ## Why
    ACDL describes the list of messages. Its other readers do not know that such a block is no message.

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
    for block in outline(resolved.parsed.file).of(LabelBlock):
        name = _section(block)
        if name:
            yield warning(
                "section-block",
                f"`{getattr(block.title, 'name', '')}` is no part of ACDL; it is drawn as a labelled group",
                Label(block.title.span, "ACDL knows messages only"),
                help=_SECTIONS[name],
            )


def is_section(block: LabelBlock) -> bool:
    """Whether the title of a block names a part of a request."""
    return bool(_section(block))


def _section(block: LabelBlock) -> str:
    if not isinstance(block.title, Symbol | Template) or block.title.parts:
        return ""
    name = block.title.name.casefold().replace("_", "")
    return name if name in _SECTIONS else ""
