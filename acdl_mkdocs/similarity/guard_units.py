"""Units of measure, percent and currencies must be the same."""

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.reading import reading
from acdl_mkdocs.similarity.token import UNIT, Token


def guard(a: str, b: str) -> Block | None:
    """`units differ: seconds / milliseconds`."""
    left, right = (reading(text).of(UNIT) for text in (a, b))
    only_a, only_b = _missing(left, right), _missing(right, left)
    return difference("units", "units differ", only_a, only_b) if only_a or only_b else None


def _missing(these: tuple[Token, ...], those: tuple[Token, ...]) -> list[str]:
    there = {token.key for token in those}
    return [token.text for token in these if token.key not in there]
