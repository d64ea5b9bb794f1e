"""No word of one text may be the opposite of a word of the other."""

from acdl_mkdocs.similarity.block import Block
from acdl_mkdocs.similarity.comparison import compared
from acdl_mkdocs.similarity.lexicon import OPPOSITES, POINTERS
from acdl_mkdocs.similarity.reading import Reading
from acdl_mkdocs.similarity.token import CONTENT, WORD, Token

_PREFIXES = ("anti", "de", "dis", "il", "im", "in", "ir", "mis", "non", "un")
_MAX_WORDS = 60
"""Words of a side that are looked up; longer differences are no pair of opposites."""
_PAIRS = OPPOSITES | POINTERS | {frozenset(("from", "into")), frozenset(("from", "to"))}
_OPPOSED = {word: frozenset().union(*(pair for pair in _PAIRS if word in pair)) for each in _PAIRS for word in each}


def guard(a: str, b: str) -> Block | None:
    """`opposites: ascending / descending`."""
    both = compared(a, b)
    left = [*both.only_a, *_only(both.a, both.b)][:_MAX_WORDS]
    right = [*both.only_b, *_only(both.b, both.a)][:_MAX_WORDS]
    for token in left:
        for other in right:
            if _are_opposed(token, other):
                return Block("opposites", f"opposites: {token.text} / {other.text}")
    return None


def _only(these: Reading, those: Reading) -> list[Token]:
    """Words of relations and the like that the other text has not."""
    there = {token.key for token in those.tokens}
    return list(
        {token.key: token for token in these.tokens if token.kind not in CONTENT and token.key not in there}.values()
    )


def _are_opposed(token: Token, other: Token) -> bool:
    a, b = token.key, other.key
    if b in _OPPOSED.get(a, ()):
        return a != b
    return token.kind == other.kind == WORD and (_is_negated(a, b) or _is_negated(b, a))


def _is_negated(long: str, short: str) -> bool:
    return len(short) > 2 and long.endswith(short) and long.removesuffix(short) in _PREFIXES
