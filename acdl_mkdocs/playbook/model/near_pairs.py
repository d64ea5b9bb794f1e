"""The pairs of bullets that may say the same, and what was decided about them."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook
from acdl_mkdocs.playbook.similarity import Compared, Similarity, normal_form

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


Opinion: TypeAlias = Literal["same", "conflicts", "differs"]
"""What a judge says of two bullets: they say the same, contradict each other, or say different things."""
REWORDED = "changed on two branches"
"""Why a pair is open whose bullets are two wordings of one."""
N_DIGITS = 12
DIGEST = re.compile(f"[0-9a-f]{{{N_DIGITS}}}")
"""What `texts` of a pair looks like."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody says of two bullets."""

    a: str
    """An id."""
    b: str
    opinion: Opinion
    reason: str
    texts: str
    """Of `digest_of`: what it was said about."""


def digest_of(one: str, two: str) -> str:
    """A name for two texts, in either order; what makes no difference to a text makes none to its name."""
    forms = sorted((normal_form(one), normal_form(two)))
    return sha256("\0".join(forms).encode("utf-8", "replace")).hexdigest()[:N_DIGITS]


def is_decided(pair: Pair, one: Bullet, two: Bullet) -> bool:
    """Whether somebody decided about two bullets as they are now."""
    if pair.verdict not in ("differs", "conflicts", "kept"):
        return False
    return pair.texts is None or pair.texts == digest_of(one.content, two.content)


def is_open(pair: Pair) -> bool:
    """Whether a merge of branches asks about a pair."""
    return pair.verdict == "open" or (pair.verdict in ("review", "conflict") and pair.why == REWORDED)


def is_automatic(pair: Pair) -> bool:
    """Whether a program of an earlier version linked two bullets, and nobody decided anything."""
    return pair.verdict in ("review", "conflict") and pair.why != REWORDED


def decided_pairs(playbook: Playbook) -> tuple[Pair, ...]:
    """The pairs that somebody has decided about, as their bullets are now."""
    by_id = playbook.by_id
    return tuple(pair for pair in playbook.pairs if is_decided(pair, by_id[pair.a], by_id[pair.b]))


MOST_NEAR = 3
"""Pairs that a bullet is in, decided ones too."""
_N_LOOKED_AT = 4 * MOST_NEAR
"""Nearest bullets that are looked at: where many are near each other, the nearest ones have their pairs already."""


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two active bullets that nobody has decided about."""

    a: Bullet
    """That with the smaller id."""
    b: Bullet
    score: float
    """From 0 to 1; 1 for what a merge of branches asks."""
    why: str = ""
    """Why it is asked about, if that is not the score."""


def near_pairs(playbook: Playbook, measure: Similarity) -> tuple[NearPair, ...]:
    """The pairs to decide about: first what merges of branches ask, then the nearest.

    Parameters:
        playbook: All its active bullets are compared, whoever wrote them.
        measure: Says how near texts are.
    """
    known = {(pair.a, pair.b): pair for pair in playbook.pairs}
    by_id = {bullet.id: bullet for bullet in playbook.active}
    asked = list(asked_pairs(playbook))
    n_pairs = Counter(bullet.id for each in asked for bullet in (each.a, each.b))
    opened = {(each.a.id, each.b.id) for each in asked}
    for (a, b), score in sorted(_scores(playbook.active, measure).items(), key=lambda each: (-each[1], each[0])):
        if (a, b) in opened or max(n_pairs[a], n_pairs[b]) >= MOST_NEAR:
            continue
        n_pairs.update((a, b))
        if not _is_known(known.get((a, b)), by_id[a], by_id[b]):
            asked.append(NearPair(by_id[a], by_id[b], score))
    return tuple(asked)


def asked_pairs(playbook: Playbook) -> tuple[NearPair, ...]:
    """The pairs that merges of branches ask about."""
    by_id = {bullet.id: bullet for bullet in playbook.active}
    return tuple(
        NearPair(by_id[pair.a], by_id[pair.b], 1.0, pair.why or "")
        for pair in playbook.pairs
        if is_open(pair) and pair.a in by_id and pair.b in by_id
    )


def _is_known(pair: Pair | None, a: Bullet, b: Bullet) -> bool:
    return pair is not None and is_decided(pair, a, b)


def _scores(bullets: tuple[Bullet, ...], measure: Similarity) -> dict[tuple[str, str], float]:
    """The scores of the nearest neighbours of each bullet: a number of pairs that grows with the bullets."""
    compared = prepared(measure, tuple(bullet.content for bullet in bullets))
    found: dict[tuple[str, str], float] = {}
    for bullet in bullets:
        for place, score in compared.nearest(bullet.content, _N_LOOKED_AT):
            other = bullets[place].id
            if other != bullet.id and score >= measure.least:
                key = min(bullet.id, other), max(bullet.id, other)
                found[key] = max(score, found.get(key, 0.0))
    return found
