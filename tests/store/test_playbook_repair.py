"""Damaged playbooks: what `verify` says of them and what `repair` makes of them. And undoing, blaming, comparing."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import jsonschema
import pytest
from exhaustive import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acdl_mkdocs.foundation.errors import PlaybookError, UnusablePlaybookError
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.store import history_path, load_history, load_revision, update, write_playbook
from acdl_mkdocs.playbook.store.history import Event, line_of, read_history
from acdl_mkdocs.playbook.store.look import blame_bullets, diff_playbooks, list_revisions
from acdl_mkdocs.playbook.store.repair import repair
from acdl_mkdocs.playbook.store.undo import undo
from acdl_mkdocs.playbook.store.verify import verify
from store.playbooks import SMALL, TIME, Made, added, made, read, small

NEW = Bullet(id="gen-cccccccc", section="general", content="Close what you open.")


def grown(folder: Path) -> Path:
    """A playbook with three revisions after its first."""
    path = small(folder)
    update(path, made(helpful=1), trace="one")
    update(path, added(NEW), trace="two")
    update(path, made(content="Paginate until a page is empty."), trace="three", actor="curator")
    return path


def edit_line(path: Path, number: int, change: Callable[[str], str]) -> None:
    """Change one line of the history of a playbook, counted from the end by a negative number."""
    history = history_path(path)
    lines = history.read_text("utf-8").split("\n")[:-1]
    lines[number] = change(lines[number])
    history.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def test_a_changed_line_is_found_and_repaired(tmp_path: Path) -> None:
    """A line of the history that was changed afterwards is named; repair keeps what it says beside, and the file."""
    path = grown(tmp_path)
    before = read(path)
    edit_line(path, -2, lambda line: line.replace("Close what", "Open what"))
    wrong = verify(path).inconsistencies
    assert [(each.line, each.message.partition(":")[0]) for each in wrong] == [
        (6, "was changed, or lines after it are missing")
    ]
    repaired = repair(path, "file")
    assert any("rejected" in note for note in repaired.notes)
    after = read(path)
    assert replace(after, revision=0, bullets=()) == replace(before, revision=0, bullets=())
    assert [bullet.content for bullet in after.bullets] == [bullet.content for bullet in before.bullets]
    assert "Open what" in (tmp_path / "playbook.history.rejected.jsonl").read_text()
    assert verify(path).inconsistencies == ()
    assert repair(path).notes == ()


@pytest.mark.parametrize("line", [0, 2, -2, -1])
@pytest.mark.parametrize("damage", ["{", "", "[]", '{"revision": 1}', "\x00"])
def test_lines_that_are_no_events_are_found_and_repaired(tmp_path: Path, line: int, damage: str) -> None:
    """Whatever a line of the history became, it is named, and repair keeps the bullets as the file has them."""
    path = grown(tmp_path)
    before = read(path)
    edit_line(path, line, lambda _: damage)
    assert verify(path).inconsistencies
    repair(path, "file")
    assert [bullet.content for bullet in read(path).bullets] == [bullet.content for bullet in before.bullets]
    assert verify(path).inconsistencies == ()


@given(st.data())
@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_damage_is_found_and_repaired(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever bytes of the history are lost or changed: it is said, nothing raises, and repair makes both agree."""
    path = grown(tmp_path_factory.mktemp("any"))
    history = history_path(path)
    whole = history.read_bytes()
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start + 1, len(whole)))
    put = data.draw(st.binary(max_size=5))
    damaged = whole[:start] + put + whole[end:]
    history.write_bytes(damaged)
    before = [bullet.content for bullet in read(path).bullets]
    verified = verify(path)
    if damaged != whole and start < whole.rindex(b"\n", 0, -1):
        assert verified.inconsistencies  # no line follows the last one, which would tell its hash
    repair(path, "file")
    assert verify(path).inconsistencies == ()
    assert [bullet.content for bullet in read(path).bullets] == before
    assert repair(path).notes == ()


@pytest.mark.parametrize("cut", [200, 20, 330, 340, 361, 400, 0])
def test_a_file_that_ends_early_is_taken_from_the_history(tmp_path: Path, cut: int) -> None:
    """A torn file is written again as the history has it, whether or not what is left of it can be read."""
    path = grown(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    assert verify(path).inconsistencies
    repair(path)
    assert path.read_bytes() == whole
    assert verify(path).inconsistencies == ()


def test_a_writer_takes_a_torn_file_from_the_history(tmp_path: Path) -> None:
    """What is left of a torn file may still be a playbook, with fewer bullets: no writer takes it for one."""
    path = grown(tmp_path)
    whole = path.read_text()
    path.write_text(whole[: whole.index("content: Retry") + 14])
    told: list[str] = []
    update(path, made(harmful=1), warn=told.append)
    assert "ended too early" in told[0]
    assert len(read(path).bullets) == 3
    assert verify(path).inconsistencies == ()


def test_a_bullet_that_a_person_takes_out_is_gone(tmp_path: Path) -> None:
    """Whole bullets that are not in the file any more were taken out by a person, which can be undone."""
    path = grown(tmp_path)
    whole = path.read_text()
    path.write_text(whole[: whole.index("\n- id: gen-cccccccc")])
    update(path, made(harmful=1))
    assert len(read(path).bullets) == 2
    undo(path, 4)
    assert len(read(path).bullets) == 3
    assert verify(path).inconsistencies == ()


def test_a_broken_file_is_taken_from_the_history(tmp_path: Path) -> None:
    """A file that cannot be read, or is gone, is written as the history has it; what it said is kept beside."""
    path = grown(tmp_path)
    whole = path.read_bytes()
    for text in (b"name: [", b"", b"\xff\xfe", b"- 1\n"):
        path.write_bytes(text)
        assert verify(path).inconsistencies
        repair(path)
        assert path.read_bytes() == whole
    assert path.with_name("playbook.yaml.bak").read_bytes() == b"name: ["
    assert path.with_name("playbook.yaml.bak4").read_bytes() == b"- 1\n"
    path.unlink()
    repair(path)
    assert read(path) == load_revision(path, 3)
    assert verify(path).inconsistencies == ()


def test_file_and_history_are_compared_part_by_part(tmp_path: Path) -> None:
    """`verify` says what each has; `repair` makes a revision of it, or goes back to the history if asked to."""
    path = grown(tmp_path)
    edited = path.read_text().replace("after 5 seconds", "after 7 seconds").replace("helpful: 2", "helpful: 6")
    path.write_text(edited)
    wrong = verify(path).inconsistencies
    assert [each.message for each in wrong] == [
        "bullet `gen-bbbbbbbb`: content is `Retry after 7 seconds.` in the file and `Retry after 5 seconds.` in the "
        "history; helpful is `6` in the file and `2` in the history"
    ]
    repair(path, "history")
    assert read(path).bullets[1].helpful == 2
    assert path.with_name("playbook.yaml.bak").read_text() == edited
    assert verify(path).inconsistencies == ()
    path.write_text(edited)
    repair(path)
    assert (read(path).revision, read(path).bullets[1].helpful) == (4, 6)
    assert verify(path).inconsistencies == ()


def test_a_clash_is_for_a_person_to_decide(tmp_path: Path) -> None:
    """If both changed the same, `repair` wants to be told which is right, and then does not lose the other."""
    path = small(tmp_path)
    edited = path.read_text().replace("Paginate", "Always paginate")
    update(path, made(helpful=4))
    path.write_text(edited)
    with pytest.raises(PlaybookError, match="--from history` or `--from file"):
        repair(path)
    repair(path, "file")
    assert read(path).bullets[0].content.startswith("Always paginate")
    assert load_revision(path, 1).bullets[0].helpful == 4
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize("has_more", [False, True])
def test_changes_by_hand_that_a_killed_writer_had_taken_over(has_more: bool, tmp_path: Path) -> None:
    """The history has them and the file is of before: nobody has to choose, and nothing is lost or there twice."""
    path = small(tmp_path)
    edited = path.read_text().replace("Paginate", "Always paginate")
    path.write_text(edited)
    update(path, lambda playbook: Made(playbook), time=TIME)
    if has_more:
        update(path, made(helpful=4), time=TIME)
    whole = path.read_bytes(), history_path(path).read_bytes()
    path.write_text(edited)  # as a kill leaves it between the history and the file
    told: list[str] = []
    update(path, lambda playbook: Made(playbook), time=TIME, warn=told.append)
    assert (path.read_bytes(), history_path(path).read_bytes()) == whole
    assert "the file was at revision 0: taken from the history" in told[0]
    assert verify(path).inconsistencies == ()
    path.write_text(edited.replace("Always paginate", "Never paginate"))
    with pytest.raises(PlaybookError, match="--from history` or `--from file"):
        repair(path)


def test_a_file_ahead_of_its_history_is_kept(tmp_path: Path) -> None:
    """A history of which the end is missing, line by line, goes on with what the file says."""
    path = grown(tmp_path)
    lines = history_path(path).read_bytes().splitlines(keepends=True)
    history_path(path).write_bytes(b"".join(lines[:-2]))
    assert any("its history ends with revision 1" in each.message for each in verify(path).inconsistencies)
    with pytest.raises(PlaybookError, match="ends with revision 1"):
        update(path, made(helpful=9))
    repair(path)
    assert len(read(path).bullets) == 3
    assert verify(path).inconsistencies == ()


def test_nothing_to_repair_from_is_said(tmp_path: Path) -> None:
    """Without a file and without a history that can be read there is nothing to do, and nothing is done."""
    path = tmp_path / "playbook.yaml"
    with pytest.raises(PlaybookError, match="neither a file nor a history"):
        repair(path)
    path.write_text("name: [")
    with pytest.raises(PlaybookError, match="no history to take it from"):
        repair(path)
    assert path.read_text() == "name: ["


def test_repair_does_not_lose_comments(tmp_path: Path) -> None:
    """A stray comment stops a repair as it stops every other writer."""
    path = grown(tmp_path)
    text = path.read_text().replace("helpful: 2", "helpful: 3 # mine")
    path.write_text(text)
    with pytest.raises(UnusablePlaybookError, match="would be lost"):
        repair(path)
    assert path.read_text() == text


def test_an_id_is_not_used_again(tmp_path: Path) -> None:
    """A history in which a bullet comes back that was gone, under its old id, is wrong."""
    path = grown(tmp_path)
    update(path, lambda playbook: Made(replace(playbook, bullets=playbook.bullets[:2])))
    update(path, added(replace(NEW, content="Something else.")))
    lines = history_path(path).read_text().split("\n")
    assert json.loads(lines[-2])["op"] == "EDIT"
    history_path(path).write_text("\n".join([*lines[:-2], lines[-2].replace('"EDIT"', '"ADD"'), ""]))
    assert any("again" in each.message for each in verify(path).inconsistencies)


def test_reading_a_history_never_raises() -> None:
    """Any bytes are a history with problems at worst."""
    for data in (b"", b"\n", b"\xff\n", b"{}\n", b"[" * 100_000 + b"\n", b"1\n2\n", b'{"revision":true}\n'):
        history = read_history(data)
        assert history.events == ()
        assert bool(history.damage) == (data != b"")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("NaN", "is not JSON: `NaN` is not a JSON number"),
        ("1e999", "is not JSON: `1e999` is larger than a 64-bit float can be"),
        ('1, "name": 2', 'is not JSON: the key "name" appears twice'),
        ("9" * 5000, "is not JSON: a number has more than 4300 digits"),
        ("[" * 700 + "]" * 700, "is not JSON: lists and objects are nested more than 64 levels deep"),
        ('"\\ud800"', "has half of a character, which no file can hold"),
    ],
)
def test_a_line_that_could_be_read_in_two_ways_is_no_event(value: str, message: str) -> None:
    """What another reader would take for something else, or what cannot be written again, is named."""
    event = Event(
        revision=0, n=1, of=1, op="INIT", kind="playbook", id="", before=None, after={"name": "x"}, time="2025"
    )
    line = line_of(event)
    assert read_history(line).events == (event,)
    broken = line.replace(b'"x"', value.encode())
    assert [each.message for each in read_history(broken).damage] == [message]
    latin = line.replace(b'"x"', b'"\xe9"')
    assert [each.message for each in read_history(latin).damage] == ["is not UTF-8"]


def test_every_line_of_a_history_fits_its_schema(tmp_path: Path) -> None:
    """The published schema of events describes what is written, key by key."""
    schema = json.loads(
        (Path(write_playbook.__file__).parents[2] / "assets" / "playbook-history-1.schema.json").read_text()
    )
    path = grown(tmp_path)
    undo(path)
    for line in history_path(path).read_text("utf-8").splitlines():
        jsonschema.validate(json.loads(line), schema)
    assert tuple(schema["properties"]) == tuple(each.name for each in fields(Event))


def test_undo_takes_the_last_revision_back(tmp_path: Path) -> None:
    """Undoing makes a new revision; undoing that one makes it again."""
    path = grown(tmp_path)
    undone = undo(path)
    assert (undone.revision, undone.playbook.revision) == (3, 4)
    assert read(path).bullets[0].content == SMALL.bullets[0].content
    assert read(path).bullets[0].helpful == 1
    event = load_history(path).events[-1]
    assert (event.op, event.reason) == ("UNDO", "takes back revision 3")
    undo(path)
    assert read(path).bullets[0].content == "Paginate until a page is empty."
    assert verify(path).inconsistencies == ()


def test_undo_takes_an_older_revision_back(tmp_path: Path) -> None:
    """Only what an old revision changed is changed back; what came later stays."""
    path = grown(tmp_path)
    undo(path, 2)
    assert [bullet.id for bullet in read(path).bullets] == ["gen-aaaaaaaa", "gen-bbbbbbbb"]
    undo(path, 1)
    first = read(path).bullets[0]
    assert (first.helpful, first.content) == (0, "Paginate until a page is empty.")
    assert verify(path).inconsistencies == ()


def test_undo_refuses_what_later_revisions_changed(tmp_path: Path) -> None:
    """What was changed again later is named with the revision, and nothing is written."""
    path = grown(tmp_path)
    update(path, made(content="Paginate until there is no more."))
    before = path.read_bytes()
    with pytest.raises(PlaybookError, match=r"bullet `gen-aaaaaaaa` \(content\) in revision 4; undo the later"):
        undo(path, 3)
    with pytest.raises(PlaybookError, match="there is no revision 9"):
        undo(path, 9)
    with pytest.raises(PlaybookError, match="began the history"):
        undo(path, 0)
    assert path.read_bytes() == before


def test_what_was_counted_is_taken_off_whatever_was_counted_since(tmp_path: Path) -> None:
    """Undoing a TAG leaves later ones; a count that would be negative is refused."""
    path = small(tmp_path)
    update(path, made(helpful=1, neutral=1))
    update(path, made(helpful=3, neutral=1))
    undo(path, 1)
    assert (read(path).bullets[0].helpful, read(path).bullets[0].neutral) == (2, 0)
    assert verify(path).inconsistencies == ()
    update(path, made(helpful=0))
    with pytest.raises(PlaybookError, match=r"\(helpful\) in revision"):
        undo(path, 2)


def test_log_has_the_last_revision_first(tmp_path: Path) -> None:
    """A log can be of one bullet, and of the last revisions only."""
    events = load_history(grown(tmp_path)).events
    assert [made[0].revision for made in list_revisions(events)] == [3, 2, 1, 0]
    assert [made[0].revision for made in list_revisions(events, bullet="gen-aaaaaaaa")] == [3, 1, 0]
    assert [made[0].revision for made in list_revisions(events, most=2)] == [3, 2]


def test_diff_groups_what_happened(tmp_path: Path) -> None:
    """Differences are grouped by what happened to a bullet."""
    path = grown(tmp_path)

    def more(playbook: Playbook) -> Made:
        a, b, c = playbook.bullets
        return Made(replace(playbook, bullets=(a, replace(b, status="archived", reason="old"), replace(c, helpful=1))))

    update(path, more)
    found = {each.id: (each.group, each.fields) for each in diff_playbooks(load_revision(path, 2), read(path))}
    assert found == {
        "gen-aaaaaaaa": ("changed", ("content",)),
        "gen-bbbbbbbb": ("archived", ("status", "reason")),
        "gen-cccccccc": ("counters", ("helpful",)),
    }
    assert [each.group for each in diff_playbooks(load_revision(path, 1), load_revision(path, 2))] == ["added"]
    undo(path)
    assert diff_playbooks(load_revision(path, 3), read(path)) == []


def test_blame_names_who_wrote_the_content(tmp_path: Path) -> None:
    """Counting is no writing: the event that gave a bullet its content is found."""
    path = grown(tmp_path)
    update(path, made(helpful=8), trace="later")
    found = {each.bullet.id: each.event for each in blame_bullets(read(path), load_history(path).events)}
    assert {name: event and (event.revision, event.trace, event.actor) for name, event in found.items()} == {
        "gen-aaaaaaaa": (3, "three", "curator"),
        "gen-bbbbbbbb": (0, None, "person"),
        "gen-cccccccc": (2, "two", "person"),
    }
