"""The measure that needs no package: TF-IDF over character n-grams; and the effect of merging by its score alone."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from heapq import nlargest
from importlib.resources import files
from math import log, sqrt
from typing import Any

_WORD = re.compile(r"[^\W_]+")
_SIZE = 3
"""Letters of an n-gram."""
_N_CANDIDATES = 24
"""Texts that are compared in full, of those that share the rarest words."""
_COMMON = 100
"""Words in more texts than this do not make a text a candidate if rarer ones found enough."""
_MAX_WORD = 60
"""Letters of a word that are used."""
_KEY = 5
"""Length of the prefix that inflections of a word share."""
_DIGITS = 6
"""Scores that agree to this many digits are equal, on every machine."""


class Ngrams:
    """The measure, as `similarity.Similarity`."""

    name = "ngrams"
    least = 0.25

    def prepare_texts(self, texts: Sequence[str]) -> "NgramTexts":
        """Index texts by their words."""
        return NgramTexts(texts)


class NgramTexts:
    """Texts by their words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)
        self._holders: dict[str, list[int]] = {}
        self._n_texts_with: dict[str, int] = {}
        for index, text in enumerate(self._texts):
            words = set(_words(text))
            for word in words:
                self._n_texts_with[word] = self._n_texts_with.get(word, 0) + 1
            for key in {key for word in words for key in _keys(word)}:
                self._holders.setdefault(key, []).append(index)

    def find_nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """Return the `k` texts with the highest score: best first, equal ones by index."""
        vector = self._vector(text)
        near = self._candidates(text, max(2 * k, _N_CANDIDATES))
        scores = [(index, _compute_cosine(vector, self._vector(self._texts[index]))) for index in near]
        best = sorted(scores, key=lambda pair: (-pair[1], pair[0]))
        return [pair for pair in best[:k] if pair[1] > 0]

    def _candidates(self, text: str, n: int) -> list[int]:
        """Return the texts that share the rarest words with a text."""
        keys = {key for word in _words(text) for key in _keys(word)}
        counted_keys = sorted((len(self._holders[key]), key) for key in keys if key in self._holders)
        shared: dict[int, float] = {}
        for count, key in counted_keys:
            if count > _COMMON and len(shared) > n:
                break  # all following words are more common
            weight = self._weight(count)
            for index in self._holders[key]:
                shared[index] = shared.get(index, 0.0) + weight
        return nlargest(n, shared, key=lambda index: (shared[index], -index))

    def _vector(self, text: str) -> tuple[Mapping[str, float], float]:
        """Return the n-grams of a text with their weights, and the length of that vector."""
        weights: dict[str, float] = {}
        for word in _words(text):
            weight = self._weight(self._n_texts_with.get(word, 0))
            for piece in _pieces(word):
                weights[piece] = weights.get(piece, 0.0) + weight
        return weights, sqrt(sum(weight * weight for weight in weights.values()))

    def _weight(self, count: int) -> float:
        """Return the weight of a word that occurs in this many texts."""
        return log((1 + len(self._texts)) / (1 + count)) + 1


@lru_cache(maxsize=16_384)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word[:_MAX_WORD] for word in _WORD.findall(text.casefold()))


@lru_cache(maxsize=65_536)
def _pieces(word: str) -> tuple[str, ...]:
    """Return the n-grams of a word with its ends marked."""
    padded = f" {word} "
    return tuple(padded[at : at + _SIZE] for at in range(len(padded) - _SIZE + 1))


def _keys(word: str) -> Sequence[str]:
    """Return the index keys of a word: its prefix; in scripts without spaces, any two characters."""
    if len(word) > 2 and not word.isascii():
        return [word[at : at + 2] for at in range(len(word) - 1)]
    return (word[:_KEY],)


def _compute_cosine(one: tuple[Mapping[str, float], float], two: tuple[Mapping[str, float], float]) -> float:
    (left, n), (right, m) = one, two
    if not n or not m:
        return 0.0
    small, large = (left, right) if len(left) <= len(right) else (right, left)
    shared = sum(weight * large[piece] for piece, weight in small.items() if piece in large)
    return round(min(1.0, shared / (n * m)), _DIGITS)


def load() -> Ngrams:
    """Return the measure."""
    return Ngrams()


def warn_of_merging(measure: str, least: float) -> str:
    """Describe what a policy that merges from a score on does to different lessons.

    Parameters:
        measure: Its name.
        least: The score; the warning cites the measurement at the next lower one.
    """
    numbers = _numbers()
    lists = numbers["measures"][measure]["lists"].values()
    merged = {float(score): counts for score, counts in numbers["measures"][measure]["merge_similar"].items()}
    measured = max((score for score in merged if score <= least), default=min(merged))
    different, same = merged[measured]
    n_different, n_same = (sum(each[key] for each in lists) for key in ("different", "same"))
    least_known = f"from {measured:g} on" if measured <= least else f"from {measured:g} on, and from {least:g} on more,"
    return (
        f"`merge_similar: {least:g}` merges by a score alone: {least_known} `{measure}` makes one of {different} of "
        f"{n_different} labelled pairs that say different things, and of {same} of {n_same} that say the same"
    )


@cache
def _numbers() -> Any:
    return json.loads((files("acdl_mkdocs") / "assets" / "merging.json").read_text("utf-8"))
