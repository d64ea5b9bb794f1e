"""What stands in the way of taking a revision back, and what does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Section
from acdl_mkdocs.playbook.model.curate import Curated, Curation, curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import Add, AddSection, Keep, Merge, Remove, TagBullet, Update
from acdl_mkdocs.playbook.store import create, load_history, update
from acdl_mkdocs.playbook.store.undo import undo
from acdl_mkdocs.playbook.store.verify import verify
from store.playbooks import read

FIVE, FIFTY = "Wait 5 seconds before you retry a call.", "Wait 50 seconds before you retry a call."
OTHER = "Close every file that you have opened."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A playbook with one lesson."""
    found = tmp_path / "playbook.yaml"
    bullet = Bullet(id="gen-five", section="general", content=FIVE)
    create(found, Playbook("p", bullets=(bullet,), policy=Policy(protect_revisions=0)))
    return found


def apply(path: Path, *asked: Operation, seen: tuple[str, ...] = (), actor: str = "curator") -> str:
    """Commit a delta; the id of the last bullet that it was about."""

    def change(playbook: Playbook) -> Curated:
        curation = replace(curation_of(playbook, actor), seen=seen)
        assert isinstance(curation, Curation)
        return curate(playbook, make_delta(*asked), curation)

    done = update(path, change, actor=actor)
    assert done.report.rejected == ()
    return next((each.id for each in reversed(done.report.applied) if each.path), "")


def is_whole(path: Path, *ids: str) -> None:
    """The playbook has exactly these bullets, and agrees with its history."""
    assert sorted(each.id for each in read(path).bullets) == sorted(ids)
    assert verify(path).inconsistencies == ()


def test_automatic_links_do_not_stand_in_the_way(path: Path) -> None:
    """An ADD is taken back with the links that later revisions made to it, and with what prompts counted."""
    new = apply(path, Add(section="general", content=OTHER))
    reworded = apply(path, Update(bullet_id="gen-five", content=FIVE.replace("5", "6")))
    assert reworded == "gen-five"
    linked = apply(path, Add(section="general", content=f"{OTHER[:-1]} by hand."))
    apply(path, seen=(new, linked))
    assert any(new in (pair.a, pair.b) for pair in read(path).pairs) or not read(path).pairs
    undo(path, 1)
    is_whole(path, "gen-five", linked)
    assert not any(new in (pair.a, pair.b) for pair in read(path).pairs)


def test_a_link_of_a_revision_goes_with_it(path: Path) -> None:
    """The bullet that an ADD was linked with stays; a later link to it does too."""
    new = apply(path, Add(section="general", content=FIFTY))
    undo(path, 1)
    is_whole(path, "gen-five")
    assert read(path).pairs == ()
    undo(path)
    is_whole(path, "gen-five", new)


def test_pruning_does_not_stand_in_the_way(path: Path) -> None:
    """A bullet that was archived for space only can still be taken back to before it was added."""
    new = apply(path, Add(section="general", content=OTHER))
    update(
        path, lambda playbook: Curated(_small(playbook), curate(playbook, make_delta(), curation_of(playbook)).report)
    )
    apply(path, TagBullet(bullet_id="gen-five", tag="helpful"))
    assert read(path).by_id[new].is_pruned
    undo(path, 1)
    is_whole(path, "gen-five")


def _small(playbook: Playbook) -> Playbook:
    policy = Policy(budget_model_tokens=25, protect_revisions=0)
    return replace(playbook, policy=policy, revision=playbook.revision + 1)


def test_what_depends_on_it_is_named(path: Path) -> None:
    """A tag, a decision, a merge, a bullet that it replaces: each is named with what to undo, the newest first."""
    new = apply(path, Add(section="general", content=OTHER))
    apply(path, TagBullet(bullet_id=new, tag="helpful"))
    apply(path, Update(bullet_id=new, content=f"{OTHER} Always."))
    with pytest.raises(PlaybookError, match=r"later changes depend on it: bullet") as found:
        undo(path, 1)
    assert "in revision 2, 3; undo the later revisions first" in str(found.value)
    assert f"`acdl playbook undo {path} 3`, then `acdl playbook undo {path} 2`" in str(found.value)
    for revision in (3, 2, 1):
        undo(path, revision)
    is_whole(path, "gen-five")


def test_a_decision_depends_on_both_bullets(path: Path) -> None:
    """Who kept two bullets apart is told before one of them goes."""
    new = apply(path, Add(section="general", content=OTHER))
    apply(path, Keep(bullet_id="gen-five", other=new, reason="both hold"), actor="person")
    with pytest.raises(PlaybookError, match=r"pair `gen-.*` \(verdict\) in revision 2; undo the later"):
        undo(path, 1)


def test_a_section_and_a_replacement(path: Path) -> None:
    """A bullet that was added to a section later, or that another one replaced, is named with its revision."""
    apply(path, AddSection(title="Tools"))
    there = apply(path, Add(section="tools", content=OTHER))
    with pytest.raises(PlaybookError, match=rf"bullet `{there}` \(section\) in revision 2"):
        undo(path, 1)
    apply(path, Remove(bullet_id="gen-five", reason="longer", superseded_by=there))
    with pytest.raises(PlaybookError, match=r"bullet `gen-five` \(superseded_by\) in revision 3"):
        undo(path, 2)
    for revision in (3, 2, 1):
        undo(path, revision)
    is_whole(path, "gen-five")
    assert read(path).sections == (Section("general", "General"),)


def test_a_merge_depends_on_its_bullets(path: Path) -> None:
    """A bullet that became an alias of another cannot be taken back before the merge is."""
    new = apply(path, Add(section="general", content=OTHER))
    apply(path, Merge(bullet_id="gen-five", others=(new,)), actor="person")
    with pytest.raises(PlaybookError, match=rf"bullet `{new}` .* in revision 2; undo"):
        undo(path, 1)
    undo(path, 2)
    undo(path, 1)
    is_whole(path, "gen-five")


def test_nothing_to_take_back(path: Path) -> None:
    """A revision of which nothing is left is not a reason to write another."""
    apply(path, Add(section="general", content=OTHER))
    undo(path, 1)
    before = len(load_history(path).events)
    with pytest.raises(PlaybookError, match="revision 1 changed nothing that is still there"):
        undo(path, 1)
    assert len(load_history(path).events) == before


def test_the_way_that_an_error_names_leads_to_the_end(path: Path) -> None:
    """Revisions that were taken back, and those that took them back, are not named again; one that is valid anew is."""
    for content in ("Ask before.", "Ask afterwards.", "Ask twice."):
        apply(path, Update(bullet_id="gen-five", content=content))
    with pytest.raises(PlaybookError, match=r"undo \S+ 3`, then `acdl playbook undo \S+ 2`$"):
        undo(path, 1)
    undo(path, 3)
    with pytest.raises(PlaybookError, match=r"first: `acdl playbook undo \S+ 2`$"):
        undo(path, 1)
    undo(path, 4)
    with pytest.raises(PlaybookError, match=r"undo \S+ 3`, then `acdl playbook undo \S+ 2`$"):
        undo(path, 1)
    undo(path, 3)
    undo(path, 2)
    undo(path, 1)
    assert read(path).bullets[0].content == FIVE
    is_whole(path, "gen-five")
