"""`closest()`: the one near-name suggestion that every message uses."""

from collections.abc import Iterable


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate a person most likely meant, or `None` when no candidate is close.

    Two names are close when they are equal but for case, `-` and `_`, or when at least seven tenths of their
    characters match. Ties go to the candidate that comes first in alphabetical order.
    """
    from difflib import SequenceMatcher  # only a mistake is worth its import

    plain = _plain(word)
    best, best_ratio = None, 0.7
    for candidate in sorted(set(candidates)):
        if _plain(candidate) == plain:
            return candidate
        ratio = SequenceMatcher(None, plain, _plain(candidate)).ratio()
        if ratio > best_ratio or (best is None and ratio == best_ratio):
            best, best_ratio = candidate, ratio
    return best


def _plain(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "")
