"""The pairs of bullets that may say the same, and the decisions about them."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook
from acdl_mkdocs.playbook.similarity import PreparedTexts, Similarity, normal_form

_N_NEAREST = 8
"""Number of nearest texts to examine, some of which may have changed."""
_N_KEPT = 4
"""Number of cached sets of prepared texts."""


def prepare_texts(measure: Similarity, texts: tuple[str, ...]) -> PreparedTexts:
    """Prepare many texts for a measure; the same ones again come from a cache."""
    return _prepare_cached(measure, texts) if isinstance(measure, Hashable) else measure.prepare_texts(texts)


@lru_cache(maxsize=_N_KEPT)
def _prepare_cached(measure: Similarity, texts: tuple[str, ...]) -> PreparedTexts:
    return measure.prepare_texts(texts)


class SameTexts:
    """An index of bullets by their text, ignoring differences without meaning."""

    def __init__(self, bullets: Iterable[Bullet]) -> None:
        self._ids: dict[str, list[str]] = {}
        for bullet in bullets:
            self.add_bullet(bullet)

    def add_bullet(self, bullet: Bullet) -> None:
        """Index a bullet that is new or has a new text."""
        self._ids.setdefault(normal_form(bullet.content), []).append(bullet.id)

    def find_bullets(self, text: str, by_id: Mapping[str, Bullet], excluded_id: str = "") -> list[Bullet]:
        """Find the bullets with a text, the active ones first.

        Parameters:
            text: In any spelling.
            by_id: The current bullets: removed bullets, or ones with another text, are not found.
            excluded_id: Id of a bullet to ignore.
        """
        form = normal_form(text)
        now = (by_id[name] for name in self._ids.get(form, ()) if name in by_id)
        bullets = {each.id: each for each in now if each.id != excluded_id and normal_form(each.content) == form}
        return sorted(bullets.values(), key=lambda each: (not each.is_active, each.added, each.id))


@dataclass(frozen=True, slots=True)
class _Portion:
    bullets: tuple[Bullet, ...]
    compared: PreparedTexts


class NearTexts:
    """An index that finds the bullet nearest to a text.

    The initial bullets are prepared once and cached; bullets that operations add are prepared in portions of doubling
    size, so that a thousand of them cost only a few passes.
    """

    def __init__(self, measure: Similarity, bullets: tuple[Bullet, ...]) -> None:
        self._measure = measure
        self._first = bullets
        self._added: list[_Portion] = []

    def add_bullet(self, bullet: Bullet) -> None:
        """Index a bullet that is new or has a new text."""
        added: tuple[Bullet, ...] = (bullet,)
        while self._added and len(self._added[-1].bullets) <= len(added):
            added = (*self._added.pop().bullets, *added)
        texts = tuple(each.content for each in added)
        self._added.append(_Portion(added, self._measure.prepare_texts(texts)))

    def find_nearest(self, text: str, by_id: Mapping[str, Bullet]) -> tuple[Bullet, float] | None:
        """Return the active bullet nearest to a text and its score; of equally near ones, the smallest id."""
        scores: dict[str, float] = {}
        for portion in self._portions():
            for index, score in portion.compared.find_nearest(text, _N_NEAREST):
                old = portion.bullets[index]
                now = by_id.get(old.id)
                if now is not None and now.id == old.id and now.is_active and now.content == old.content:
                    scores[old.id] = max(score, scores.get(old.id, 0.0))
        if not scores:
            return None
        name = min(scores, key=lambda each: (-scores[each], each))
        return by_id[name], scores[name]

    def _portions(self) -> Iterator[_Portion]:
        yield _Portion(self._first, prepare_texts(self._measure, tuple(each.content for each in self._first)))
        yield from self._added


Opinion: TypeAlias = Literal["same", "conflicts", "differs"]
"""A judge's verdict on two bullets: they say the same, contradict each other, or say different things."""
REWORDED = "changed on two branches"
"""Why a pair is open whose bullets are two wordings of one."""
N_DIGITS = 12
DIGEST = re.compile(f"[0-9a-f]{{{N_DIGITS}}}")
"""Pattern of `texts` of a pair."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on two bullets."""

    a: str
    """An id."""
    b: str
    opinion: Opinion
    reason: str
    texts: str
    """The `digest_of` of the texts it was decided about."""


def digest_of(one: str, two: str) -> str:
    """Return a digest of two texts, in either order; differences without meaning do not change it."""
    forms = sorted((normal_form(one), normal_form(two)))
    return sha256("\0".join(forms).encode("utf-8", "replace")).hexdigest()[:N_DIGITS]


def is_decided(pair: Pair, one: Bullet, two: Bullet) -> bool:
    """Return whether somebody decided about two bullets with their current texts."""
    if pair.verdict not in ("differs", "conflicts", "kept"):
        return False
    return pair.texts is None or pair.texts == digest_of(one.content, two.content)


def is_open(pair: Pair) -> bool:
    """Return whether a merge of branches left the question about a pair open."""
    return pair.verdict == "open" or (pair.verdict in ("review", "conflict") and pair.why == REWORDED)


def is_automatic(pair: Pair) -> bool:
    """Return whether a program of an earlier version linked two bullets without a decision."""
    return pair.verdict in ("review", "conflict") and pair.why != REWORDED


def find_decided_pairs(playbook: Playbook) -> tuple[Pair, ...]:
    """Return the pairs that somebody decided about with their current texts."""
    by_id = playbook.by_id
    return tuple(pair for pair in playbook.pairs if is_decided(pair, by_id[pair.a], by_id[pair.b]))


MOST_NEAR = 3
"""Pairs that include one bullet, decided ones too."""
_N_LOOKED_AT = 4 * MOST_NEAR
"""Nearest bullets that are examined: in dense groups the nearest ones already have their pairs."""


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two active bullets without a decision."""

    a: Bullet
    """That with the smaller id."""
    b: Bullet
    score: float
    """From 0 to 1; 1 for a question of a merge of branches."""
    why: str = ""
    """Why it is undecided, if not because of the score."""


def find_near_pairs(playbook: Playbook, measure: Similarity) -> tuple[NearPair, ...]:
    """Find the pairs to decide about: first the questions of merges of branches, then the nearest.

    Parameters:
        playbook: All its active bullets are compared, regardless of the author.
        measure: Measures the similarity of texts.
    """
    decided = {(pair.a, pair.b): pair for pair in playbook.pairs}
    by_id = {bullet.id: bullet for bullet in playbook.active}
    near_pairs = list(find_open_pairs(playbook))
    n_pairs = Counter(bullet.id for each in near_pairs for bullet in (each.a, each.b))
    opened = {(each.a.id, each.b.id) for each in near_pairs}
    for (a, b), score in sorted(_scores(playbook.active, measure).items(), key=lambda each: (-each[1], each[0])):
        if (a, b) in opened or max(n_pairs[a], n_pairs[b]) >= MOST_NEAR:
            continue
        n_pairs.update((a, b))
        if not _is_known(decided.get((a, b)), by_id[a], by_id[b]):
            near_pairs.append(NearPair(by_id[a], by_id[b], score))
    return tuple(near_pairs)


def find_open_pairs(playbook: Playbook) -> tuple[NearPair, ...]:
    """Return the pairs that merges of branches left open."""
    by_id = {bullet.id: bullet for bullet in playbook.active}
    return tuple(
        NearPair(by_id[pair.a], by_id[pair.b], 1.0, pair.why or "")
        for pair in playbook.pairs
        if is_open(pair) and pair.a in by_id and pair.b in by_id
    )


def _is_known(pair: Pair | None, a: Bullet, b: Bullet) -> bool:
    return pair is not None and is_decided(pair, a, b)


def _scores(bullets: tuple[Bullet, ...], measure: Similarity) -> dict[tuple[str, str], float]:
    """Return the scores of the nearest neighbours of each bullet: the number of pairs grows linearly."""
    compared = prepare_texts(measure, tuple(bullet.content for bullet in bullets))
    scores: dict[tuple[str, str], float] = {}
    for bullet in bullets:
        for index, score in compared.find_nearest(bullet.content, _N_LOOKED_AT):
            other = bullets[index].id
            if other != bullet.id and score >= measure.least:
                key = min(bullet.id, other), max(bullet.id, other)
                scores[key] = max(score, scores.get(key, 0.0))
    return scores
