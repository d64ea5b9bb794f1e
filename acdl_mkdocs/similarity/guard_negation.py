"""What one text forbids, the other must not ask for: negations must be as many, and of the same thing."""

from collections.abc import Collection, Iterable, Sequence

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.comparison import compared
from acdl_mkdocs.similarity.lexicon import NEGATIVE, is_near
from acdl_mkdocs.similarity.reading import Reading, reading
from acdl_mkdocs.similarity.token import BREAK, NEGATOR, RELATION, SILENT, WORD, Token

_OF_THINGS = frozenset(("no", "nor", "without"))
"""Negations that may be one where they are joined: `no commas and no spaces`."""
_CONTRASTS = frozenset(("but",))


def guard(a: str, b: str) -> Block | None:
    """`one says not: do not retry / -`."""
    left, right = reading(a), reading(b)
    if _n_negations(left) % 2 != _n_negations(right) % 2:
        return difference("negation", "one negates", _shown(left), _shown(right))
    both = compared(a, b)
    only_a, only_b = _negative(both.only_a, both.only_b), _negative(both.only_b, both.only_a)
    if only_a or only_b:
        return difference("negation", "one negates", only_a, only_b)
    if not _is_inside(left, right) or not _is_inside(right, left):
        return difference("negation", "not the same is negated", _shown(left), _shown(right))
    return None


def _n_negations(these: Reading) -> int:
    """Negations of a text: `no commas and no spaces` is one, `instead of` is one."""
    count = 0
    is_open = is_listed = False
    before = ""
    for token in these.tokens:
        if token.kind == NEGATOR:
            is_same = is_listed and token.text.casefold() in _OF_THINGS
            count += not (is_same or before == "else")  # `otherwise not` is the opposite of what is before
            is_open, is_listed = True, False
        elif token.kind == RELATION and token.key in ("else", "unless"):
            count += 1
        elif token.key in (",", "and", "or"):
            is_listed = is_open
        elif token.kind == BREAK:
            is_open = is_listed = False
        before = token.key if token.kind != SILENT else before
    return count


def _negative(tokens: Iterable[Token], others: Sequence[Token]) -> list[str]:
    """Words that negate, and have none of their kind in the other text: `omit` and `exclude`."""
    keys = {token.key for token in tokens if token.key in NEGATIVE}
    lone = {key for key in keys if not any(is_near(key, other.key) for other in others)}
    return [token.text for token in tokens if token.key in lone]


def _shown(these: Reading) -> list[str]:
    """Each negation with the word that it is about."""
    tokens = these.tokens
    return [
        " ".join(word.text for word in tokens[at : at + 2])
        for at, token in enumerate(tokens)
        if token.kind == NEGATOR or (token.kind == RELATION and token.key == "unless")
    ]


def _is_inside(these: Reading, those: Reading) -> bool:
    """Whether the other text negates, or does not have, the first word that each negation of this one is about."""
    scope = _scope(those)
    everything = set(those.keys)
    return all(key in scope for key in _subjects(these, everything))


def _subjects(these: Reading, common: Collection[str]) -> list[str]:
    """The first word after each negation that the other text has too."""
    found = []
    is_open = False
    for token in these.tokens:
        if token.kind == NEGATOR:
            is_open = True
        elif _ends_scope(token):
            is_open = False
        elif is_open and token.kind == WORD and token.key in common:
            found.append(token.key)
            is_open = False
    return found


def _ends_scope(token: Token) -> bool:
    return token.kind == BREAK or (token.kind == RELATION and token.key in _CONTRASTS)


def _scope(these: Reading) -> set[str]:
    """Everything from a negation to the end of its clause."""
    found: set[str] = set()
    is_negated = False
    for token in these.tokens:
        if token.kind == NEGATOR:
            is_negated = True
        elif _ends_scope(token):
            is_negated = False
        elif is_negated:
            found.add(token.key)
    return found
