"""What a budget may and may not take away, over random histories of a playbook."""

import random
from dataclasses import replace

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy
from acdl_mkdocs.playbook.model.curate import Curated, Curation, curate
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import Add, Pin, Remove, Revive, TagBullet, Update
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.pruning import is_proven
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.prompts.tokens import counter

COUNT = counter.counter("estimate").count
MEASURE = load_similarity("ngrams")
LETTERS = "bcdfghklmnprstvz"


def lesson(number: int) -> str:
    """A text that shares no word with others."""
    words = (
        "".join(LETTERS[(number * 7 + place * step) % 16] + "aeiou"[(number + step) % 5] for step in (1, 3, 5))
        for place in range(4)
    )
    return f"{' '.join(words)} {number}.".capitalize()


LESSONS = tuple(lesson(number) for number in range(12))
BUDGETS = st.sampled_from((90, 150, 240))


def curated(playbook: Playbook, *asked: Operation, actor: str = "curator") -> Curated:
    """The playbook after operations, as `curate` makes it."""
    return curate(playbook, make_delta(*asked), Curation(MEASURE, COUNT, actor))


class History:
    """A playbook that grows by random deltas; remembers what was pruned and how."""

    def __init__(self, budget: int, protect: int) -> None:
        self.playbook = Playbook("p", policy=Policy(budget_model_tokens=budget, protect_revisions=protect))

    def step(self, kind: int, number: int, actor: str) -> tuple[Playbook, Curated]:
        """One delta: what the playbook was before, and what became of it."""
        before = self.playbook
        ids = [each.id for each in before.active] or ["gen-none"]
        name = ids[number % len(ids)]
        operations: tuple[Operation, ...] = (
            Add(section="general", content=LESSONS[number]),
            TagBullet(bullet_id=name, tag="helpful"),
            TagBullet(bullet_id=name, tag="harmful"),
            Remove(bullet_id=name, reason="wrong"),
            Update(bullet_id=name, content=f"{LESSONS[number]} And {number} more words for it."),
            Pin(bullet_id=name),
        )
        done = curated(before, operations[kind % len(operations)], actor=actor)
        self.playbook = done.playbook
        return before, done


STEPS = st.lists(
    st.tuples(
        st.sampled_from((0, 0, 0, 1, 1, 2, 3, 4, 5)),
        st.integers(0, 11),
        st.sampled_from(("curator", "curator", "curator", "person")),
    ),
    max_size=40,
)


def is_guarded(bullet: Bullet) -> bool:
    """Whether it is pinned, critical or by a person, which is never pruned."""
    return bullet.pinned or bullet.severity == "critical" or any(each.by == "person" for each in bullet.source)


@examples(150)
@given(BUDGETS, st.sampled_from((0, 3, 20)), STEPS)
def test_nothing_untested_stays_where_something_proven_was_pruned(
    budget: int, protect: int, steps: list[tuple[int, int, str]]
) -> None:
    """Not even what is new; what is never pruned apart. And nothing that is never pruned is."""
    history = History(budget, protect)
    for step in steps:
        _, done = history.step(*step)
        gone = [each.before for each in done.report.applied if each.op == "PRUNED" and each.before is not None]
        assert not any(is_guarded(each) for each in gone)
        if any(is_proven(each) for each in gone):
            kept = [each for each in done.playbook.active if not is_guarded(each)]
            assert all(is_proven(each) for each in kept)


@examples(100)
@given(BUDGETS, st.sampled_from((0, 3, 20)), STEPS)
def test_the_budget_holds_or_it_is_said(budget: int, protect: int, steps: list[tuple[int, int, str]]) -> None:
    """What does not fit is rejected for space, or the report says that the playbook is too large."""
    history = History(budget, protect)
    for kind, number, actor in steps:
        before, done = history.step(kind, number, actor)
        is_said = any(each.is_for_space for each in done.report.rejected) or any(
            each.op == "OVER_BUDGET" for each in done.report.applied
        )
        assert COUNT(prompt_text(done.playbook)) <= budget or is_said or done.playbook is before
        if kind == 0 and not is_said:
            assert [each.content for each in done.playbook.active].count(LESSONS[number]) == 1 or done.report.rejected


@examples(100)
@given(BUDGETS, st.sampled_from((0, 3, 20)), STEPS)
def test_what_was_pruned_can_be_learned_again(budget: int, protect: int, steps: list[tuple[int, int, str]]) -> None:
    """Its text brings it back with its id and its counters once there is space."""
    history = History(budget, protect)
    for step in steps:
        history.step(*step)
    roomy = replace(history.playbook, policy=replace(history.playbook.policy, budget_model_tokens=None))
    in_use = {each.content for each in roomy.active}
    for old in (each for each in roomy.bullets if each.is_pruned and each.content not in in_use):
        done = curated(roomy, Add(section="general", content=old.content))
        now = done.playbook.by_id[old.id]
        assert done.report.rejected == ()
        assert now.is_active
        assert (now.helpful, now.harmful, now.neutral, now.seen) == (old.helpful, old.harmful, old.neutral, old.seen)


@pytest.mark.parametrize("protect", [1, 5, 20])
def test_no_deadlock_without_tags(protect: int) -> None:
    """A full playbook of lessons that nobody tags takes new ones: deltas for which there is no space make it older."""
    history = History(120, protect)
    refused = 0
    for number in range(12):
        for _ in range(protect + 2):
            done = curated(history.playbook, Add(section="general", content=LESSONS[number]))
            assert done.playbook.revision == history.playbook.revision + 1
            history.playbook = done.playbook
            if not done.report.rejected:
                break
            refused += 1
        assert LESSONS[number] in {each.content for each in history.playbook.active}
    assert refused > 0 or protect < 20
    assert any(each.is_pruned for each in history.playbook.bullets)


def test_a_full_playbook_of_marked_lessons_does_not_count_what_it_refuses() -> None:
    """Where nothing grows old, a delta that does not fit is not a revision."""
    bullets = tuple(Bullet(id=f"gen-{n:03}", section="general", content=LESSONS[n], pinned=True) for n in range(4))
    full = Playbook("p", 9, bullets=bullets, policy=Policy(budget_model_tokens=20))
    done = curated(full, Add(section="general", content=LESSONS[5]))
    assert done.playbook is full
    assert done.report.rejected[0].is_for_space


def book(budget_for: int, *bullets: Bullet) -> Playbook:
    """A playbook whose budget is exactly that of its first bullets."""
    whole = Playbook("p", 100, bullets=bullets)
    budget = COUNT(prompt_text(whole, bullets=bullets[:budget_for])) + 1
    return replace(whole, policy=Policy(budget_model_tokens=budget))


def bullet(number: int, **particulars: object) -> Bullet:
    """A lesson of a curator."""
    return Bullet(id=f"gen-{number:03}", section="general", content=LESSONS[number], **particulars)  # type: ignore[arg-type]


@pytest.mark.parametrize("counters", [{"helpful": 38, "harmful": 2}, {"helpful": 1}, {"helpful": 9, "harmful": 9}])
def test_the_one_proven_lesson_stays(counters: dict[str, int]) -> None:
    """Untested lessons have the higher upper bound, and go all the same: the old ones, then the new ones."""
    untested = [bullet(number, added=99 if number > 2 else 1) for number in range(1, 6)]
    playbook = book(1, bullet(0, added=1, **counters), *untested)
    after = curated(playbook, TagBullet(bullet_id="gen-000", tag="neutral")).playbook
    assert [each.id for each in after.active] == ["gen-000"]


def test_a_proven_lesson_takes_the_place_of_new_ones_and_no_new_one_that_of_a_new_one() -> None:
    """What was proven and pruned comes back into a playbook full of new lessons; an untested one waits."""
    new = [bullet(number, added=95 + number) for number in range(3)]
    old = bullet(3, helpful=4, status="archived", reason="pruned: no space", added=2)
    playbook = book(3, *new, old)
    back = curated(playbook, Add(section="general", content=old.content))
    assert [each.op for each in back.report.applied] == ["REVIVED", "PRUNED"]
    assert [each.id for each in back.playbook.active] == ["gen-000", "gen-001", "gen-003"]
    waits = curated(playbook, Add(section="general", content=LESSONS[4]))
    assert waits.report.rejected[0].is_for_space
    assert [each.id for each in waits.playbook.active] == [each.id for each in new]
    both = curated(playbook, Add(section="general", content=LESSONS[4]), Add(section="general", content=old.content))
    assert [each.path for each in both.report.rejected] == ["operations[0]"]
    assert (
        "every lesson that is kept has more for it than this one (no tags, seen 0)" in both.report.rejected[0].message
    )
    assert [each.id for each in both.playbook.active] == ["gen-000", "gen-001", "gen-003"]


def test_a_lowered_budget_is_kept_or_said() -> None:
    """The next delta prunes as much as it must, and says so where only what is never pruned is left."""
    playbook = book(2, *(bullet(number, helpful=number + 1, harmful=1, added=1) for number in range(5)))
    done = curated(playbook, TagBullet(bullet_id="gen-004", tag="helpful"))
    assert COUNT(prompt_text(done.playbook)) <= (playbook.policy.budget_model_tokens or 0)
    assert [each.id for each in done.playbook.active] == ["gen-003", "gen-004"]
    pinned = replace(playbook, bullets=tuple(replace(each, pinned=True) for each in playbook.bullets))
    done = curated(pinned, TagBullet(bullet_id="gen-004", tag="helpful"))
    assert [each.op for each in done.report.applied] == ["TAG", "OVER_BUDGET"]
    assert "what is pinned, critical or by a person is never pruned" in done.report.applied[-1].reason


def test_what_prompts_do_not_have_takes_no_space() -> None:
    """A lesson with `send: false` and a proposal neither fill the budget nor are pruned for it."""
    playbook = book(1, bullet(0, helpful=3), bullet(1, send=False), bullet(2, status="proposed"))
    after = curated(playbook, TagBullet(bullet_id="gen-000", tag="neutral")).playbook
    assert [(each.id, each.status) for each in after.bullets] == [
        ("gen-000", "active"),
        ("gen-001", "active"),
        ("gen-002", "proposed"),
    ]


@pytest.mark.parametrize("seed", range(10))
def test_rare_but_critical_lessons_stay_while_others_come(seed: int) -> None:
    """Lessons that are needed once in fifty tasks stay while untested ones are added without end.

    A tenth of the tags are wrong: nobody can keep a lesson for which most of them are.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    rare = [
        Bullet(id=f"rare-{n:02}", section="general", content=f"Rare lesson {n}: {lesson(n)}", added=1)
        for n in range(20)
    ]
    playbook = Playbook("p", 30, bullets=tuple(rare), policy=Policy(protect_revisions=5))
    for task in range(900):
        needed = [each.id for each in rare if chance.random() < 0.02]
        tags = [TagBullet(bullet_id=name, tag="harmful" if chance.random() < 0.1 else "helpful") for name in needed]
        if task == 600:
            size = COUNT(prompt_text(playbook)) + 60
            playbook = replace(playbook, policy=Policy(budget_model_tokens=size, protect_revisions=5))
        new = (
            [Add(section="general", content=f"Idea number {task} {lesson(task)}")]
            if task > 600 and task % 6 == 0
            else []
        )
        playbook = curated(playbook, *tags, *new).playbook
    lost = [each for each in playbook.bullets if each.id.startswith("rare") and not each.is_active]
    assert all(each.harmful > each.helpful for each in lost)
    assert len(lost) <= 1
    assert any(each.is_pruned for each in playbook.bullets)


def test_a_revived_lesson_is_not_pruned_at_once() -> None:
    """REVIVE gives a pruned lesson the time that new ones have, and keeps its age if it was removed for a reason."""
    pruned = bullet(0, status="archived", reason="pruned: no space", added=2)
    playbook = book(3, bullet(1, added=3), bullet(2, added=4), pruned)
    after = curated(playbook, Revive(bullet_id="gen-000"), Add(section="general", content=LESSONS[5])).playbook
    assert after.by_id["gen-000"].is_active
    removed = replace(playbook, bullets=(*playbook.bullets[:2], replace(pruned, reason="wrong")))
    assert curated(removed, Revive(bullet_id="gen-000")).playbook.by_id["gen-000"].added == 2
