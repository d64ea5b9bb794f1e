"""The stamp of a revision: in the file and in the history, part of neither playbook nor digest."""

import shutil
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.store import create, history_path, load, load_history, update, write_playbook
from acdl_mkdocs.playbook.store.repair import Side, repair
from acdl_mkdocs.playbook.store.undo import undo
from acdl_mkdocs.playbook.store.verify import verify
from store.playbooks import SMALL, TIME, Made, added, made, read, small, stamp_of

THIRD = Bullet(id="gen-cccccccc", section="general", content="Third.")
OTHER = "0123456789ab"


def stamps(path: Path) -> list[str | None]:
    """The stamps of the last events of the revisions of a history; no other event has one."""
    events = load_history(path).events
    assert all(event.stamp is None for event in events if not event.is_last)
    return [event.stamp for event in events if event.is_last]


def test_every_revision_has_a_stamp(tmp_path: Path) -> None:
    """The stamp of the file is that of the last revision, behind its number; every revision has another."""
    path = small(tmp_path)
    found = [load(path).stamp]
    for step in (made(helpful=1), added(THIRD), made(helpful=1, harmful=1)):
        update(path, step, time=TIME)
        found.append(load(path).stamp)
    undo(path, time=TIME)
    found.append(load(path).stamp)
    assert found == stamps(path)
    assert len(set(found)) == 5
    assert all(each and write_playbook.STAMP.fullmatch(each) for each in found)
    lines = path.read_text().splitlines()
    assert lines[lines.index("revision: 4") + 1] == f'stamp: "{found[-1]}"'
    assert verify(path).inconsistencies == ()


def test_the_same_at_the_same_time_has_the_same_stamp(tmp_path: Path) -> None:
    """With a fixed time everything is the same to the byte; another time, actor or trace gives another stamp."""
    found = []
    for name, time, actor, trace in (
        ("a", TIME, "person", None),
        ("b", TIME, "person", None),
        ("c", "2026-01-31T09:30:00.000001Z", "person", None),
        ("d", TIME, "curator", None),
        ("e", TIME, "person", "run/1/s1"),
    ):
        (tmp_path / name).mkdir()
        path = small(tmp_path / name)
        update(path, made(helpful=1), time=time, actor=actor, trace=trace)
        found.append((path.read_bytes(), history_path(path).read_bytes()))
    assert found[0] == found[1]
    assert len({file for file, _ in found}) == 4


def test_a_file_without_a_stamp_is_fine(tmp_path: Path) -> None:
    """Who takes the line out has a clean file that nothing touches; the next change writes a new stamp."""
    path = small(tmp_path)
    text = path.read_text()
    bare = text.replace(f"{stamp_of(text)}\n", "")
    path.write_text(bare)
    assert load(path).stamp is None
    assert verify(path).inconsistencies == ()
    assert repair(path).notes == ()
    update(path, Made)
    assert path.read_text() == bare
    update(path, made(helpful=1), time=TIME)
    assert load(path).stamp == stamps(path)[-1]


def test_a_change_by_hand_leaves_the_stamp_and_is_found(tmp_path: Path) -> None:
    """The stamp says which revision was changed; the digest says that it was."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("helpful: 2", "helpful: 7"))
    assert not verify(path).is_clean
    update(path, Made, time=TIME)
    assert read(path).revision == 1
    assert load(path).stamp == stamps(path)[-1]
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize("by", ["update", "repair", "repair --from history", "repair --from file"])
def test_the_stamp_of_another_branch_is_found(tmp_path: Path, by: str) -> None:
    """`verify` names both stamps; the next change, or a repair, takes that of the history and adds no revision."""
    path = small(tmp_path)
    text = path.read_text()
    path.write_text(text.replace(stamp_of(text), f'stamp: "{OTHER}"'))
    (wrong,) = verify(path).inconsistencies
    assert wrong.message == f"the stamp is `{OTHER}` in the file and `{stamps(path)[0]}` in the history"
    history = history_path(path).read_bytes()
    told: list[str] = []
    if by == "update":
        update(path, Made, time=TIME, warn=told.append)
    else:
        sides: dict[str, Side] = {"history": "history", "file": "file"}
        told += repair(path, sides.get(by.rpartition(" ")[2]), time=TIME).notes
    assert told
    assert path.read_text() == text
    assert history_path(path).read_bytes() == history
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize("wrong", ["123456789012", "'12345'", "'0123456789AB'", "[a]", "{a: b}", "~", "''"])
def test_what_is_no_stamp_is_said(tmp_path: Path, wrong: str) -> None:
    """Anything but twelve hex digits as a text is a problem of that line."""
    path = small(tmp_path)
    text = path.read_text()
    path.write_text(text.replace(stamp_of(text), f"stamp: {wrong}"))
    loaded = load(path)
    assert loaded.playbook is None
    assert [loaded.source.find_place(each.label.span.start).line for each in loaded.problems] == [5]
    assert "`stamp`" in loaded.problems[0].message


def test_a_stamp_without_a_history_gives_way(tmp_path: Path) -> None:
    """A file that was copied without its history begins a new one, with a stamp of its own."""
    path = small(tmp_path)
    before = load(path).stamp
    history_path(path).unlink()
    update(path, Made, time="2026-02-01T00:00:00Z")
    assert load(path).stamp == stamps(path)[0] != before
    assert read(path) == SMALL
    assert verify(path).inconsistencies == ()


def test_the_lock_is_nothing_that_git_sees(tmp_path: Path) -> None:
    """The folder of the lock has a file that tells git to ignore all of it."""
    path = tmp_path / "playbook.yaml"
    create(path, SMALL, time=TIME)
    others = {each.name for each in tmp_path.iterdir()} - {
        path.name,
        history_path(path).name,
        write_playbook.SCHEMA_FILE,
    }
    assert others == {".acdl-locks"}
    assert (tmp_path / ".acdl-locks" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", [".acdl-locks", ".acdl-locks/playbook.yaml.lock"])
def test_a_lock_that_is_a_link_is_refused(name: str, tmp_path: Path) -> None:
    """A clone can have one to any file, which would be emptied; nothing happens there."""
    for folder in ("clone", "precious"):
        (tmp_path / folder).mkdir()
    path, precious = small(tmp_path / "clone"), tmp_path / "precious"
    (precious / "file").write_text("mine")
    shutil.rmtree(tmp_path / "clone" / ".acdl-locks")
    link = tmp_path / "clone" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(precious / "file" if name.endswith(".lock") else precious)
    with pytest.raises(PlaybookError, match="is a link, and must be a file of its own"):
        update(path, Made, time=TIME)
    assert [(each.name, each.read_text()) for each in precious.iterdir()] == [("file", "mine")]
