"""`acdl render`: where figures go, what they are, how it ends."""

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.frontends.cli import messages
from acdl_mkdocs.frontends.cli.main import main

CHAT = "Chat[@T]: {\n  // why\n  U: env.first_question_of_the_user[@T]\n}\n"
TWO = CHAT + "Other[@T]: {\n  U: env.other\n}\n"
BROKEN = "Chat[@T]: {\n  U: { env.q[@T }\n  S: INSTRUCTIONS\n}\n"
NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    """A working folder with a good file, a wrong one and a page."""
    (folder / "in" / "deep").mkdir(parents=True)
    (folder / "in" / "two.acdl").write_text(TWO)
    (folder / "in" / "deep" / "bad.acdl").write_text(BROKEN)
    (folder / "in" / "page.md").write_text(f"```acdl\n{CHAT}```\n\n```acdl\n{CHAT}```\n\n```acdl #x\nU: env.q\n```\n")
    return folder


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
    assert "error[syntax]" in capsys.readouterr().err


def test_rules_are_for_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text that is understood is drawn without a word, whatever the rules think of it."""
    path = tmp_path / "nested.acdl"
    path.write_text(NESTED)
    assert main(["render", str(path), "-o", str(tmp_path / "x.svg")]) == 0
    assert capsys.readouterr().err == ""
    assert main(["check", str(path)]) == 1


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


def test_spec_of_several_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several texts, those that define the spec are drawn, and no others."""
    page = tmp_path / "page.md"
    page.write_text("```acdl\nA[@T]: { U: env.a }\n```\n\n```acdl\nB[@T]: { U: env.b }\nC[@T]: { U: env.c }\n```\n")
    (tmp_path / "c.acdl").write_text("C[@T]: { U: env.d }\n")
    assert main(["render", str(page), "--spec", "B", "--format", "text"]) == 0
    assert capsys.readouterr().out == "B[@T]:\n  Role: User\n    env.b\n"
    assert main(["render", str(page), "--spec", "B", "-o", str(tmp_path / "b.svg")]) == 0
    out = tmp_path / "out"
    assert main(["render", str(tmp_path), "--spec", "C", "-o", str(out)]) == 0
    assert written(out) == ["c.svg", "page-B.svg"]
    assert main(["render", str(page), "--spec", "b", "-o", str(out)]) == 2
    assert capsys.readouterr().err == f"acdl: {page}: there is no spec `b`; did you mean `B`?\n"


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
    assert main(["render", "in", "-o", "in/page.md"]) == 2
    assert "is a file" in capsys.readouterr().err
    for several in ("in", "in/page.md"):
        assert main(["render", several, "-o", "out.svg"]) == 2
        assert "with `--format svg -o out/`" in capsys.readouterr().err
    (folder / "two.acdl").write_text(CHAT)
    assert main(["render", "in/two.acdl", "two.acdl", "-o", "out"]) == 2
    assert "would both be written to" in capsys.readouterr().err
    assert not (folder / "out").exists()
    assert not (folder / "out.svg").exists()


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
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error[empty-block]: the text is empty\n --> empty.acdl:1:1\n")


def test_same_bytes_in_every_run(folder: Path) -> None:
    """Two runs write the same files."""
    main(["render", "in", "-o", "a"])
    main(["render", "in", "-o", "b"])
    assert [(folder / "a" / name).read_bytes() for name in written(folder / "a")] == [
        (folder / "b" / name).read_bytes() for name in written(folder / "b")
    ]


def test_progress_only_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on a terminal, nothing in a pipe, nothing for one item."""
    assert list(messages.map_with_progress([1, 2], str)) == ["1", "2"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(messages.map_with_progress([1], str)) == ["1"]
    assert capsys.readouterr().err == ""
    for result in messages.map_with_progress([1, 2], str):
        err = capsys.readouterr().err
        assert f"] {int(result) - 1}/2" in err
        assert err.endswith("\r\x1b[K"), "the line is free when something is printed about the result"


def test_width(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--width` takes what the option of a block takes, and says so."""
    for width in ("0", "-5", "nan", "inf", "wide"):
        with pytest.raises(SystemExit) as end:
            main(["render", f"--width={width}", "in/two.acdl"])
        assert end.value.code == 2
        assert "expected a number of px from 120 to 10000" in capsys.readouterr().err
    assert main(["render", "--width=480px", "in/two.acdl", "-o", str(folder / "out.svg")]) == 0


def test_header_comments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--header` draws the comments at the top of a file."""
    (folder / "a.acdl").write_text(f"// read this first\n{CHAT}")
    assert main(["render", "--format", "text", "a.acdl"]) == 0
    assert "read this first" not in capsys.readouterr().out
    assert main(["render", "--format", "text", "--header", "a.acdl"]) == 0
    assert "read this first" in capsys.readouterr().out


def test_nothing_to_draw(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page without blocks, a folder of such pages and a text of comments alone are told, not passed over."""
    (folder / "pages").mkdir()
    (folder / "pages" / "a.md").write_text("no blocks\n")
    (folder / "c.acdl").write_text("// nothing\n")
    assert main(["render", "pages/a.md"]) == 2
    assert capsys.readouterr() == ("", f"acdl: {os.path.join('pages', 'a.md')}: has no acdl blocks to draw\n")
    assert main(["render", "pages", "-o", "out"]) == 2
    assert capsys.readouterr().err == "acdl: pages: nothing to draw\n"
    assert main(["render", "c.acdl"]) == 1
    assert capsys.readouterr() == ("", "acdl: c.acdl: has nothing to draw\n")
    assert main(["render", "in/two.acdl", "pages", "-o", "out"]) == 0


def test_long_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path longer than any file's name is one that cannot be read or written."""
    name = "a" * 300
    assert main(["render", name]) == 2
    assert f"acdl: {name}: cannot be read: " in capsys.readouterr().err
    assert main(["render", "in/two.acdl", "-o", name]) == 2
    assert f"acdl: {name}: cannot be written: " in capsys.readouterr().err
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("folder")
def test_fragment_of_another_block(capsys: pytest.CaptureFixture[str]) -> None:
    """A block of a page may use a fragment that another block of the page defines."""
    text = "```acdl\nP[@T]: { U: { Frag G[@T] } }\n```\n\n```acdl\nStrFrag G[@t]: { env.q[@t] }\n```\n"
    Path("page.md").write_text(text)
    assert main(["check", "--format", "line", "page.md"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["render", "page.md", "-o", "out"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_what_stands_there_stays_what_it_is(folder: Path) -> None:
    """A pipe is written to, a symbolic link is followed, permissions are kept."""
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["render", "--format", "text", "in/two.acdl", "-o", "pipe"]) == 0
        assert os.read(reader, 10_000).startswith(b"Chat[@T]:\n")
    finally:
        os.close(reader)
    assert (folder / "pipe").is_fifo()
    private = folder / "private.svg"
    private.write_text("old")
    private.chmod(0o600)
    (folder / "link.svg").symlink_to("private.svg")
    (folder / "dangling.svg").symlink_to("new.svg")
    for name in ("link.svg", "dangling.svg"):
        assert main(["render", "in/two.acdl", "-o", name]) == 0
        assert (folder / name).is_symlink()
        assert (folder / name).read_text().startswith("<svg")
    assert private.stat().st_mode & 0o777 == 0o600
    assert not [name for name in written(folder) if name.endswith(".tmp")]


def test_same_figure_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has the figure is not written again, which may wait for a disk; it is of now, as `make` asks for."""
    path = folder / "two.svg"
    assert main(["render", "in/two.acdl", "-o", "two.svg"]) == 0
    figure = path.read_bytes()
    os.utime(path, (0, 0))
    with monkeypatch.context() as only_now:
        only_now.setattr(atomic, "write_draft", pytest.fail)
        assert main(["render", "in/two.acdl", "-o", "two.svg"]) == 0
    assert path.read_bytes() == figure
    assert path.stat().st_mtime > 0
    path.write_bytes(figure.swapcase())
    assert main(["render", "in/two.acdl", "-o", "two.svg"]) == 0
    assert path.read_bytes() == figure
