"""The three states that a merge starts from, and the counters that both branches make together."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import field
from functools import cached_property

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.merge_ids import survivors
from acdl_mkdocs.playbook.three_way import Value, changed, differs

COUNTERS = ("helpful", "harmful", "neutral", "seen")


@dataclass(frozen=True)
class Branches:
    """Two branches of a playbook and where they part."""

    base: Playbook
    a: Playbook
    b: Playbook
    revision: int
    """That of the merge."""
    notes: set[str] = field(default_factory=set)
    """What somebody should look at; grows while the merge is made."""

    @property
    def sides(self) -> tuple[Playbook, Playbook]:
        """Both branches."""
        return self.a, self.b

    @cached_property
    def roots(self) -> dict[str, str]:
        """The id of the bullet that answers to each id after the merge."""
        return survivors(self.base, self.a, self.b)

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """All ids that lead to a bullet of the merge, by its own."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, root in self.roots.items():
            found[root].append(name)
        return found

    @cached_property
    def counters(self) -> dict[str, dict[str, int]]:
        """The counters of every bullet of the merge.

        What a branch added to a bullet is what it has there, without what the base had in it and in the bullets that
        the branch merged into it; so nothing is counted twice when the branches merge bullets differently.
        """
        totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTERS, 0))

        def add(name: str, bullet: Bullet, sign: int) -> None:
            for counter in COUNTERS:
                totals[self.roots.get(name, "")][counter] += sign * getattr(bullet, counter)

        for bullet in self.base.bullets:
            add(bullet.id, bullet, 1)
            for side in self.sides:
                owner = side.by_id.get(bullet.id)
                if owner is not None:
                    add(owner.id, bullet, -1)
        for side in self.sides:
            for bullet in side.bullets:
                add(bullet.id, bullet, 1)
        return {root: {name: max(0, count) for name, count in each.items()} for root, each in totals.items()}

    def chosen(self, what: str, base: Value, a: Value, b: Value, choose: Callable[[Value, Value], Value]) -> Value:
        """A value after both branches, with a note if both changed it differently."""
        value = changed(base, a, b, choose)
        if differs(base, a, b):
            self.notes.add(f"{what} differs on the branches: `{value}` is kept")
        return value


def own(playbook: Playbook, name: str) -> Bullet | None:
    """The bullet with that very id, not the one that it was merged into."""
    found = playbook.by_id.get(name)
    return found if found is not None and found.id == name else None
