"""What each operation does to a playbook, and when it refuses."""

from dataclasses import replace

import pytest

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.playbook.model.bullets import (
    ID,
    Bullet,
    Pair,
    Playbook,
    Provenance,
    Section,
    make_id_prefix,
    new_id,
    section_id,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.edits import EditContext, Operation
from acdl_mkdocs.playbook.model.near_pairs import digest_of
from acdl_mkdocs.playbook.model.operations import (
    OPERATIONS,
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

PERSON = EditContext(10, 0, "person", Provenance(by="person"))
CURATOR = EditContext(10, 0, "curator", Provenance(by="curator", run="run-1"))
A = Bullet(id="gen-a", section="general", content="Use UTC.", helpful=3, seen=9, added=4, updated=4)
B = Bullet(id="gen-b", section="tools", content="Use UTC always.", helpful=1, harmful=2, added=2, updated=8)
GONE = Bullet(id="gen-c", section="general", content="Old.", status="archived", reason="it was wrong", updated=7)
PINNED = Bullet(id="gen-p", section="general", content="Never log keys.", pinned=True)
CRITICAL = Bullet(id="gen-x", section="general", content="Ask before deleting.", severity="critical")
PLAYBOOK = sort_playbook(
    Playbook(
        "p",
        9,
        (Section("general", "General"), Section("tools", "Tool usage")),
        (A, B, GONE, PINNED, CRITICAL),
        (Pair("gen-a", "gen-b", "review", 0.4), Pair("gen-b", "gen-p", "kept", 0.3, "both are right")),
    )
)


def refusal(operation: Operation, at: EditContext = CURATOR, playbook: Playbook = PLAYBOOK) -> tuple[str, str, str]:
    """The field, the reason and the cure of an operation that is refused."""
    with pytest.raises(RefusedError) as caught:
        operation.apply_to(playbook, at)
    return caught.value.field, caught.value.message, caught.value.help


def test_add_makes_a_bullet_of_its_own() -> None:
    """A new bullet stands in its section, knows its revision and where it comes from, and nothing is counted yet."""
    after = Add(section="tools", content=" Use  pagination. ", applies_to=("acdl:B", "acdl:A")).apply_to(
        PLAYBOOK, CURATOR
    )
    (new,) = set(after.bullets) - set(PLAYBOOK.bullets)
    assert after == sort_playbook(after)
    assert new == Bullet(
        id=new.id,
        section="tools",
        content="Use pagination.",
        applies_to=("acdl:A", "acdl:B"),
        source=(CURATOR.source,),
        added=10,
        updated=10,
    )
    assert new.id == new_id("tools", "Use pagination.", 10, 0, {}, name="p")


def test_section_may_be_named_by_its_title() -> None:
    """The heading that prompts show names a section too; what another name wants waits as a proposal."""
    for name in ("tools", "Tool usage", "TOOL USAGE", " tools "):
        after = Add(section=name, content="x").apply_to(PLAYBOOK, CURATOR)
        assert [each.section for each in after.bullets if each.content == "x"] == ["tools"]
    (queued,) = [
        each for each in Add(section="toolz", content="x").apply_to(PLAYBOOK, CURATOR).bullets if each.content == "x"
    ]
    assert (queued.section, queued.status, queued.reason) == ("toolz", "proposed", 'there is no section "toolz"')
    field, said, cure = refusal(Update(bullet_id="gen-a", section="toolz"))
    assert (field, said) == ("section", 'no section "toolz"')
    assert cure.startswith('`tools` has a similar name; a new section is {"type": "SECTION", "id": "toolz"')


@pytest.mark.parametrize("operation", [Add(section="general", content=""), Update(bullet_id="gen-a", content="# x")])
def test_content_is_checked(operation: Operation) -> None:
    """Text that may not be in a bullet is refused."""
    assert refusal(operation)[0] == "content"


def test_secret_is_refused_and_not_repeated() -> None:
    """The message says what kind of secret there is, not which."""
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    for operation in (Add(section="general", content=f"Use {key}."), Update(bullet_id="gen-a", content=f"Use {key}.")):
        field, said, cure = refusal(operation)
        assert field == "content"
        assert "AWS access key" in said
        assert key not in said + cure


def test_update_changes_what_it_says() -> None:
    """Words and section change, counters and origin stay; nothing new is the very same playbook."""
    after = Update(bullet_id="gen-b", content="Use UTC everywhere.", section="general").apply_to(PLAYBOOK, CURATOR)
    assert after.by_id["gen-b"] == replace(B, content="Use UTC everywhere.", section="general", updated=10)
    assert after == sort_playbook(after)
    assert Update(bullet_id="gen-a", content=" Use UTC. ").apply_to(PLAYBOOK, CURATOR) is PLAYBOOK
    assert refusal(Update(bullet_id="gen-a"))[1] == "says nothing to change"
    said = Update(bullet_id="gen-b", content="Mine.").apply_to(PLAYBOOK, PERSON).by_id["gen-b"]
    assert said.source == (Provenance(by="person"),)


def test_rewritten_bullets_begin_anew_where_they_only_did_harm() -> None:
    """Harm is of the text that did it, so that a corrected lesson is sent again; help and spelling keep counters."""
    bad = replace(A, helpful=0, harmful=3, neutral=2)
    book = replace(PLAYBOOK, bullets=(bad, B), pairs=())
    assert bad.has_only_harmed
    after = Update(bullet_id="gen-a", content="Use UTC, and show local time.").apply_to(book, CURATOR).by_id["gen-a"]
    assert (after.harmful, after.neutral, after.has_only_harmed) == (0, 2, False)
    for same in (Update(bullet_id="gen-a", content="Use  UTC"), Update(bullet_id="gen-a", publish=False)):
        assert same.apply_to(book, CURATOR).by_id["gen-a"].harmful == 3
    helped = replace(book, bullets=(replace(bad, helpful=1),))
    assert Update(bullet_id="gen-a", content="Else.").apply_to(helped, CURATOR).by_id["gen-a"].harmful == 3
    merged = Merge(bullet_id="gen-a", others=("gen-b",), content="Use UTC or ask.").apply_to(book, CURATOR)
    assert merged.by_id["gen-a"].harmful == B.harmful
    plain = Merge(bullet_id="gen-a", others=("gen-b",)).apply_to(book, CURATOR)
    assert plain.by_id["gen-a"].harmful == 5


@pytest.mark.parametrize("tag", ["helpful", "harmful", "neutral"])
def test_tag_counts(tag: str) -> None:
    """A tag adds one to its counter and to nothing else."""
    after = TagBullet(bullet_id="gen-a", tag=tag).apply_to(PLAYBOOK, CURATOR).by_id["gen-a"]  # type: ignore[arg-type]
    assert after == replace(A, **{tag: getattr(A, tag) + 1}, updated=10)


def test_remove_archives_with_a_reason() -> None:
    """A removed bullet stays with its reason; one that another replaces says which."""
    after = Remove(bullet_id="gen-a", reason="it was\nwrong").apply_to(PLAYBOOK, CURATOR)
    assert after.by_id["gen-a"] == replace(A, status="archived", reason="it was wrong", updated=10)
    after = Remove(bullet_id="gen-a", reason="said better", superseded_by="gen-b").apply_to(PLAYBOOK, CURATOR)
    assert (after.by_id["gen-a"].status, after.by_id["gen-a"].superseded_by) == ("archived", "gen-b")
    assert refusal(Remove(bullet_id="gen-a"))[0] == "reason"
    assert refusal(Remove(bullet_id="gen-a", reason="x", superseded_by="gen-a"))[0] == "superseded_by"
    assert refusal(Remove(bullet_id="gen-a", reason="x", superseded_by="gen-c"))[0] == "superseded_by"
    assert (
        "was archived in revision 7 because: it was wrong already" in refusal(Remove(bullet_id="gen-c", reason="x"))[1]
    )


def test_what_is_out_of_use_is_not_changed() -> None:
    """Tags, updates and pins of an archived bullet are refused with the way back."""
    for operation in (
        TagBullet(bullet_id="gen-c", tag="helpful"),
        Update(bullet_id="gen-c", content="x"),
        Pin(bullet_id="gen-c"),
        Merge(bullet_id="gen-c", others=("gen-a",)),
    ):
        field, said, cure = refusal(operation, PERSON)
        assert (field, said) == ("bullet_id", "`gen-c` was archived in revision 7 because: it was wrong")
        assert '{"type": "REVIVE", "bullet_id": "gen-c"}' in cure


def test_revive_brings_back() -> None:
    """A revived bullet is as it was before it was archived."""
    after = Revive(bullet_id="gen-c").apply_to(PLAYBOOK, CURATOR)
    assert after.by_id["gen-c"] == replace(GONE, status="active", reason=None, updated=10)
    assert refusal(Revive(bullet_id="gen-a"))[:2] == ("bullet_id", "`gen-a` is active")


@pytest.mark.parametrize("name", ["gen-p", "gen-x"])
def test_only_a_person_touches_what_is_protected(name: str) -> None:
    """Pinned and critical bullets are removed and rewritten by people; tags of anybody count."""
    for operation in (
        Remove(bullet_id=name, reason="x"),
        Update(bullet_id=name, content="Something else."),
        Merge(bullet_id=name, others=("gen-a",), content="Something else."),
    ):
        assert "only a person" in "".join(refusal(operation)) or "guard" in refusal(operation)[1]
        assert operation.apply_to(PLAYBOOK, PERSON) is not PLAYBOOK
    assert TagBullet(bullet_id=name, tag="harmful").apply_to(PLAYBOOK, CURATOR).by_id[name].harmful == 1
    assert refusal(Pin(bullet_id=name, pinned=False))[1] == "only a person pins bullets"
    assert refusal(Add(section="general", content="x", severity="critical"))[0] == "severity"
    assert refusal(Update(bullet_id="gen-x", severity="normal"))[0] == "severity"


def test_pin() -> None:
    """A pin is set and taken off; what is so already is the very same playbook."""
    assert Pin(bullet_id="gen-a").apply_to(PLAYBOOK, PERSON).by_id["gen-a"].pinned
    assert not Pin(bullet_id="gen-p", pinned=False).apply_to(PLAYBOOK, PERSON).by_id["gen-p"].pinned
    assert Pin(bullet_id="gen-p").apply_to(PLAYBOOK, PERSON) is PLAYBOOK


def test_merge_keeps_the_older_id() -> None:
    """Counters are summed, everything else united, pairs rewritten; the words are those of the bullet named first."""
    after = Merge(bullet_id="gen-a", others=("gen-b",)).apply_to(PLAYBOOK, PERSON)
    one = after.by_id["gen-b"]
    assert (one.id, one.content, one.section, one.added) == ("gen-b", "Use UTC.", "tools", 2)
    assert (one.helpful, one.harmful, one.seen, one.aliases) == (4, 2, 9, ("gen-a",))
    assert after.by_id["gen-a"] is one
    assert after.pairs == (Pair("gen-b", "gen-p", "kept", 0.3, "both are right"),)
    three = (
        Merge(bullet_id="gen-p", others=("gen-x", "gen-a"), content="All.").apply_to(PLAYBOOK, PERSON).by_id["gen-x"]
    )
    assert (three.id, three.pinned, three.severity, three.aliases) == ("gen-p", True, "critical", ("gen-a", "gen-x"))
    assert three.content == "All."


def test_merge_refuses() -> None:
    """The words of a pinned bullet stay; a bullet does not merge with itself, nor with what is not there."""
    _, said, _ = refusal(Merge(bullet_id="gen-a", others=("gen-p",)))
    assert said == "`gen-p` is pinned: only a person may have it rewritten"
    assert Merge(bullet_id="gen-p", others=("gen-a",)).apply_to(PLAYBOOK, CURATOR).by_id["gen-a"].pinned
    assert refusal(Merge(bullet_id="gen-a", others=("gen-a",)))[1] == "`gen-a` is named twice"
    assert refusal(Merge(bullet_id="gen-a", others=()))[0] == "others"
    assert refusal(Merge(bullet_id="gen-a", others=("gen-b", "nope")))[0] == "others[1]"
    merged = Merge(bullet_id="gen-a", others=("gen-b",)).apply_to(PLAYBOOK, PERSON)
    assert refusal(Merge(bullet_id="gen-a", others=("gen-b",)), PERSON, merged)[1] == "`gen-b` is named twice"


def test_keep_is_remembered() -> None:
    """A decision has its reason; the same again is the very same playbook."""
    after = Keep(bullet_id="gen-b", other="gen-a", reason="one is for logs").apply_to(PLAYBOOK, CURATOR)
    texts = digest_of(A.content, B.content)
    assert after.pairs[0] == Pair("gen-a", "gen-b", "differs", None, "one is for logs", CURATOR.actor, texts)
    assert Keep(bullet_id="gen-a", other="gen-b").apply_to(after, CURATOR) is after
    opposed = Conflict(bullet_id="gen-a", other="gen-b").apply_to(after, CURATOR)
    assert [(each.verdict, each.why) for each in opposed.pairs if each.by == CURATOR.actor] == [("conflicts", None)]
    assert Keep(bullet_id="gen-a", other="gen-x").apply_to(PLAYBOOK, CURATOR).pairs[1].verdict == "differs"
    stale = Keep(bullet_id="gen-a", other="gen-b", texts="0" * 12)
    assert refusal(stale)[1:] == (
        "`gen-a` or `gen-b` has other words than those that it was decided about", "decide again"
    )  # fmt: skip
    assert refusal(Keep(bullet_id="gen-a", other="gen-a"))[0] == "other"


def test_sections() -> None:
    """A section is added last; its id is made of its title; a title is one short line."""
    after = AddSection(title="Error handling (HTTP)").apply_to(PLAYBOOK, CURATOR)
    assert after.sections[-1] == Section("error_handling_http", "Error handling (HTTP)")
    assert AddSection(title="General").apply_to(PLAYBOOK, CURATOR) is PLAYBOOK
    assert AddSection(title="All", id="general").apply_to(PLAYBOOK, PERSON).sections[0] == Section("general", "All")
    assert refusal(AddSection(title="All", id="general"))[0] == "id"
    for title in ("", "x" * 81, "# x", "a\u202eb"):
        assert refusal(AddSection(title=title))[0] == "title"
    for name in ("Tool usage", "", "1x", "x" * 65, "../x"):
        assert refusal(AddSection(title="x", id=name))[0] == "id"
    assert refusal(AddSection(title="日本"))[0] == "id"


def test_unknown_bullet_is_named_with_a_near_one() -> None:
    """A mistyped id is refused; a near one is named in words and never taken instead."""
    bullets = (replace(A, id="gen-7k3q9f2m"),)
    field, said, cure = refusal(
        TagBullet(bullet_id="gen-7k3q9f2n", tag="helpful"), CURATOR, Playbook("p", bullets=bullets)
    )
    assert (field, said, cure) == ("bullet_id", 'no bullet "gen-7k3q9f2n"', "`gen-7k3q9f2m` has a similar id")
    assert len(refusal(TagBullet(bullet_id="x" * 1_000_000, tag="helpful"))[1]) < 200


def test_ids() -> None:
    """Ids begin with the section and are never those that were used."""
    assert [make_id_prefix(name) for name in ("tool_usage", "general", "a_1", "io")] == ["tu", "gen", "a1", "io"]
    first = new_id("tool_usage", "x", 1, 0, {}, name="p")
    assert ID.fullmatch(first)
    assert first.startswith("tu-")
    assert len(first) == 11
    second = new_id("tool_usage", "x", 1, 0, {first}, name="p")
    assert second not in (first, new_id("tool_usage", "x", 1, 1, {}, name="p"), new_id("tool_usage", "x", 1, 0, {}))
    assert [section_id(title) for title in ("Tool usage", "2 Ways", "日本", "A & B")] == [
        "tool_usage",
        "ways",
        "",
        "a_b",
    ]
    assert refusal(Add(section="general", content="x", id="gen-a"))[1] == "`gen-a` is the id of another bullet"
    assert refusal(Add(section="general", content="x", id="a b"))[0] == "id"


def test_every_operation_is_listed() -> None:
    """The table has each type once, under its own name."""
    assert {name: kind.type for name, kind in OPERATIONS.items()} == {name: name for name in OPERATIONS}
    assert len(OPERATIONS) == 11
