"""The bullets that are near a text, while bullets come and change.

What a playbook has at first is made ready once, and kept for the next time; what operations add is made ready in
portions that double, so that a thousand of them cost no more than a few passes.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.similarity import Compared, Judgement, Similarity, judge

N_NEAREST = 8
"""How many of the nearest texts are judged."""
_N_KEPT = 4
"""Sets of texts that are kept ready."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A bullet near a text."""

    bullet: Bullet
    judgement: Judgement


def prepared(measure: Similarity, texts: tuple[str, ...]) -> Compared:
    """Many texts made ready by a measure; the same ones again are ready at once."""
    return _kept(measure, texts) if isinstance(measure, Hashable) else measure.prepare(texts)


@lru_cache(maxsize=_N_KEPT)
def _kept(measure: Similarity, texts: tuple[str, ...]) -> Compared:
    return measure.prepare(texts)


@dataclass(slots=True)
class _Texts:
    """Texts made ready, and what was found near others."""

    compared: Compared
    found: dict[str, Sequence[tuple[int, float]]] = field(default_factory=dict)

    def nearest(self, text: str) -> Sequence[tuple[int, float]]:
        if text not in self.found:
            self.found[text] = self.compared.nearest(text, N_NEAREST + 1)
        return self.found[text]


@dataclass(slots=True)
class _Portion:
    bullets: Sequence[Bullet]
    texts: _Texts


class Neighbours:
    """Finds the bullets near a text in a playbook that changes."""

    def __init__(self, measure: Similarity, bullets: Sequence[Bullet]) -> None:
        self._measure = measure
        self._first = bullets
        self._portions: list[_Portion] = []
        self._by_content: dict[str, list[str]] = {}
        self._ready: dict[tuple[str, ...], _Texts] = {}
        self._judged: dict[tuple[str, str], Judgement] = {}

    def fresh(self) -> "Neighbours":
        """The same without what was added since; what is asked again is known."""
        again = Neighbours(self._measure, self._first)
        again._ready, again._judged = self._ready, self._judged
        return again

    def near(self, text: str, by_id: Mapping[str, Bullet], but: str = "") -> list[Neighbour]:
        """The bullets near a text, best first, whatever their status; those that are apart from it are left out.

        Parameters:
            text: In canonical spelling.
            by_id: The bullets as they are now: what is no longer there, or has other words, is no neighbour.
            but: Id of a bullet that is not looked at.
        """
        self._begin()
        scores: dict[str, float] = {}
        for portion in self._portions:
            for idx, score in portion.texts.nearest(text):
                old = portion.bullets[idx]
                now = by_id.get(old.id)
                if now is not None and now.id == old.id != but and now.content == old.content:
                    scores[old.id] = max(score, scores.get(old.id, 0.0))
        for name in self._by_content.get(text, ()):
            if name != but and name in by_id and by_id[name].content == text:
                scores[name] = 1.0
        best = sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:N_NEAREST]
        found = [Neighbour(by_id[name], self._judgement(text, by_id[name].content, score)) for name, score in best]
        return [each for each in found if each.judgement.decision != "apart"]

    def add(self, bullet: Bullet) -> None:
        """A bullet is new, or has other words."""
        self._begin()
        added = [bullet]
        while len(self._portions) > 1 and len(self._portions[-1].bullets) <= len(added):
            added = [*self._portions.pop().bullets, *added]
        self._note((bullet,))
        self._append(added, self._measure.prepare)

    def _judgement(self, text: str, other: str, score: float) -> Judgement:
        """What is to be done about two texts; what is asked again is known."""
        if (text, other) not in self._judged:
            self._judged[text, other] = judge(text, other, score, self._measure)
        return self._judged[text, other]

    def _begin(self) -> None:
        if not self._portions:
            self._note(self._first)
            self._append(self._first, lambda texts: prepared(self._measure, texts))

    def _append(self, bullets: Sequence[Bullet], prepare: Callable[[tuple[str, ...]], Compared]) -> None:
        texts = tuple(each.content for each in bullets)
        if texts not in self._ready:
            self._ready[texts] = _Texts(prepare(texts))
        self._portions.append(_Portion(bullets, self._ready[texts]))

    def _note(self, bullets: Sequence[Bullet]) -> None:
        for each in bullets:
            self._by_content.setdefault(each.content, []).append(each.id)
