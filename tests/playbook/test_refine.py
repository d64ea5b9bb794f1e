"""Refining: which pairs somebody is asked about, what is done with the answers, and that nobody is asked twice."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import get_args

import pytest
from exhaustive import exhaustive
from hypothesis import given
from hypothesis import strategies as st
from playbook_strategies import playbooks
from steps import n_steps

from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Provenance, sort_playbook
from acdl_mkdocs.playbook.model.changes import apply_changes, find_changes, revert_changes
from acdl_mkdocs.playbook.model.curate import Curated, Curation, curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.near_pairs import (
    REWORDED,
    Decision,
    NearPair,
    Opinion,
    digest_of,
    find_decided_pairs,
    find_near_pairs,
)
from acdl_mkdocs.playbook.model.operations import Update
from acdl_mkdocs.playbook.model.refine import PORTION, Judgement, RefineOptions, apply_decisions, is_due, refine
from acdl_mkdocs.playbook.similarity import is_equal, load_similarity
from acdl_mkdocs.prompts.tokens import counter

MEASURE = load_similarity("ngrams")
COUNT = counter.counter("estimate").count
WAIT_5, WAIT_50 = "Wait 5 seconds after each call of the service.", "Wait 50 seconds after each call of the service."
AGAIN = "After each call of the service wait 5 seconds."


@dataclass
class Scripted:
    """A judge that says what it was told, and remembers what it was asked."""

    says: dict[frozenset[str], Opinion] = field(default_factory=dict)
    otherwise: Opinion | None = "differs"
    fails_at: int | None = None
    name: str = "scripted"
    asked: list[frozenset[str]] = field(default_factory=list)

    def judge_pair(self, pair: NearPair) -> Judgement | None:
        """What it was told to say of two texts."""
        texts = frozenset((pair.a.content, pair.b.content))
        if len(self.asked) == self.fails_at:
            raise ConnectionError("gone")
        self.asked.append(texts)
        opinion = self.says.get(texts, self.otherwise)
        return None if opinion is None else Judgement(opinion, f"{opinion}, says the script")


def book(*contents: str, pairs: Sequence[Pair] = (), policy: Policy | None = None, **particulars: object) -> Playbook:
    """A playbook of these lessons, the first the oldest."""
    bullets = tuple(
        Bullet(id=f"gen-{idx}", section="general", content=content, added=idx, **particulars)  # type: ignore[arg-type]
        for idx, content in enumerate(contents)
    )
    return sort_playbook(Playbook("p", 20, bullets=bullets, pairs=tuple(pairs), policy=policy or Policy()))


def many(number: int) -> Playbook:
    """Lessons that are near each other, and no two as near as others."""
    return book(
        *(f"Wait {each} seconds after each call of the service{' again' * (each % 7)}." for each in range(number))
    )


def work(playbook: Playbook, judge: Scripted | None, *, is_person: bool = False, most: int | None = None) -> Curated:
    """The playbook after refining, and everything that was done."""
    done = [Curated(playbook, curate(playbook, make_delta(), curation_of(playbook)).report)]

    def commit(decisions: Sequence[Decision]) -> Playbook:
        actor = "person" if is_person else "scripted"
        found = apply_decisions(done[-1].playbook, decisions, Curation(MEASURE, COUNT, actor))
        done.append(Curated(found.playbook, done[-1].report + found.report))
        return found.playbook

    with suppress(ConnectionError):
        refine(RefineOptions(judge, MEASURE, commit, is_person, most))
    return done[-1]


def test_same_becomes_one() -> None:
    """The older id, its words, the sum of the counters; the report and the alias say what became of the other."""
    judge = Scripted({frozenset((WAIT_5, AGAIN)): "same"})
    done = work(book(WAIT_5, AGAIN, WAIT_50, helpful=2), judge)
    assert [(each.content, each.aliases, each.helpful) for each in done.playbook.bullets] == [
        (WAIT_5, ("gen-1",), 4),
        (WAIT_50, (), 2),
    ]
    said = [(each.op, each.id, each.other, each.reason) for each in done.report.applied]
    assert [each[0] for each in said[:-2]] == ["KEEP"] * (len(said) - 2)
    assert said[-2:] == [
        ("MERGE", "gen-0", "", "same, says the script"),
        ("MERGE", "gen-1", "gen-0", "merged into `gen-0`"),
    ]


def test_decisions_are_kept_and_never_asked_again() -> None:
    """They name actor, reason and texts; only a change of a text asks anew, and an undone change asks nothing."""
    judge = Scripted({frozenset((WAIT_5, WAIT_50)): "conflicts"})
    first = work(book(WAIT_5, WAIT_50, "Log in first."), judge).playbook
    texts = digest_of(WAIT_5, WAIT_50)
    assert first.pairs == (Pair("gen-0", "gen-1", "conflicts", None, "conflicts, says the script", "scripted", texts),)
    assert len(judge.asked) == 1
    again = Scripted()
    assert work(first, again).playbook is first
    reworded = curate(
        first, make_delta(Update(bullet_id="gen-1", content=f"{WAIT_50} Always.")), curation_of(first)
    ).playbook
    assert find_decided_pairs(reworded) == ()
    assert len(find_near_pairs(reworded, MEASURE)) == 1
    back = curate(reworded, make_delta(Update(bullet_id="gen-1", content=WAIT_50)), curation_of(first)).playbook
    assert [each.verdict for each in find_decided_pairs(back)] == ["conflicts"]
    assert work(back, again).playbook is back
    assert again.asked == []


def test_equal_bullets_need_no_judge() -> None:
    """Those of people, of a merge of branches, pinned or not: what is the same text becomes one, with all it had."""
    texts = (WAIT_5, WAIT_50, WAIT_5.replace(" ", "  "), WAIT_5.rstrip("."), WAIT_5.lower())
    playbook = book(*texts, source=(Provenance("person"),))
    playbook = replace(
        playbook, bullets=(*playbook.bullets[:3], replace(playbook.bullets[3], pinned=True), playbook.bullets[4])
    )
    done = work(playbook, None)
    assert [(each.id, each.pinned, each.aliases) for each in done.playbook.bullets] == [
        ("gen-0", True, ("gen-2", "gen-3")),
        ("gen-1", False, ()),
        ("gen-4", False, ()),
    ]
    assert done.report.rejected == ()
    assert work(done.playbook, None).playbook is done.playbook


def test_a_decision_is_only_about_its_texts() -> None:
    """A is B and B is C: C is merged only if it is the same as the words that stayed, which somebody has to say."""
    a, b, c = (
        "Wait 5 seconds after each call.",
        "After each call, wait 5 seconds.",
        "Wait 5 s after each call you make.",
    )
    same: dict[frozenset[str], Opinion] = {frozenset((a, b)): "same", frozenset((b, c)): "same"}
    done = work(book(a, b, c), Scripted(same))
    assert [each.content for each in done.playbook.bullets] == [a, c]
    assert [(each.a, each.b, each.verdict) for each in find_decided_pairs(done.playbook)] == [
        ("gen-0", "gen-2", "differs")
    ]
    same[frozenset((a, c))] = "same"
    assert [each.content for each in work(book(a, b, c), Scripted(same)).playbook.bullets] == [a]


def test_people_are_not_overruled() -> None:
    """Words that only people change stay; two lessons of which both are such are for a person alone."""
    same: dict[frozenset[str], Opinion] = {frozenset((WAIT_5, AGAIN)): "same"}
    plain = book(WAIT_5, AGAIN)
    for particulars in ({"pinned": True}, {"severity": "critical"}, {"source": (Provenance("person"),)}):
        newer = replace(plain.bullets[1], **particulars)
        (one,) = work(replace(plain, bullets=(plain.bullets[0], newer)), Scripted(same)).playbook.bullets
        assert (one.id, one.content, one.aliases) == ("gen-0", AGAIN, ("gen-1",))
        both = book(WAIT_5, AGAIN, **particulars)
        judge = Scripted(same)
        assert work(both, judge).playbook is both
        assert judge.asked == []
        assert len(work(both, Scripted(same), is_person=True).playbook.bullets) == 1


def test_a_judge_that_fails_costs_nothing_that_it_said() -> None:
    """What was decided before is committed, and the next time it is only asked about the rest."""
    playbook = many(40)
    n_pairs = len(find_near_pairs(playbook, MEASURE))
    assert n_pairs > PORTION
    judge = Scripted(fails_at=PORTION + 3)
    done = work(playbook, judge).playbook
    assert len(done.pairs) == len(judge.asked) == PORTION + 3
    rest = Scripted()
    assert len(work(done, rest).playbook.pairs) == n_pairs
    assert len(rest.asked) == n_pairs - PORTION - 3
    assert not set(rest.asked) & set(judge.asked)


def test_pairs_that_are_left_and_limits() -> None:
    """A judge may leave a pair, which is asked about once a time; `most` ends the questions, the nearest first."""
    playbook = many(9)
    pairs = find_near_pairs(playbook, MEASURE)
    judge = Scripted(otherwise=None)
    assert work(playbook, judge).playbook is playbook
    assert len(judge.asked) == len(pairs)
    few = Scripted()
    work(playbook, few, most=2)
    assert few.asked == [frozenset((each.a.content, each.b.content)) for each in pairs[:2]]


def test_links_of_earlier_versions() -> None:
    """What a program linked by itself is taken out and told; what a person kept stays, and two wordings are asked."""
    pairs = [
        Pair("gen-0", "gen-1", "conflict", 0.96, "numbers differ: 5 / 50"),
        Pair("gen-0", "gen-2", "review", 0.4),
        Pair("gen-1", "gen-2", "kept", 0.5, "both"),
        Pair("gen-2", "gen-3", "conflict", 0.1, REWORDED),
    ]
    playbook = book(WAIT_5, WAIT_50, AGAIN, "Quote the manual.", pairs=pairs)
    assert find_decided_pairs(playbook) == (pairs[2],)
    assert next((each.a.id, each.b.id, each.why) for each in find_near_pairs(playbook, MEASURE)) == (
        "gen-2",
        "gen-3",
        REWORDED,
    )
    done = work(playbook, None)
    assert done.playbook.pairs == tuple(pairs[2:])
    assert [(each.op, each.id, each.other) for each in done.report.applied] == [
        ("UNLINKED", "gen-0", "gen-1"),
        ("UNLINKED", "gen-0", "gen-2"),
    ]
    assert done.playbook.revision == 21
    after = work(done.playbook, Scripted()).playbook
    assert [(each.a, each.b, each.verdict) for each in after.pairs if each.b == "gen-3"] == [
        ("gen-2", "gen-3", "differs")
    ]


def test_few_pairs_for_a_bullet() -> None:
    """However many lessons are near each other: each is in three pairs at most, decided ones too."""
    playbook = many(60)
    pairs = find_near_pairs(playbook, MEASURE)
    n_pairs = Counter(bullet.id for each in pairs for bullet in (each.a, each.b))
    assert max(n_pairs.values()) == 3
    done = work(playbook, Scripted()).playbook
    assert len(done.pairs) == len(pairs)
    assert find_near_pairs(done, MEASURE) == ()


def test_archived_bullets_are_not_compared() -> None:
    """Nobody is asked about what no prompt has, nor what a merge asked about it."""
    playbook = book(WAIT_5, WAIT_50, pairs=[Pair("gen-0", "gen-1", "open", why=REWORDED)])
    assert len(find_near_pairs(playbook, MEASURE)) == 1
    gone = replace(playbook.bullets[1], status="archived", reason="wrong")
    assert find_near_pairs(replace(playbook, bullets=(playbook.bullets[0], gone)), MEASURE) == ()


@pytest.mark.parametrize(
    ("policy", "before", "size", "due"),
    [
        (Policy(refine="never", budget_model_tokens=10), 0, 10, False),
        (Policy(refine="after-each-delta"), 19, 0, True),
        (Policy(refine="after-each-delta"), 20, 0, False),
        (Policy(refine="on-budget"), 0, 10**9, False),
        (Policy(refine="on-budget", budget_model_tokens=100), 0, 89, False),
        (Policy(refine="on-budget", budget_model_tokens=100), 0, 90, True),
        (Policy(refine=10), 19, 0, True),
        (Policy(refine=10), 12, 0, True),
        (Policy(refine=15), 16, 0, False),
    ],
)
def test_policy(policy: Policy, before: int, size: int, due: bool) -> None:
    """Never, near the budget, after each delta or every so many revisions: and not twice at one revision."""
    assert is_due(replace(book(), policy=policy), before, size) is due


@given(playbooks(), st.data())
def test_decisions_on_any_playbook(playbook: Playbook, data: st.DataObject) -> None:
    """Whatever is decided: ids and counters are not lost, equal bullets become one, and it can be undone."""
    decisions = [
        Decision(
            *data.draw(st.sampled_from([(one.id, two.id) for one in playbook.bullets for two in playbook.bullets])),
            data.draw(st.sampled_from(get_args(Opinion))),
            "",
            digest_of(*(data.draw(st.sampled_from([each.content for each in playbook.bullets])) for _ in range(2))),
        )
        for _ in range(data.draw(st.integers(0, 3)) if playbook.bullets else 0)
    ]
    curation = Curation(MEASURE, COUNT, data.draw(st.sampled_from(("person", "model m"))))
    done = apply_decisions(playbook, decisions, curation)
    after = done.playbook
    assert apply_decisions(playbook, decisions, curation) == done
    assert set(playbook.by_id) <= set(after.by_id)
    assert sum(each.helpful for each in after.bullets) == sum(each.helpful for each in playbook.bullets)
    found = find_changes(playbook, after)
    assert apply_changes(playbook, found, revision=after.revision) == after
    assert revert_changes(after, found, revision=playbook.revision) == playbook
    assert (after.revision == playbook.revision) == (found == ())
    same = [(a, b) for a in after.active for b in after.active if a.id < b.id and is_equal(a.content, b.content)]
    assert same == [] or done.report.rejected


@exhaustive
def test_work_grows_with_the_bullets() -> None:
    """Four times the bullets take about four times the steps: pairs are never compared one with all others."""
    few, many = (book(*(_text(number) for number in range(size))) for size in (500, 2_000))
    costs = [n_steps(partial(find_near_pairs, each, MEASURE)) for each in (few, many)]
    assert costs[1] < 6 * costs[0]


def _text(number: int) -> str:
    """A lesson with a rare word, one that forty have, and two that all have."""
    return f"{_word(number)}a first, then {_word(number // 40)}o."


def _word(number: int) -> str:
    letters = "bcdfghklmnprstvz"
    return "".join(letters[number >> shift & 15] + "aeiou"[number % 5] for shift in (8, 4, 0))
