"""The order in which bullets are pruned when a playbook exceeds its budget.

A proven bullet is never pruned for an untested one. Apart from that, bullets are ranked by the upper bound of their
interval: a bullet with few tags may still be good, one that often did harm cannot be. Ranking by the share itself, or
by the number of helpful tags, would drop bullets that are rare but critical.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import IntEnum

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import PRUNED, Bullet, Playbook
from acdl_mkdocs.playbook.model.prompt_text import bullet_text, prompt_text

Z = 1.96
"""For a 95 % confidence interval."""
_DIGITS = 9
"""Bounds that agree to this many digits are equal, on every machine."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds of a share."""

    low: float
    high: float


def wilson_interval(helpful: int, harmful: int, z: float = Z) -> Interval:
    """Return the Wilson score interval of helpful / (helpful + harmful); 0 to 1 without tags."""
    n = helpful + harmful
    if n == 0:
        return Interval(0.0, 1.0)
    share = helpful / n
    center = share + z * z / (2 * n)
    margin = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    denominator = 1 + z * z / n
    return Interval(
        max(0.0, round((center - margin) / denominator, _DIGITS)),
        min(1.0, round((center + margin) / denominator, _DIGITS)),
    )


def is_proven(bullet: Bullet) -> bool:
    """Return whether tags support a bullet: it helped, and at least as often as it did harm."""
    return bullet.helpful > 0 and bullet.helpful >= bullet.harmful


def rank_bullets(bullets: Iterable[Bullet]) -> tuple[Bullet, ...]:
    """Sort bullets into the order of pruning.

    Unproven bullets come before proven ones; then by the upper bound, the lower bound, the number of prompts (most
    first), the last change (oldest first), and the id.
    """
    return tuple(sorted(bullets, key=_get_evidence_key))


def _get_evidence_key(bullet: Bullet) -> tuple[bool, float, float, int, int, str]:
    interval = wilson_interval(bullet.helpful, bullet.harmful)
    return is_proven(bullet), interval.high, interval.low, -bullet.seen, bullet.updated, bullet.id


class Standing(IntEnum):
    """The protection of a bullet when space is short: all bullets of one level are pruned before any of the next."""

    OPEN = 0
    """No evidence for it yet, or tags against it."""
    NEW = 1
    """Too new to be judged; the newest are pruned first, so that a new one never replaces another."""
    PROVEN = 2
    """Supported by tags."""
    BY_PERSON = 3
    """Written by a person: never pruned."""
    MARKED = 4
    """Pinned or critical: never pruned."""


def find_standing(bullet: Bullet, playbook: Playbook, revision: int) -> Standing:
    """Return how firmly a bullet of a playbook is kept at a revision."""
    if bullet.pinned or bullet.severity == "critical":
        return Standing.MARKED
    if any(source.by == "person" for source in bullet.source):
        return Standing.BY_PERSON
    if is_proven(bullet):
        return Standing.PROVEN
    is_new = revision - bullet.added < playbook.policy.protect_revisions
    return Standing.NEW if is_new else Standing.OPEN


def sort_for_pruning(bullets: Iterable[Bullet], playbook: Playbook, revision: int) -> tuple[Bullet, ...]:
    """Sort bullets of a playbook into the order of pruning, by standing."""

    def sort_key(bullet: Bullet) -> tuple[Standing, int, tuple[bool, float, float, int, int, str]]:
        stands = find_standing(bullet, playbook, revision)
        return stands, -bullet.added if stands == Standing.NEW else 0, _get_evidence_key(bullet)

    return tuple(sorted(bullets, key=sort_key))


def format_evidence(bullet: Bullet) -> str:
    """Describe the counters of a bullet and their interval."""
    n = bullet.helpful + bullet.harmful
    if n == 0:
        return f"no tags, seen {bullet.seen}"
    return f"helpful {bullet.helpful} of {n}, at most {wilson_interval(bullet.helpful, bullet.harmful).high:.2f}"


def prune_to_budget(
    playbook: Playbook, count: Callable[[str], int], revision: int, most: Standing = Standing.PROVEN
) -> tuple[Playbook, tuple[Bullet, ...]] | None:
    """Prune a playbook to its budget; return it and the archived bullets, or `None` if that is impossible.

    Parameters:
        playbook: After the operations.
        count: Counts model tokens.
        revision: The one being made.
        most: The highest standing that may be archived.
    """
    budget = playbook.policy.budget_model_tokens
    size = count(prompt_text(playbook)) if budget is not None else 0
    if budget is None or size <= budget:
        return playbook, ()
    ordered = sort_for_pruning(playbook.sent, playbook, revision)
    going = [each for each in ordered if find_standing(each, playbook, revision) <= most]

    def fits(n_gone: int) -> bool:
        ids = {each.id for each in going[:n_gone]}
        return count(prompt_text(playbook, bullets=[each for each in playbook.sent if each.id not in ids])) <= budget

    n_gone = find_fewest(len(going), fits, _guess(going, count, size - budget))
    if n_gone is None:
        return None
    why = f"{PRUNED}the playbook had {size:,} model tokens, over its budget of {budget:,}"
    archived = {
        each.id: replace(each, status="archived", reason=f"{why}; {format_evidence(each)}", updated=revision)
        for each in going[:n_gone]
    }
    bullets = tuple(archived.get(each.id, each) for each in playbook.bullets)
    return replace(playbook, bullets=bullets), tuple(archived.values())


def write_within_budget(playbook: Playbook, count: Callable[[str], int], budget: int | None) -> str:
    """Return the prompt form of a playbook within a budget; bullets are left out in the order of pruning."""
    return prompt_text(replace(playbook, bullets=select_within_budget(playbook, count, budget)))


def select_within_budget(
    playbook: Playbook,
    count: Callable[[str], int],
    budget: int | None,
    write: Callable[[Playbook], str] = prompt_text,
) -> tuple[Bullet, ...]:
    """Return the active bullets of a playbook that fit a budget; others are dropped in the order of pruning.

    Parameters:
        playbook: The playbook.
        count: Counts model tokens.
        budget: Most model tokens of the text; `None` means no limit.
        write: Makes the text.
    """
    size = 0 if budget is None else count(write(playbook))
    if budget is None or size <= budget:
        return playbook.active
    active = playbook.active
    going = sort_for_pruning(active, playbook, playbook.revision)

    def drop_first(n_gone: int) -> tuple[Bullet, ...]:
        ids = {each.id for each in going[:n_gone]}
        return tuple(each for each in active if each.id not in ids)

    def fits(n_gone: int) -> bool:
        return count(write(replace(playbook, bullets=drop_first(n_gone)))) <= budget

    n_gone = find_fewest(len(going), fits, _guess(going, count, size - budget))
    return drop_first(len(going) if n_gone is None else n_gone)


def find_fewest(most: int, is_enough: Callable[[int], bool], guess: int = 0) -> int | None:
    """Return the smallest number from 0 to `most` that is enough, if every larger one is too; `None` if none is.

    The nearer the guess, the fewer calls.
    """
    high = min(guess, most)
    step = 1
    low = high
    if is_enough(high):
        while low > 0 and is_enough(low):
            high, low, step = low, max(0, low - step), 2 * step
        if low == high or (low == 0 and is_enough(0)):
            return low
    else:
        while not is_enough(high):
            if high == most:
                return None
            low, high, step = high, min(most, high + step), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


def _guess(going: Iterable[Bullet], count: Callable[[str], int], excess: int) -> int:
    """Estimate how many bullets have this many model tokens together."""
    n_gone = 0
    for each in going:
        if excess <= 0:
            break
        excess -= count(bullet_text(each) + "\n")
        n_gone += 1
    return n_gone
