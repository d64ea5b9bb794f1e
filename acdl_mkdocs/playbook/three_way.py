"""One value that two branches may have changed: what it is after both.

Knows nothing of playbooks. `None` as base where the two branches have no common value. Every function gives the same
for (base, a, b) and (base, b, a).
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Value = TypeVar("Value")
Item = TypeVar("Item", bound=Hashable)


def changed(base: Value, a: Value, b: Value, choose: Callable[[Value, Value], Value]) -> Value:
    """The value of the branch that changed it; `choose` decides if both did, differently."""
    if a == b or b == base:
        return a
    return b if a == base else choose(a, b)


def differs(base: object, a: object, b: object) -> bool:
    """Whether both branches changed a value, differently."""
    return a not in (b, base) and b != base


def counted(base: int, a: int, b: int) -> int:
    """A counter after what both branches added to it; never below 0."""
    return max(0, a + b - base)


def members(base: Sequence[Item], a: Sequence[Item], b: Sequence[Item], key: Callable[[Item], str]) -> tuple[Item, ...]:
    """What both branches have and what either added; those of the base first, in its order, then the others sorted."""
    kept = [each for each in base if each in a and each in b]
    new = {each for side in (a, b) for each in side if each not in base}
    return (*kept, *sorted(new, key=key))


def in_order(base: Sequence[str], a: Sequence[str], b: Sequence[str], wanted: Iterable[str]) -> tuple[str, ...]:
    """The wanted names in the order that the branches give them; a name that one added stands behind its neighbour."""
    common = set(a) & set(b)
    of_base = [name for name in base if name in common]
    moved = [side for side in (a, b) if [name for name in side if name in common] != of_base]
    first = min(moved if len(moved) == 1 else (a, b), key=tuple)
    second = b if first is a else a
    order = list(first)
    for place, name in enumerate(second):
        if name not in order:
            order.insert(order.index(second[place - 1]) + 1 if place else 0, name)
    keep = set(wanted)
    return tuple(name for name in order if name in keep)
