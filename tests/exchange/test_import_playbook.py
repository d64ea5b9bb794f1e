"""A playbook file that is imported: made as it is, or merged into another one, without losing or doubling anything."""

from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Section, sort_playbook
from acdl_mkdocs.playbook.store import create, load, text_of
from acdl_mkdocs.playbook.store.undo import undo
from acdl_mkdocs.playbook.store.verify import verify

SECTIONS = (Section("general", "General"), Section("tools", "Tools"), Section("empty", "Nothing yet"))
UTC = Bullet(id="gen-aaaaaaaa", section="general", content="Use UTC.", helpful=3, harmful=1, seen=9, added=1, updated=2)
ASK = Bullet(id="too-bbbbbbbb", section="tools", content="Ask `orders  -n 1` first.", helpful=1, aliases=("too-old",))
OUT = Bullet(id="gen-cccccccc", section="general", content="Stop.", status="archived", reason="it was wrong")
MAY = Bullet(id="gen-dddddddd", section="later", content="Try twice.", status="proposed", reason="no section")
KEPT = Pair("gen-aaaaaaaa", "too-bbbbbbbb", "kept", 0.4, "both hold")
THERE = sort_playbook(Playbook("there", 4, SECTIONS, (UTC, ASK, OUT, MAY), (KEPT,)))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a playbook file to import."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.yaml").write_text(text_of(THERE), "utf-8")
    return tmp_path


def acdl(*words: str) -> int:
    """Run `acdl playbook`."""
    return main(["playbook", *words])


def read(path: Path) -> Playbook:
    """The playbook of a file without errors whose history agrees."""
    assert verify(path).inconsistencies == ()
    found = load(path).playbook
    assert found is not None
    return found


def test_a_new_playbook_is_as_it_was(here: Path) -> None:
    """Ids, statuses, counters, pairs, sections: nothing is another."""
    assert acdl("import", "new.yaml", "there.yaml") == 0
    assert read(here / "new.yaml") == THERE


@pytest.mark.parametrize("name", ["there.yaml", "there.txt", "-"])
def test_a_playbook_is_told_from_text(here: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name or by its text: it is never read as a list of lessons."""
    import io

    (here / "there.txt").write_bytes((here / "there.yaml").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((here / "there.yaml").read_bytes())))
    assert acdl("import", "new.yaml", name) == 0
    assert read(here / "new.yaml").bullets == THERE.bullets


def test_it_is_merged_as_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lessons by their ids, sections, the larger counters, what is archived or proposed, and decisions."""
    own = Bullet(id="gen-eeeeeeee", section="general", content="Log the request.", helpful=2)
    ours = Playbook("ours", 7, SECTIONS[:1], (replace(UTC, helpful=5, harmful=0), own))
    create(here / "ours.yaml", sort_playbook(ours))
    assert acdl("import", "ours.yaml", "there.yaml", "--dry-run") == 0
    assert "1 archived bullet would go into the archive" in capsys.readouterr().err
    assert acdl("import", "ours.yaml", "there.yaml") == 0
    both = read(here / "ours.yaml")
    assert [each.id for each in both.sections] == ["general", "tools", "empty"]
    now = both.by_id
    assert (now["gen-aaaaaaaa"].helpful, now["gen-aaaaaaaa"].harmful, now["gen-aaaaaaaa"].seen) == (5, 1, 9)
    assert now["too-old"].id == "too-bbbbbbbb"
    assert now["too-bbbbbbbb"].content == ASK.content
    assert now["gen-eeeeeeee"] == own
    assert (now["gen-cccccccc"].status, now["gen-cccccccc"].reason) == ("archived", "it was wrong")
    assert (now["gen-dddddddd"].status, now["gen-dddddddd"].section) == ("proposed", "later")
    assert KEPT in both.pairs
    before = (here / "ours.yaml").read_bytes()
    assert acdl("import", "ours.yaml", "there.yaml") == 0
    assert (here / "ours.yaml").read_bytes() == before


def test_ids_of_others_are_not_taken(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A lesson whose id another one has, or had before it was taken back, gets a new id, and that is told."""
    other = Bullet(id="gen-aaaaaaaa", section="general", content="Close every file.")
    create(here / "ours.yaml", Playbook("ours", bullets=(other,)))
    assert acdl("import", "ours.yaml", "there.yaml") == 0
    assert "1 bullet with a new id, since another one has or had it: `gen-aaaaaaaa`" in capsys.readouterr().err
    made = read(here / "ours.yaml")
    assert made.by_id["gen-aaaaaaaa"] == other
    (new,) = (each for each in made.bullets if each.content == UTC.content)
    assert (new.helpful, new.harmful) == (3, 1)
    assert acdl("import", "ours.yaml", "there.yaml") == 0
    assert "2 bullets left out: there already" in capsys.readouterr().err
    assert read(here / "ours.yaml") == made
    for revision in (2, 1):
        undo(here / "ours.yaml", revision)
    assert acdl("import", "ours.yaml", "there.yaml") == 0
    assert "2 bullets with a new id" in capsys.readouterr().err
    assert "too-bbbbbbbb" not in {each.id for each in read(here / "ours.yaml").bullets}


def test_what_is_wrong_is_said_with_its_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of a playbook file is taken, or nothing."""
    (here / "there.yaml").write_text(text_of(THERE).replace("helpful: 3", "helpful: many"), "utf-8")
    assert acdl("import", "new.yaml", "there.yaml") == 2
    said = capsys.readouterr().err
    assert "there.yaml: line" in said
    assert "`helpful` is the text `many`" in said
    assert not (here / "new.yaml").exists()


TEXT = """\
## Tools
[a-1] helpful=1 harmful=0 :: Run it like this:
    ```sh
    # no heading
    if true; then
        grep  -r x
    fi
    ```
[a-2] helpful=0 harmful=0 :: Limits:
| plan | calls  |
|------|--------|
| free | 10     |
[a-3] helpful=0 harmful=0 :: A long line that was
wrapped, with `two  blanks` in   code.
[a-4] helpful=0 harmful=0 :: def f():
    if x:
        return 1
"""


def test_text_keeps_code_tables_and_indentation(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What means something as lines is kept as a block, to the character; a wrapped paragraph is one line."""
    (here / "in.txt").write_text(TEXT, "utf-8")
    assert acdl("import", "new.yaml", "in.txt") == 0
    assert "line 2: is kept as a block" in capsys.readouterr().err
    found = {each.id: each.content for each in read(here / "new.yaml").bullets}
    assert found == {
        "a-1": "````text\nRun it like this:\n```sh\n# no heading\nif true; then\n    grep  -r x\nfi\n```\n````",
        "a-2": "```text\nLimits:\n| plan | calls  |\n|------|--------|\n| free | 10     |\n```",
        "a-3": "A long line that was wrapped, with `two  blanks` in code.",
        "a-4": "```text\ndef f():\n    if x:\n        return 1\n```",
    }
    assert acdl("export", "new.yaml", "--format", "text", "-o", "again.txt") == 0
    assert acdl("import", "again.yaml", "again.txt") == 0
    assert {each.id: each.content for each in read(here / "again.yaml").bullets} == found
