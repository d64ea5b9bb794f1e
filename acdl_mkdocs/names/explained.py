"""Lines about which something is said already that matters more than most rules: errors, plain text, unknown blocks.

Knows nothing of settings: what is silenced explains a line all the same.
"""

from collections.abc import Iterator

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.names.headers import unknown_headers
from acdl_mkdocs.names.misspelled_frag import misspelled_frags
from acdl_mkdocs.names.outline import Outline, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.assignments import name_before
from acdl_mkdocs.syntax.nodes import Content, Expression, NameDef, Operation, Symbol, Template, Unary
from acdl_mkdocs.syntax.tokens import N_WORDS_OF_TEXT
from acdl_mkdocs.syntax.wording import has_no_case


def explained(resolved: Resolved) -> frozenset[int]:
    """Lines, 0-based, about which another rule, or the parser, says something that matters more."""
    source = resolved.source
    spans = [found.label.span for found in resolved.parsed.diagnostics]
    spans += plain_texts(resolved)
    spans += (found.word or found.title for found in unknown_headers(resolved.parsed.file, source.text))
    spans += (shared for node in outline(resolved.parsed.file).of(NameDef) if (shared := name_before(source, node)))
    spans += (found.span for found in misspelled_frags(resolved))
    lines: set[int] = set()
    for span in spans:
        first, last = source.line_index(span.start), source.line_index(span.end)
        lines.update(range(first, last + 1))
    return frozenset(lines)


def plain_texts(resolved: Resolved) -> Iterator[Span]:
    """Rows of words that name nothing and read like text for the model; none where a line is not understood."""
    source = resolved.source
    broken = {source.line_index(found.label.span.start) for found in resolved.parsed.diagnostics}
    words: list[Content] = []
    tree = outline(resolved.parsed.file)
    for content in [*tree.of(Content), None]:
        if words and (content is None or not _continues(words[-1], content, resolved)):
            line = source.line_index(words[0].span.start)
            n_words = sum(_n_words(each.value, resolved) for each in words)
            if n_words >= N_WORDS_OF_TEXT and line not in broken and not _are_templates(words, tree):
                yield _on_last_line(words, resolved)
            words = []
        if content is not None and _n_words(content.value, resolved):
            words.append(content)


def _are_templates(words: list[Content], tree: Outline) -> bool:
    """Whether words in a script without capitals are in one pair of braces: there they are names of wording."""
    return all(isinstance(each.value, Template) and tree.parents[each] is tree.parents[words[0]] for each in words)


def _continues(last: Content, node: Content, resolved: Resolved) -> bool:
    """Whether the content is a word that stands right after the last one, on the same line."""
    between = resolved.source.text[last.span.end : node.span.start]
    return bool(_n_words(node.value, resolved)) and not between.strip(" \t,.")


def _n_words(value: Expression, resolved: Resolved) -> int:
    """How many words that name nothing the expression is made of; 0 if it holds anything else."""
    if isinstance(value, Symbol) or (
        isinstance(value, Template) and not value.name.isascii() and has_no_case(value.name)
    ):
        return int(not value.parts and value not in resolved.bindings)
    if isinstance(value, Unary):
        return _n_words(value.value, resolved)
    if isinstance(value, Operation) and len(value.operands) == 2:
        return sum(_n_words(operand, resolved) for operand in value.operands)
    return 0


def _on_last_line(words: list[Content], resolved: Resolved) -> Span:
    """The place of the words, as far as it is on the line of the last one."""
    source = resolved.source
    number = source.line_index(words[-1].span.start)
    line = source.line_text(number)
    indent = len(line) - len(line.lstrip())
    return Span(max(words[0].span.start, source.line_starts[number] + indent), words[-1].span.end)
