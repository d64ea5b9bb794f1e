"""The bullets that say what a text says, or are near it, while bullets come and change."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.similarity import Compared, Similarity, normal_form

_N_NEAREST = 8
"""How many of the nearest texts are looked at, some of which may have changed."""
_N_KEPT = 4
"""Sets of texts that are kept ready."""


def prepared(measure: Similarity, texts: tuple[str, ...]) -> Compared:
    """Many texts made ready by a measure; the same ones again are ready at once."""
    return _kept(measure, texts) if isinstance(measure, Hashable) else measure.prepare(texts)


@lru_cache(maxsize=_N_KEPT)
def _kept(measure: Similarity, texts: tuple[str, ...]) -> Compared:
    return measure.prepare(texts)


class SameTexts:
    """Finds the bullets that have a text, but for what makes no difference."""

    def __init__(self, bullets: Iterable[Bullet]) -> None:
        self._ids: dict[str, list[str]] = {}
        for bullet in bullets:
            self.add(bullet)

    def add(self, bullet: Bullet) -> None:
        """A bullet is new, or has other words."""
        self._ids.setdefault(normal_form(bullet.content), []).append(bullet.id)

    def find(self, text: str, by_id: Mapping[str, Bullet], but: str = "") -> list[Bullet]:
        """The bullets that say a text, the active ones first.

        Parameters:
            text: In any spelling.
            by_id: The bullets as they are now: what is no longer there, or has other words, is not found.
            but: Id of a bullet that is not looked at.
        """
        form = normal_form(text)
        now = (by_id[name] for name in self._ids.get(form, ()) if name in by_id)
        found = {each.id: each for each in now if each.id != but and normal_form(each.content) == form}
        return sorted(found.values(), key=lambda each: (not each.is_active, each.added, each.id))


@dataclass(frozen=True, slots=True)
class _Portion:
    bullets: tuple[Bullet, ...]
    compared: Compared


class NearTexts:
    """Finds the bullet nearest to a text.

    What a playbook has at first is made ready once, and kept for the next time; what operations add is made ready in
    portions that double, so that a thousand of them cost no more than a few passes.
    """

    def __init__(self, measure: Similarity, bullets: tuple[Bullet, ...]) -> None:
        self._measure = measure
        self._first = bullets
        self._added: list[_Portion] = []

    def add(self, bullet: Bullet) -> None:
        """A bullet is new, or has other words."""
        added: tuple[Bullet, ...] = (bullet,)
        while self._added and len(self._added[-1].bullets) <= len(added):
            added = (*self._added.pop().bullets, *added)
        texts = tuple(each.content for each in added)
        self._added.append(_Portion(added, self._measure.prepare(texts)))

    def nearest(self, text: str, by_id: Mapping[str, Bullet]) -> tuple[Bullet, float] | None:
        """The active bullet nearest to a text and its score; of equally near ones that with the smallest id."""
        found: dict[str, float] = {}
        for portion in self._portions():
            for place, score in portion.compared.nearest(text, _N_NEAREST):
                old = portion.bullets[place]
                now = by_id.get(old.id)
                if now is not None and now.id == old.id and now.is_active and now.content == old.content:
                    found[old.id] = max(score, found.get(old.id, 0.0))
        if not found:
            return None
        name = min(found, key=lambda each: (-found[each], each))
        return by_id[name], found[name]

    def _portions(self) -> Iterator[_Portion]:
        yield _Portion(self._first, prepared(self._measure, tuple(each.content for each in self._first)))
        yield from self._added
