"""Every word that says something must have its like in the other text: what is unknown means something else.

Where the texts share their wording, a word that only one of them has changes what is said, whatever it is. Where they
are worded differently throughout, a word may have another in the other text that often means the same. Where only the
sentence is built differently, verbs of little meaning may be left over: `give a b`, `a needs b`.
"""

from collections.abc import Sequence

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.comparison import Comparison, compared, is_explained
from acdl_mkdocs.similarity.lexicon import LIGHT, is_near
from acdl_mkdocs.similarity.reading import Reading
from acdl_mkdocs.similarity.token import BREAK, MODAL, QUANTIFIER, WORD, Token

LEAST_SHARED = 3
"""Words that texts must have in common, if they are worded differently throughout."""
MOST_DIFFERENT = 12
"""Words of each that may have their like in the other text."""


def guard(a: str, b: str) -> Block | None:
    """`only one says: staging / production`."""
    both = compared(a, b)
    all_a, all_b = only_a, only_b = _words(both.only_a), _words(both.only_b)
    if _is_recast(both):
        only_a, only_b = _without_light(all_a, both.a), _without_light(all_b, both.b)
        if _are_near(only_a, all_b) and _are_near(only_b, all_a):
            return None
    if not only_a and not only_b:
        return None
    if both.is_reworded and _is_harmless(both, only_a, only_b):
        return None
    return difference(
        "substitution", "only one says", (token.text for token in only_a), (token.text for token in only_b)
    )


def _words(tokens: Sequence[Token]) -> list[Token]:
    """The words; other guards look at the rest."""
    return [token for token in tokens if token.kind == WORD]


def _are_near(words: list[Token], others: list[Token]) -> bool:
    """Whether each word has one that often means the same in the other text."""
    return len(words) <= MOST_DIFFERENT and all(any(is_near(each.key, other.key) for other in others) for each in words)


def _is_recast(both: Comparison) -> bool:
    """Whether one text begins with another part, or has a subject: then its verb takes no other's place."""
    if _has_subject(both.a) != _has_subject(both.b):
        return True
    common = set(both.a.keys) & set(both.b.keys)
    first, second = (next((key for key in these.keys if key in common), "") for these in (both.a, both.b))
    return first != second


def _has_subject(these: Reading) -> bool:
    """Whether a text says who or what must do or have something."""
    return any(token.kind == MODAL or _is_finite(token) for token in these.tokens)


def _is_finite(token: Token) -> bool:
    return token.key in LIGHT and token.text.endswith("s")


def _without_light(only: list[Token], text: Reading) -> list[Token]:
    """Without the verbs of little meaning that are the verbs of their sentences."""
    found = {id(token) for token in only if token.key in LIGHT}
    before: Token | None = None
    for token in text.tokens:
        if id(token) in found and not (before is None or before.kind in (BREAK, MODAL) or _is_finite(token)):
            found.discard(id(token))
        if token.kind != QUANTIFIER:
            before = token
    return [token for token in only if id(token) not in found]


def _is_harmless(both: Comparison, only_a: list[Token], only_b: list[Token]) -> bool:
    """Whether every word of either text has one in the other that often means the same, or says little."""
    if max(len(only_a), len(only_b)) > MOST_DIFFERENT:
        return False
    if not all(is_explained(token, only_b) for token in only_a) or not all(is_explained(x, only_a) for x in only_b):
        return False
    return len(set(both.a.keys) & set(both.b.keys)) + min(len(only_a), len(only_b)) >= LEAST_SHARED
