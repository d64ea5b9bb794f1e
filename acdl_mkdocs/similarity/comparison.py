"""What one text has and the other has not, after inflection, synonyms and spelling: what the guards look at."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.similarity.lexicon import GENERIC, canonical, is_near
from acdl_mkdocs.similarity.reading import Reading, reading
from acdl_mkdocs.similarity.token import BREAK, CODE, QUANTIFIER, SIGN, SILENT, WORD, Token

REWORDED = 0.5
"""Texts that share a smaller part of their words in the same order are worded differently throughout."""


EQUALS = frozenset(("are", "as", "be", "is", "="))
"""Words that may stand for an equals sign."""
_DEFINING = frozenset(("calculat", "defin"))
"""`calculate the margin as` says no more than `the margin is`."""
_ARITHMETIC = frozenset("+-*/")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts and the content that only one of them has."""

    a: Reading
    b: Reading
    only_a: tuple[Token, ...]
    only_b: tuple[Token, ...]
    alignment: float
    """Share of the words that both have in the same order, from 0 to 1."""

    @property
    def is_reworded(self) -> bool:
        """Whether the texts are worded differently throughout, so that no word takes another's place."""
        return self.alignment < REWORDED


@lru_cache(maxsize=4096)
def compared(a: str, b: str) -> Comparison:
    """Compare two texts."""
    first, second = reading(a), reading(b)
    has_signs = any(token.kind == SIGN for token in (*first.content, *second.content))
    only_a, only_b = (
        _unmatched(first.content, second.content, has_signs),
        _unmatched(second.content, first.content, has_signs),
    )
    only_a, only_b = _without_compounds(only_a, only_b, second)
    only_b, only_a = _without_compounds(only_b, only_a, first)
    only_a, only_b = _without_commands(only_a, only_b, second)
    only_b, only_a = _without_commands(only_b, only_a, first)
    only_a, only_b = _without_acronyms(only_a, only_b, second)
    only_b, only_a = _without_acronyms(only_b, only_a, first)
    only_a, only_b = _without_equals(only_a, second), _without_equals(only_b, first)
    return Comparison(first, second, tuple(only_a), tuple(only_b), _alignment(first, second))


def _without_equals(only: list[Token], other: Reading) -> list[Token]:
    """Without an equals sign, or a word that introduces a formula, where the other text says it in other words."""
    keys = {token.key for token in other.tokens}
    kept = [token for token in only if not (token.key == "=" and keys & EQUALS)]
    has_formula = keys & EQUALS and any(token.kind == SIGN and token.key in _ARITHMETIC for token in other.tokens)
    return [token for token in kept if token.key not in _DEFINING] if has_formula else kept


def surplus(a: Iterable[str], b: Iterable[str]) -> list[str]:
    """What is more often in `a` than in `b`, in its order."""
    left = Counter(b)
    found = []
    for key in a:
        left[key] -= 1
        if left[key] < 0:
            found.append(key)
    return found


def _unmatched(a: Sequence[Token], b: Sequence[Token], is_strict: bool) -> list[Token]:
    """Tokens of `a` that `b` has not; a word that is only repeated counts where there are formulas."""
    there = {token.key for token in b}
    left = Counter(token.key for token in b)
    found = []
    for token in a:
        left[token.key] -= 1
        is_missing = left[token.key] < 0 if is_strict or token.kind != WORD else token.key not in there
        if is_missing:
            found.append(token)
    return found


def _without_compounds(one: list[Token], two: list[Token], other: Reading) -> tuple[list[Token], list[Token]]:
    """Without words that the other text writes as two: `filename` and `file name`."""
    pairs = {}
    for left, right in pairwise(other.tokens):
        if left.kind == right.kind == WORD:
            pairs[canonical(left.text.casefold() + right.text.casefold())] = (left, right)
    kept = []
    for token in one:
        parts = pairs.get(token.key, ())
        if parts:
            two = [word for word in two if not any(word is part for part in parts)]
        else:
            kept.append(token)
    return kept, two


def _without_commands(codes: list[Token], words: list[Token], other: Reading) -> tuple[list[Token], list[Token]]:
    """Without names of several words that the other text does not mark as code: `` `git rebase` ``, `git rebase`."""
    names = {token.key for token in codes if token.kind == CODE and " " in token.key}
    runs = {name: run_of(name, other.tokens) for name in names}
    gone = {id(word) for run in runs.values() for word in run}
    return [token for token in codes if not runs.get(token.key)], [word for word in words if id(word) not in gone]


def run_of(name: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """The words one after the other that are written like the words of a name."""
    if " " not in name:
        return ()
    parts = name.split(" ")
    texts = [token.text if token.kind in (WORD, SILENT) else "" for token in tokens]
    if f" {name} " not in f" {' '.join(texts)} ":
        return ()
    places = range(len(texts) - len(parts) + 1)
    at = next((at for at in places if texts[at] == parts[0] and texts[at : at + len(parts)] == parts), -1)
    return tokens[at : at + len(parts)] if at >= 0 else ()


def _without_acronyms(short: list[Token], long: list[Token], other: Reading) -> tuple[list[Token], list[Token]]:
    """Without acronyms whose words stand in the other text in full."""
    kept = []
    for token in short:
        words = _run(token.text.casefold(), other.tokens) if token.text.isupper() and len(token.text) > 2 else ()
        gone = {id(word) for word in words}
        if words and any(id(word) in gone for word in long):
            long = [word for word in long if id(word) not in gone]
        else:
            kept.append(token)
    return kept, long


def _run(initials: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """The words one after the other that begin with these letters."""
    size = len(initials)
    firsts = "".join(
        token.text[:1].casefold() or " " if token.kind in (WORD, SILENT, QUANTIFIER) else " " for token in tokens
    )
    at = firsts.find(initials) if len(firsts) == len(tokens) else -1
    return tokens[at : at + size] if at >= 0 else ()


def _alignment(a: Reading, b: Reading) -> float:
    left = [token.text.casefold() for token in a.tokens if token.kind != BREAK]
    right = [token.text.casefold() for token in b.tokens if token.kind != BREAK]
    longest = max(len(left), len(right))
    return _common(left, right) / longest if longest else 1.0


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence: one step for a word, on all places of the other text at once."""
    places: dict[str, int] = {}
    for place, key in enumerate(a):
        places[key] = places.get(key, 0) | 1 << place
    everything = (1 << len(a)) - 1
    row = everything
    for key in b:
        hits = row & places.get(key, 0)
        row = ((row + hits) | (row - hits)) & everything
    return len(a) - row.bit_count()


def is_explained(token: Token, others: Iterable[Token]) -> bool:
    """Whether a word says little, or the other text has one that often means the same."""
    return token.kind == WORD and (token.key in GENERIC or any(is_near(token.key, other.key) for other in others))
