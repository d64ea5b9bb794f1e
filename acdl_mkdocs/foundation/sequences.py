"""The common items of two sequences, in near-linear time. Knows nothing about trees."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
Pairs: TypeAlias = list[tuple[int, int]]
_FEW_PAIRS = 4_096
"""Up to this many pairs of items are weighed one by one."""
_SAME_PLACE = 1 + 2.0**-20
"""Weight of two equal items at the same position: less than that of one more pair, however many there are."""


def match_equal(old: Sequence[Hashable], new: Sequence[Hashable], *, is_exact: bool = False) -> Pairs:
    """Match equal items of two sequences in order; items that are unique on both sides are the anchors.

    Parameters:
        old: The old sequence.
        new: The new sequence.
        is_exact: Whether few items are all weighed, so that as many as possible are matched.
    """
    pairs: Pairs = []
    stack = [(0, len(old), 0, len(new))]
    while stack:
        i, m, j, n = stack.pop()
        while i < m and j < n and old[i] == new[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        while i < m and j < n and old[m - 1] == new[n - 1]:
            m, n = m - 1, n - 1
            pairs.append((m, n))
        if i == m or j == n:
            continue
        if is_exact and (m - i) * (n - j) <= _FEW_PAIRS:
            pairs += _match_most(old, new, i, m, j, n)
            continue
        anchors = _find_anchors(old, new, i, m, j, n)
        if not anchors:
            pairs += _match_without_anchors(old, new, i, m, j, n)
            continue
        for a, b in (*anchors, (m, n)):
            stack.append((i, a, j, b))
            i, j = a + 1, b + 1
        pairs += anchors
    return sorted(pairs)


def _find_anchors(old: Sequence[Hashable], new: Sequence[Hashable], i: int, m: int, j: int, n: int) -> Pairs:
    """Match items that are unique on both sides, as many as keep their order."""
    old_positions, new_positions = _unique_positions(old, i, m), _unique_positions(new, j, n)
    both = [(old_positions[item], new_positions[item]) for item in old_positions if item in new_positions]
    return [both[at] for at in longest_rise([b for _, b in both])]


def _unique_positions(items: Sequence[Hashable], start: int, end: int) -> dict[Hashable, int]:
    """Map each item that occurs exactly once to its position."""
    places: dict[Hashable, int] = {}
    again: set[Hashable] = set()
    for at in range(start, end):
        if items[at] in places:
            again.add(items[at])
        places[items[at]] = at
    return {item: at for item, at in places.items() if item not in again}


def _match_without_anchors(old: Sequence[Hashable], new: Sequence[Hashable], i: int, m: int, j: int, n: int) -> Pairs:
    """Match without anchors: compare few items exactly; of many, match equal ones in order of occurrence."""
    if (m - i) * (n - j) <= _FEW_PAIRS:
        return _match_most(old, new, i, m, j, n)
    places: dict[Hashable, list[int]] = {}
    for at in range(n - 1, j - 1, -1):
        places.setdefault(new[at], []).append(at)
    both = [(at, places[old[at]].pop()) for at in range(i, m) if places.get(old[at])]
    return [both[at] for at in longest_rise([b for _, b in both])]


def _match_most(old: Sequence[Hashable], new: Sequence[Hashable], i: int, m: int, j: int, n: int) -> Pairs:
    """Match as many items as possible; among equal results prefer pairs at the same position."""
    old_range, new_range = range(i, m), range(j, n)
    best = match_heaviest(
        old_range, new_range, lambda a, b: (_SAME_PLACE if a == b else 1.0) if old[a] == new[b] else 0.0
    )
    return [(i + a, j + b) for a, b in best]


def match_heaviest(old: Sequence[Item], new: Sequence[Item], weight: Callable[[Item, Item], float]) -> Pairs:
    """Match pairs in order with the highest total weight, the earliest of equal ones; needs quadratic time."""
    m, n = len(old), len(new)
    weights = [[weight(one, other) for other in new] for one in old]
    best = [[0.0] * (n + 1) for _ in range(m + 1)]
    for i in range(m - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            paired = weights[i][j] + best[i + 1][j + 1] if weights[i][j] > 0 else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: Pairs = []
    i = j = 0
    while i < m and j < n:
        if weights[i][j] > 0 and best[i][j] == weights[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def longest_rise(numbers: Sequence[int]) -> list[int]:
    """Return the positions of the longest strictly rising subsequence."""
    return heaviest_rise(numbers, [1] * len(numbers))


def heaviest_rise(numbers: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return the positions of the heaviest strictly rising subsequence.

    For every number the heaviest run that ends in a lower one is looked up in a tree of maxima (Fenwick's).
    """
    ranks = {number: rank for rank, number in enumerate(sorted(set(numbers)), 1)}
    tree: list[tuple[int, int]] = [(0, -1)] * (len(ranks) + 1)  # weight of a run, and the position that it ends in
    before: list[int] = []
    best = (0, -1)
    for at, number in enumerate(numbers):
        rank = ranks[number]
        heaviest, lower = (0, -1), rank - 1
        while lower:
            heaviest, lower = max(heaviest, tree[lower], key=_run_weight), lower & (lower - 1)
        before.append(heaviest[1])
        run = (heaviest[0] + weights[at], at)
        best = max(best, run, key=_run_weight)
        while rank < len(tree):
            tree[rank] = max(tree[rank], run, key=_run_weight)
            rank += rank & -rank
    rise: list[int] = []
    at = best[1]
    while at >= 0:
        rise.append(at)
        at = before[at]
    return rise[::-1]


def _run_weight(run: tuple[int, int]) -> int:
    return run[0]
