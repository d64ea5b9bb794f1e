"""Any embedder as a measure: cosines of the vectors that it gives for texts.

Needs no package: an embedder gives lists of numbers. `semantic` is the measure that multiplies arrays.
"""

from collections.abc import Sequence
from heapq import nsmallest
from math import isfinite, sqrt
from typing import Protocol


class Embedder(Protocol):
    """What turns texts into vectors, with the threshold that belongs to it."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def least(self) -> float:
        """From this cosine on a pair is a candidate."""
        ...

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        """A vector for each text, all of one length."""
        ...


class Vectors:
    """An embedder's measure, as `similarity.Similarity`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.least = embedder.name, embedder.least

    def prepare(self, texts: Sequence[str]) -> "VectorTexts":
        """Embed texts, all in one call."""
        return VectorTexts(self._embedder, texts)


class VectorTexts:
    """Texts by their vectors."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._rows = [_unit(row) for row in embedder.embed([*texts])] if texts else []

    def nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """The `k` texts with the highest cosine: best first, equal ones by index. Opposite directions count as 0."""
        if not self._rows:
            return []
        asked = _unit(self._embedder.embed([text])[0])
        scores = (sum(x * y for x, y in zip(asked, row, strict=True)) for row in self._rows)
        return best([min(1.0, max(0.0, score)) for score in scores], k)


def best(scores: Sequence[float], k: int) -> list[tuple[int, float]]:
    """Index and score of the `k` highest scores above 0: best first, equal ones by index."""
    order = nsmallest(k, range(len(scores)), key=lambda index: (-scores[index], index))
    return [(index, scores[index]) for index in order if scores[index] > 0]


def _unit(row: Sequence[float]) -> list[float]:
    """A vector of length 1; one that has no direction, as that of an empty text may be, is like no other."""
    values = [float(value) for value in row]
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values] if length and isfinite(length) else [0.0] * len(values)


def by_vectors(embedder: Embedder) -> Vectors:
    """The measure of an embedder: any object with `name`, `least` and `embed(texts)`."""
    return Vectors(embedder)
