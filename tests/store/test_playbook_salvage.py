"""Histories and files that something else damaged: a line, a disk, a merge without the driver, line ends of Windows."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import (
    DamagedHistoryError,
    PlaybookError,
    UnusablePlaybookError,
    UnwritablePlaybookError,
)
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.store import create, files, history_path, load_history, load_revision, update
from acdl_mkdocs.playbook.store.repair import repair
from acdl_mkdocs.playbook.store.undo import undo
from acdl_mkdocs.playbook.store.verify import verify
from store.playbooks import SMALL, TIME, Made, added, made, read, small

NEW = Bullet(id="gen-cccccccc", section="general", content="Close what you open.")


def grown(folder: Path) -> Path:
    """A playbook with six revisions after its first."""
    path = small(folder)
    for number in range(1, 7):
        step = added(NEW) if number == 3 else made(helpful=number)
        update(path, step, trace=f"run/1/s{number}", time=TIME)
    return path


def edit_line(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    """Change one line of the history of a playbook."""
    history = history_path(path)
    lines = history.read_bytes().split(b"\n")
    lines[number] = change(lines[number])
    history.write_bytes(b"\n".join(lines))


def bullets(path: Path) -> list[tuple[str, str, int]]:
    """What a playbook says."""
    return [(bullet.id, bullet.content, bullet.helpful) for bullet in read(path).bullets]


@pytest.mark.parametrize("damage", [b"{", b"", b"\x00\x00"])
@pytest.mark.parametrize(
    ("line", "is_file_there"), [*((line, True) for line in (0, 1, 4, 5, 6, 7)), (4, False), (6, False), (7, False)]
)
def test_revisions_behind_a_damaged_line_are_kept(
    tmp_path: Path, damage: bytes, line: int, is_file_there: bool
) -> None:
    """One line that is lost costs its own revision: the others are still in the history, and so is the file."""
    path = grown(tmp_path)
    before, text = bullets(path), path.read_bytes()
    traces = [event.trace for event in load_history(path).events]
    whole = history_path(path).read_bytes().split(b"\n")
    edit_line(path, line, lambda _: damage)
    if not is_file_there:
        path.unlink()
    repair(path, time=TIME)
    assert verify(path).inconsistencies == ()
    kept = [event.trace for event in load_history(path).events]
    lost = {json.loads(whole[line])["revision"]}
    assert [trace for trace in kept if trace] == [
        trace for trace in traces if trace and int(trace.rpartition("s")[2]) not in lost
    ]
    if is_file_there:
        assert (bullets(path), path.read_bytes()) == (before, text)
    rejected = (tmp_path / "playbook.history.rejected.jsonl").read_bytes()
    assert whole[line + 1] in rejected
    assert repair(path).notes == ()


def test_a_line_that_was_only_retouched_is_kept(tmp_path: Path) -> None:
    """If what was changed in a line leads to the same playbook, every revision stays, and the original is kept."""
    path = grown(tmp_path)
    text, n_events = path.read_bytes(), len(load_history(path).events)
    edit_line(path, 5, lambda line: line.replace(b'"actor":"person"', b'"actor":"nobody"'))
    assert not verify(path).is_clean
    (note, moved) = repair(path).notes
    assert "line 6" in note
    assert "rejected" in moved
    events = load_history(path).events
    assert (len(events), path.read_bytes()) == (n_events, text)
    assert "nobody" in {event.actor for event in events}
    assert verify(path).inconsistencies == ()


def test_nothing_misleads_about_a_damaged_history(tmp_path: Path) -> None:
    """Whoever asks for a state, or wants to undo, is told of the damage instead of a part of the truth."""
    path = grown(tmp_path)
    edit_line(path, 5, lambda _: b"{")
    before = path.read_bytes(), history_path(path).read_bytes()
    for ask in (lambda: load_revision(path, 5), lambda: undo(path), lambda: undo(path, 2)):
        with pytest.raises(DamagedHistoryError, match=r"jsonl:6: .* run `acdl playbook repair"):
            ask()
    assert (path.read_bytes(), history_path(path).read_bytes()) == before


def test_a_history_with_line_ends_of_windows(tmp_path: Path) -> None:
    """What git makes of line ends is no damage: it is read, gone on with and undone."""
    path = grown(tmp_path)
    for each in (path, history_path(path)):
        each.write_bytes(each.read_bytes().replace(b"\n", b"\r\n"))
    assert verify(path).inconsistencies == ()
    update(path, made(harmful=1), time=TIME)
    assert verify(path).inconsistencies == ()
    undo(path, time=TIME)
    assert (read(path).revision, read(path).bullets[0].harmful) == (8, 0)
    assert verify(path).inconsistencies == ()
    assert history_path(path).read_bytes().count(b"\r\n") == 10


def test_an_empty_history_is_none(tmp_path: Path) -> None:
    """A history of no bytes is said to be none; undoing writes nothing, a repair begins one."""
    path = small(tmp_path)
    history_path(path).write_bytes(b"")
    assert "there is no history" in verify(path).inconsistencies[0].message
    with pytest.raises(PlaybookError, match="has no history, so there is nothing to take back"):
        undo(path)
    assert history_path(path).read_bytes() == b""
    repair(path)
    assert verify(path).inconsistencies == ()


def test_a_failing_undo_writes_no_history(tmp_path: Path) -> None:
    """A playbook without a history has none after somebody wanted to undo."""
    path = small(tmp_path)
    history_path(path).unlink()
    with pytest.raises(PlaybookError, match="has no history"):
        undo(path)
    assert not history_path(path).exists()


def _is_draft(each: Path) -> bool:
    return each.name.endswith(".tmp")


def test_a_file_that_cannot_be_replaced_is_not_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the file cannot be written, the history does not have the revision either, and no draft is left."""
    path = small(tmp_path)
    before = path.read_bytes(), history_path(path).read_bytes()

    def refuse(draft: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(draft), str(target))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        with pytest.raises(UnwritablePlaybookError, match="cannot be written: permission denied"):
            update(path, made(helpful=1))
        (tmp_path / "new").mkdir()
        with pytest.raises(UnwritablePlaybookError):
            create(tmp_path / "new" / "p.yaml", SMALL)
    assert (path.read_bytes(), history_path(path).read_bytes()) == before
    assert not any(map(_is_draft, tmp_path.iterdir()))
    assert not (tmp_path / "new" / "p.history.jsonl").exists()
    update(path, made(helpful=1))
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize("limit", [300, 2_500])
def test_a_disk_that_becomes_full(tmp_path: Path, limit: int) -> None:
    """With no room for the file, or for the history, neither changes."""
    resource = pytest.importorskip("resource")
    path = grown(tmp_path)
    before = path.read_bytes(), history_path(path).read_bytes()
    assert 300 < len(before[0]) < 2_500 < len(before[1])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(UnwritablePlaybookError, match="cannot be written: file too large"):
            update(path, made(helpful=9))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (path.read_bytes(), history_path(path).read_bytes()) == before
    assert not any(map(_is_draft, tmp_path.iterdir()))


def test_a_draft_follows_no_link(tmp_path: Path) -> None:
    """A link that waits where a draft could be is not written through; what killed writers left is removed."""
    path = small(tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".playbook.yaml.0123abce.tmp").symlink_to(victim)
    (tmp_path / ".playbook.yaml.0123abcd.tmp").write_text("left over")
    update(path, made(helpful=1))
    assert victim.read_text() == "mine"
    assert not path.is_symlink()
    assert not any(map(_is_draft, tmp_path.iterdir()))
    assert files.write_draft(path, b"x") != files.write_draft(path, b"x")


def seen_by(n_bullets: int) -> Callable[[Playbook], Made]:
    """A change that only counts that bullets were in a prompt."""

    def change(playbook: Playbook) -> Made:
        counted = [replace(each, seen=each.seen + 1) for each in playbook.bullets[:n_bullets]]
        return Made(
            replace(playbook, revision=playbook.revision + 1, bullets=(*counted, *playbook.bullets[n_bullets:]))
        )

    return change


def test_counting_what_was_seen_takes_little_room(tmp_path: Path) -> None:
    """Two hundred bullets that were in a prompt are one line of less than 10 kB; replaying and undoing know it."""
    many = tuple(
        Bullet(id=f"gen-{n:08d}", section="general", content=f"Lesson {n}." + 20 * " More.") for n in range(210)
    )
    path = tmp_path / "playbook.yaml"
    create(path, replace(SMALL, bullets=many), time=TIME)
    sizes = history_path(path).stat().st_size
    update(path, seen_by(200), time=TIME, trace="run/1/s1", actor="curator")
    assert history_path(path).stat().st_size < sizes + 10_000
    update(path, seen_by(100), time=TIME)
    assert [event.kind for event in load_history(path).events[-2:]] == ["seen", "seen"]
    assert sum(bullet.seen for bullet in load_revision(path, 1).bullets) == 200
    assert sum(bullet.seen for bullet in load_revision(path, 2).bullets) == 300
    assert load_revision(path, 2) == read(path)
    assert verify(path).inconsistencies == ()
    undo(path, time=TIME)
    assert [bullet.seen for bullet in read(path).bullets] == [bullet.seen for bullet in load_revision(path, 1).bullets]
    assert verify(path).inconsistencies == ()
    edit_line(path, len(many) + 1, lambda _: b"{")
    repair(path, time=TIME)
    assert verify(path).inconsistencies == ()
    assert sum(bullet.seen for bullet in read(path).bullets) == 200


def test_a_count_that_does_not_fit_is_found(tmp_path: Path) -> None:
    """A line that counts from a number that was not there is named."""
    path = small(tmp_path)
    update(path, seen_by(2), time=TIME)
    edit_line(path, 4, lambda line: line.replace(b'"before":{"gen-aaaaaaaa":0', b'"before":{"gen-aaaaaaaa":7'))
    assert [each.line for each in verify(path).inconsistencies if each.line] == [5]
    repair(path, time=TIME)
    assert verify(path).inconsistencies == ()


SECRET = "AKIA" + "IOSFODNN7ABCDEFG"


def test_a_secret_in_the_file_does_not_get_into_the_history(tmp_path: Path) -> None:
    """`verify` names its kind and its bullet, never the secret; neither a change nor a repair writes it down."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("Retry after 5 seconds.", f"Use {SECRET} for it."))
    before = path.read_bytes(), history_path(path).read_bytes()
    found = [each for each in verify(path).inconsistencies if "secret" in each.message]
    assert [each.message for each in found] == ["bullet `gen-bbbbbbbb` has what looks like a secret (AWS access key)"]
    assert found[0].line == next(n for n, row in enumerate(before[0].decode().split("\n"), 1) if "bbbbbbbb" in row)
    for write in (lambda: update(path, made(helpful=1)), lambda: repair(path), lambda: repair(path, "file")):
        with pytest.raises(PlaybookError, match="AWS access key") as caught:
            write()
        assert SECRET not in str(caught.value)
    assert (path.read_bytes(), history_path(path).read_bytes()) == before
    history_path(path).unlink()
    with pytest.raises(PlaybookError, match="AWS access key"):
        update(path, made(helpful=1))
    assert not history_path(path).exists()


@pytest.mark.parametrize(
    ("line", "message", "cure"),
    [
        ("similarity: ngram", "there is no similarity `ngram`", "did you mean `ngrams`?"),
        ("encoding: cl100k", "there is no encoding `cl100k`", "cl100k_base"),
        ("encoding: zzz", "there is no encoding `zzz`", "`o200k_base`"),
    ],
)
def test_a_policy_that_names_nothing(tmp_path: Path, line: str, message: str, cure: str) -> None:
    """An unknown measure or encoding is an error of the file, in its line, with the nearest name."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("sections:", f"policy:\n  {line}\nsections:"))
    (wrong,) = verify(path).inconsistencies
    assert path.read_text().split("\n")[(wrong.line or 0) - 1].strip() == line
    assert wrong.message == message
    assert cure in wrong.help


def git(folder: Path, *arguments: str) -> int:
    """Run git there; its status."""
    names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
    environment = {**os.environ, **dict.fromkeys(names, "a@b.c"), "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    command = ["git", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False).returncode


@pytest.fixture
def conflicted(tmp_path: Path) -> Path:
    """A playbook that two branches changed, merged by a git that knows nothing of playbooks."""
    path = small(tmp_path)
    path.write_text(path.read_text().replace("- id: gen-bbbbbbbb", "# measured\n- id: gen-bbbbbbbb"))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "1")
    git(tmp_path, "checkout", "-qb", "other")
    update(path, made(helpful=3), time="2026-02-01T00:00:00Z", trace="theirs")
    update(path, added(replace(NEW, id="gen-dddddddd", content="Theirs.")), time="2026-02-01T00:00:01Z")
    git(tmp_path, "commit", "-qam", "2")
    git(tmp_path, "checkout", "-q", "main")
    update(path, made(helpful=2), time="2026-02-02T00:00:00Z", trace="ours")
    update(path, added(NEW), time="2026-02-02T00:00:01Z")
    git(tmp_path, "commit", "-qam", "3")
    assert git(tmp_path, "merge", "-q", "other") == 1
    return path


def test_a_conflict_is_named_and_nothing_is_written(conflicted: Path) -> None:
    """Every reader says what it is and what to do, in the file and in the history."""
    before = conflicted.read_bytes(), history_path(conflicted).read_bytes()
    assert all(b"<<<<<<< " in each for each in before)
    wrong = verify(conflicted).inconsistencies
    assert any(each.message == "git left a conflict in this file" and "merge --setup" in each.help for each in wrong)
    assert any("is not JSON: git left a conflict in this file" in each.message for each in wrong)
    with pytest.raises(UnusablePlaybookError) as caught:
        update(conflicted, made(helpful=1))
    assert caught.value.problems[0].message == "git left a conflict in this file"
    assert (conflicted.read_bytes(), history_path(conflicted).read_bytes()) == before


def test_a_conflict_is_repaired_with_both_sides(conflicted: Path) -> None:
    """`repair` merges as the driver would: counts are added, bullets and events of both are there, comments too."""
    before = conflicted.read_bytes()
    repair(conflicted, time=TIME)
    assert {name: helpful for name, _, helpful in bullets(conflicted)} == {
        "gen-aaaaaaaa": 5, "gen-bbbbbbbb": 2, "gen-cccccccc": 0, "gen-dddddddd": 0,
    }  # fmt: skip
    assert "# measured\n" in conflicted.read_text()
    assert conflicted.with_name("playbook.yaml.bak").read_bytes() == before
    events = load_history(conflicted).events
    assert "ours" in {event.trace for event in events}
    merges = [event for event in events if event.op == "MERGED_BRANCH"]
    assert "theirs" in json.dumps(merges[0].branch)
    assert verify(conflicted).inconsistencies == ()


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_conflict_that_cannot_be_repaired_is_left(conflicted: Path, is_marked: bool) -> None:
    """A line that neither history has, or marks in disorder: both files stay as they are."""
    if is_marked:
        history = history_path(conflicted)
        history.write_bytes(history.read_bytes().replace(b"=======\n", b"=======\n=======\n"))
    else:
        conflicted.write_text(conflicted.read_text().replace("after 5 seconds", "after 55 seconds"))
    before = conflicted.read_bytes(), history_path(conflicted).read_bytes()
    with pytest.raises(PlaybookError, match="git left a conflict in this file, and"):
        repair(conflicted, time=TIME)
    assert (conflicted.read_bytes(), history_path(conflicted).read_bytes()) == before
