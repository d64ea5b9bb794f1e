"""`acdl convert`: what it reads, what it writes, what it says, how it ends."""

import io
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

DRAWING = "Chat[@T]:\n  Role: System\n    A_B\n  ForEach t : 1 ... @T\n    Role: User\n      env.q[@t] // why\n"
ACDL = (
    "// acdl: range=inclusive\n\nChat[@T]: {\n    S: A_B\n    ForEach(t: range(1, @T)) {\n        U: env.q[@t] // why\n"
    "    }\n}\n"
)
UNCLEAR = "Chat[@T]:\n    Role: System\n        A_B\n      C_D\n"


def put(folder: Path, text: str, name: str = "board.txt") -> str:
    """A file with a text."""
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


def test_a_drawing_becomes_acdl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether the form is named or found out."""
    for words in (["--from", "drawing"], ["--to", "acdl"], []):
        assert main(["convert", *words, put(tmp_path, DRAWING)]) == 0
        assert capsys.readouterr() == (ACDL, "")


def test_acdl_becomes_a_drawing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And that is the drawing that it was made of."""
    for words in (["--from", "acdl", "--to", "drawing"], ["--to", "drawing"], []):
        assert main(["convert", *words, put(tmp_path, ACDL, "chat.acdl")]) == 0
        assert capsys.readouterr() == (DRAWING, "")


def test_ranges_are_read_as_the_project_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ACDL says how to read ranges only where the settings do not."""
    assert main(["convert", "--range", "inclusive", put(tmp_path, DRAWING)]) == 0
    assert capsys.readouterr().out == ACDL.partition("\n\n")[2]
    put(tmp_path, 'range = "inclusive"\n', "acdl.toml")
    assert main(["convert", put(tmp_path, DRAWING)]) == 0
    assert capsys.readouterr().out == ACDL.partition("\n\n")[2]


def test_files_and_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-` reads standard input, `-o` writes a file."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DRAWING.replace("\n", "\r\n").encode())))
    assert main(["convert", "-o", str(tmp_path / "chat.acdl"), "-"]) == 0
    assert (tmp_path / "chat.acdl").read_text("utf-8") == ACDL
    assert capsys.readouterr() == ("", "")


def test_what_was_guessed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, at its place; with --strict nothing is written."""
    path = put(tmp_path, UNCLEAR)
    assert main(["convert", path]) == 0
    said = capsys.readouterr()
    assert "        C_D\n" in said.out
    assert "warning[unclear-nesting]: a line stands at no level of the drawing" in said.err
    assert "board.txt:4:7" in said.err
    assert main(["convert", "--strict", "-o", str(tmp_path / "out.acdl"), path]) == 1
    assert "--strict forbids it" in capsys.readouterr().err
    assert not (tmp_path / "out.acdl").exists()


def test_what_is_not_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rest is written, and the status says so."""
    assert main(["convert", "--from", "drawing", put(tmp_path, "User:\n  env.q[@T\nTool:\n  X\n")]) == 1
    said = capsys.readouterr()
    assert said.out == "U: {\n    // not understood: env.q[@T\n}\nT: X\n"
    assert "error[unread-line]" in said.err
    assert main(["convert", "--from", "acdl", put(tmp_path, "P[@T]: { U: env.q[ }")]) == 1
    assert "[not understood]" in capsys.readouterr().out


def test_what_cannot_be_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there, one that cannot be written, a form into itself."""
    assert main(["convert", str(tmp_path / "none.txt")]) == 2
    assert "none.txt" in capsys.readouterr().err
    assert main(["convert", "--from", "acdl", "--to", "acdl", put(tmp_path, ACDL)]) == 2
    assert "nothing to convert from acdl to acdl" in capsys.readouterr().err
    put(tmp_path, "", "folder")
    assert main(["convert", "-o", str(tmp_path / "folder" / "x.acdl"), put(tmp_path, DRAWING)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_check_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A drawing in a file is one message, with the command that reads it."""
    assert main(["check", put(tmp_path, DRAWING, "chat.acdl")]) == 1
    said, counted = capsys.readouterr()
    assert "error[drawn-form]: this is the drawn form of a spec, not ACDL" in said
    assert "`acdl convert --from drawing FILE` writes it as ACDL" in said
    assert "1 error in 1 spec" in counted
