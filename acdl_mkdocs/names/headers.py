"""Blocks whose header is neither a keyword nor a title: `While x {`, `Forech (x) {`, `1 + 2 {`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import Known, closest
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.syntax.keywords import BLOCK_KEYWORDS
from acdl_mkdocs.syntax.nodes import (
    Call,
    Content,
    File,
    Label,
    Node,
    Number,
    Prompt,
    String,
    Symbol,
    Template,
    children,
)

_OTHER_KEYWORDS = frozenset(("while", "until", "unless", "repeat", "loop", "try", "catch", "with", "match", "when"))
"""Words that other languages write before a block."""


@dataclass(frozen=True, slots=True)
class UnknownHeader:
    """A block and the word before it that is no keyword."""

    word: Span | None
    """`None` where the title itself is none."""
    near: str | None
    """The keyword that was meant."""
    block: Label | Prompt
    is_like_name: bool = False
    """Whether the word is spelled like the name of a spec."""

    @property
    def title(self) -> Span:
        """The title of the block."""
        return self.block.title.span if isinstance(self.block, Label) else self.block.name.span


def unknown_headers(file: File, text: str) -> Iterator[UnknownHeader]:
    """The blocks of a text whose header ACDL does not know."""
    tree = outline(file)
    keywords = Known[None]((word, None) for word in BLOCK_KEYWORDS)
    for parent in dict.fromkeys(tree.parents[block] for block in (*tree.of(Label), *tree.of(Prompt))):
        inner = children(parent)
        for before, node in zip([None, *inner], inner, strict=False):
            if isinstance(node, Label | Prompt):
                word = _word_before(before, node, text)
                title = node.title if isinstance(node, Label) else None
                if isinstance(title, Call) and _is_like_keyword(title.name, keywords):
                    word = Span(title.span.start, title.name_end)
                if word is not None:
                    yield _named(text[word.start : word.end].strip(), word, node, keywords)
                elif not isinstance(title, Symbol | Template | Call | String | None):
                    yield UnknownHeader(None, None, node)


def _named(name: str, word: Span, block: Label | Prompt, keywords: Known[None]) -> UnknownHeader:
    near = closest(name, keywords)
    is_like_name = name[0].isupper() and near is None and name.lower() not in _OTHER_KEYWORDS
    return UnknownHeader(word, near, block, is_like_name)


def _word_before(before: Node | None, block: Label | Prompt, text: str) -> Span | None:
    """The word on the same line that would have to be a keyword: `While` in `While x {`."""
    match before:
        case Content(value=Number()) | Content(value=Symbol(parts=())):
            return before.span if not text[before.span.end : block.span.start].strip(" \t") else None
        case _:
            return None


def _is_like_keyword(name: str, keywords: Known[None]) -> bool:
    """Whether a called name before a block was meant to be a keyword: `While (x) {`, `Iff (x) {`."""
    return name.lower() in _OTHER_KEYWORDS or closest(name, keywords) is not None
