"""Rule `unquoted-text`: plain text stands where ACDL names what is sent."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.nodes import Content, Expression, Node, Operation, Symbol, Unary, children

_N_WORDS = 3
"""So many bare words in a row on one line are text; two may be two forgotten names."""


def unquoted_text(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report three or more words in a row on one line that name nothing.

    ## Why
    ACDL says which information is sent, not in which words: each of these words would be read as a variable.

    ## Example
    ```acdl
    P[@T]: {
        S: You are a helpful assistant
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
    }
    ```

    Reference: Language Reference, "Templates".
    """
    broken = {resolved.source.line_index(found.label.span.start) for found in resolved.parsed.diagnostics}
    words: list[Content] = []
    waiting: list[Node] = [resolved.parsed.file]
    contents: list[Content] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Content):
            contents.append(node)
        else:
            waiting.extend(reversed(children(node)))
    for content in [*contents, None]:
        if words and (content is None or not _continues(words[-1], content, resolved)):
            line = resolved.source.line_index(words[0].span.start)
            if sum(_n_words(each.value, resolved) for each in words) >= _N_WORDS and line not in broken:
                yield _text(words, resolved)
            words = []
        if content is not None and _n_words(content.value, resolved):
            words.append(content)


def _continues(last: Content, node: Content, resolved: Resolved) -> bool:
    """Whether the content is a word that stands right after the last one, on the same line."""
    between = resolved.source.text[last.span.end : node.span.start]
    return bool(_n_words(node.value, resolved)) and not between.strip(" \t,.")


def _n_words(value: Expression, resolved: Resolved) -> int:
    """How many words that name nothing the expression is made of; 0 if it holds anything else."""
    if isinstance(value, Symbol):
        return int(not value.parts and value not in resolved.bindings)
    if isinstance(value, Unary):
        return _n_words(value.value, resolved)
    if isinstance(value, Operation) and len(value.operands) == 2:
        return sum(_n_words(operand, resolved) for operand in value.operands)
    return 0


def _text(words: list[Content], resolved: Resolved) -> Diagnostic:
    source = resolved.source
    line = source.line_text(source.line_index(words[-1].span.start))
    indent = len(line) - len(line.lstrip())
    start = max(words[0].span.start, source.line_starts[source.line_index(words[-1].span.start)] + indent)
    return error(
        "unquoted-text",
        "plain text stands where ACDL was expected",
        Label(Span(start, words[-1].span.end), "reads like text for the model"),
        help="ACDL names what is sent: write a TEMPLATE in capitals, or put the text in quotes",
    )
