"""Which bullets there are after two branches are merged, and under which id each old one is found.

Knows ids only: what the bullets say is put together by `merge`.
"""

from collections.abc import Mapping

from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.three_way import changed


def survivors(base: Playbook, a: Playbook, b: Playbook) -> dict[str, str]:
    """The id of the bullet that answers to each id after the merge; bullets that were taken out have none.

    A merge of two bullets on one branch holds, whatever the other branch did with them. A bullet that one branch took
    out is gone unless the other changed it.
    """
    ids = sorted({*base.by_id, *a.by_id, *b.by_id})
    targets = {name: _target(name, base, a, b) for name in ids}
    ages = {name: _age(name, a, b) for name in ids}
    found: dict[str, str] = {}
    for name in ids:
        root = _root(name, targets, ages)
        if root is not None:
            found[name] = root
    return found


def _target(name: str, base: Playbook, a: Playbook, b: Playbook) -> str | None:
    """The id that a name stands for after both branches: itself for a bullet, another's for an alias."""
    old, one, two = (_owner(side, name) for side in (base, a, b))
    if old == name and _is_taken_out(name, base, a, b):
        return None
    if None in (one, two):
        return one or two

    def choose(first: str | None, second: str | None) -> str | None:
        others = sorted(each for each in (first, second) if each not in (None, name))
        return min(others, key=lambda each: _age(each, a, b)) if others else name

    return changed(old, one, two, choose)


def _is_taken_out(name: str, base: Playbook, a: Playbook, b: Playbook) -> bool:
    """Whether a bullet of the base is missing on a branch, and the other branch left it as it was."""
    before = base.by_id[name]
    left = [side.by_id.get(name) for side in (a, b)]
    return None in left and all(each is None or each == before for each in left)


def _owner(playbook: Playbook, name: str) -> str | None:
    bullet = playbook.by_id.get(name)
    return bullet.id if bullet else None


def _age(name: str, a: Playbook, b: Playbook) -> tuple[int, str]:
    """What the older of two bullets has less of."""
    found: list[Bullet] = [side.by_id[name] for side in (a, b) if _owner(side, name) == name]
    return min((each.added for each in found), default=0), name


def _root(name: str, targets: Mapping[str, str | None], ages: Mapping[str, tuple[int, str]]) -> str | None:
    """The end of a chain of aliases; where it runs in a circle, the oldest bullet of the circle."""
    seen: list[str] = []
    at: str | None = name
    while at is not None and at not in seen:
        seen.append(at)
        at = targets.get(at)
    return None if at is None else min(seen[seen.index(at) :], key=lambda each: ages[each])
