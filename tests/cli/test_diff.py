"""`acdl diff`: files, revisions, standard input; exit status."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

OLD, NEW = "P[@T]: { U: env.q[@T] }\n", "P[@T]: { U: env.q[@T-1] }\n"


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with one commit of `specs/a.acdl`, which has been changed since."""
    spec = folder / "specs" / "a.acdl"
    spec.parent.mkdir()
    spec.write_text(OLD, "utf-8")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    spec.write_text(NEW, "utf-8")
    return folder


def test_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1 with differences, 0 without."""
    (folder / "old.acdl").write_text(OLD, "utf-8")
    (folder / "new.acdl").write_text(NEW, "utf-8")
    assert main(["diff", "old.acdl", "new.acdl"]) == 1
    shown = capsys.readouterr().out
    assert "index: env.q[@T] -> env.q[@T-1]" in shown
    assert shown.endswith("1 change: the messages can differ\n")
    assert main(["diff", "old.acdl", "old.acdl"]) == 0
    assert capsys.readouterr().out == "no difference\n"
    assert main(["diff", "old.acdl", "new.acdl", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["old"] == "old.acdl"
    assert main(["diff", "old.acdl", "new.acdl", "--color", "always"]) == 1
    assert "\x1b[32m" in capsys.readouterr().out


def test_range(folder: Path) -> None:
    """How ranges are read decides whether two spellings are one."""
    for name, bounds in (("old", "range(1, @T)"), ("new", "1 ... @T")):
        (folder / f"{name}.acdl").write_text(f"P[@T]: {{ ForEach(t: {bounds}) {{ U: env.q[@t] }} }}", "utf-8")
    assert main(["diff", "old.acdl", "new.acdl"]) == 1
    assert main(["diff", "old.acdl", "new.acdl", "--range", "inclusive"]) == 0


def test_revisions(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A path behind a revision starts from the working folder."""
    assert main(["diff", "HEAD:specs/a.acdl", "specs/a.acdl"]) == 1
    assert capsys.readouterr().out.startswith("--- HEAD:specs/a.acdl\n+++ specs/a.acdl\n")
    monkeypatch.chdir(repository / "specs")
    assert main(["diff", "HEAD:a.acdl", "HEAD:a.acdl"]) == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:specs/a.acdl", "no revision `nowhere` in this repository"),
        ("HEAD:specs/b.acdl", "`HEAD` has no file `specs/b.acdl`"),
        ("HEAD:specs", "a folder is compared with a folder"),
        ("--output=x:specs/a.acdl", "begins with `-`"),
        ("specs/b.acdl", "did you mean specs/a.acdl?"),
        ("HEAD^{tree}:specs/a.acdl", "no revision `HEAD^{tree}`"),
    ],
)
def test_unusable(repository: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """2 with a sentence."""
    assert main(["diff", "--", name, "specs/a.acdl"]) == 2
    assert message in capsys.readouterr().err
    assert list(repository.glob("x*")) == []


def test_no_repository(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Git says why there is no revision."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    assert main(["diff", "HEAD:a.acdl", "HEAD:a.acdl"]) == 2
    assert "not a git repository" in capsys.readouterr().err


def test_no_git(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without git there are files."""
    monkeypatch.setenv("PATH", str(folder))
    assert main(["diff", "HEAD:a.acdl", "HEAD:a.acdl"]) == 2
    assert "git is not installed" in capsys.readouterr().err


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One of the texts."""
    (folder / "new.acdl").write_text(NEW, "utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(OLD.encode())))
    assert main(["diff", "-", "new.acdl"]) == 1
    assert capsys.readouterr().out.startswith("--- <stdin>\n+++ new.acdl\n")
    assert main(["diff", "-", "-"]) == 2
    assert "only one" in capsys.readouterr().err


def test_broken_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be understood is compared as it is written, and said."""
    (folder / "old.acdl").write_text(OLD, "utf-8")
    (folder / "new.acdl").write_text("P[@T]: { U: env.q[@T] ) }\n", "utf-8")
    assert main(["diff", "old.acdl", "new.acdl"]) == 1
    assert "new.acdl has 1 syntax error" in capsys.readouterr().err
    (folder / "page.md").write_text("# Page\n", "utf-8")
    assert main(["diff", "old.acdl", "page.md"]) == 2
    assert "has no acdl blocks" in capsys.readouterr().err
