"""The values on the parser's stack: words, finished nodes, and unfinished constructs.

A construct that repeats (statements, operands, parts of a path) grows in a list and becomes a node once, when it ends:
a new tuple for every part would take quadratic time.
"""

from typing import Generic, TypeAlias, TypeVar

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Arm, Expression, Node, Part
from acdl_mkdocs.language.syntax.tokens import Token

T = TypeVar("T", bound=Node)


class Body(Generic[T]):
    """The content of a block, and the braces around it."""

    __slots__ = ("end", "items", "start")

    def __init__(self, items: list[T], start: int, end: int) -> None:
        self.items = items
        self.start = start
        self.end = end


class OpenPath:
    """An unfinished path: `sys`, `sys[agent]`, `sys[agent].tool`."""

    __slots__ = ("parts", "word")

    def __init__(self, word: Token) -> None:
        self.word = word
        self.parts: list[Part] = []


class OpenOperation:
    """An unfinished operation: operands of one precedence and the signs between them, `a + b`, `a + b - c`."""

    __slots__ = ("operands", "signs")

    def __init__(self, first: Expression, sign: Token, second: Expression) -> None:
        self.operands = [first, second]
        self.signs = [sign]


Piece: TypeAlias = "Token | Node | Body[Node] | OpenPath | OpenOperation | list[Arm] | list[Piece]"
Pieces: TypeAlias = list[Piece]


def start_of(piece: Piece) -> int:
    """Return the start of a piece."""
    match piece:
        case Token() | Body():
            return piece.start
        case Node():
            return piece.span.start
        case OpenPath():
            return piece.word.start
        case OpenOperation():
            return piece.operands[0].span.start
        case _:
            return start_of(piece[0])


def span_between(first: Token | Node, last: Token | Node) -> Span:
    """Return the span from the start of one piece to the end of another."""
    start = first.start if isinstance(first, Token) else first.span.start
    return Span(start, last.end if isinstance(last, Token) else last.span.end)
