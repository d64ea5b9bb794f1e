"""Equality and similarity of texts.

Two independent questions. `is_equal` is certain: the texts differ in nothing that could have a meaning. A *measure*
(`SIMILARITIES`) only proposes: no score distinguishes `5 seconds` from `50 seconds`, or `retry` from `do not retry`, so
a judge has to decide about similar texts. Pure functions of texts: knows nothing about playbooks.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from acdl_mkdocs.foundation.errors import UnknownFormatError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.similarity.same_text import is_equal, normal_form


class PreparedTexts(Protocol):
    """Texts prepared for comparison."""

    def find_nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """Return index and score, from 0 to 1, of the `k` nearest texts: best first, equal ones by index."""
        ...


class Similarity(Protocol):
    """A measure of the similarity of texts. Scores of two measures are not comparable, so each has its threshold."""

    @property
    def name(self) -> str:
        """Its name in the policy of a playbook."""
        ...

    @property
    def least(self) -> float:
        """The lowest score of a candidate pair."""
        ...

    def prepare_texts(self, texts: Sequence[str]) -> PreparedTexts:
        """Prepare texts for comparison."""
        ...


SIMILARITIES: Mapping[str, str] = {"ngrams": "ngrams", "semantic": "semantic"}
"""Names of measures, and the module whose `load()` returns each: imported on first use."""


def load_similarity(name: str) -> Similarity:
    """Return the measure with that name.

    Raises:
        UnknownFormatError: There is no such measure.
        MissingExtraError: The packages that it needs are not installed.
    """
    if name not in SIMILARITIES:
        near = find_closest(name, SIMILARITIES)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(SIMILARITIES)}"
        raise UnknownFormatError(f"no similarity `{name}`{hint}")
    measure: Similarity = import_module(f"acdl_mkdocs.playbook.similarity.{SIMILARITIES[name]}").load()
    return measure


__all__ = ["SIMILARITIES", "PreparedTexts", "Similarity", "is_equal", "load_similarity", "normal_form"]
