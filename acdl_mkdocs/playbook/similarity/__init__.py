"""Which texts are the same, and which are near each other.

Two questions that have nothing to do with each other. `is_equal` is certain: the texts differ in nothing that could
mean something. A *measure* (`SIMILARITIES`) only proposes: no score tells `5 seconds` from `50 seconds`, or `retry`
from `do not retry`, so what is near is for somebody to decide. Pure functions of texts: knows nothing about playbooks.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from acdl_mkdocs.foundation.errors import UnknownFormatError
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.playbook.similarity.same_text import is_equal, normal_form


class Compared(Protocol):
    """Texts made ready to be compared with others."""

    def nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """Index and score, from 0 to 1, of the `k` nearest texts: best first, equal ones by index."""
        ...


class Similarity(Protocol):
    """A way to say how near texts are. Its threshold is its own: scores of two measures mean different things."""

    @property
    def name(self) -> str:
        """What a playbook's policy calls it."""
        ...

    @property
    def least(self) -> float:
        """From this score on a pair is a candidate."""
        ...

    def prepare(self, texts: Sequence[str]) -> Compared:
        """Make texts ready."""
        ...


SIMILARITIES: Mapping[str, str] = {"ngrams": "ngrams", "semantic": "semantic"}
"""Names of measures, and the module whose `load()` gives each: imported when it is first asked for."""


def similarity(name: str) -> Similarity:
    """The measure of that name.

    Raises:
        UnknownFormatError: There is no such measure.
        MissingExtraError: The packages that it needs are not installed.
    """
    if name not in SIMILARITIES:
        near = closest(name, SIMILARITIES)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(SIMILARITIES)}"
        raise UnknownFormatError(f"no similarity `{name}`{hint}")
    measure: Similarity = import_module(f"acdl_mkdocs.playbook.similarity.{SIMILARITIES[name]}").load()
    return measure


__all__ = ["SIMILARITIES", "Compared", "Similarity", "is_equal", "normal_form", "similarity"]
