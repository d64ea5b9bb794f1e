"""Two branches of a playbook become one: bullet by bullet, field by field, without a conflict and without a loss."""

import random
from dataclasses import replace

import pytest
from random_branches import branch, first_playbook, texts

from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Provenance, Section, sort_playbook
from acdl_mkdocs.playbook.model.merge_branches import merge_playbooks
from acdl_mkdocs.playbook.model.near_pairs import REWORDED
from acdl_mkdocs.playbook.store.checks import find_flaws

N_TRIALS = 180
COUNTERS = ("helpful", "harmful", "neutral", "seen")
GENERAL = Section("general", "General")


def bullet(name: str = "gen-1", content: str = "Read the page.", **given: object) -> Bullet:
    """A bullet of the only section."""
    return replace(Bullet(id=name, section="general", content=content, added=1, updated=1), **given)  # type: ignore[arg-type]


def playbook(*bullets: Bullet, revision: int = 10, **given: object) -> Playbook:
    """A playbook of some bullets."""
    return sort_playbook(replace(Playbook("p", revision, (GENERAL,), bullets), **given))  # type: ignore[arg-type]


def both(base: Playbook | None, a: Playbook, b: Playbook) -> Playbook:
    """The merge, which is the same in both directions and can be written to a file."""
    one, two = merge_playbooks(base, a, b), merge_playbooks(base, b, a)
    assert one == two
    assert one.playbook == sort_playbook(one.playbook)
    assert not list(find_flaws(one.playbook))
    return one.playbook


def test_counters_get_what_both_branches_added() -> None:
    """Tags of both branches count; the base counts once."""
    base = playbook(bullet(helpful=5, seen=9))
    a, b = (
        playbook(bullet(helpful=7, seen=9), revision=12),
        playbook(bullet(helpful=6, harmful=2, seen=11), revision=11),
    )
    (found,) = both(base, a, b).bullets
    assert (found.helpful, found.harmful, found.seen) == (8, 2, 11)


@pytest.mark.parametrize("base", [None, playbook(revision=9)])
def test_a_copy_on_both_branches_counts_once(base: Playbook | None) -> None:
    """A bullet that is the same on both branches and not in the base came from one import; nothing was reworded."""
    copy, old = bullet(helpful=3), bullet("gen-2", "Old.", status="archived", reason="wrong", harmful=2)
    a, b = playbook(copy, old, bullet("gen-3", "One.")), playbook(copy, old, bullet("gen-4", "Two."))
    found = {each.id: (each.helpful, each.harmful) for each in both(base, a, b).bullets}
    assert found == {"gen-1": (3, 0), "gen-2": (0, 2), "gen-3": (0, 0), "gen-4": (0, 0)}
    assert merge_playbooks(base, a, b).notes == ()


def test_the_revision_counts_all_that_was_committed() -> None:
    """Those of both branches and one for the merge; the bullets that the merge changed have it."""
    base = playbook(bullet())
    whole = both(base, playbook(bullet(helpful=1), revision=12), playbook(bullet(harmful=1), revision=13))
    assert whole.revision == 12 + 13 - 10 + 1
    assert whole.bullets[0].updated == whole.revision


def test_a_branch_without_changes_gives_the_other() -> None:
    """The merge is then simply the other side, whatever direction."""
    base, a = playbook(bullet()), playbook(bullet(content="Other."), revision=11)
    assert both(base, a, base) is a
    assert both(base, a, a) is a


def test_fields_are_merged_one_by_one() -> None:
    """Pinned on one branch, reworded on the other, moved and made critical: all of it holds."""
    base = playbook(bullet(), sections=(GENERAL, Section("tools", "Tools")))
    a = replace(base, revision=11, bullets=(bullet(pinned=True, section="tools", applies_to=("acdl:A",)),))
    b = replace(base, revision=11, bullets=(bullet(content="Better.", severity="critical", applies_to=("acdl:B",)),))
    (found,) = both(base, a, b).bullets
    assert (found.pinned, found.section, found.content, found.severity) == (True, "tools", "Better.", "critical")
    assert found.applies_to == ("acdl:A", "acdl:B")


def test_two_wordings_stay_side_by_side() -> None:
    """The first in the alphabet stays in the bullet; the other has an id of its own, linked, without counters."""
    base = playbook(bullet(helpful=3))
    a = playbook(bullet(content="Zebra.", helpful=4, pinned=True), revision=11)
    b = playbook(bullet(content="Apple.", helpful=4), revision=11)
    whole = both(base, a, b)
    old, new = sorted(whole.bullets, key=lambda each: each.added)
    assert (old.id, old.content, old.helpful) == ("gen-1", "Apple.", 5)
    assert (new.content, new.helpful, new.pinned, new.added) == ("Zebra.", 0, True, whole.revision)
    (pair,) = whole.pairs
    assert {pair.a, pair.b} == {old.id, new.id}
    assert (pair.verdict, pair.why) == ("open", REWORDED)
    assert merge_playbooks(base, a, b).notes == (
        f"`gen-1` was reworded on two branches: the other wording is `{new.id}`",
    )


def test_the_same_rewording_is_one() -> None:
    """Both branches wrote the same words: nothing is doubled."""
    base = playbook(bullet())
    a, b = playbook(bullet(content="New.", helpful=1)), playbook(bullet(content="New.", harmful=1))
    assert [each.content for each in both(base, a, b).bullets] == ["New."]


def test_a_merge_on_one_branch_takes_the_tags_of_the_other() -> None:
    """What the other branch added to the bullet that is gone goes to the one that it became."""
    base = playbook(bullet("gen-1", helpful=1), bullet("gen-2", "Look at it.", helpful=2))
    a = playbook(bullet("gen-1", helpful=3, aliases=("gen-2",)), revision=11)
    b = playbook(bullet("gen-1", helpful=1), bullet("gen-2", "Look at it.", helpful=7, pinned=True), revision=12)
    (found,) = both(base, a, b).bullets
    assert (found.helpful, found.aliases, found.pinned) == (8, ("gen-2",), True)


def test_a_merge_on_one_branch_keeps_the_rewording_of_the_other() -> None:
    """The new words of a bullet that the other branch merged are a bullet of their own."""
    base = playbook(bullet("gen-1"), bullet("gen-2", "Look at it."))
    a = playbook(bullet("gen-1", aliases=("gen-2",)), revision=11)
    b = playbook(bullet("gen-1"), bullet("gen-2", "Look twice."), revision=12)
    whole = both(base, a, b)
    assert texts([whole]) == {"Read the page.", "Look twice."}
    assert whole.by_id["gen-2"].id == "gen-1"
    assert [pair.why for pair in whole.pairs] == [REWORDED]


def test_merges_of_one_bullet_into_two_count_it_once() -> None:
    """Each branch merged it into another bullet: both stay, it is an alias of the older one, and sums are right."""
    three = (bullet("gen-1", helpful=1), bullet("gen-2", "Two.", helpful=10), bullet("gen-3", "Three.", helpful=100))
    base = playbook(*three)
    a = playbook(bullet("gen-1", helpful=11, aliases=("gen-2",)), three[2], revision=11)
    b = playbook(three[0], bullet("gen-3", "Three.", helpful=110, aliases=("gen-2",)), revision=11)
    whole = both(base, a, b)
    assert {each.id: each.helpful for each in whole.bullets} == {"gen-1": 11, "gen-3": 100}
    assert whole.by_id["gen-2"].id == "gen-1"


def test_merges_in_a_circle_end() -> None:
    """One branch merged X into Y, the other Y into X: the older one stays, with all counters."""
    base = playbook(bullet("gen-1", helpful=1), bullet("gen-2", "Two.", helpful=2))
    a = playbook(bullet("gen-1", helpful=4, aliases=("gen-2",)), revision=11)
    b = playbook(bullet("gen-2", "Two.", helpful=5, aliases=("gen-1",)), revision=11)
    (found,) = both(base, a, b).bullets
    assert (found.id, found.aliases, found.helpful) == ("gen-1", ("gen-2",), 6)


def test_chains_of_merges_are_followed() -> None:
    """X into Y here, Y into Z there: all three are Z, and pairs and successors name it."""
    base = playbook(
        bullet("gen-1"),
        bullet("gen-2", "Two."),
        bullet("gen-3", "Three."),
        bullet("gen-4", "Four.", status="archived", superseded_by="gen-3"),
        pairs=(Pair("gen-3", "gen-4", "review", 0.5),),
    )
    a = playbook(base.by_id["gen-1"], bullet("gen-2", "Two.", aliases=("gen-3",)), revision=11)
    a = replace(a, bullets=(*a.bullets, replace(base.by_id["gen-4"], superseded_by="gen-2")))
    a = replace(a, pairs=(Pair("gen-2", "gen-4", "review", 0.5),))
    b = playbook(bullet("gen-1", aliases=("gen-2",)), *base.bullets[2:], revision=11, pairs=base.pairs)
    whole = both(base, a, b)
    assert [each.id for each in whole.bullets] == ["gen-1", "gen-4"]
    assert whole.by_id["gen-3"].id == whole.by_id["gen-4"].superseded_by == "gen-1"
    assert [(pair.a, pair.b) for pair in whole.pairs] == [("gen-1", "gen-4")]


def test_archived_here_and_updated_there() -> None:
    """It is archived with its reason and has the new words; somebody is told."""
    base = playbook(bullet())
    a = playbook(bullet(status="archived", reason="wrong"), revision=11)
    b = playbook(bullet(content="Better."), revision=11)
    (found,) = both(base, a, b).bullets
    assert (found.status, found.reason, found.content) == ("archived", "wrong", "Better.")
    assert merge_playbooks(base, a, b).notes == ("`gen-1` was reworded and is now archived",)


def test_two_reasons_are_both_kept() -> None:
    """Archived on both branches: both reasons are told; and what replaced it."""
    base = playbook(bullet(), bullet("gen-2", "Two."))
    a = playbook(bullet(status="archived", reason="old"), base.bullets[1], revision=11)
    b = playbook(bullet(status="archived", reason="new", superseded_by="gen-2"), base.bullets[1], revision=11)
    found = both(base, a, b).by_id["gen-1"]
    assert (found.status, found.reason, found.superseded_by) == ("archived", "new; old", "gen-2")


def test_a_successor_that_was_merged_into_it_brings_it_back() -> None:
    """Superseded by Y here, Y merged into it there: it is active, or the lesson would be lost."""
    base = playbook(bullet(), bullet("gen-2", "Two."))
    a = playbook(bullet(status="archived", reason="new", superseded_by="gen-2"), base.bullets[1], revision=11)
    b = playbook(bullet(aliases=("gen-2",), helpful=1), revision=11)
    (found,) = both(base, a, b).bullets
    assert (found.status, found.superseded_by) == ("active", None)


def test_a_bullet_that_was_deleted() -> None:
    """It is gone if the other branch left it alone, and stays if that changed it."""
    base = playbook(bullet(), bullet("gen-2", "Two."))
    a = playbook(bullet(helpful=1), revision=11)
    assert [
        each.id for each in both(base, a, playbook(*base.bullets, bullet("gen-3", "Three."), revision=11)).bullets
    ] == [
        "gen-1",
        "gen-3",
    ]
    b = playbook(bullet(), bullet("gen-2", "Two.", helpful=3), revision=11)
    assert both(base, a, b).by_id["gen-2"].helpful == 3
    assert merge_playbooks(base, a, b).notes == (
        "`gen-2` was deleted on one branch and changed on the other: it stays",
    )


def test_both_branches_made_the_file() -> None:
    """Without a base everything of both is there, also of a bullet that both have in other words."""
    a = playbook(bullet(helpful=1), bullet("gen-2", "Two."), revision=3)
    b = playbook(
        bullet(content="Other.", helpful=2, source=(Provenance(by="person"),)), bullet("gen-3", "Three."), revision=4
    )
    whole = both(None, a, b)
    assert texts([whole]) == texts([a, b])
    assert (whole.revision, whole.by_id["gen-1"].helpful) == (8, 3)


def test_the_same_lesson_of_two_branches_is_said() -> None:
    """Both branches learned the same words under two ids: both stay until the playbook is refined."""
    base = playbook(bullet())
    a, b = (playbook(bullet(), bullet(name, "Same."), revision=11) for name in ("gen-a", "gen-b"))
    assert both(base, a, b).pairs == ()
    assert (
        "`gen-a` and `gen-b` say the same: `acdl playbook refine` makes them one" in merge_playbooks(base, a, b).notes
    )


def test_verdicts_of_pairs() -> None:
    """The more decided verdict wins; a pair that one branch dropped is gone."""
    three = tuple(bullet(f"gen-{n}", f"Text {n}.") for n in (1, 2, 3))
    pairs = (Pair("gen-1", "gen-2", "review", 0.5), Pair("gen-1", "gen-3", "review", 0.4))
    base = playbook(*three, pairs=pairs)
    a = playbook(*three, pairs=(Pair("gen-1", "gen-2", "kept", 0.5, "both"), pairs[1]), revision=11)
    b = playbook(*three, pairs=(Pair("gen-1", "gen-2", "conflict", 0.5, "numbers differ"),), revision=11)
    assert both(base, a, b).pairs == (Pair("gen-1", "gen-2", "kept", 0.5, "both"),)


def test_branches_that_decide_differently() -> None:
    """What one branch decided stays; where the other says otherwise about the same texts, the pair is open again."""
    three = tuple(bullet(f"gen-{n}", f"Text {n}.") for n in (1, 2, 3))
    base = playbook(*three)
    differs = Pair("gen-1", "gen-2", "differs", by="person", texts="0" * 12)
    conflicts = replace(differs, verdict="conflicts", by="model m")
    one, two = (playbook(*three, pairs=(pair,), revision=11) for pair in (differs, conflicts))
    assert both(base, one, playbook(*three, revision=11)).pairs == (differs,)
    assert both(base, one, two).pairs == (Pair("gen-1", "gen-2", "open", why="decided differently on two branches"),)


def test_sections_of_both_branches_keep_their_order() -> None:
    """New sections stand where their branch put them; a moved one stays moved; a title that both changed is noted."""
    names = ("a", "b", "c")
    base = playbook(sections=tuple(Section(name, name) for name in names))
    a = replace(base, revision=11, sections=(Section("c", "c"), Section("a", "a"), Section("b", "B")))
    b = replace(base, revision=11, sections=(*base.sections[:2], Section("x", "X"), base.sections[2]))
    assert [(each.id, each.title) for each in both(base, a, b).sections] == [
        ("c", "c"),
        ("a", "a"),
        ("b", "B"),
        ("x", "X"),
    ]


def test_a_section_that_a_bullet_needs_stays() -> None:
    """One branch took a section out, the other put a bullet into it."""
    base = playbook(sections=(GENERAL, Section("tools", "Tools"), Section("old", "Old")))
    a = replace(base, revision=11, sections=(GENERAL,))
    b = replace(base, revision=11, bullets=(bullet(section="tools"),))
    assert [each.id for each in both(base, a, b).sections] == ["general", "tools"]


def test_the_stricter_policy_holds() -> None:
    """Of two budgets the smaller one, of two protections the longer one; what one branch changed holds as it is."""
    base = playbook(policy=Policy(budget_model_tokens=500))
    a = replace(base, revision=11, policy=Policy(budget_model_tokens=900, protect_revisions=5, encoding="o200k_base"))
    b = replace(base, revision=11, policy=Policy(budget_model_tokens=None, protect_revisions=9))
    assert both(base, a, b).policy == Policy(900, "o200k_base", "ngrams", 9)
    assert any("budget_model_tokens" in note for note in merge_playbooks(base, a, b).notes)


@pytest.mark.parametrize("block", range(6))
def test_random_branches(block: int) -> None:
    """Whatever two branches did: the same in both directions, every text and id is there, counters add up."""
    n_reworded = 0
    for seed in range(block * N_TRIALS // 6, (block + 1) * N_TRIALS // 6):
        rng = random.Random(seed)  # noqa: S311 - the same branches in every run
        base = branch(rng, first_playbook(rng, rng.randrange(2, 10)), rng.randrange(8))
        a, b = branch(rng, base, rng.randrange(1, 12)), branch(rng, base, rng.randrange(1, 12))
        if base in (a, b) or a == b:
            continue
        whole = both(base, a, b)
        n_reworded += len(whole.bullets) > len({*a.by_id, *b.by_id} & {each.id for each in whole.bullets})
        assert whole.revision == a.revision + b.revision - base.revision + 1, seed
        assert {*whole.by_id} >= {*a.by_id, *b.by_id}, seed
        assert texts([whole]) >= texts([a, b]) - texts([base]), seed
        for name in COUNTERS:
            total = {side: sum(getattr(each, name) for each in side.bullets) for side in (base, a, b, whole)}
            wanted = total[a] + total[b] - total[base]  # less where both have rewritten a lesson that only did harm
            assert total[whole] == wanted or (name == "harmful" and total[whole] > wanted), (seed, name)
    assert n_reworded


def test_what_was_merged_is_merged_again_without_a_change() -> None:
    """Merging a branch a second time gives the same playbook."""
    rng = random.Random(7)  # noqa: S311
    base = first_playbook(rng, 6)
    a, b = branch(rng, base, 9), branch(rng, base, 9)
    whole = both(base, a, b)
    assert both(a, a, whole) is whole
    assert both(b, whole, b) is whole
