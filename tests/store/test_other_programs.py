"""What editors, tools and clocks do to a playbook and its history: told at once by whoever writes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import DamagedHistoryError, PlaybookError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import Add
from acdl_mkdocs.playbook.store import history_path, load_history, update
from acdl_mkdocs.playbook.store.repair import repair
from acdl_mkdocs.playbook.store.undo import undo
from acdl_mkdocs.playbook.store.verify import verify
from store.playbooks import added, made, read, small

NEW = Bullet(id="gen-cccccccc", section="general", content="Close what you open.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A playbook of three revisions."""
    found = small(tmp_path)
    update(found, added(NEW), time="2026-02-01T00:00:00Z")
    update(found, made(helpful=3), time="2026-02-02T00:00:00Z")
    return found


def changed(path: Path, **fields: object) -> list[str]:
    """What a change of the first bullet says."""
    told: list[str] = []
    update(path, made(**fields), time="2026-02-03T00:00:00Z", warn=told.append)
    return told


def test_a_history_without_its_last_line_end(path: Path) -> None:
    """The last revision is kept, the line gets its end, and both are said; nothing is cut off."""
    history = history_path(path)
    whole = history.read_bytes()
    history.write_bytes(whole[:-1])
    (wrong,) = verify(path).inconsistencies
    assert wrong.message == "its last line had no end: it has one now"
    assert load_history(path).revision == 2
    assert changed(path, harmful=1) == [f"{history}: its last line had no end: it has one now"]
    assert history.read_bytes().startswith(whole)
    assert verify(path).inconsistencies == ()
    history.write_bytes(history.read_bytes()[:-1])
    assert f"{history}: its last line had no end: it has one now" in repair(path).notes
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_line_ends_of_other_systems(path: Path, end: bytes) -> None:
    """CR alone would make one line of all, so it is replaced; CR LF stays as git made it. Both are told."""
    history = history_path(path)
    whole = history.read_bytes()
    for each in (path, history):
        each.write_bytes(each.read_bytes().replace(b"\n", end))
    told = changed(path, harmful=1)
    in_history = (
        "ended in CR: they end in LF now" if end == b"\r" else "end in CR LF; in git, `acdl playbook merge --setup`"
    )
    assert any(each.startswith(f"{history}: its lines {in_history}") for each in told)
    assert f"{path}: its lines end in CR: what is written ends in LF" in told
    assert history.read_bytes().replace(b"\r\n", b"\n").startswith(whole)
    assert b"\r" not in path.read_bytes()
    assert (read(path).revision, verify(path).inconsistencies) == (3, ())


def test_an_edited_middle_line(path: Path) -> None:
    """Every writer refuses, names the line and the cure, and changes nothing; then `repair` keeps all revisions."""
    history = history_path(path)
    lines = history.read_text().splitlines(keepends=True)
    place = len(lines) - 2
    lines[place] = lines[place].replace("Close what you open.", "Close what you opened.")
    history.write_text("".join(lines))
    before = path.read_bytes(), history.read_bytes()
    for write in (lambda: changed(path, harmful=1), lambda: undo(path)):
        with pytest.raises(DamagedHistoryError, match=rf"jsonl:{place + 1}: was changed.*acdl playbook repair"):
            write()
    assert (path.read_bytes(), history.read_bytes()) == before
    assert main(["playbook", "tag", str(path), "gen-aaaaaaaa", "helpful"]) == 2
    repair(path)
    assert verify(path).inconsistencies == ()


def test_a_clock_that_goes_back(path: Path) -> None:
    """The revision is made and the two times are said; a clock that goes on is not worth a word."""
    told: list[str] = []
    update(path, made(harmful=1), time="2026-02-01T12:00:00.5Z", warn=told.append)
    said = "the clock goes back: the last revision is of 2026-02-02T00:00:00Z, and now is 2026-02-01T12:00:00.5Z"
    assert told == [f"{path}: {said}"]
    assert changed(path, harmful=2) == []


def test_an_id_that_is_gone_is_not_given_again(path: Path) -> None:
    """Neither to what an import brings nor to what a person writes into the file; the same lesson may come back."""
    undo(path, 2)
    undo(path, 1)
    add = Add(section="general", content="Something else.", id=NEW.id)
    with pytest.raises(PlaybookError, match=f"the id `{NEW.id}` was used before, by a bullet that is gone"):
        update(path, lambda playbook: curate(playbook, make_delta(add), curation_of(playbook, "import")))
    text = path.read_text()
    path.write_text(f"{text}\n- id: {NEW.id}\n  section: general\n  content: Something else.\n")
    with pytest.raises(PlaybookError, match=f"{path}: .*give the bullet in the file another id"):
        changed(path, harmful=1)
    found = [(each.message, each.help) for each in verify(path).inconsistencies if "used before" in each.message]
    said = f"the id `{NEW.id}` was used before, by a bullet that is gone: ids are never used again"
    assert found == [(said, "give the bullet in the file another id")]
    path.write_text(f"{text}\n- id: {NEW.id}\n  section: general\n  content: {NEW.content}\n")
    changed(path, harmful=1)
    assert read(path).by_id[NEW.id].content == NEW.content
    assert verify(path).inconsistencies == ()


def test_verify_finds_an_id_that_was_given_again(path: Path) -> None:
    """Also where a history says that a person did it by hand."""
    update(path, lambda playbook: replace(made()(playbook), playbook=replace(playbook, bullets=playbook.bullets[:2])))
    update(path, added(replace(NEW, content="Something else.")))
    assert json.loads(history_path(path).read_text().splitlines()[-1])["op"] == "EDIT"
    assert [each.message for each in verify(path).inconsistencies] == [
        f"EDIT uses the id `{NEW.id}` again, which a bullet had before"
    ]
