"""What `acdl playbook import` refuses, whatever the format: nothing unsafe goes around the curator."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shared_books import HOSTILE, acdl, playbook

from acdl_mkdocs.playbook.exchange import EXCHANGES
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Provenance
from acdl_mkdocs.playbook.store import create

KEY = "AKIAIOSFODNN7EXAMPLE"
PLAIN = Playbook("p", bullets=(Bullet(id="gen-1", section="general", content="Paginate until a page is empty."),))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    return tmp_path


def put(*keys: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    """Give a part of an export another value."""

    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("bullets", 0, "content", value=f"Use {KEY}."), "bullets[0].content: has what looks like a secret"),
        (put("bullets", 0, "reason", value=KEY), "bullets[0].reason: has what looks like a secret"),
        (put("bullets", 0, "reason", value="x\u202ey"), "bullets[0].reason: has the character U+202E"),
        (put("bullets", 0, "source", value=[{"by": KEY}]), "bullets[0].source.by: has what looks like a secret"),
        (put("bullets", 0, "applies_to", value=["a\x07"]), "bullets[0].applies_to: has the character U+0007"),
        (put("bullets", 0, "aliases", value=["a b"]), 'bullets[0].aliases: has "a b", which is not an id'),
        (put("bullets", 0, "helpful", value=10**30), "bullets[0].helpful: has more than 15 digits"),
        (put("revision", value=10**15), "revision: has more than 15 digits"),
        (put("name", value=f"p {KEY}"), "name: has what looks like a secret"),
        (put("sections", 0, "title", value=KEY), "sections[0].title: has what looks like a secret"),
        (put("policy", "similarity", value="ngram"), 'policy.similarity: is "ngram", which does not exist; did you'),
        (put("policy", "encoding", value="morse"), 'policy.encoding: is "morse", which does not exist; there are'),
        (put("policy", "budget_model_tokens", value=10**20), "policy.budget_model_tokens: has more than 15 digits"),
        (put("bullets", 1, value={"id": "gen-1", "section": "general", "content": "x"}), "bullets[1].id: the id"),
        (put("bullets", 0, "section", value="nowhere"), "bullets[0].section: there is no section `nowhere`"),
        (put("bullets", 0, "superseded_by", value="x-1"), "bullets[0].superseded_by: there is no bullet `x-1`"),
    ],
)
@pytest.mark.parametrize("is_new", [True, False])
def test_json_is_checked(
    change: Callable[[dict[str, Any]], None],
    message: str,
    is_new: bool,
    here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is taken, the place in the file that was read is named, and a secret is not repeated."""
    path = here / "p.yaml"
    if not is_new:
        create(path, replace(PLAIN, bullets=()))
    before = path.read_bytes() if path.exists() else None
    two = replace(PLAIN, bullets=(*PLAIN.bullets, Bullet(id="gen-2", section="general", content="Read it.")))
    data = json.loads(EXCHANGES["json"].write(two))
    change(data)
    (here / "in.json").write_text(json.dumps(data), "utf-8")
    assert acdl("import", "p.yaml", "in.json") == 2
    out, err = capsys.readouterr()
    assert f"in.json: {message}" in err
    assert ("p.yaml: was not made" if is_new else "p.yaml: is as it was") in err
    assert KEY not in out + err
    assert (path.read_bytes() if path.exists() else None) == before


def test_json_gets_the_spelling_of_the_curator() -> None:
    """Texts are stored as deltas would have them, so that they compare equal."""
    data = json.loads(EXCHANGES["json"].write(PLAIN))
    data["bullets"][0]["content"] = "Re\u0301sume\u0301  in.\nTwo lines. "
    read = EXCHANGES["json"].read(json.dumps(data)).playbook
    assert read is not None
    assert read.bullets[0].content == "R\xe9sum\xe9 in. Two lines."


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a-1", "line 2: left out: has 1 cell, and there are 3 columns"),
        ("a-1,1", "line 2: left out: has 2 cells, and there are 3 columns"),
        ("a-1,1,Read it, then go.", "line 2: left out: has 4 cells, and there are 3 columns"),
        (f"a-1,1,Use {KEY}.", "line 2: left out: the content has what looks like a secret"),
        (f"a-1,{10**15},Read it.", "line 2: left out: helpful"),
    ],
)
def test_rows_that_cannot_be_taken(row: str, message: str) -> None:
    """The line is named, and the other rows are read; a delimiter at the end of a row is nothing."""
    read = EXCHANGES["csv"].read(f"id,helpful,content\r\n{row}\r\na-2,2,Second.,\r\n")
    assert [str(each).startswith(message) for each in read.problems] == [True]
    assert not read.problems[0].is_note
    assert read.playbook is not None
    assert [(each.id, each.helpful) for each in read.playbook.bullets] == [("a-2", 2)]


def test_a_column_that_is_there_twice() -> None:
    """Nobody can tell which is meant."""
    read = EXCHANGES["csv"].read("content,content\r\na,b\r\n")
    assert read.playbook is None
    assert str(read.problems[0]) == "line 1: the column `content` is there twice; remove one of them"


@pytest.mark.parametrize(
    ("line", "odd"),
    [
        ("[a-1] helpful=-3 harmful=0 :: x", "helpful=-3"),
        ("[a-1] helpful=1 harmful=-1 :: x", "harmful=-1"),
        ("[a-1] helpful=1 harmful=0.5 :: x", ".5"),
        ("[a-1] helpful=many harmful=0 :: x", "helpful=many"),
        ("[a-1] helpful=1 rating=3 :: x", "rating=3"),
        ("[7 x] helpful: -3 harmful: 0 :: x", "helpful: -3"),
    ],
)
def test_counters_that_are_none(line: str, odd: str) -> None:
    """They are a problem of their line, and never the text of a lesson."""
    read = EXCHANGES["text"].read(f"## A\n[z-1] helpful=1 harmful=0 :: First.\n{line}\n")
    assert [(each.line, each.message) for each in read.problems] == [(3, f"left out: `{odd}` is not a counter")]
    assert read.playbook is not None
    assert [each.content for each in read.playbook.bullets] == ["First."]


def test_a_counter_that_is_there_twice() -> None:
    """Nobody can tell which is meant."""
    read = EXCHANGES["text"].read("[a-1] helpful=1 harmful=0 helpful=2 :: x\n")
    assert [(each.line, each.message) for each in read.problems] == [(1, "left out: `helpful` is there twice")]


def test_words_like_counters_are_text() -> None:
    """A lesson may begin with such a word."""
    read = EXCHANGES["text"].read("[a-1] Helpful: read it :: twice.\n")
    assert read.problems == ()
    assert read.playbook is not None
    assert read.playbook.bullets[0].content == "Helpful: read it :: twice."


@pytest.mark.parametrize(
    ("name", "text", "status"),
    [
        ("a.txt", "", 1),
        ("a.txt", "prose only\n", 1),
        ("a.txt", f"[a-1] helpful=1 harmful=0 :: Use {KEY}.\n", 1),
        ("a.csv", "content\r\n", 1),
        ("a.json", EXCHANGES["json"].write(Playbook("p")), 1),
        ("a.json", "{", 2),
    ],
)
@pytest.mark.parametrize("is_dry", [True, False])
def test_nothing_to_import(
    name: str, text: str, status: int, is_dry: bool, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No playbook is made, and that is said."""
    (here / name).write_text(text, "utf-8")
    assert acdl("import", "p.yaml", name, *(["--dry-run"] if is_dry else [])) == status
    assert capsys.readouterr().err.endswith("acdl: p.yaml: was not made\n")
    assert [each.name for each in here.iterdir()] == [name]


MARKED = Playbook(
    "p",
    bullets=(
        Bullet(
            id="gen-1",
            section="general",
            content="Paginate until a page is empty.",
            pinned=True,
            severity="critical",
            source=(Provenance(by="person", reference="talk"),),
        ),
    ),
)


def marks(path: Path) -> tuple[bool, str, str | None]:
    """What protects the only bullet of a playbook."""
    (bullet,) = playbook(path).bullets
    assert bullet.source[0].reference == "talk"
    return bullet.pinned, bullet.severity, bullet.source[0].by


def test_trust(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table, or JSON for a playbook that is there, protects no lesson, unless somebody says so."""
    (here / "in.csv").write_text(EXCHANGES["csv"].write(MARKED), "utf-8", newline="")
    (here / "in.json").write_text(EXCHANGES["json"].write(MARKED), "utf-8")
    assert acdl("import", "a.yaml", "in.csv") == 0
    assert "in.csv: 1 bullet taken without `pinned`" in capsys.readouterr().err
    assert marks(here / "a.yaml") == (False, "normal", "import")
    create(here / "b.yaml", Playbook("b"))
    assert acdl("import", "b.yaml", "in.json") == 0
    assert marks(here / "b.yaml") == (False, "normal", "import")
    for name in ("c.yaml", "d.yaml"):
        assert acdl("import", name, "in.csv" if name == "c.yaml" else "in.json", "--trust") == 0
        assert marks(here / name) == (True, "critical", "person")
    capsys.readouterr()
    assert acdl("import", "e.yaml", "in.json") == 0
    assert marks(here / "e.yaml") == (True, "critical", "person")
    assert capsys.readouterr().err == ""


def test_archived_rows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are archived here, too, with their reason; once, and without touching what is active."""
    old = Bullet(
        id="old-1", section="old", content="Retry at once.", status="archived", reason="It did harm.", pinned=True
    )
    gone = Bullet(id="old-2", section="old", content="Stop.", status="archived", superseded_by="gen-1")
    same = replace(PLAIN.bullets[0], id="old-3", status="archived", reason="no")
    read = replace(PLAIN, bullets=(*PLAIN.bullets, old, gone, same))
    (here / "in.csv").write_text(EXCHANGES["csv"].write(read), "utf-8", newline="")
    assert acdl("import", "p.yaml", "in.csv", "--dry-run") == 0
    assert "would be made, with 3 bullets" in capsys.readouterr().out
    assert acdl("import", "p.yaml", "in.csv") == 0
    assert "p.yaml: 2 archived bullets went into the archive" in capsys.readouterr().err
    made = playbook(here / "p.yaml")
    assert [(each.id, each.status, each.reason) for each in made.bullets] == [
        ("gen-1", "active", None),
        ("old-1", "archived", "It did harm."),
        ("old-2", "archived", "replaced by `gen-1`"),
    ]
    assert not made.by_id["old-1"].pinned
    before = (here / "p.yaml").read_bytes()
    assert acdl("import", "p.yaml", "in.csv") == 0
    assert (here / "p.yaml").read_bytes() == before


def test_archived_rows_get_their_section(here: Path) -> None:
    """A playbook without the section gets it; an id that another bullet has is not taken."""
    create(here / "p.yaml", PLAIN)
    (here / "in.csv").write_text(
        "id,section,section_title,content,status,reason\r\ngen-1,tools,Tools,Retry at once.,archived,No.\r\n", "utf-8"
    )
    assert acdl("import", "p.yaml", "in.csv") == 0
    made = playbook(here / "p.yaml")
    assert [each.title for each in made.sections] == ["General", "Tools"]
    (archived,) = [each for each in made.bullets if not each.is_active]
    assert (archived.section, archived.content) == ("tools", "Retry at once.")
    assert archived.id != "gen-1"


def test_own_exports_pass(here: Path) -> None:
    """What this program wrote is never refused."""
    (here / "in.json").write_text(EXCHANGES["json"].write(HOSTILE), "utf-8")
    assert acdl("import", "p.yaml", "in.json") == 0
    assert playbook(here / "p.yaml") == HOSTILE
