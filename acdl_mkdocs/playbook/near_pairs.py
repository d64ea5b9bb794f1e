"""The pairs of bullets that may say the same, for somebody to decide: few for each bullet, and none twice.

They are worked out when somebody asks and stand in no file: a score is no reason to link two lessons.
"""

from collections import Counter

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook
from acdl_mkdocs.playbook.decisions import is_decided, is_open
from acdl_mkdocs.playbook.neighbours import prepared
from acdl_mkdocs.similarity import Similarity

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
