"""How well a bullet is tested, in a word and in numbers."""

from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook.pruning import wilson

Word: TypeAlias = Literal["well tested", "tested", "disputed", "new"]
WORDS: tuple[Word, ...] = ("well tested", "tested", "disputed", "new")

FEW_TAGS = 3
"""With fewer tags a bullet is new."""
WELL_TESTED_FROM = 0.75
"""Lower bound of the share of helpful tags from which a bullet is well tested: 12 of 12, or 38 of 40."""
DISPUTED_BELOW = 0.7
"""Share of helpful tags below which a bullet is disputed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What tags say of a bullet."""

    word: Word
    helpful: int
    n_tags: int
    """Helpful and harmful ones."""
    low: float
    """The share of helpful tags is at least this, with 95 % confidence (Wilson); 0 without tags."""
    high: float

    @property
    def words(self) -> str:
        """In short: `well tested 38/40`, `new`."""
        return f"{self.word} {self.helpful}/{self.n_tags}" if self.n_tags else self.word

    @property
    def interval(self) -> str:
        """The interval in percent: `84–99 %`; empty without tags."""
        return f"{self.low * 100:.0f}–{self.high * 100:.0f} %" if self.n_tags else ""


def evidence(bullet: Bullet) -> Evidence:
    """What tags say of a bullet."""
    n_tags = bullet.helpful + bullet.harmful
    interval = wilson(bullet.helpful, bullet.harmful)
    low = interval.low if n_tags else 0.0
    return Evidence(_word(bullet.helpful, n_tags, low), bullet.helpful, n_tags, low, interval.high)


def _word(helpful: int, n_tags: int, low: float) -> Word:
    if n_tags < FEW_TAGS:
        return "new"
    if low >= WELL_TESTED_FROM:
        return "well tested"
    return "disputed" if helpful / n_tags < DISPUTED_BELOW else "tested"
