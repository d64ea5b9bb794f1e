"""Which texts say the same, and what forbids to make them one.

Two halves. A *measure* (`SIMILARITIES`) proposes: it says how near texts are, from 0 to 1, and from which score on it
takes them for the same. *Guards* (`guards`) forbid: no measure tells `5 seconds` from `50 seconds`, or `retry` from
`do not retry`, so a merge needs a high score and no guard that objects. Pure functions of texts: knows nothing about
playbooks, and two texts are judged alike whatever else there is.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Literal, Protocol, TypeAlias

from acdl_mkdocs.errors import UnknownFormatError
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.similarity import (
    guard_identifiers,
    guard_modality,
    guard_negation,
    guard_numbers,
    guard_opposites,
    guard_order,
    guard_scope,
    guard_spelling,
    guard_substitution,
    guard_units,
)
from acdl_mkdocs.similarity.block import Block
from acdl_mkdocs.similarity.reading import plain, reading
from acdl_mkdocs.suggest import closest

Decision: TypeAlias = Literal["same", "merge", "conflict", "review", "apart"]
"""`same`: equal but for case, spaces and quotes. `merge`: near, and no guard objects. `conflict`: near, and a guard
objects. `review`: somebody should look. `apart`: nothing to do with each other."""
Guard: TypeAlias = Callable[[str, str], Block | None]


class Compared(Protocol):
    """Texts made ready to be compared with others."""

    def nearest(self, text: str, k: int = 8) -> Sequence[tuple[int, float]]:
        """Index and score, from 0 to 1, of the `k` nearest texts: best first, equal ones by index."""
        ...


class Similarity(Protocol):
    """A way to say how near texts are. Its thresholds are its own: scores of two measures mean different things."""

    @property
    def name(self) -> str:
        """What a playbook's policy calls it."""
        ...

    @property
    def auto(self) -> float:
        """From this score on texts are merged, if no guard objects."""
        ...

    @property
    def review(self) -> float:
        """From this score on somebody should look."""
        ...

    def prepare(self, texts: Sequence[str]) -> Compared:
        """Make texts ready."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to be done about two texts, and why."""

    decision: Decision
    score: float
    blocks: tuple[Block, ...] = ()
    """What guards found; empty if none was asked."""


SIMILARITIES: Mapping[str, str] = {"ngrams": "ngrams", "semantic": "semantic"}
"""Names of measures, and the module whose `load()` gives each: imported when it is first asked for."""

GUARDS: tuple[Guard, ...] = (
    guard_numbers.guard,
    guard_units.guard,
    guard_identifiers.guard,
    guard_negation.guard,
    guard_opposites.guard,
    guard_modality.guard,
    guard_scope.guard,
    guard_order.guard,
    guard_spelling.guard,
    guard_substitution.guard,
)


MANY_BLOCKS = 3
"""Texts that differ in so many ways, and are not very near, are two lessons about one subject rather than two versions
of one: nobody has to look. Of the near pairs of 93 lessons of one subject that is 174 of 189;
of 153 labelled paraphrases it is 4."""


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
    measure: Similarity = import_module(f"acdl_mkdocs.similarity.{SIMILARITIES[name]}").load()
    return measure


def guards(a: str, b: str) -> tuple[Block, ...]:
    """What forbids to make two texts one, in the order of `GUARDS`. The same guards object if the texts are swapped."""
    found = (guard(a, b) for guard in GUARDS)
    return tuple(block for block in found if block is not None)


def is_equal(a: str, b: str) -> bool:
    """Whether two texts differ in nothing but case of words, spaces, quotes and the punctuation at their end."""
    if a == b:
        return True
    is_plainly = plain(a) == plain(b) and reading(a).exact == reading(b).exact
    return is_plainly and guard_spelling.guard(a, b) is None


def judge(a: str, b: str, score: float, measure: Similarity) -> Judgement:
    """What is to be done about two texts that a measure gave a score."""
    if is_equal(a, b):
        return Judgement("same", 1.0)
    if not score >= measure.review:  # also where a measure of somebody else's gives no number
        return Judgement("apart", score)
    blocks = guards(a, b)
    if len(blocks) >= MANY_BLOCKS and score < measure.auto + (1 - measure.auto) / 3:
        return Judgement("apart", score, blocks)
    if blocks:
        return Judgement("conflict" if score >= measure.auto else "review", score, blocks)
    return Judgement("merge" if score >= measure.auto else "review", score)


__all__ = [
    "GUARDS",
    "SIMILARITIES",
    "Block",
    "Compared",
    "Decision",
    "Guard",
    "Judgement",
    "Similarity",
    "guards",
    "is_equal",
    "judge",
    "similarity",
]
