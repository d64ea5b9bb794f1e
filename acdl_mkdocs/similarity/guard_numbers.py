"""Numbers, dates, times, versions, ordinals and fractions must be the same, however they are written."""

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.comparison import surplus
from acdl_mkdocs.similarity.reading import reading
from acdl_mkdocs.similarity.token import NUMBER


def guard(a: str, b: str) -> Block | None:
    """`numbers differ: 5 / 50`."""
    left, right = ([token.key for token in reading(text).of(NUMBER)] for text in (a, b))
    only_a, only_b = surplus(left, right), surplus(right, left)
    return difference("numbers", "numbers differ", only_a, only_b) if only_a or only_b else None
