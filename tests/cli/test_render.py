"""`acdl render`: where figures go, what they are, how it ends."""

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acdl_mkdocs.cli import messages
from acdl_mkdocs.cli.main import main

CHAT = "Chat[@T]: {\n  // why\n  U: env.first_question_of_the_user[@T]\n}\n"
TWO = CHAT + "Other[@T]: {\n  U: env.other\n}\n"
NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a good file, a wrong one and a page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "two.acdl").write_text(TWO)
    (tmp_path / "in" / "deep" / "bad.acdl").write_text(NESTED)
    (tmp_path / "in" / "page.md").write_text(f"```acdl\n{CHAT}```\n\n```acdl\n{CHAT}```\n\n```acdl #x\nU: env.q\n```\n")
    return tmp_path


def written(folder: Path) -> list[str]:
    """Every file below a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.usefixtures("folder")
def test_one_file_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Without `-o`, one figure goes to standard output."""
    assert main(["render", "in/two.acdl"]) == 0
    out, err = capsys.readouterr()
    assert ElementTree.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own output
    assert err == ""


def test_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each format is what its name says, and each has a file name ending of its own."""
    outputs = {}
    for name in ("text", "html", "json", "svg"):
        assert main(["render", "--format", name, "in/two.acdl", "-o", "out/"]) == 0
        assert main(["render", "--format", name, "in/two.acdl"]) == 0
        outputs[name] = capsys.readouterr().out
    assert outputs["text"].startswith("Chat[@T]:\n")
    assert json.loads(outputs["json"])
    assert "<" in outputs["html"]
    assert written(folder / "out") == ["two.html", "two.json", "two.svg", "two.txt"]


def test_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures keep their place below a folder; a wrong text is drawn as far as understood and gives 1."""
    assert main(["render", "in", "-o", "out"]) == 1
    assert written(folder / "out") == [
        "deep/bad.svg",
        "page-Chat-2.svg",
        "page-Chat.svg",
        "page-x.svg",
        "two.svg",
    ]
    assert "error[nested-role]" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_figure_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Spec, comments, width and theme reach the figure."""
    assert main(["render", "--spec", "Other", "--format", "text", "in/two.acdl"]) == 0
    out = capsys.readouterr().out
    assert "Other" in out
    assert "Chat" not in out
    assert main(["render", "--no-comments", "--format", "text", "in/two.acdl"]) == 0
    assert "why" not in capsys.readouterr().out
    figures = set()
    for arguments in ([], ["--theme", "dark"], ["--width", "150"]):
        assert main(["render", *arguments, "in/two.acdl"]) == 0
        figures.add(capsys.readouterr().out)
    assert len(figures) == 3


@pytest.mark.usefixtures("folder")
def test_unknown_spec(capsys: pytest.CaptureFixture[str]) -> None:
    """A spec that does not exist is explained with the near name."""
    assert main(["render", "--spec", "Othr", "in/two.acdl"]) == 1
    assert "= help: did you mean `Other`?" in capsys.readouterr().err


def test_nothing_partial(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure is put in place whole: when that fails, what was there stays and nothing is left behind."""
    assert main(["render", "in/two.acdl", "-o", "figure.svg"]) == 0
    before = Path("figure.svg").read_bytes()

    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", fail)
    assert main(["render", "--theme", "dark", "in/two.acdl", "-o", "figure.svg"]) == 2
    assert Path("figure.svg").read_bytes() == before
    assert written(folder) == ["figure.svg", "in/deep/bad.acdl", "in/page.md", "in/two.acdl"]


def test_where_figures_cannot_go(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several figures need a folder, and places of their own."""
    assert main(["render", "in"]) == 2
    assert "name a folder for them with -o" in capsys.readouterr().err
    assert main(["render", "in", "-o", "in/two.acdl"]) == 2
    assert "is a file" in capsys.readouterr().err
    (folder / "two.acdl").write_text(CHAT)
    assert main(["render", "in/two.acdl", "two.acdl", "-o", "out"]) == 2
    assert "would both be written to" in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_missing_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing gives 2, and the rest is drawn."""
    assert main(["render", "in/tow.acdl", "in/two.acdl", "-o", "out/"]) == 2
    assert (
        f"acdl: {os.path.join('in', 'tow.acdl')}: does not exist; did you mean in/two.acdl?" in capsys.readouterr().err
    )
    assert written(folder / "out") == ["two.svg"]


def test_empty_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty file is not an empty figure."""
    (folder / "empty.acdl").write_text("\n")
    assert main(["render", "empty.acdl"]) == 1
    assert capsys.readouterr() == ("", "acdl: empty.acdl: is empty\n")


def test_same_bytes_in_every_run(folder: Path) -> None:
    """Two runs write the same files."""
    main(["render", "in", "-o", "a"])
    main(["render", "in", "-o", "b"])
    assert [(folder / "a" / name).read_bytes() for name in written(folder / "a")] == [
        (folder / "b" / name).read_bytes() for name in written(folder / "b")
    ]


def test_progress_only_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on a terminal, nothing in a pipe, nothing for one item."""
    assert list(messages.progress([1, 2])) == [1, 2]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(messages.progress([1])) == [1]
    assert capsys.readouterr().err == ""
    assert list(messages.progress([1, 2])) == [1, 2]
    err = capsys.readouterr().err
    assert "[############............] 1/2" in err
    assert err.endswith("\r\x1b[K")
