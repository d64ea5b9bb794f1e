"""Who wrote a lesson, where lessons or branches were merged."""

import shutil
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import Add, Merge, Update
from acdl_mkdocs.playbook.store import history_path, load_history, update
from acdl_mkdocs.playbook.store.look import blame_bullets
from acdl_mkdocs.playbook.store.merge import merge_contents
from store.playbooks import A, read, small

OTHER = "Close every file that you have opened."


def apply(path: Path, actor: str, *asked: Operation) -> None:
    """Commit a delta of somebody."""
    done = update(
        path, lambda playbook: curate(playbook, make_delta(*asked), curation_of(playbook, actor)), actor=actor
    )
    assert done.report.rejected == ()


def authors(path: Path) -> dict[str, list[str | None]]:
    """The authors of each text, that of its words first."""
    found = blame_bullets(read(path), load_history(path).events)
    return {each.bullet.content: [event.actor for event in (each.event, *each.others) if event] for each in found}


def test_a_merge_of_lessons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The one whose words stayed, and the one whose lesson was merged into it."""
    path = small(tmp_path)
    apply(path, "ann", Add(section="general", content=OTHER))
    apply(path, "ben", Add(section="general", content="Ask before you delete."))
    one, two = (
        next(each.id for each in read(path).bullets if each.content.startswith(text)) for text in ("Clo", "Ask")
    )
    apply(path, "person", Merge(bullet_id=one, others=(two,)))
    assert authors(path)[OTHER] == ["ann", "ben"]
    apply(path, "cid", Add(section="general", content="Paginate all lists of orders."))
    three = next(each.id for each in read(path).bullets if each.content.startswith("Paginate all"))
    apply(path, "person", Merge(bullet_id=three, others=(one,)))
    assert authors(path)["Paginate all lists of orders."] == ["cid", "ann", "ben"]
    apply(path, "person", Add(section="general", content="Say who asked."))
    four = next(each.id for each in read(path).bullets if each.content.startswith("Say"))
    apply(path, "person", Merge(bullet_id=one, others=(four,), content="Say who asked, and close all."))
    assert set(authors(path)["Say who asked, and close all."]) == {"person", "ann", "ben", "cid"}
    assert main(["playbook", "blame", str(path)]) == 0
    said = capsys.readouterr().out
    assert f"merged with what {two} said: revision 2" in said
    assert "ben" in said


def test_a_merge_of_branches(tmp_path: Path) -> None:
    """Each wording of a lesson that both branches reworded has its author, whichever branch is merged into which."""
    for ours, theirs in (("ann", "ben"), ("ben", "ann")):
        folder = tmp_path / ours
        folder.mkdir()
        path = small(folder)
        other = folder / "theirs"
        shutil.copytree(folder, other, ignore=shutil.ignore_patterns("theirs"))
        base = path.read_bytes(), history_path(path).read_bytes()
        apply(path, ours, Update(bullet_id=A.id, content=f"The words of {ours}."))
        apply(other / path.name, theirs, Update(bullet_id=A.id, content=f"The words of {theirs}."))
        for each, before in zip((path, history_path(path)), base, strict=True):
            merged = merge_contents(before, each.read_bytes(), (other / each.name).read_bytes(), each.name)
            assert merged.data is not None
            each.write_bytes(merged.data)
        found = authors(path)
        assert found[f"The words of {ours}."][0] == ours
        assert found[f"The words of {theirs}."][0] == theirs
