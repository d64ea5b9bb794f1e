"""Which operations of a curator are taken, and how few."""

from dataclasses import replace
from typing import cast

import pytest

from acdl_mkdocs.playbook.learn.curator import MAX_CHANGES, MAX_OPERATIONS, Proposals
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Provenance
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import MAX_OPERATIONS as MAX_OF_A_DELTA
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.prompts.prompt import Json

BULLETS = tuple(Bullet(id=f"gen-{n}", section="general", content=f"Lesson number {n}.") for n in range(5))
WRITTEN = replace(BULLETS[0], aliases=("old-0",), source=(Provenance("reflector"), Provenance("person")))
PLAYBOOK = Playbook(
    "p",
    bullets=(WRITTEN, *BULLETS[1:]),
    pairs=(Pair("gen-0", "gen-1", "review", 0.4), Pair("gen-2", "gen-3", "review", 0.4)),
)
ADD: dict[str, Json] = {"type": "ADD", "section": "general", "content": "Round at the end."}


def looked_at(*operations: object) -> Proposals:
    """What is taken of operations."""
    found = Proposals(PLAYBOOK)
    found.add_all(cast(Json, list(operations)))
    return found


def test_a_flood_is_cut() -> None:
    """However many operations a model writes, few are taken, the rest is told in one line, and no tag is lost."""
    found = looked_at(*({**ADD, "content": f"Lesson {n} of many."} for n in range(MAX_OF_A_DELTA + 1)))
    assert len(found.accepted) == MAX_OPERATIONS
    assert found.refused == [f"{MAX_OF_A_DELTA + 1 - 10} more operations: at most 10 of one question are taken"]
    tag: Json = {"type": "TAG", "bullet_id": "gen-1", "tag": "helpful"}
    done = curate(PLAYBOOK, delta_of([tag, *found.accepted]), curation_of(PLAYBOOK, "curator"))
    assert done.playbook.by_id["gen-1"].helpful == 1


def test_a_flood_of_nonsense_is_cut() -> None:
    """Operations that are refused are not all written down either."""
    found = looked_at(*[{"type": "x" * 10_000}] * 5_000)
    assert len(found.refused) == MAX_OPERATIONS + 1
    assert sum(map(len, found.refused)) < 2_000


def test_a_question_changes_few_lessons() -> None:
    """Of UPDATE and REMOVE a question may cause two; what is added beside them is taken."""
    update = [{"type": "UPDATE", "bullet_id": f"gen-{n}", "content": "Better."} for n in (1, 2)]
    remove: Json = {"type": "REMOVE", "bullet_id": "gen-3", "reason": "wrong"}
    found = looked_at(*update, remove, ADD)
    assert [each["type"] for each in found.accepted] == ["UPDATE", "UPDATE", "ADD"]
    assert found.refused == [f"REMOVE of gen-3: one question changes at most {MAX_CHANGES} lessons"]


@pytest.mark.parametrize(
    "operation",
    [
        {"type": "UPDATE", "bullet_id": "gen-0", "content": "Mine now."},
        {"type": "UPDATE", "id": "[gen-0]", "content": "Mine now."},
        {"type": "REMOVE", "bullet_id": "old-0", "reason": "no"},
    ],
)
def test_people_are_not_overruled(operation: Json) -> None:
    """A lesson that a person wrote, or a part of, is left to people, by whatever name it is called."""
    (why,) = looked_at(operation).refused
    assert why.endswith("a person wrote it, and only people change it")
    assert looked_at({"type": "UPDATE", "bullet_id": "gen-1", "content": "Mine now."}).refused == []


def test_other_keys_are_ignored() -> None:
    """Keys that an operation does not have are left out with a note, empty ones without; null is not a key."""
    found = looked_at(
        {**ADD, "rationale": "because", "id": "gen-7", "bullet_id": "", "others": [], "title": None, "reason": ""},
        {"type": "UPDATE", "id": None, "bullet_id": "gen-1", "content": "Better.", "section": ""},
        {"type": "update", "id": "gen-2", "content": "Better too."},
    )
    assert found.accepted == [
        ADD,
        {"type": "UPDATE", "bullet_id": "gen-1", "content": "Better."},
        {"type": "UPDATE", "bullet_id": "gen-2", "content": "Better too."},
    ]
    assert found.notes == ["ADD: `rationale`, `id` ignored"]
    assert delta_of(list(found.accepted)).rejected == ()
    assert found.refused == []


def test_ids_are_taken_from_their_brackets() -> None:
    """The prompt shows ids in brackets, and models copy them."""
    found = looked_at(
        {"type": "UPDATE", "bullet_id": "[gen-1]", "content": "Better."},
        {"type": "REMOVE", "id": " gen-2 ", "reason": "worse", "superseded_by": "[gen-1]"},
    )
    assert [each["bullet_id"] for each in found.accepted] == ["gen-1", "gen-2"]
    assert found.accepted[1]["superseded_by"] == "gen-1"
    done = curate(PLAYBOOK, delta_of(list(found.accepted)), curation_of(PLAYBOOK, "curator"))
    assert done.report.rejected == ()


@pytest.mark.parametrize("given", [None, "none", 3, {"type": "ADD"}])
def test_no_operations(given: Json) -> None:
    """What is not a list has no operations."""
    found = Proposals(PLAYBOOK)
    found.add_all(given)
    assert (found.accepted, found.refused) == ([], [])
