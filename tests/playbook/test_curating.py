"""What the curator does that no operation can know: what says the same, what was archived, what fits the budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from acdl_mkdocs.foundation.errors import UnknownFormatError
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Provenance, sort_playbook
from acdl_mkdocs.playbook.model.curate import Curated, Curation, curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of, make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import (
    Add,
    AddSection,
    Conflict,
    Keep,
    Merge,
    Remove,
    Revive,
    TagBullet,
    Update,
)
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.prompts.tokens import counter

COUNT = counter.counter("estimate").count


@dataclass(frozen=True)
class Words:
    """A measure that a reader can check: the share of words that two texts have in common."""

    name: str = "words"
    least: float = 0.5

    def prepare_texts(self, texts: Sequence[str]) -> "Texts":
        """Split the texts into words."""
        return Texts([set(text.lower().rstrip(".").split()) for text in texts])


@dataclass(frozen=True)
class Texts:
    """Sets of words."""

    words: list[set[str]]

    def find_nearest(self, text: str, k: int = 8) -> list[tuple[int, float]]:
        """Those with the largest common share."""
        wanted = set(text.lower().rstrip(".").split())
        scores = [(idx, len(wanted & each) / len(wanted | each)) for idx, each in enumerate(self.words)]
        return sorted(scores, key=lambda each: (-each[1], each[0]))[:k]


RETRY = Bullet(id="gen-r", section="general", content="Retry failed calls with backoff.", helpful=2, added=1, updated=3)
PAGES = Bullet(id="gen-p", section="general", content="Read every page of a list.", source=(Provenance(run="r1"),))
OLD = Bullet(
    id="gen-o",
    section="general",
    content="Set a timeout of ten minutes.",
    status="archived",
    reason="too long",
    updated=5,
)
PLAYBOOK = sort_playbook(Playbook("p", 9, bullets=(RETRY, PAGES, OLD)))


def done(*operations: Operation, playbook: Playbook = PLAYBOOK, actor: str = "curator") -> Curated:
    """The playbook after operations, by the simple measure."""
    return curate(playbook, make_delta(*operations), Curation(Words(), COUNT, actor))


def ops(curated: Curated) -> list[tuple[str, str, str]]:
    """What was done to which bullets."""
    return [(each.op, each.id, each.other) for each in curated.report.applied]


def refused(curated: Curated) -> str:
    """The one thing that was rejected, in a line."""
    (rejected,) = curated.report.rejected
    return str(rejected)


def test_equal_text_is_counted_on_the_bullet_that_has_it() -> None:
    """An ADD that says what a bullet says is one helpful tag more, and tells where it was learned too."""
    curated = curate(
        PLAYBOOK,
        make_delta(Add(section="general", content="Read every page of a list", applies_to=("acdl:X",))),
        Curation(Words(), COUNT, "reflector", Provenance(run="r2", by="reflector"), "s7"),
    )
    assert ops(curated) == [("MERGED", "gen-p", "")]
    after = curated.playbook.by_id["gen-p"]
    assert after == replace(
        PAGES,
        helpful=1,
        applies_to=("acdl:X",),
        source=(Provenance(run="r1"), Provenance(by="reflector", run="r2", sample="s7")),
        updated=10,
    )
    assert len(curated.playbook.bullets) == len(PLAYBOOK.bullets)


@pytest.mark.parametrize(
    "content", ["Retry the failed calls with backoff.", "Never retry failed calls with backoff.", RETRY.content.lower()]
)
def test_near_text_is_a_bullet_of_its_own(content: str) -> None:
    """However near a text is: nothing is merged, linked or queued unless it is the same."""
    curated = done(Add(section="general", content=content))
    assert [each.op for each in curated.report.applied] == ["ADD"]
    assert curated.playbook.pairs == ()
    assert curated.playbook.by_id["gen-r"] == RETRY


def test_similar_text_is_merged_where_the_policy_says_so() -> None:
    """With `merge_similar` an ADD falls onto the nearest active bullet from that score on; what it said is reported."""
    playbook = replace(PLAYBOOK, policy=Policy(merge_similar=0.8))
    adds = [Add(section="general", content=f"{word} failed calls with backoff.") for word in ("Retry the", "Repeat")]
    curated = done(*adds, playbook=playbook)
    assert [each.op for each in curated.report.applied] == ["MERGED", "ADD"]
    assert curated.report.applied[0].reason == (
        "`gen-r` is similar (0.83, `merge_similar: 0.8`): Retry the failed calls with backoff."
    )
    assert (curated.playbook.by_id["gen-r"].content, curated.playbook.by_id["gen-r"].helpful) == (RETRY.content, 3)
    twice = done(*[Add(section="general", content=f"Use {word} UTC in all logs of ours.") for word in ("a", "the")],
                 playbook=playbook)  # fmt: skip
    assert [each.op for each in twice.report.applied] == ["ADD", "ADD"]
    new = done(adds[1], replace(adds[1], content="Repeat all failed calls with backoff."), playbook=playbook)
    assert [each.op for each in new.report.applied] == ["ADD", "MERGED"]


def test_a_decision_is_about_two_texts() -> None:
    """KEEP and CONFLICT say who decided and about what; again it changes nothing, another one replaces it."""
    kept = done(Keep(bullet_id="gen-r", other="gen-p", reason="two things"))
    (pair,) = kept.playbook.pairs
    assert (pair.a, pair.b, pair.verdict, pair.why, pair.by) == ("gen-p", "gen-r", "differs", "two things", "curator")
    again = done(Keep(bullet_id="gen-p", other="gen-r"), playbook=kept.playbook)
    assert again.playbook is kept.playbook
    assert again.report.applied[0].note == "nothing changed: it was decided so before"
    other = done(Conflict(bullet_id="gen-p", other="gen-r", reason="no"), playbook=kept.playbook, actor="person")
    assert [(each.verdict, each.why, each.by) for each in other.playbook.pairs] == [("conflicts", "no", "person")]


def test_adds_of_one_delta_are_compared_too() -> None:
    """The second of two that say the same falls onto the first."""
    curated = done(*[Add(section="general", content="Use UTC in logs.")] * 2)
    assert [each.op for each in curated.report.applied] == ["ADD", "MERGED"]
    assert curated.playbook.by_id[curated.report.applied[0].id].helpful == 1


def test_updated_text_is_compared_and_the_former_is_not() -> None:
    """After an UPDATE, an ADD meets the new words; the old ones are free."""
    change = Update(bullet_id="gen-p", content="Use UTC in logs.")
    again = done(
        change, Add(section="general", content="Use UTC in logs"), Add(section="general", content=PAGES.content)
    )
    assert [each.op for each in again.report.applied] == ["UPDATE", "MERGED", "ADD"]


def test_what_was_archived_is_not_learned_again() -> None:
    """An ADD or UPDATE that says what an archived bullet said is refused with its reason and the way back."""
    for operation in (
        Add(section="general", content="Set a timeout of ten minutes"),
        Update(bullet_id="gen-p", content="Set a  timeout of ten minutes."),
    ):
        curated = done(operation)
        assert curated.playbook is PLAYBOOK
        said = refused(curated)
        assert "`gen-o` said, which was archived in revision 5 because: too long" in said
        assert '{"type": "REVIVE", "bullet_id": "gen-o"}' in said


def test_update_does_not_make_two_bullets_equal() -> None:
    """An UPDATE to what another bullet says is refused; MERGE is the cure, and works."""
    curated = done(Update(bullet_id="gen-p", content="Retry failed calls with backoff"))
    said = refused(curated)
    assert said.startswith("operations[0].content: says what `gen-r` says already; ")
    cure = said.partition("; ")[2].partition(" makes")[0]
    assert cure == '{"type": "MERGE", "bullet_id": "gen-r", "others": ["gen-p"]}'


def test_revive_of_what_is_said_again() -> None:
    """A bullet is not revived beside another that says the same by now."""
    playbook = replace(PLAYBOOK, bullets=(*PLAYBOOK.bullets, replace(OLD, id="gen-z", status="active", reason=None)))
    curated = done(Revive(bullet_id="gen-o"), playbook=sort_playbook(playbook))
    assert "says what `gen-z` says already" in refused(curated)
    assert done(Revive(bullet_id="gen-o")).playbook.by_id["gen-o"].is_active


def test_one_tag_for_each_bullet() -> None:
    """A second tag of the same bullet in a delta is refused, also by another of its ids."""
    merged = done(Merge(bullet_id="gen-r", others=("gen-p",)), actor="person").playbook
    survivor = merged.by_id["gen-r"].id
    alias = ({"gen-r", "gen-p"} - {survivor}).pop()
    curated = done(
        TagBullet(bullet_id=survivor, tag="helpful"), TagBullet(bullet_id=alias, tag="harmful"), playbook=merged
    )
    assert refused(curated) == (
        f"operations[1].bullet_id: `{survivor}` is already tagged in this delta; tag a bullet once"
    )
    noted = done(TagBullet(bullet_id=alias, tag="harmful"), playbook=merged).report.applied[0]
    assert (noted.id, noted.note) == (survivor, f"`{alias}` was merged into it")


def test_good_operations_apply_and_bad_ones_do_not() -> None:
    """A bad operation does not hold up the others; rejects come in the order of the delta."""
    found = delta_of(
        [
            {"type": "TAG", "bullet_id": "nope", "tag": "helpful"},
            {"type": "TAG", "bullet_id": "gen-r", "tag": "helpful"},
            {"type": "FROB"},
            {"type": "REMOVE", "bullet_id": "gen-p", "reason": " "},
        ]
    )
    curated = curate(PLAYBOOK, found, Curation(Words(), COUNT))
    assert [each.path for each in curated.report.rejected] == [
        "operations[0].bullet_id",
        "operations[2].type",
        "operations[3].reason",
    ]
    assert curated.playbook.by_id["gen-r"].helpful == 3
    assert curated.playbook.revision == 10


def test_nothing_changes_nothing() -> None:
    """An operation that changes nothing is told as such, and the playbook stays at its revision."""
    curated = done(Update(bullet_id="gen-r", content=RETRY.content), AddSection(title="General"))
    assert curated.playbook is PLAYBOOK
    assert curated.report.rejected == ()
    assert curated.report.applied[0].note == "nothing changed: it was so before"
    assert curate(PLAYBOOK, make_delta(), Curation(Words(), COUNT)).playbook is PLAYBOOK


def test_stale_delta_leaves_what_changed_since() -> None:
    """What was changed after the delta was written for is not rewritten or removed; tags count all the same."""
    asked = (
        Update(bullet_id="gen-r", content="Mine."),
        Remove(bullet_id="gen-p", reason="x"),
        TagBullet(bullet_id="gen-r", tag="helpful"),
    )
    curated = curate(PLAYBOOK, make_delta(*asked, revision=2), Curation(Words(), COUNT))
    assert refused(curated) == (
        "operations[0].bullet_id: `gen-r` was changed in revision 3, and the delta was written for 2; "
        "read the playbook again"
    )
    assert [each.op for each in curated.report.applied] == ["REMOVE", "TAG"]
    twice = (Update(bullet_id="gen-r", content="Mine."), Update(bullet_id="gen-r", content="Mine, really."))
    assert not curate(PLAYBOOK, make_delta(*twice, revision=9), Curation(Words(), COUNT)).report.rejected
    future = curate(PLAYBOOK, make_delta(*asked, revision=10), Curation(Words(), COUNT))
    assert future.playbook is PLAYBOOK
    assert refused(future).startswith("revision: the delta was written for revision 10, and the playbook is at 9")


def test_reason_may_not_forge_anything() -> None:
    """What goes into the history is as clean as what goes into a bullet."""
    curated = done(TagBullet(bullet_id="gen-r", tag="helpful", reason="a\u202eb"))
    assert "operations[0].reason: has the character U+202E" in refused(curated)


def test_import_keeps_ids_and_counters() -> None:
    """An ADD with an id of its own that falls onto a bullet leaves its id as an alias, and its counters are added."""
    add = Add(section="general", content=RETRY.content, id="shr-00012", helpful=5, harmful=1)
    after = done(add, actor="import").playbook.by_id["shr-00012"]
    assert (after.id, after.helpful, after.harmful, after.aliases) == ("gen-r", 7, 1, ("shr-00012",))


def test_seen_counts_without_touching_the_revision_of_bullets() -> None:
    """Bullets that were in a prompt are counted as seen, unknown and repeated ids not."""
    curation = Curation(Words(), COUNT, "curator", seen=("gen-r", "gen-r", "nope"))
    curated = curate(PLAYBOOK, make_delta(), curation)
    assert curated.playbook.by_id["gen-r"] == replace(RETRY, seen=1)
    assert (curated.playbook.revision, ops(curated)) == (10, [("SEEN", "gen-r", "")])


def test_curation_is_what_the_playbook_says() -> None:
    """Measure and encoding come from the policy; names that do not exist are refused with a near one."""
    assert curation_of(PLAYBOOK).measure.name == "ngrams"
    assert curation_of(PLAYBOOK).count("x" * 36) == 10
    assert curation_of(replace(PLAYBOOK, policy=Policy(encoding="o200k_base"))).count("hello world") == 2
    with pytest.raises(UnknownFormatError, match="did you mean `ngrams`"):
        curation_of(replace(PLAYBOOK, policy=Policy(similarity="ngram")))


def budgeted(n_bullets: int, budget: int, **particulars: object) -> Playbook:
    """A playbook of bullets that are all old, the first with the worst counters."""
    bullets = tuple(
        Bullet(
            id=f"gen-{idx:03}",
            section="general",
            content=f"Lesson {chr(97 + idx) * 20} about something.",
            helpful=idx,
            harmful=n_bullets - idx,
            **particulars,  # type: ignore[arg-type]
        )
        for idx in range(n_bullets)
    )
    return Playbook("p", 100, bullets=bullets, policy=Policy(budget_model_tokens=budget, protect_revisions=20))


def test_budget_archives_the_least_worth() -> None:
    """Over the budget, the bullets with the lowest upper bound are archived, as few as needed, with the numbers."""
    playbook = budgeted(10, 10_000)
    size = COUNT(prompt_text(playbook))
    playbook = replace(playbook, policy=replace(playbook.policy, budget_model_tokens=size))
    curated = done(Add(section="general", content="Something new and quite different."), playbook=playbook)
    gone = [each for each in curated.report.applied if each.op == "PRUNED"]
    assert [each.id for each in gone] == ["gen-000"]
    assert gone[0].after is not None
    assert gone[0].after.reason == gone[0].reason
    assert f"over its budget of {size:,}; helpful 0 of 10, at most 0.28" in gone[0].reason
    assert COUNT(prompt_text(curated.playbook)) <= size


def test_budget_never_archives_what_is_protected() -> None:
    """With nothing to archive, the ADDs that do not fit are rejected from the last; the others apply."""
    for particulars in ({"pinned": True}, {"severity": "critical"}, {"added": 90}, {"source": (Provenance("person"),)}):
        playbook = budgeted(5, 10_000, **particulars)
        size = COUNT(prompt_text(playbook))
        playbook = replace(playbook, policy=replace(playbook.policy, budget_model_tokens=size + 25))
        curated = done(
            Add(section="general", content="Something new and quite different."),
            Add(section="general", content="Another thing that nobody has said so far."),
            TagBullet(bullet_id="gen-000", tag="neutral"),
            playbook=playbook,
        )
        assert [each.op for each in curated.report.applied] == ["ADD", "TAG"]
        assert refused(curated).startswith("operations[1]: the playbook would have ")
        assert f"over its budget of {size + 25:,}" in refused(curated)
        assert COUNT(prompt_text(curated.playbook)) <= size + 25


def test_playbook_over_its_budget_can_still_be_curated() -> None:
    """A playbook that people made too large takes what does not make it larger."""
    playbook = budgeted(5, 30, pinned=True)
    shorter = done(Update(bullet_id="gen-001", content="Lesson."), playbook=playbook, actor="person")
    assert shorter.playbook.by_id["gen-001"].content == "Lesson."
    assert done(TagBullet(bullet_id="gen-001", tag="helpful"), playbook=playbook).playbook.revision == 101
    larger = done(Add(section="general", content="Something new and different."), playbook=playbook)
    assert larger.playbook is playbook
    assert "over its budget of 30" in refused(larger)
