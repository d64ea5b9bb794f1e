"""`Ranking`: which of many texts a task is about, by the words that set the task apart. Uses no model and no network.

The measure is BM25 over words and their beginnings. What nearly every question of a data set says, such as an
instruction and a list of all labels, is subtracted first: only what a question says beyond it counts, and the less
usual that is among the questions and among the lessons, the more. Knows nothing about playbooks.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import log
from unicodedata import normalize

from acdl_mkdocs.foundation.frozen import dataclass

MIN_QUESTIONS = 10
"""With fewer questions nobody can know what is usual."""
_USUAL = 0.9
"""What so large a part of the questions says is boilerplate."""
_SATURATION, _LENGTH = 1.5, 0.75
"""The parameters k1 and b of BM25, with their usual values."""
_BEGINNING = 4
"""Characters of a word that count as a term too, so that `tagged` and `tagging` have one in common."""
_N_KEPT = 4
"""Rankings that are kept ready."""
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Letters of scripts that put no spaces between words."""
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W\d_])+|\d+")


def terms(text: str) -> Iterator[str]:
    """The words of a text, in lower case, each followed by its beginning; `camelCase` is two words."""
    for word in _WORD.findall(_HUMP.sub(" ", normalize("NFKC", text)).casefold()):
        if re.match(f"[{_UNSPACED}]", word):
            yield from (word[idx : idx + 2] for idx in range(max(1, len(word) - 1)))
            continue
        yield word
        if len(word) > _BEGINNING:
            yield f"{word[:_BEGINNING]}*"


@dataclass(frozen=True, slots=True)
class Background:
    """What the questions at hand have in common; from `background`."""

    n_questions: int
    boilerplate: Mapping[str, int]
    """How often nearly every question says a term."""
    n_beyond: Mapping[str, int]
    """How many questions say a term more often than that."""

    def distinctive(self, task: str) -> dict[str, float]:
        """The terms that a task has beyond the boilerplate, with their weights."""
        counts = Counter(terms(task))
        beyond = {term: n - self.boilerplate.get(term, 0) for term, n in counts.items()}
        return {term: (1 + log(n)) * self._rarity(term) for term, n in beyond.items() if n > 0}

    def _rarity(self, term: str) -> float:
        return log((self.n_questions + 1) / max(1, self.n_beyond.get(term, 0)))


def background(questions: Sequence[str]) -> Background | None:
    """What questions have in common; `None` if there are too few to know."""
    if len(questions) < MIN_QUESTIONS:
        return None
    counted = [Counter(terms(each)) for each in questions]
    numbers: dict[str, list[int]] = defaultdict(list)
    for counts in counted:
        for term, n in counts.items():
            numbers[term].append(n)
    n_without = len(questions) - int(_USUAL * len(questions))
    boilerplate: dict[str, int] = {}
    for term, ns in numbers.items():
        n_missing = len(questions) - len(ns)
        if n_missing <= n_without:
            boilerplate[term] = sorted(ns)[n_without - n_missing]
    beyond = Counter(term for counts in counted for term, n in counts.items() if n > boilerplate.get(term, 0))
    return Background(len(questions), boilerplate, beyond)


class Ranking:
    """Many texts made ready to be ranked.

    Parameters:
        texts: The lessons.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        counted = [Counter(terms(text)) for text in texts]
        self._lengths = [counts.total() for counts in counted]
        self._mean_length = sum(self._lengths) / len(texts) if texts else 0.0
        for idx, counts in enumerate(counted):
            for term, n in counts.items():
                self._found[term].append((idx, n))

    def nearest(self, task: str, among: Background | None = None) -> list[tuple[int, float]]:
        """The texts that have something in common with a task, as places and scores, best first.

        Parameters:
            task: What is to be done, in words.
            among: What the questions at hand have in common; a task that says nothing beyond it is ranked without it.
        """
        weights = among.distinctive(task) if among is not None else {}
        return self._ranked(weights) or self._ranked({term: 1 + log(n) for term, n in Counter(terms(task)).items()})

    def _ranked(self, weights: Mapping[str, float]) -> list[tuple[int, float]]:
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(weights):  # sums do not depend on the order in which a task says its words
            found = self._found.get(term, ())
            weight = weights[term] * log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for idx, n in found:
                share = 1 - _LENGTH + _LENGTH * self._lengths[idx] / self._mean_length
                scores[idx] += weight * n * (_SATURATION + 1) / (n + _SATURATION * share)
        return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


@lru_cache(maxsize=_N_KEPT)
def ranking(texts: tuple[str, ...]) -> Ranking:
    """Texts made ready; the same ones again are ready at once."""
    return Ranking(texts)
