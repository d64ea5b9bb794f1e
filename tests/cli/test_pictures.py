"""`acdl render --format png|pdf`: bytes in their place, and what is said about them."""

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from acdl_mkdocs.drawing.formats import PICTURES
from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.errors import MissingExtraError
from acdl_mkdocs.frontends.cli.main import main

CHAT = "Chat[@T]: {\n  U: env.q[@T]\n}\n"
STARTS = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-1.7\n"}


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    """A working folder with three specs, one of them in a page and one with letters that few fonts have."""
    (folder / "in").mkdir()
    (folder / "in" / "chat.acdl").write_text(CHAT)
    (folder / "in" / "page.md").write_text(f"```acdl\n{CHAT}```\n")
    (folder / "chinese.acdl").write_text(CHAT.replace("]\n", "] // 中文\n"), "utf-8")
    return folder


@pytest.mark.parametrize("name", PICTURES)
def test_standard_output_gets_the_bytes(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Without `-o` and with `-o -`, a picture goes to standard output as it is."""
    for output in ([], ["-o", "-"]):
        assert main(["render", "--format", name, "in/chat.acdl", *output]) == 0
        out, err = capfdbinary.readouterr()
        assert out.startswith(STARTS[name])
        assert err == b""


@pytest.mark.parametrize("name", PICTURES)
def test_folder(name: str, folder: Path) -> None:
    """Several pictures go into a folder, a file gets exactly what standard output gets."""
    assert main(["render", "--format", name, "in", "-o", "out"]) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == [f"chat.{name}", f"page-Chat.{name}"]
    assert main(["render", "--format", name, "in/chat.acdl", "-o", "one"]) == 0
    assert (folder / "one").read_bytes() == (folder / "out" / f"chat.{name}").read_bytes()


class _Terminal(TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def test_no_bytes_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A terminal would show nonsense: the picture needs a file."""
    terminal = _Terminal(BytesIO())
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["render", "--format", "png", "in/chat.acdl"]) == 2
    terminal.flush()
    assert terminal.buffer.getvalue() == b""  # type: ignore[attr-defined]  # it is the BytesIO above
    assert capsys.readouterr().err == "acdl: this figure is not text for a terminal: name a file with -o\n"


def test_scale(folder: Path) -> None:
    """`--scale` changes the pixels of a PNG."""
    for scale in ("1", "2", "3.5"):
        assert main(["render", "--format", "png", "--scale", scale, "in/chat.acdl", "-o", f"{scale}.png"]) == 0
    assert main(["render", "--format", "png", "in/chat.acdl", "-o", "default.png"]) == 0
    assert (folder / "default.png").read_bytes() == (folder / "2.png").read_bytes()
    widths = [int.from_bytes((folder / f"{scale}.png").read_bytes()[16:20], "big") for scale in ("1", "2", "3.5")]
    assert widths == pytest.approx([widths[0], widths[0] * 2, widths[0] * 3.5], abs=1)


@pytest.mark.parametrize("scale", ["0", "9", "two", "-1", "nan", "1e1", ""])
def test_impossible_scale(scale: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A scale that no picture can have is refused with what is possible."""
    with pytest.raises(SystemExit):
        main(["render", f"--scale={scale}", "in/chat.acdl"])
    assert "expected a number from 0.25 to 8, such as 2, not " in capsys.readouterr().err


@pytest.mark.parametrize("name", PICTURES)
def test_missing_characters(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The picture is made, and it is said what it does not show, for which text, and what to do."""
    assert main(["render", "--format", name, "chinese.acdl", "-o", f"x.{name}"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("acdl: chinese.acdl: no font has 中 (U+4E2D), 文 (U+6587); empty boxes")
    assert err.count("\n") == 1
    assert "--font FILE" in err


@pytest.mark.parametrize("name", PICTURES)
def test_font_that_is_none(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not a font ends the command with its name, before anything is written."""
    assert main(["render", "--format", name, "--font", "chinese.acdl", "in", "-o", "out"]) == 2
    assert capsys.readouterr().err == "acdl: chinese.acdl: is not a font; a TrueType or OpenType file is needed\n"
    assert not (folder / "out").exists()


@pytest.mark.parametrize("name", PICTURES)
def test_missing_extra(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where packages are missing, one line says how to get them, however many figures are wanted."""

    def load(module: str, extra: str) -> None:
        raise MissingExtraError(f"`{extra}` needs the package {module}: pip install 'acdl-mkdocs[{extra}]'")

    monkeypatch.setattr(extras, "import_extra", load)
    assert main(["render", "--format", name, "in", "-o", "out"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"pip install 'acdl-mkdocs[{name}]'" in err


def test_too_many_pixels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture that no program could open is not made; others of the same command are."""
    (folder / "in" / "long.acdl").write_text("P[@T]: {\n" + "  U: env.q[@T]\n" * 1500 + "}\n")
    assert main(["render", "--format", "png", "--scale", "8", "in", "-o", "out"]) == 1
    assert (folder / "out" / "chat.png").exists()
    assert not (folder / "out" / "long.png").exists()
    err = capsys.readouterr().err
    assert err.startswith(f"acdl: {Path('in', 'long.acdl')}: the picture would have ")
    assert "--spec NAME" in err
