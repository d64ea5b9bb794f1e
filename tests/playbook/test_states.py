"""Lessons that are proposed, sent and published, and playbooks of the time when `superseded` was a status."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.playbook.exchange import EXCHANGES
from acdl_mkdocs.playbook.exchange.read_lessons import select_published
from acdl_mkdocs.playbook.model.bullets import PRUNED, Bullet, Playbook, Section
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of, make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import Add, AddSection, Approve, Remove, Revive, TagBullet, Update
from acdl_mkdocs.playbook.model.prompt_text import archived_text, prompt_text
from acdl_mkdocs.playbook.store import create, load, load_history, text_of, update
from acdl_mkdocs.playbook.store.repair import repair
from acdl_mkdocs.playbook.store.verify import verify
from acdl_mkdocs.prompts.prompt import Json

A = Bullet(id="gen-a", section="general", content="Use UTC.", helpful=2, added=1, updated=1)
BOOK = Playbook("p", 9, bullets=(A,))
TEXT = "Ask before you delete anything."


def curated(playbook: Playbook, *asked: Operation, actor: str = "curator") -> Curated:
    """The playbook after operations."""
    return curate(playbook, make_delta(*asked), curation_of(playbook, actor))


def proposed(playbook: Playbook = BOOK) -> tuple[Playbook, Bullet]:
    """A playbook with a proposal in a section that it does not have."""
    after = curated(playbook, Add(section="Tool usage", content=TEXT)).playbook
    return after, next(each for each in after.bullets if each.content == TEXT)


def test_add_to_an_unknown_section_is_queued() -> None:
    """It waits with the section that it wants, no prompt has it, and the report says how it gets in."""
    done = curated(BOOK, Add(section="Tool usage", content=TEXT, reason="seen twice"))
    (said,) = done.report.applied
    assert (said.op, done.report.rejected) == ("PROPOSED", ())
    new = done.playbook.by_id[said.id]
    assert (new.section, new.status, new.reason) == ("tool_usage", "proposed", 'there is no section "Tool usage"')
    assert said.reason == 'there is no section "Tool usage"; seen twice'
    assert '{"type": "SECTION", "id": "tool_usage", "title": "…"}' in said.note
    assert f'{{"type": "APPROVE", "bullet_id": "{new.id}"}}' in said.note
    assert done.playbook.sections == BOOK.sections
    assert TEXT not in prompt_text(done.playbook) + archived_text(done.playbook)


def test_a_name_that_can_be_no_id_is_queued_too() -> None:
    """The name that was wanted stays in the reason."""
    after = curated(BOOK, Add(section="工具", content=TEXT)).playbook
    (new,) = (each for each in after.bullets if each.content == TEXT)
    assert (new.section, new.reason) == ("unsorted", 'there is no section "工具"')


def test_a_proposal_does_nothing() -> None:
    """It is not tagged, and only a person approves it; anybody may reword or remove it."""
    book, new = proposed()
    for operation, said in (
        (TagBullet(bullet_id=new.id, tag="helpful"), "is proposed and waits for approval"),
        (Revive(bullet_id=new.id), "is proposed"),
        (Approve(bullet_id=new.id), "only a person approves proposals"),
    ):
        done = curated(book, operation)
        assert done.playbook is book
        assert said in done.report.rejected[0].message
    reworded = curated(book, Update(bullet_id=new.id, content="Ask first.")).playbook.by_id[new.id]
    assert (reworded.content, reworded.status) == ("Ask first.", "proposed")
    removed = curated(book, Remove(bullet_id=new.id, reason="too vague")).playbook
    assert removed.by_id[new.id].status == "archived"
    again = curated(removed, Add(section="general", content=TEXT)).report.rejected
    assert "which was archived in revision 11 because: too vague" in again[0].message


def test_approval() -> None:
    """The section is added if it is not there, or another one is taken; the lesson is as new as one that was added."""
    book, new = proposed()
    after = curated(book, Approve(bullet_id=new.id), actor="person").playbook
    assert after.by_id[new.id] == replace(new, status="active", reason=None, added=11, updated=11)
    assert after.sections[-1] == Section("tool_usage", "Tool usage")
    other = curated(book, Approve(bullet_id=new.id, section="general"), actor="person").playbook
    assert (other.by_id[new.id].section, other.sections) == ("general", BOOK.sections)
    titled = curated(book, AddSection(title="Tools", id="tool_usage"), Approve(bullet_id=new.id), actor="person")
    assert titled.playbook.sections[-1] == Section("tool_usage", "Tools")
    active = curated(after, Approve(bullet_id=new.id), actor="person").report.rejected
    assert active[0].message == f"`{new.id}` is active, and only proposals are approved"
    removed = curated(book, Remove(bullet_id=new.id, reason="no")).playbook
    revived = curated(removed, Revive(bullet_id=new.id)).playbook
    assert revived.sections[-1].id == revived.by_id[new.id].section == "tool_usage"


def test_an_add_of_the_same_takes_a_proposal_into_use() -> None:
    """Under its id, in the section of the ADD; where that has no section either, nothing changes."""
    book, new = proposed()
    again = curated(book, Add(section="Tool usage", content=TEXT))
    assert again.playbook is book
    assert again.report.applied[0].note == "nothing changed: it was proposed before"
    done = curated(book, Add(section="general", content=TEXT))
    assert [(each.op, each.id) for each in done.report.applied] == [("REVIVED", new.id)]
    assert (done.playbook.by_id[new.id].section, done.playbook.by_id[new.id].status) == ("general", "active")


def test_an_explicit_proposal() -> None:
    """It waits though its section is there, and counts for nothing where a lesson says so already."""
    data: Json = {"type": "ADD", "section": "general", "content": TEXT, "status": "proposed", "reason": "from a run"}
    done = curate(BOOK, delta_of({"operations": [data]}), curation_of(BOOK, "agent"))
    (new,) = (each for each in done.playbook.bullets if each.content == TEXT)
    assert (new.status, new.section, new.reason) == ("proposed", "general", "from a run")
    refused = curated(BOOK, Add(section="general", content=A.content, status="proposed"))
    assert refused.playbook is BOOK
    assert refused.report.rejected[0].message == "is not a proposal: `gen-a` says so already"


def test_what_was_pruned_comes_back() -> None:
    """An ADD of the same text brings it back with its counters; what was removed for a reason is refused as before."""
    pruned = replace(A, status="archived", reason=f"{PRUNED}the playbook had 900 model tokens", helpful=3, seen=7)
    book = replace(BOOK, bullets=(pruned,))
    done = curated(book, Add(section="general", content=A.content))
    assert [each.op for each in done.report.applied] == ["REVIVED"]
    assert done.playbook.bullets == (
        replace(A, helpful=3, seen=7, added=10, updated=10, source=done.playbook.bullets[0].source),
    )
    removed = replace(book, bullets=(replace(pruned, reason="it was wrong"),))
    assert curated(removed, Add(section="general", content=A.content)).playbook is removed
    reworded = replace(book, bullets=(pruned, replace(A, id="gen-b", content="Use local time.")))
    after = curated(reworded, Update(bullet_id="gen-b", content=A.content)).playbook
    assert after.by_id["gen-b"].content == A.content


def test_send_and_publish_are_two_things() -> None:
    """Prompts leave out what is not sent, pages what is not published, and files for agents both."""
    bullets = tuple(
        Bullet(id=f"gen-{name}", section="general", content=f"Lesson {name}.", send=send, publish=publish)
        for name, send, publish in (("a", True, True), ("b", False, True), ("c", True, False), ("d", False, False))
    )
    book = replace(BOOK, bullets=bullets)
    assert [each.id for each in book.sent] == ["gen-a", "gen-c"]
    assert [f"gen-{name}" in prompt_text(book) for name in "abcd"] == [True, False, True, False]
    assert [each.id for each in select_published(book).bullets] == ["gen-a", "gen-b"]
    for name in ("text", "agents-md"):
        assert [f"gen-{each}" in EXCHANGES[name].write(book) for each in "abcd"] == [True, False, False, False]
    for name in ("json", "csv"):
        read = EXCHANGES[name].read(EXCHANGES[name].write(book)).playbook
        assert read is not None
        assert read.bullets == bullets
    after = curated(book, Update(bullet_id="gen-b", send=True)).playbook
    assert after.by_id["gen-b"].send
    assert "send: false" not in text_of(after).partition("gen-b")[2].partition("gen-c")[0]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A playbook file and its history as they were written when `superseded` was a status."""
    path = tmp_path / "playbook.yaml"
    b = Bullet(id="gen-b", section="general", content="Use local time.", added=1, updated=1)
    gone = replace(A, status="archived", reason="wrong", superseded_by="gen-b", updated=1)
    create(path, Playbook("p", 1, bullets=(gone, b)))
    history = tmp_path / "playbook.history.jsonl"
    lines = history.read_text().replace('"status":"archived"', '"status":"superseded"').splitlines()
    path.write_text(path.read_text().replace("status: archived", "status: superseded"))
    unstamped = "".join(line for line in path.read_text().splitlines(True) if not line.startswith(("stamp:", "#")))
    history.write_bytes(_rechained(lines, unstamped))
    return path


def _rechained(lines: list[str], text: str) -> bytes:
    """The lines of a history, each with the hash of the one before, and the last with that of the playbook."""
    from hashlib import sha256

    previous, data = "0" * 64, b""
    for line in lines:
        event = {**json.loads(line), "previous": previous}
        if "digest" in event:
            event["digest"] = sha256(text.encode()).hexdigest()
        written = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
        previous, data = sha256(written).hexdigest(), data + written + b"\n"
    return data


def test_files_of_before_are_read_and_go_on(old: Path) -> None:
    """A superseded bullet is archived and names what replaced it; the history stays whole, and so does what follows."""
    assert verify(old).inconsistencies == ()
    found = load(old).playbook
    assert found is not None
    assert (found.by_id["gen-a"].status, found.by_id["gen-a"].superseded_by) == ("archived", "gen-b")
    before = old.read_bytes()
    assert repair(old).notes == ()
    update(old, lambda playbook: Curated(playbook, curated(playbook).report))
    assert old.read_bytes() == before
    update(
        old, lambda playbook: curated(playbook, Revive(bullet_id="gen-a"), TagBullet(bullet_id="gen-b", tag="helpful"))
    )
    assert verify(old).inconsistencies == ()
    assert [event.op for event in load_history(old).events[-2:]] == ["REVIVE", "TAG"]
    assert "superseded" not in old.read_text()
