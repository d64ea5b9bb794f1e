"""The measure of the extra `semantic`, static word vectors, and any embedder as a measure: `by_vectors()`."""

from collections.abc import Sequence
from functools import cache
from heapq import nsmallest
from math import isfinite, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from acdl_mkdocs.foundation.extras import import_extra as load_extra


class Embedder(Protocol):
    """Turns texts into vectors; has its own threshold."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def least(self) -> float:
        """The lowest cosine of a candidate pair."""
        ...

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        """Return a vector for each text, all of the same length."""
        ...


class Vectors:
    """The measure of an embedder, as `similarity.Similarity`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.least = embedder.name, embedder.least

    def prepare_texts(self, texts: Sequence[str]) -> "VectorTexts":
        """Embed texts, all in one call."""
        return VectorTexts(self._embedder, texts)


class VectorTexts:
    """Texts by their vectors."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._rows = [_unit(row) for row in embedder.embed([*texts])] if texts else []

    def find_nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """Return the `k` texts with the highest cosine: best first, equal ones by index; negative ones count as 0."""
        if not self._rows:
            return []
        vector = _unit(self._embedder.embed([text])[0])
        scores = (sum(x * y for x, y in zip(vector, row, strict=True)) for row in self._rows)
        return select_best([min(1.0, max(0.0, score)) for score in scores], k)


def select_best(scores: Sequence[float], k: int) -> list[tuple[int, float]]:
    """Return index and score of the `k` highest scores above 0: best first, equal ones by index."""
    order = nsmallest(k, range(len(scores)), key=lambda index: (-scores[index], index))
    return [(index, scores[index]) for index in order if scores[index] > 0]


def _unit(row: Sequence[float]) -> list[float]:
    """Scale a vector to length 1; a zero vector, such as that of an empty text, is similar to no other."""
    values = [float(value) for value in row]
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values] if length and isfinite(length) else [0.0] * len(values)


def by_vectors(embedder: Embedder) -> Vectors:
    """Return the measure of an embedder: any object with `name`, `least` and `embed(texts)`."""
    return Vectors(embedder)


class Semantic:
    """The measure, as `similarity.Similarity`."""

    name = "semantic"
    least = 0.35

    def __init__(self, model: Any, numpy: ModuleType) -> None:
        self._model, self._numpy = model, numpy

    def prepare_texts(self, texts: Sequence[str]) -> "SemanticTexts":
        """Embed texts, all in one call."""
        return SemanticTexts(self, texts)

    def embed_rows(self, texts: Sequence[str]) -> Any:
        """Return an array with a row of length 1 for each text; a text without words has a row of zeros."""
        rows = self._numpy.asarray(self._model.embed([text or " " for text in texts]), dtype="float64")
        rows[[not any(map(str.isalnum, text)) for text in texts]] = 0.0
        lengths = self._numpy.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1.0
        return self._numpy.nan_to_num(rows / lengths)


class SemanticTexts:
    """Texts by their vectors."""

    def __init__(self, measure: Semantic, texts: Sequence[str]) -> None:
        self._measure = measure
        self._rows = measure.embed_rows(texts) if texts else None

    def find_nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """Return the `k` texts with the highest cosine: best first, equal ones by index."""
        if self._rows is None:
            return []
        scores = (self._rows @ self._measure.embed_rows([text])[0]).round(6).clip(0.0, 1.0)
        return select_best(scores.tolist(), k)


@cache
def load() -> Semantic:
    """Return the measure.

    Raises:
        MissingExtraError: The package is not installed.
    """
    package = load_extra("wordllama", "semantic")
    numpy = load_extra("numpy", "semantic")
    folder = Path(str(package.__file__)).parent
    return Semantic(package.WordLlama.load(cache_dir=folder, disable_download=True), numpy)
