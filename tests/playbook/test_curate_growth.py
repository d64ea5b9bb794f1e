"""What a delta costs grows with the operations, not with the playbook: counted steps."""

from collections.abc import Callable
from functools import partial

import pytest
from steps import n_steps

from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Section, sort_playbook
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import (
    Add,
    AddSection,
    Conflict,
    Keep,
    Merge,
    Pin,
    Remove,
    Revive,
    TagBullet,
    Update,
)

LETTERS = "bcdfghklmnprstvz"


def lesson(number: int, kind: str = "a") -> str:
    """A text that shares no word with others."""
    return " ".join(
        "".join(LETTERS[number >> shift & 15] + kind for shift in (0, 4, 8)) + LETTERS[word] + kind for word in range(4)
    ).capitalize()


def name(number: int) -> str:
    """Id of a bullet."""
    return f"gen-{number:06}"


OPERATIONS: dict[str, Callable[[int], Operation]] = {
    "ADD": lambda number: Add(section="General", content=lesson(number, "e")),
    "ADD that is there": lambda number: Add(section="general", content=f"{lesson(4 * number)}."),
    "ADD to no section": lambda number: Add(section=f"generel{number}", content=lesson(number, "e")),
    "UPDATE": lambda number: Update(bullet_id=name(4 * number), content=lesson(number, "i")),
    "TAG": lambda number: TagBullet(bullet_id=name(4 * number), tag="helpful"),
    "TAG of an alias": lambda number: TagBullet(bullet_id=f"old-{name(4 * number)}", tag="harmful"),
    "REMOVE": lambda number: Remove(bullet_id=name(4 * number), reason="wrong"),
    "MERGE": lambda number: Merge(bullet_id=name(4 * number), others=(name(4 * number + 1),)),
    "KEEP": lambda number: Keep(bullet_id=name(4 * number), other=name(4 * number + 1)),
    "CONFLICT": lambda number: Conflict(bullet_id=name(4 * number), other=name(4 * number + 1)),
    "PIN": lambda number: Pin(bullet_id=name(4 * number)),
    "REVIVE": lambda number: Revive(bullet_id=name(4 * number + 3)),
    "SECTION": lambda number: AddSection(title=f"Part {number}"),
}
N_FEW, N_MANY = 60, 120


def playbook(n_bullets: int, policy: Policy | None = None) -> Playbook:
    """Bullets, every fourth archived, every fourth with an alias; neighbours are a pair to look at."""
    bullets = tuple(
        Bullet(
            id=name(number),
            section="general",
            content=lesson(number),
            status="archived" if number % 4 == 3 else "active",
            aliases=(f"old-{name(number)}",) if number % 4 == 0 else (),
        )
        for number in range(n_bullets)
    )
    pairs = tuple(Pair(name(number), name(number + 1), "review", 0.3) for number in range(n_bullets - 1))
    return sort_playbook(Playbook("p", 30, (Section("general", "General"),), bullets, pairs, policy or Policy()))


def cost(before: Playbook, asked: list[Operation]) -> int:
    """Steps of a delta, once the playbook's texts are ready."""
    curation = curation_of(before)
    curate(before, make_delta(Add(section="general", content="Anything.")), curation)
    return n_steps(partial(curate, before, make_delta(*asked), curation))


@pytest.mark.parametrize("kind", OPERATIONS)
def test_steps_grow_with_the_operations(kind: str) -> None:
    """Twice the operations take about twice the steps."""
    before = playbook(4 * N_MANY)
    one, few, many = (cost(before, [OPERATIONS[kind](number) for number in range(size)]) for size in (1, N_FEW, N_MANY))
    assert many - one < 2.4 * (few - one) + 500


@pytest.mark.parametrize("kind", OPERATIONS)
def test_steps_do_not_grow_with_the_playbook(kind: str) -> None:
    """A further operation costs the same among four times the bullets."""
    costs = []
    for n_bullets in (4 * N_FEW, 16 * N_FEW):
        before = playbook(n_bullets)
        one, all_of_them = (cost(before, [OPERATIONS[kind](number) for number in range(size)]) for size in (1, N_FEW))
        costs.append(all_of_them - one)
    small, large = costs
    assert large < 1.5 * small + 500
