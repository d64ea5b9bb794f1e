"""`acdl playbook import` and `export`: files in and out, through the curator, with what was left out said."""

import json
from pathlib import Path

import pytest
from shared_books import acdl, playbook

TEXT = """\
## TOOL USE
[shr-00001] helpful=5 harmful=0 :: Paginate list endpoints until an empty page comes back.
[shr-00002] helpful=0 harmful=2 neutral=1 :: Refresh a token after a 401 answer, then retry once.
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a file in the reference format."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    (tmp_path / "ace.txt").write_text(TEXT, "utf-8")
    return tmp_path


def test_a_new_playbook(here: Path) -> None:
    """Made of the text, with its ids and counters, and with the file as source; a dry run makes nothing."""
    assert acdl("import", "p.yaml", "ace.txt", "--dry-run") == 0
    assert not (here / "p.yaml").exists()
    assert acdl("import", "p.yaml", "ace.txt") == 0
    made = playbook(here / "p.yaml")
    assert made.name == "p"
    assert [(each.id, each.helpful, each.harmful, each.neutral) for each in made.bullets] == [
        ("shr-00001", 5, 0, 0),
        ("shr-00002", 0, 2, 1),
    ]
    assert {(each.source[0].by, each.source[0].reference) for each in made.bullets} == {("import", "ace.txt")}


def test_imported_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is there with the same id and text is not added a second time."""
    acdl("import", "p.yaml", "ace.txt")
    before = (here / "p.yaml").read_bytes()
    assert acdl("import", "p.yaml", "ace.txt") == 0
    assert (here / "p.yaml").read_bytes() == before
    assert "2 bullets left out: there already" in capsys.readouterr().err


def test_what_says_the_same_is_merged(here: Path) -> None:
    """The curator counts it on the bullet that is there, and the other id leads to it."""
    acdl("import", "p.yaml", "ace.txt")
    (here / "b.txt").write_text(TEXT.replace("shr-", "zzz-").splitlines()[1] + "\n", "utf-8")
    assert acdl("import", "p.yaml", "b.txt") == 0
    made = playbook(here / "p.yaml")
    assert len(made.bullets) == 2
    assert (made.by_id["zzz-00001"].id, made.by_id["zzz-00001"].helpful) == ("shr-00001", 10)


def test_another_spelling_is_counted_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An import that was stopped when it had been done can be repeated: counters stay."""
    acdl("import", "p.yaml", "ace.txt")
    first = TEXT.splitlines()[1]
    (here / "b.txt").write_text(first.replace("shr-", "zzz-").rstrip(".") + "\n", "utf-8")
    assert acdl("import", "p.yaml", "b.txt") == 0
    before = (here / "p.yaml").read_bytes()
    assert playbook(here / "p.yaml").by_id["zzz-00001"].helpful == 10
    capsys.readouterr()
    assert acdl("import", "p.yaml", "b.txt") == 0
    assert (here / "p.yaml").read_bytes() == before
    assert "1 bullet left out: there already" in capsys.readouterr().err


def test_an_id_with_another_text(here: Path) -> None:
    """Both stay: the new one gets an id of its own."""
    acdl("import", "p.yaml", "ace.txt")
    (here / "b.txt").write_text("[shr-00001] helpful=1 harmful=0 :: Write dates as YYYY-MM-DD.\n", "utf-8")
    assert acdl("import", "p.yaml", "b.txt") == 0
    made = playbook(here / "p.yaml")
    assert made.by_id["shr-00001"].content.startswith("Paginate")
    assert "Write dates as YYYY-MM-DD." in {each.content for each in made.bullets}


def test_what_cannot_be_taken_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rest is imported, and the status is 1."""
    (here / "b.txt").write_text(
        f"{TEXT}\nprose\n[s-1] helpful=1 harmful=0 :: Use the key AKIAIOSFODNN7EXAMPLE.\n", "utf-8"
    )
    assert acdl("import", "p.yaml", "b.txt") == 1
    out, err = capsys.readouterr()
    assert "b.txt: line 5: is not a bullet" in err
    assert "b.txt: line 6: left out: the content has what looks like a secret (AWS access key)" in err
    assert "AKIAIOSFODNN7EXAMPLE" not in out + err
    assert len(playbook(here / "p.yaml").bullets) == 2


def test_unreadable_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, not UTF-8, and no playbook: status 2, nothing made."""
    (here / "bad.txt").write_bytes(b"\xff")
    (here / "bad.json").write_text("{}", "utf-8")
    for name in ("missing.txt", "bad.txt", "bad.json"):
        assert acdl("import", "p.yaml", name) == 2
        assert name in capsys.readouterr().err
    assert not (here / "p.yaml").exists()


@pytest.mark.parametrize("name", ["json", "csv", "text", "agents-md"])
def test_exports_can_be_imported(name: str, here: Path) -> None:
    """The lessons are the same; the format is known by its text, whatever the file is called."""
    acdl("import", "p.yaml", "ace.txt")
    everything = ["--all"] if name == "agents-md" else []  # without lessons that only did harm
    assert acdl("export", "p.yaml", "--format", name, *everything, "-o", "out") == 0
    assert acdl("import", "q.yaml", "out") == 0
    old, new = playbook(here / "p.yaml"), playbook(here / "q.yaml")
    assert [(each.id, each.content, each.helpful) for each in new.bullets] == [
        (each.id, each.content, each.helpful) for each in old.bullets
    ]
    assert name != "json" or new == old


@pytest.mark.usefixtures("here")
def test_export_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Text is the default, and CSV keeps its line ends."""
    acdl("import", "p.yaml", "ace.txt")
    capfdbinary.readouterr()
    assert acdl("export", "p.yaml") == 0
    assert capfdbinary.readouterr().out.decode() == TEXT.replace(" neutral=1", "")
    assert acdl("export", "p.yaml", "--format", "csv") == 0
    assert capfdbinary.readouterr().out.count(b"\r\n") == 3
    assert acdl("export", "p.yaml", "--format", "feed") == 0
    assert len(json.loads(capfdbinary.readouterr().out)["items"]) == 2


def test_into_a_file_of_people(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The block is added, then replaced; damaged markers are refused and the file stays."""
    acdl("import", "p.yaml", "ace.txt")
    path = here / "AGENTS.md"
    path.write_bytes(b"# Rules\r\n\r\nBe kind.\r\n")
    assert acdl("export", "p.yaml", "--into", "AGENTS.md") == 0
    once = path.read_bytes()
    assert once.startswith(b"# Rules\r\n\r\nBe kind.\r\n\r\n<!-- acdl-playbook:begin p -->\r\n")
    assert acdl("export", "p.yaml", "--into", "AGENTS.md") == 0
    assert path.read_bytes() == once
    broken = once.replace(b"acdl-playbook:end", b"acdl-playbook:was")
    path.write_bytes(broken)
    assert acdl("export", "p.yaml", "--into", "AGENTS.md") == 1
    assert path.read_bytes() == broken
    assert "AGENTS.md: line 11: the line is almost a marker of a playbook block" in capsys.readouterr().err


def test_export_never_overwrites_the_playbook(here: Path) -> None:
    """A slip of the hand does not cost the playbook."""
    acdl("import", "p.yaml", "ace.txt")
    before = (here / "p.yaml").read_bytes()
    assert acdl("export", "p.yaml", "-o", "p.yaml") == 2
    assert (here / "p.yaml").read_bytes() == before
