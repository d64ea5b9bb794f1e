"""Words that messages share: the closest known name, and a number with its noun."""

from collections.abc import Iterable
from functools import cached_property
from typing import TypeVar

V = TypeVar("V")

_LEAST_RATIO = 0.7
_LONGEST_WORD = 60
"""A longer word is only near to one that is equal but for case."""
_MOST_WORK = 4_000_000
"""Pairs of characters that are compared for one set of names; after that only words equal but for case are near."""


class KnownNames(dict[str, V]):
    """Names to compare many words with, with cached results. Fill it before the first comparison."""

    @cached_property
    def near(self) -> "_NearNames":
        """The near names found so far."""
        return _NearNames(self)


def find_closest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that was most likely meant, or `None` if no candidate is close.

    Two names are close when they are equal but for case, `-` and `_`, or when at least seven tenths of their
    characters match. Ties go to the candidate that comes first in alphabetical order. Where thousands of words are
    compared with the same `KnownNames` names, the last ones are only near to names that are equal but for case.
    """
    near = candidates.near if isinstance(candidates, KnownNames) else _NearNames(candidates)
    return near.find_near(word)


class _NearNames:
    """The candidates in plain spelling, the result for each word, and the work done."""

    def __init__(self, candidates: Iterable[str]) -> None:
        self.plain: dict[str, str] = {}
        for name in sorted(set(candidates)):
            self.plain.setdefault(_fold_word(name), name)
        self.results: dict[str, str | None] = {}
        self.work = 0

    def find_near(self, word: str) -> str | None:
        plain = _fold_word(word)
        if plain not in self.results:
            self.results[plain] = self.plain[plain] if plain in self.plain else self.find_similar(plain)
        return self.results[plain]

    def find_similar(self, word: str) -> str | None:
        """Return the name that shares the most characters with a word, if enough."""
        from difflib import SequenceMatcher  # imported only for mistakes

        if len(word) > _LONGEST_WORD or self.work > _MOST_WORK:
            return None
        matcher = SequenceMatcher(None, b=word)
        best, best_ratio = None, 0.0
        for plain, name in self.plain.items():
            self.work += 10
            if 2 * min(len(plain), len(word)) < _LEAST_RATIO * (len(plain) + len(word)):
                continue
            self.work += len(plain) * len(word)
            matcher.set_seq1(plain)
            if matcher.quick_ratio() >= max(_LEAST_RATIO, best_ratio):
                ratio = matcher.ratio()
                if ratio >= _LEAST_RATIO and ratio > best_ratio:
                    best, best_ratio = name, ratio
        return best


def _fold_word(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "")


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun: "1 error", "2 errors"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
