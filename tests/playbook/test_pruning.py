"""Which bullets go first, and that those that are rare but critical do not."""

import math
import random

import pytest

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Section
from acdl_mkdocs.playbook.model.curate import Curation, curate
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import TagBullet
from acdl_mkdocs.playbook.model.prompt_text import archived_text, prompt_text
from acdl_mkdocs.playbook.model.pruning import find_fewest, rank_bullets, wilson_interval, write_within_budget
from acdl_mkdocs.playbook.model.retrieval import select_bullets
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.prompts.tokens import counter

COUNT = counter.counter("estimate").count


@pytest.mark.parametrize(
    ("helpful", "harmful", "low", "high"),
    [(0, 0, 0, 1), (38, 2, 0.835, 0.986), (1, 0, 0.207, 1), (0, 1, 0, 0.793), (5, 5, 0.237, 0.763)],
)
def test_wilson(helpful: int, harmful: int, low: float, high: float) -> None:
    """The interval is the published one, and everything is possible without tags."""
    interval = wilson_interval(helpful, harmful)
    assert math.isclose(interval.low, low, abs_tol=0.001)
    assert math.isclose(interval.high, high, abs_tol=0.001)


def bullet(name: str, **particulars: object) -> Bullet:
    """A bullet with some counters."""
    return Bullet(id=name, section="general", content=f"Lesson {name}.", **particulars)  # type: ignore[arg-type]


def test_rank() -> None:
    """First what did harm for sure; of equal ones what has less evidence, then what was seen more, then the older."""
    worst, bad = bullet("gen-z", helpful=1, harmful=30), bullet("gen-y", helpful=1, harmful=3)
    seen, unseen = bullet("gen-x", seen=40), bullet("gen-w", seen=1, updated=3)
    newer, good = bullet("gen-v", seen=1, updated=4), bullet("gen-u", helpful=38, seen=40)
    assert rank_bullets([good, newer, unseen, seen, bad, worst]) == (worst, bad, seen, unseen, newer, good)


@pytest.mark.parametrize("seed", range(20))
def test_rare_but_critical_bullets_survive(seed: int) -> None:
    """Twenty lessons that are needed once in fifty tasks stay among common ones, though a tenth of the tags are wrong.

    Those that do harm go; ranking by the number of helpful tags would drop the rare ones first.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    kinds = {f"{kind}-{idx:02}": kind for kind, n in (("rare", 20), ("good", 60), ("bad", 40)) for idx in range(n)}
    tags = {name: [0, 0] for name in kinds}
    for _ in range(600):
        for name, kind in kinds.items():
            if chance.random() < (0.02 if kind == "rare" else 0.2):
                is_helpful = (kind != "bad") != (chance.random() < 0.1)
                tags[name][0 if is_helpful else 1] += 1
    bullets = tuple(
        Bullet(id=name, section="general", content=f"Lesson {name} about this.", helpful=good, harmful=bad)
        for name, (good, bad) in sorted(tags.items())
    )
    kept = [each for each in bullets if kinds[each.id] != "bad"]
    budget = COUNT(prompt_text(Playbook("p", bullets=bullets), bullets=kept)) + 10
    playbook = Playbook("p", 100, bullets=bullets, policy=Policy(budget_model_tokens=budget))
    operation = make_delta(TagBullet(bullet_id="good-00", tag="helpful"))
    after = curate(playbook, operation, Curation(load_similarity("ngrams"), COUNT, "curator")).playbook
    assert {kinds[each.id] for each in after.active} == {"rare", "good"}
    assert len(after.active) == 80
    assert len(after.bullets) == 120
    by_helpful = sorted(bullets, key=lambda each: each.helpful)[:40]
    assert {kinds[each.id] for each in by_helpful} >= {"rare"}


@pytest.mark.parametrize("guess", [0, 1, 5, 100])
def test_fewest(guess: int) -> None:
    """The smallest number that is enough is found from any guess."""
    for most in range(12):
        for least in range(most + 1):
            assert find_fewest(most, lambda number, least=least: number >= least, guess) == least  # type: ignore[misc]
        assert find_fewest(most, lambda _: False, guess) is None


SMALL = Playbook(
    "p",
    50,
    (Section("general", "General"), Section("tools", "Tool usage"), Section("empty", "Nothing")),
    (
        bullet("gen-a", helpful=1, harmful=20),
        bullet("gen-b", helpful=20, harmful=1),
        bullet("gen-c", pinned=True),
        bullet("gen-d", status="archived", reason="it was wrong", updated=7),
        Bullet(id="tu-a", section="tools", content="```py\n## x\n[tu-z] is no bullet\n```", helpful=2, harmful=3),
    ),
)


def test_prompt_text() -> None:
    """Bullets stand under the headings of their sections; lines of a block are indented, so that they forge nothing."""
    assert prompt_text(SMALL) == (
        "## General\n"
        "[gen-a] helpful=1 harmful=20 :: Lesson gen-a.\n"
        "[gen-b] helpful=20 harmful=1 :: Lesson gen-b.\n"
        "[gen-c] helpful=0 harmful=0 :: Lesson gen-c.\n"
        "\n"
        "## Tool usage\n"
        "[tu-a] helpful=2 harmful=3 :: ```py\n    ## x\n    [tu-z] is no bullet\n    ```"
    )
    some = [SMALL.by_id["tu-a"], SMALL.by_id["gen-b"]]
    assert [line[:8] for line in prompt_text(SMALL, bullets=some).splitlines()[:2]] == ["## Gener", "[gen-b] "]
    assert prompt_text(Playbook("p")) == ""
    assert archived_text(SMALL) == "[gen-d] archived in revision 7, because: it was wrong :: Lesson gen-d."


def test_fitted() -> None:
    """Within a budget, the least worth goes first and what is pinned last; with none, nothing goes."""
    assert write_within_budget(SMALL, COUNT, None) == write_within_budget(SMALL, COUNT, 10_000) == prompt_text(SMALL)
    size = COUNT(prompt_text(SMALL))
    assert "gen-a" not in write_within_budget(SMALL, COUNT, size - 1)
    assert write_within_budget(SMALL, COUNT, size - 1).count("[") == prompt_text(SMALL).count("[") - 1
    assert write_within_budget(SMALL, COUNT, 20) == "## General\n[gen-c] helpful=0 harmful=0 :: Lesson gen-c."
    assert write_within_budget(SMALL, COUNT, 3) == ""
    for budget in range(size):
        assert COUNT(write_within_budget(SMALL, COUNT, budget)) <= budget


def test_top() -> None:
    """A task gets what is pinned, then what is near it, then what is well tested, within the budget."""
    playbook = Playbook(
        "p",
        bullets=(
            bullet("gen-a", helpful=30),
            Bullet(id="gen-b", section="general", content="Paginate list endpoints until a page is empty."),
            bullet("gen-c", pinned=True),
            bullet("gen-d", status="archived"),
        ),
    )
    task = "Which endpoints do I have to paginate until an empty page?"
    assert [each.id for each in select_bullets(playbook, task, 1, COUNT)] == ["gen-c", "gen-b"]
    assert [each.id for each in select_bullets(playbook, task, 5, COUNT)] == ["gen-c", "gen-b", "gen-a"]
    assert [each.id for each in select_bullets(playbook, "", 1, COUNT)] == ["gen-c", "gen-a"]
    assert [each.id for each in select_bullets(playbook, task, 5, COUNT, 20)] == ["gen-c"]
    assert select_bullets(playbook, task, 0, COUNT, 1) == ()
    assert select_bullets(Playbook("p"), task, 3, COUNT) == ()
