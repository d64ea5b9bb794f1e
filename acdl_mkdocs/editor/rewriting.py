"""Parts of a tree as text, with names in the place of others: what it takes to move statements elsewhere."""

from collections.abc import Container, Iterable, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Expression, Node, Operation, Unary, children
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.printer import print_items
from acdl_mkdocs.language.syntax.words import WRITTEN


class UnmovableError(Exception):
    """Statements cannot stand elsewhere and still say the same."""


@dataclass(frozen=True, slots=True)
class Put:
    """A text in the place of a name."""

    span: Span
    text: str


def inside(nodes: Iterable[Node]) -> list[Node]:
    """All nodes of some statements, with what each stands in."""
    waiting, found = list(nodes), []
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(children(node))
    return found


def replaced(source: Source, span: Span, puts: Sequence[Put]) -> str:
    """The text of a span with others in the place of names."""
    parts: list[str] = []
    at = span.start
    for put in sorted(puts, key=lambda each: each.span.start):
        parts += [source.text[at : put.span.start], put.text]
        at = put.span.end
    return "".join(parts) + source.text[at : span.end]


def in_place(value: Expression, text: str, parent: Node | None) -> str:
    """An expression as it is put in the place of a name: in parentheses where signs stand around it."""
    is_sum = isinstance(value, Operation | Unary)
    return f"({text})" if is_sum and isinstance(parent, Operation | Unary) else text


def normal_lines(body: str) -> list[str]:
    """Statements in their normal form, from the beginning of the line.

    Raises:
        UnmovableError: They are not understood alone.
    """
    parsed = parse(Source(body))
    if parsed.diagnostics:
        raise UnmovableError("it is not understood alone")
    return print_items(parsed.file.items, body, WRITTEN)


def unused_name(name: str, taken: Container[str]) -> str:
    """A name that nothing has: with a number where it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{number}", number + 1
    return found
