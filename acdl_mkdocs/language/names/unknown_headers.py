"""Blocks whose header is neither a keyword nor a title: `While x {`, `Forech (x) {`, `1 + 2 {`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import KnownNames, find_closest
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.fixed_wording import has_no_case
from acdl_mkdocs.language.syntax.keywords import BLOCK_KEYWORDS
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Content,
    Expression,
    File,
    Index,
    Label,
    NameDef,
    Node,
    Number,
    Operation,
    Prompt,
    String,
    Symbol,
    Template,
    Unary,
    children,
)
from acdl_mkdocs.language.syntax.spellings import name_before
from acdl_mkdocs.language.syntax.tokens import N_WORDS_OF_TEXT

_OTHER_KEYWORDS = frozenset(("while", "until", "unless", "repeat", "loop", "try", "catch", "with", "match", "when"))
"""Words that other languages write before a block."""


@dataclass(frozen=True, slots=True)
class UnknownHeader:
    """A block and the word before it that is not a keyword."""

    word: Span | None
    """`None` if the title itself is the problem."""
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
    """Yield the blocks whose header is unknown to ACDL."""
    tree = build_outline(file)
    keywords = KnownNames[None]((word, None) for word in BLOCK_KEYWORDS)
    for parent in dict.fromkeys(tree.parents[block] for block in (*tree.nodes_of(Label), *tree.nodes_of(Prompt))):
        inner = children(parent)
        for before, node in zip([None, *inner], inner, strict=False):
            if isinstance(node, (Label, Prompt)):
                word = _word_before(before, node, text)
                title = node.title if isinstance(node, Label) else None
                if isinstance(title, Call) and _is_like_keyword(title.name, keywords):
                    word = Span(title.span.start, title.name_end)
                if word is not None:
                    yield _make_header(text[word.start : word.end].strip(), word, node, keywords)
                elif title is not None and not isinstance(title, (Symbol, Template, Call, String)):
                    yield UnknownHeader(None, None, node)


def _make_header(name: str, word: Span, block: Label | Prompt, keywords: KnownNames[None]) -> UnknownHeader:
    near = find_closest(name, keywords)
    is_like_name = name[0].isupper() and near is None and name.lower() not in _OTHER_KEYWORDS
    return UnknownHeader(word, near, block, is_like_name)


def _word_before(before: Node | None, block: Label | Prompt, text: str) -> Span | None:
    """Return the word on the same line that should be a keyword: `While` in `While x {`."""
    match before:
        case Content(value=Number()) | Content(value=Symbol(parts=())):
            return before.span if not text[before.span.end : block.span.start].strip(" \t") else None
        case _:
            return None


def _is_like_keyword(name: str, keywords: KnownNames[None]) -> bool:
    """Return whether a called name before a block was meant as a keyword: `While (x) {`, `Iff (x) {`."""
    return name.lower() in _OTHER_KEYWORDS or find_closest(name, keywords) is not None


_KEYWORDS = ("Frag", "Fragment")


@dataclass(frozen=True, slots=True)
class MisspelledFrag:
    """A word before the name of a fragment."""

    word: Symbol | Template
    use: Symbol | Template
    """The name of the fragment, with its arguments."""

    @property
    def span(self) -> Span:
        """The span of word and name."""
        return Span(self.word.span.start, self.use.span.end)


def misspelled_frags(resolved: Resolved) -> list[MisspelledFrag]:
    """Return words like `Frag` on one line before the name of a fragment, or before a name with arguments."""
    tree = build_outline(resolved.parsed.file)
    frags = []
    words: list[Symbol | Template] = [*tree.nodes_of(Symbol), *tree.nodes_of(Template)]
    for word in words:
        content = tree.parents.get(word)
        if word.name[0] not in "Ff" or word.parts or not isinstance(content, Content):
            continue
        siblings = children(tree.parents[content])
        at = siblings.index(content) + 1
        after = siblings[at] if at < len(siblings) else None
        use = after.value if isinstance(after, Content) else None
        if not isinstance(use, (Symbol, Template)) or word in resolved.bindings:
            continue
        is_used = resolved.find_fragment(use.name) or (use.parts and isinstance(use.parts[0], Index))
        if not is_used or not use.name[0].isupper() or not find_closest(word.name, _KEYWORDS):
            continue
        if not resolved.source.text[word.span.end : use.span.start].strip(" \t"):
            frags.append(MisspelledFrag(word, use))
    return frags


def find_explained_lines(resolved: Resolved) -> frozenset[int]:
    """Return the 0-based lines for which another rule or the parser reports something more important."""
    source = resolved.source
    spans = [each.label.span for each in resolved.parsed.diagnostics]
    spans += find_plain_texts(resolved)
    spans += (each.word or each.title for each in unknown_headers(resolved.parsed.file, source.text))
    spans += (
        shared
        for node in build_outline(resolved.parsed.file).nodes_of(NameDef)
        if (shared := name_before(source, node))
    )
    spans += (each.span for each in misspelled_frags(resolved))
    lines: set[int] = set()
    for span in spans:
        first, last = source.line_index(span.start), source.line_index(span.end)
        lines.update(range(first, last + 1))
    return frozenset(lines)


def find_plain_texts(resolved: Resolved) -> Iterator[Span]:
    """Yield rows of unbound words that read like text for the model; none on lines that were not understood."""
    source = resolved.source
    broken = {source.line_index(problem.label.span.start) for problem in resolved.parsed.diagnostics}
    words: list[Content] = []
    tree = build_outline(resolved.parsed.file)
    for content in [*tree.nodes_of(Content), None]:
        if words and (content is None or not _continues_text(words[-1], content, resolved)):
            line = source.line_index(words[0].span.start)
            n_words = sum(_count_words(each.value, resolved) for each in words)
            if n_words >= N_WORDS_OF_TEXT and line not in broken and not _are_templates(words, tree):
                yield _on_last_line(words, resolved)
            words = []
        if content is not None and _count_words(content.value, resolved):
            words.append(content)


def _are_templates(words: list[Content], outline: Outline) -> bool:
    """Return whether words in a script without capitals share a pair of braces: there they name fixed wording."""
    return all(
        isinstance(each.value, Template) and outline.parents[each] is outline.parents[words[0]] for each in words
    )


def _continues_text(last: Content, node: Content, resolved: Resolved) -> bool:
    """Return whether the content is a word directly after the last one, on the same line."""
    between = resolved.source.text[last.span.end : node.span.start]
    return bool(_count_words(node.value, resolved)) and not between.strip(" \t,.")


def _count_words(value: Expression, resolved: Resolved) -> int:
    """Return the number of unbound words in the expression; 0 if it contains anything else."""
    if isinstance(value, Symbol) or (
        isinstance(value, Template) and not value.name.isascii() and has_no_case(value.name)
    ):
        return int(not value.parts and value not in resolved.bindings)
    if isinstance(value, Unary):
        return _count_words(value.value, resolved)
    if isinstance(value, Operation) and len(value.operands) == 2:
        return sum(_count_words(operand, resolved) for operand in value.operands)
    return 0


def _on_last_line(words: list[Content], resolved: Resolved) -> Span:
    """Return the place of the words on the line of the last one."""
    source = resolved.source
    number = source.line_index(words[-1].span.start)
    line = source.line_text(number)
    indent = len(line) - len(line.lstrip())
    return Span(max(words[0].span.start, source.line_starts[number] + indent), words[-1].span.end)
