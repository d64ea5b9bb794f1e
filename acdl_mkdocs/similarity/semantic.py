"""The measure of the extra `semantic`: static word vectors whose wheel has the weights, so that it works offline.

It finds more pairs that say the same in other words.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from acdl_mkdocs.foundation.extras import load as load_extra
from acdl_mkdocs.similarity.vectors import best


class Semantic:
    """The measure, as `similarity.Similarity`."""

    name = "semantic"
    least = 0.35

    def __init__(self, model: Any, numpy: ModuleType) -> None:
        self._model, self._numpy = model, numpy

    def prepare(self, texts: Sequence[str]) -> "SemanticTexts":
        """Embed texts, all in one call."""
        return SemanticTexts(self, texts)

    def rows(self, texts: Sequence[str]) -> Any:
        """An array with a row of length 1 for each text; a text without words has a row of zeros."""
        rows = self._numpy.asarray(self._model.embed([text or " " for text in texts]), dtype="float64")
        rows[[not any(map(str.isalnum, text)) for text in texts]] = 0.0
        lengths = self._numpy.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1.0
        return self._numpy.nan_to_num(rows / lengths)


class SemanticTexts:
    """Texts by their vectors."""

    def __init__(self, measure: Semantic, texts: Sequence[str]) -> None:
        self._measure = measure
        self._rows = measure.rows(texts) if texts else None

    def nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """The `k` texts with the highest cosine: best first, equal ones by index."""
        if self._rows is None:
            return []
        scores = (self._rows @ self._measure.rows([text])[0]).round(6).clip(0.0, 1.0)
        return best(scores.tolist(), k)


@cache
def load() -> Semantic:
    """The measure.

    Raises:
        MissingExtraError: The package is not installed.
    """
    package = load_extra("wordllama", "semantic")
    numpy = load_extra("numpy", "semantic")
    folder = Path(str(package.__file__)).parent
    return Semantic(package.WordLlama.load(cache_dir=folder, disable_download=True), numpy)
