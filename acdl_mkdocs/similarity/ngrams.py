"""The measure that needs no package: how many pieces of three to five letters two texts share.

A word weighs by its length and by what it is, never by how many other texts have it: the score of two texts does not
depend on what else is in a playbook, so curating the same delta gives the same result however large the playbook is.
Words are compared in the form that stands for their inflections and synonyms (`lexicon.canonical`).

`prepare` only notes which texts have which words. Letters are looked at for the few texts that share the most.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from math import sqrt

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.similarity.lexicon import FUNCTION, GENERIC, canonical
from acdl_mkdocs.similarity.signs import fold
from acdl_mkdocs.similarity.vocabulary import NUMBERS

_WORD = re.compile(r"[^\W_]+")
_SIZES = (3, 4, 5)
_N_CANDIDATES = 48
"""Texts whose letters are compared, of those that share the most words."""
_COMMON = 500
"""Words that more texts have do not make a text a candidate, if rarer ones have found enough."""
_SMALL_WEIGHT, _GENERIC_WEIGHT = 0.25, 0.6
_MAX_WORD = 60
"""Letters of a word that are looked at."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, made ready once."""

    key: str
    weight: float
    pieces: Mapping[str, float]


@lru_cache(maxsize=65_536)
def _word(text: str) -> _Word:
    key = str(NUMBERS[text]) if text in NUMBERS else canonical(text)
    weight = _SMALL_WEIGHT if text in FUNCTION else _GENERIC_WEIGHT if key in GENERIC else 1.0
    padded = f" {key[:_MAX_WORD]} "
    counts: dict[str, float] = {}
    for size in _SIZES:
        for at in range(max(1, len(padded) - size + 1)):
            piece = padded[at : at + size]
            counts[piece] = counts.get(piece, 0.0) + weight
    return _Word(key, weight, counts)


@lru_cache(maxsize=16_384)
def _pieces(text: str) -> tuple[Mapping[str, float], float]:
    """The pieces of a text with their weights, and the length of that vector."""
    counts: dict[str, float] = {}
    for each in _WORD.findall(fold(text).lower()):
        for piece, weight in _word(each).pieces.items():
            counts[piece] = counts.get(piece, 0.0) + weight
    damped = {piece: sqrt(weight) for piece, weight in counts.items()}
    return dict(sorted(damped.items())), sqrt(sum(weight * weight for weight in damped.values()))


def score(a: str, b: str) -> float:
    """How near two texts are, from 0 to 1."""
    (left, n), (right, m) = _pieces(a), _pieces(b)
    if not n or not m:
        return 0.0
    small, large = (left, right) if len(left) <= len(right) else (right, left)
    return min(1.0, sum(weight * large[piece] for piece, weight in small.items() if piece in large) / (n * m))


class Ngrams:
    """The measure, as `similarity.Similarity`."""

    name = "ngrams"
    auto = 0.33
    review = 0.28

    def prepare(self, texts: Sequence[str]) -> "NgramTexts":
        """Note which texts have which words."""
        return NgramTexts(texts)


class NgramTexts:
    """Texts by their words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)
        holders_of_word: dict[str, list[int]] = {}
        for index, text in enumerate(self._texts):
            for word in set(_WORD.findall(fold(text).lower())):
                holders_of_word.setdefault(word, []).append(index)
        self._holders: dict[str, list[list[int]]] = {}
        for word, holders in holders_of_word.items():
            for key in _keys_of(word):
                self._holders.setdefault(key, []).append(holders)

    def nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """The `k` texts with the highest score: best first, equal ones by index."""
        near = self._candidates(text, max(k, _N_CANDIDATES))
        scored = sorted(
            ((index, score(text, self._texts[index])) for index in near), key=lambda pair: (-pair[1], pair[0])
        )
        return [pair for pair in scored[:k] if pair[1] > 0]

    def _candidates(self, text: str, n: int) -> list[int]:
        """The texts that share the most words with a text; a word counts the more the fewer texts have it."""
        keys = {key for word in set(_WORD.findall(fold(text).lower())) for key in _keys_of(word)}
        held = [(sum(map(len, self._holders[key])), key) for key in keys if key in self._holders]
        shared: dict[int, float] = {}
        for count, key in sorted(held):
            if count > _COMMON and len(shared) > n:
                break  # all that follow are commoner still
            weight = 1 / (1 + count) ** 0.5
            for holders in self._holders[key]:
                for index in holders:
                    shared[index] = shared.get(index, 0.0) + weight
        return nlargest(n, shared, key=lambda index: (shared[index], -index))


@lru_cache(maxsize=65_536)
def _keys_of(word: str) -> tuple[str, ...]:
    if word in FUNCTION:
        return ()
    if len(word) > 2 and not word.isascii():  # scripts without spaces: pieces of two characters
        return tuple({word[at : at + 2] for at in range(min(len(word), _MAX_WORD) - 1)})
    return (_word(word).key,)


def load() -> Ngrams:
    """The measure."""
    return Ngrams()
