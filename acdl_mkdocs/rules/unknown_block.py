"""Rule `unknown-block`: braces follow something that is neither a keyword nor a title."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.source import Span
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.nodes import (
    Call,
    Content,
    Node,
    Number,
    Prompt,
    String,
    Symbol,
    Template,
    children,
)
from acdl_mkdocs.syntax.nodes import (
    Label as LabelBlock,
)

_KEYWORDS = ("ForEach", "If", "ElseIf", "Else", "Switch", "Case", "Default", "Mark", "StrFrag", "RolesFrag")

_OTHER_KEYWORDS = frozenset(("while", "until", "unless", "repeat", "loop", "try", "catch", "with", "match", "when"))
"""Words that other languages write before a block."""


def unknown_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every block whose header ACDL does not know.

    ## Why
    Nobody can tell when the block is sent: only the keywords of the language say that.

    ## Example
    ```acdl
    P[@T]: {
        While @T > 1 {
            U: env.query[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If @T > 1 {
            U: env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Control Flow".
    """
    waiting: list[Node] = [resolved.parsed.file]
    while waiting:
        inner = children(waiting.pop())
        waiting.extend(inner)
        for before, node in zip([None, *inner], inner, strict=False):
            if isinstance(node, LabelBlock | Prompt):
                word = _word_before(before, node, resolved.source.text)
                title = node.title if isinstance(node, LabelBlock) else None
                if isinstance(title, Call) and _is_like_keyword(title.name):
                    word = Span(title.span.start, title.span.start + len(title.name))
                if word is not None or not isinstance(title, Symbol | Template | Call | String | None):
                    yield _unknown(word, node, resolved)


def _word_before(before: Node | None, block: Node, text: str) -> Span | None:
    """The word on the same line that would have to be a keyword: `While` in `While x {`."""
    if not isinstance(before, Content) or not isinstance(before.value, Symbol | Number):
        return None
    if getattr(before.value, "parts", ()) or text[before.span.end : block.span.start].strip(" \t"):
        return None
    return before.span


def _is_like_keyword(name: str) -> bool:
    """Whether a called name before a block was meant to be a keyword: `While (x) {`, `Iff (x) {`."""
    return name.lower() in _OTHER_KEYWORDS or closest(name, _KEYWORDS) is not None


def _unknown(word: Span | None, block: LabelBlock | Prompt, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    title = block.title.span if isinstance(block, LabelBlock) else block.name.span
    if word is None:
        return error(
            "unknown-block",
            f"`{' '.join(text[title.start : title.end].split())}` is no title of a block",
            Label(title, "expected a name or a keyword such as `If` before this"),
            help="write a title of letters, digits and `_`, such as `Name[@T]: {`",
        )
    written = text[word.start : word.end].strip()
    near = closest(written, _KEYWORDS)
    joined = text[word.start : title.end].replace(" ", "") if isinstance(block, Prompt) else ""
    if joined:
        cure = f"write the name as one word: `{joined.lstrip('0123456789') if written.isdigit() else joined}`"
    else:
        cure = f"did you mean `{near}`?" if near else "the blocks with a condition are `If`, `Switch` and `ForEach`"
    return error(
        "unknown-block",
        f"`{written}` is no keyword of ACDL",
        Label(word, "not a keyword" if not joined else "a name begins with a letter and is one word"),
        related=[Label(title, "stands before this block")] if title.start > word.start else [],
        help=cure,
    )
