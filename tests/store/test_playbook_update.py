"""Changes of playbooks on the disk: what is written, kept, refused and recovered."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import PlaybookError, UnusablePlaybookError
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Section
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import Add
from acdl_mkdocs.playbook.model.report import Applied, Report
from acdl_mkdocs.playbook.store import (
    create,
    files,
    has_trace,
    history_path,
    load,
    load_history,
    load_revision,
    text_of,
    update,
    write_playbook,
)
from acdl_mkdocs.playbook.store.repair import repair
from acdl_mkdocs.playbook.store.verify import verify
from store.playbooks import SMALL, TIME, Made, added, made, read, small, stamp_of

NEW = Bullet(id="gen-cccccccc", section="general", content="Close what you open.")


def test_a_new_playbook_has_its_history_and_schema(tmp_path: Path) -> None:
    """`create` writes the file with the line for editors, the history and the schema; and never over anything."""
    path = small(tmp_path)
    assert path.read_text().startswith(f"{write_playbook.MODELINE}\nschema_version: 1\n")
    assert (tmp_path / write_playbook.SCHEMA_FILE).read_text("utf-8") == write_playbook.schema_text()
    assert [event.op for event in load_history(path).events] == ["INIT"] * 4
    assert verify(path).inconsistencies == ()
    before = path.read_bytes()
    with pytest.raises(PlaybookError, match="exists already"):
        create(path, SMALL)
    with pytest.raises(PlaybookError, match="there is no folder"):
        create(tmp_path / "nowhere" / "playbook.yaml", SMALL)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["append_data", "commit_draft"])
def test_a_new_playbook_that_is_interrupted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the file nor its history is left, so the same command can be given again."""
    real = getattr(files, name)

    def interrupted(path: Path, *more: object) -> None:
        if name == "append_data":
            real(path, *more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(files, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            small(tmp_path)
    left = {path.name for path in tmp_path.iterdir()} - {".acdl-locks", write_playbook.SCHEMA_FILE}
    assert {each for each in left if not each.endswith(".tmp")} == set()
    assert verify(small(tmp_path)).inconsistencies == ()


def test_a_history_without_its_playbook(tmp_path: Path) -> None:
    """What a killed writer of a new playbook left is no dead end: the message names the command that makes it whole."""
    path = small(tmp_path)
    before = path.read_bytes()
    path.unlink()
    with pytest.raises(PlaybookError, match=r"`acdl playbook repair .*playbook\.yaml` makes the playbook of this"):
        small(tmp_path)
    repair(path, time=TIME)
    assert path.read_bytes() == before


def test_a_schema_that_is_a_link(tmp_path: Path) -> None:
    """It is replaced, and not read to an end that it does not have."""
    (tmp_path / write_playbook.SCHEMA_FILE).symlink_to("/dev/zero")
    small(tmp_path)
    assert (tmp_path / write_playbook.SCHEMA_FILE).read_text("utf-8") == write_playbook.schema_text()
    assert not (tmp_path / write_playbook.SCHEMA_FILE).is_symlink()


def test_a_new_playbook_takes_nothing_from_others(tmp_path: Path) -> None:
    """A history of `playbook.yml` is not that of `playbook.yaml`; only a schema of playbooks is replaced."""
    small(tmp_path).rename(tmp_path / "playbook.yml")
    with pytest.raises(PlaybookError, match=r"exists already: it is the history of .*playbook\.yml"):
        small(tmp_path)
    schema = tmp_path / write_playbook.SCHEMA_FILE
    other = tmp_path / "other.yaml"
    for foreign in ('{"title": "Mine"}', "no JSON", "[]"):
        schema.write_text(foreign)
        with pytest.raises(PlaybookError, match="is not the schema of playbooks"):
            create(other, SMALL)
        assert (schema.read_text(), other.exists()) == (foreign, False)
    schema.write_text(json.dumps({**json.loads(write_playbook.schema_text()), "description": "as it was"}))
    create(other, SMALL)
    assert schema.read_text("utf-8") == write_playbook.schema_text()


def test_a_change_is_one_revision(tmp_path: Path) -> None:
    """A change is in the file and in the history, with who, when and why; older revisions can still be read."""
    path = small(tmp_path)
    update(path, made(helpful=7), time=TIME, trace="run/1/s1", actor="curator")
    playbook = read(path)
    assert playbook.revision == 1
    assert playbook.bullets[0].helpful == 7
    event = load_history(path).events[-1]
    assert (event.revision, event.n, event.of, event.actor, event.trace, event.time) == (
        1, 1, 1, "curator", "run/1/s1", TIME,
    )  # fmt: skip
    assert load_revision(path, 0) == SMALL
    assert load_revision(path, 1) == playbook
    with pytest.raises(PlaybookError, match="no revision 2: the history has revisions 0 to 1"):
        load_revision(path, 2)
    assert verify(path).inconsistencies == ()


def test_no_change_writes_nothing(tmp_path: Path) -> None:
    """An update that changes nothing leaves both files as they are, to the time when they were written."""
    path = small(tmp_path)
    for each in (path, history_path(path)):
        os.utime(each, ns=(1, 1))
    before = path.read_bytes(), history_path(path).read_bytes()
    update(path, Made)
    update(path, lambda playbook: Made(replace(playbook, revision=playbook.revision + 1)))
    assert (path.read_bytes(), history_path(path).read_bytes()) == before
    assert path.stat().st_mtime_ns == history_path(path).stat().st_mtime_ns == 1


def test_operations_of_a_report_are_events(tmp_path: Path) -> None:
    """Each operation that changed a bullet is an event with its reason, though two were about one bullet."""
    path = small(tmp_path)

    def change(playbook: Playbook) -> Made:
        first = playbook.bullets[0]
        one = replace(first, helpful=1, updated=1)
        two = replace(one, content="Paginate until a page is empty.")
        done = Report(
            (
                Applied("TAG", "operations[0]", first.id, first, one, "it helped"),
                Applied("UPDATE", "operations[1]", first.id, one, two, "shorter"),
            )
        )
        return Made(replace(playbook, revision=1, bullets=(two, *playbook.bullets[1:])), done)

    update(path, change)
    events = load_history(path).events[-2:]
    assert [(event.op, event.reason, event.n, event.of) for event in events] == [
        ("TAG", "it helped", 1, 2),
        ("UPDATE", "shorter", 2, 2),
    ]
    assert events[0].after == events[1].before
    assert verify(path).inconsistencies == ()


def test_a_trace_is_known_once_it_is_committed(tmp_path: Path) -> None:
    """`has_trace` knows committed traces only, exactly."""
    path = small(tmp_path)
    assert not has_trace(path, "run/1/s1")
    update(path, made(helpful=1), trace="run/1/s1")
    assert has_trace(path, "run/1/s1")
    assert not has_trace(path, "run/1/s")
    whole = history_path(path).read_bytes()
    history_path(path).write_bytes(whole[:-9])
    assert not has_trace(path, "run/1/s1")
    assert not has_trace(tmp_path / "none.yaml", "run/1/s1")


@pytest.mark.parametrize("cut", [1, 9, 200])
def test_a_torn_history_is_cut(tmp_path: Path, cut: int) -> None:
    """What a killed writer left of a revision is cut off, and said; the next revision follows the last whole one."""
    path = small(tmp_path)
    before = path.read_bytes()
    update(path, added(NEW))
    whole = history_path(path).read_bytes()
    path.write_bytes(before)
    history_path(path).write_bytes(whole[:-cut])
    told: list[str] = []
    update(path, made(harmful=3), warn=told.append)
    assert len(told) == 1
    assert "cut off" in told[0]
    assert (read(path).revision, len(read(path).bullets), read(path).bullets[0].harmful) == (1, 2, 3)
    assert verify(path).inconsistencies == ()


def test_a_revision_without_its_last_event_is_cut(tmp_path: Path) -> None:
    """A transaction of which only whole lines are there, but not all, was never committed."""
    path = small(tmp_path)
    before = path.read_bytes()
    n_before = history_path(path).read_bytes().count(b"\n")

    def change(playbook: Playbook) -> Made:
        return Made(replace(playbook, bullets=tuple(replace(each, helpful=9) for each in playbook.bullets)))

    update(path, change)
    lines = history_path(path).read_bytes().splitlines(keepends=True)
    assert len(lines) == n_before + 2
    path.write_bytes(before)
    history_path(path).write_bytes(b"".join(lines[:-1]))
    update(path, made(harmful=3))
    assert [bullet.helpful for bullet in read(path).bullets] == [0, 2]
    assert verify(path).inconsistencies == ()


def test_a_file_that_is_behind_follows(tmp_path: Path) -> None:
    """A writer that was killed after its commit has committed: the next one writes the file."""
    path = small(tmp_path)
    before = path.read_bytes()
    update(path, added(NEW))
    update(path, made(helpful=4))
    path.write_bytes(before)
    told: list[str] = []
    update(path, made(harmful=1), warn=told.append)
    assert "revision 2" in told[0]
    playbook = read(path)
    assert (playbook.revision, len(playbook.bullets)) == (3, 3)
    assert (playbook.bullets[0].helpful, playbook.bullets[0].harmful) == (4, 1)
    assert verify(path).inconsistencies == ()


def test_a_file_that_is_behind_follows_even_without_a_change(tmp_path: Path) -> None:
    """Whoever opens the playbook finishes what was left, whether or not anything is changed then."""
    path = small(tmp_path)
    before = path.read_bytes()
    update(path, added(NEW))
    after = path.read_bytes()
    path.write_bytes(before)
    update(path, Made)
    assert path.read_bytes() == after


def test_changes_by_hand_become_a_revision(tmp_path: Path) -> None:
    """What a person changed in the file is a revision of its own before the next one; nothing is lost."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("after 5 seconds", "after 7 seconds"))
    assert len(verify(path).inconsistencies) == 1
    told: list[str] = []
    update(path, made(helpful=1), actor="curator", warn=told.append)
    assert "by hand are revision 1" in told[0]
    edit = next(event for event in load_history(path).events if event.revision == 1)
    assert (edit.op, edit.actor, edit.id) == ("EDIT", "person", "gen-bbbbbbbb")
    playbook = read(path)
    assert playbook.bullets[1].content == "Retry after 7 seconds."
    assert (playbook.revision, playbook.bullets[1].updated) == (2, 1)
    assert verify(path).inconsistencies == ()


def test_changes_by_hand_and_a_file_that_is_behind_fit_together(tmp_path: Path) -> None:
    """A person edited the file that a killed writer had not written: both are kept if they do not clash."""
    path = small(tmp_path)
    edited = path.read_text().replace("after 5 seconds", "after 7 seconds")
    update(path, made(helpful=4))
    path.write_text(edited)
    update(path, made(harmful=1))
    playbook = read(path)
    assert (playbook.bullets[0].helpful, playbook.bullets[0].harmful) == (4, 1)
    assert playbook.bullets[1].content == "Retry after 7 seconds."
    assert verify(path).inconsistencies == ()


def test_changes_that_clash_are_refused(tmp_path: Path) -> None:
    """If history and person changed the same bullet, nothing is written, and somebody has to choose."""
    path = small(tmp_path)
    edited = path.read_text().replace("Paginate", "Always paginate")
    update(path, made(helpful=4))
    path.write_text(edited)
    before = history_path(path).read_bytes()
    with pytest.raises(PlaybookError, match="--from history` or `--from file"):
        update(path, made(harmful=1))
    assert (path.read_text(), history_path(path).read_bytes()) == (edited, before)


def test_a_copied_file_gets_a_history(tmp_path: Path) -> None:
    """A playbook without a history gets one that begins with all of it."""
    path = small(tmp_path)
    history_path(path).unlink()
    assert "there is no history" in verify(path).inconsistencies[0].message
    update(path, made(helpful=1))
    assert load_revision(path, 0) == SMALL
    assert verify(path).inconsistencies == ()


def test_comments_of_people_survive(tmp_path: Path) -> None:
    """Comments at the head, above keys, bullets and sections, and at the end stay with what they belong to."""
    path = small(tmp_path)
    text = path.read_text()
    text = text.replace("sections:", "# ours\n# two lines\nsections:").replace("- {id: gen", "# all else\n- {id: gen")
    text = text.replace("- id: gen-bbbbbbbb", "# measured\n- id: gen-bbbbbbbb") + "# the end\n"
    path.write_text(text)
    update(path, made(helpful=1))
    now = path.read_text()
    assert now == text.replace("helpful: 0", "helpful: 1", 1).replace("updated: 0", "updated: 1", 1).replace(
        "revision: 0", "revision: 1"
    ).replace(stamp_of(text), stamp_of(now))
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize("stray", ["helpful: 2  # many", "helpful: 2\n  # inside"])
def test_a_comment_that_would_be_lost_is_not_lost(tmp_path: Path, stray: str) -> None:
    """A file with a comment anywhere else is not written again; the line is named, by `verify` too."""
    path = small(tmp_path)
    text = path.read_text().replace("helpful: 2", stray)
    path.write_text(text)
    line = next(number for number, row in enumerate(text.split("\n"), 1) if "# many" in row or "# inside" in row)
    with pytest.raises(UnusablePlaybookError, match=f"the comment in line {line} would be lost"):
        update(path, made(helpful=1))
    assert path.read_text() == text
    assert [(each.line, "would be lost" in each.message) for each in verify(path).inconsistencies] == [(line, True)]
    update(path, Made)


def test_a_text_cut_at_its_hash_is_named(tmp_path: Path) -> None:
    """A `#` after a blank ends a text without quotes; the help for the comment says how to keep the rest."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("content: ", "content: Ask for issue #1, then ", 1))
    found = [each.help for each in verify(path).inconsistencies if "would be lost" in each.message]
    assert len(found) == 1
    assert "put all of the text in quotes" in found[0]


def test_comments_follow_a_bullet_into_the_one_it_was_merged_into(tmp_path: Path) -> None:
    """The comment of a bullet that is an alias now stands above the bullet that has it."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("- id: gen-bbbbbbbb", "# measured\n- id: gen-bbbbbbbb"))

    def merge(playbook: Playbook) -> Made:
        kept = replace(playbook.bullets[0], aliases=("gen-bbbbbbbb",))
        return Made(replace(playbook, revision=1, bullets=(kept,)))

    update(path, merge)
    assert "# measured\n- id: gen-aaaaaaaa" in path.read_text()


def test_text_of_other_layouts_is_put_in_order(tmp_path: Path) -> None:
    """A file that a person laid out otherwise is written in the canonical form with the next change."""
    path = small(tmp_path)
    path.write_text(json.dumps({**_data(SMALL)}))
    update(path, made(helpful=1))
    loaded = load(path)
    assert loaded.playbook is not None
    assert path.read_text() == text_of(loaded.playbook, stamp=loaded.stamp)
    assert verify(path).inconsistencies == ()


def _data(playbook: Playbook) -> dict[str, object]:
    from acdl_mkdocs.playbook.model.plain import playbook_data

    return {**playbook_data(playbook)}


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    """A symbolic link still leads to the file, whose permissions stay; the history is beside the file."""
    (tmp_path / "real").mkdir()
    real = small(tmp_path / "real")
    real.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    update(link, made(helpful=1))
    assert link.is_symlink()
    assert read(link).revision == 1
    assert real.stat().st_mode & 0o777 == 0o640
    assert not history_path(link).exists()
    assert verify(link).inconsistencies == ()


def test_a_file_with_errors_is_not_touched(tmp_path: Path) -> None:
    """Nothing is written over a file that cannot be understood."""
    path = small(tmp_path)
    broken = path.read_text().replace("helpful: 2", "helpful: two")
    path.write_text(broken)
    with pytest.raises(UnusablePlaybookError) as caught:
        update(path, made(helpful=1))
    assert len(caught.value.problems) == 1
    assert path.read_text() == broken


@pytest.mark.parametrize(
    "bad",
    [
        replace(NEW, section="nowhere"),
        replace(NEW, id="gen-aaaaaaaa"),
        replace(NEW, content="# a heading\n\nand more"),
        replace(NEW, superseded_by="gen-none"),
    ],
)
def test_a_change_that_could_not_be_read_again_is_refused(tmp_path: Path, bad: Bullet) -> None:
    """A fault of who makes the change does not reach the disk."""
    path = small(tmp_path)
    before = path.read_bytes(), history_path(path).read_bytes()
    with pytest.raises(PlaybookError, match="the change makes a playbook that cannot be"):
        update(path, added(bad))
    assert (path.read_bytes(), history_path(path).read_bytes()) == before


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the history cannot be written, neither file changes, and the message says so."""
    path = small(tmp_path)
    before = path.read_bytes(), history_path(path).read_bytes()

    def full(descriptor: int, data: memoryview) -> int:
        del descriptor, data
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(PlaybookError, match="cannot be written: no space left on device"):
            update(path, made(helpful=1))
    assert (path.read_bytes(), history_path(path).read_bytes()) == before
    update(path, made(helpful=1))
    assert verify(path).inconsistencies == ()


def test_a_writer_does_not_wait_for_ever(tmp_path: Path) -> None:
    """A lock that somebody holds too long is said, with what can be done."""
    path = small(tmp_path)
    with (
        files.lock_file(path),
        pytest.raises(PlaybookError, match=r"has been writing for 0\.05 s"),
        files.lock_file(path, 0.05),
    ):
        pass


def test_sections_are_part_of_the_history(tmp_path: Path) -> None:
    """A new section and the order of sections can be replayed."""
    path = small(tmp_path)

    def change(playbook: Playbook) -> Made:
        return Made(replace(playbook, sections=(Section("first", "First"), *playbook.sections)))

    update(path, change)
    assert [section.id for section in load_revision(path, 1).sections] == ["first", "general"]
    assert {event.op for event in load_history(path).events if event.revision == 1} == {"SECTION"}
    assert verify(path).inconsistencies == ()


def test_a_delta_without_space_is_a_revision(tmp_path: Path) -> None:
    """New lessons grow older by it, and the history says what did not fit; nothing else changes."""
    path = tmp_path / "playbook.yaml"
    create(path, replace(SMALL, policy=Policy(budget_model_tokens=30)))

    def change(playbook: Playbook) -> Curated:
        add = Add(section="general", content="Close every file that you have opened before you go on to the next one.")
        return curate(playbook, make_delta(add), curation_of(playbook, "curator"))

    before = read(path)
    update(path, change, actor="curator")
    assert read(path) == replace(before, revision=1)
    (event,) = (each for each in load_history(path).events if each.revision == 1)
    assert (event.op, event.kind, event.before) == ("REJECTED", "playbook", event.after)
    assert (event.reason or "").startswith("operations[0]: the playbook would have")
    assert verify(path).inconsistencies == ()
    assert load_revision(path, 1) == read(path)
