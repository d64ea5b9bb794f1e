"""`acdl check`: what it reads, what it prints, how it ends."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.workspace.counts import count_definitions

GOOD = "Chat[@T]: {\n  U: env.q[@T]\n}\n"
NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"
TWICE = GOOD + GOOD


def test_good_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing on standard output, a summary on standard error, status 0."""
    (folder / "a.acdl").write_text(GOOD)
    assert main(["check", "a.acdl"]) == 0
    assert capsys.readouterr() == ("", "no problems in 1 spec\n")


def test_errors_and_warnings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors give 1; warnings give 0, and 1 with `--strict`."""
    (folder / "a.acdl").write_text(NESTED)
    (folder / "b.acdl").write_text(TWICE)
    assert main(["check", "a.acdl"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("error[nested-role]: ")
    assert " --> a.acdl:3:5" in out
    assert err == "1 error in 1 spec\n"
    assert main(["check", "b.acdl"]) == 0
    assert main(["check", "--strict", "b.acdl"]) == 1


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a line and nothing else."""
    (folder / "a.acdl").write_text(NESTED)
    assert main(["check", "--format", "json", "a.acdl"]) == 1
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in out.splitlines()]
    assert [(each["rule"], each["file"], each["line"], each["column"]) for each in found] == [
        ("nested-role", "a.acdl", 3, 5)
    ]
    assert err == ""


def test_markdown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fences of a page have the places of the page; headers are checked too; literal fences are not."""
    body = NESTED.replace("\n", "\n    ").rstrip(" ")
    text = f"---\na: b\n---\n- x\n\n    ```acdl shwo=both\n    {body}    ```\n\n````md\n```acdl\n}}}}\n```\n````\n"
    (folder / "a.md").write_text(text)
    assert main(["check", "--format", "line", "a.md"]) == 1
    lines = [line.split(": ")[:2] for line in capsys.readouterr().out.splitlines()]
    assert lines == [["a.md:6:13", "error[unknown-option]"], ["a.md:9:9", "error[nested-role]"]]


def test_src_of_a_fence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that a fence names is checked under its own name, from the project's folder."""
    (folder / "mkdocs.yml").write_text("site_name: x\n")
    (folder / "docs").mkdir()
    (folder / "bad.acdl").write_text(NESTED)
    (folder / "docs" / "a.md").write_text('```acdl src="bad.acdl"\n```\n\n```acdl src="../no.acdl"\n```\n')
    assert main(["check", "--format", "line", "docs"]) == 1
    places = [line.split(": ")[:2] for line in capsys.readouterr().out.splitlines()]
    assert places == [
        ["bad.acdl:3:5", "error[nested-role]"],
        [f"docs{os.sep}a.md:4:14", "error[src-outside-project]"],
    ]


def test_folders_are_searched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Specs and Markdown below a folder, in order; hidden and foreign folders are left out."""
    for name in ("b/z.acdl", "a.acdl", "b/c/x.md", ".git/y.acdl", "node_modules/y.acdl", "notes.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"```acdl\n{NESTED}```\n" if name.endswith(".md") else NESTED)
    assert main(["check", "--format", "line", "."]) == 1
    files = [line.partition(":")[0].replace(os.sep, "/") for line in capsys.readouterr().out.splitlines()]
    assert files == ["a.acdl", "b/z.acdl", "b/c/x.md"]


def test_snippets(folder: Path) -> None:
    """A text without a title is an error in a file and fine in a fence, or when asked for."""
    (folder / "a.acdl").write_text("S: SYSTEM_PROMPT\n")
    (folder / "a.md").write_text("```acdl\nS: SYSTEM_PROMPT\n```\n")
    assert main(["check", "a.acdl"]) == 1
    assert main(["check", "--snippet", "a.acdl"]) == 0
    assert main(["check", "a.md"]) == 0


@pytest.mark.usefixtures("folder")
def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NESTED.encode())))
    assert main(["check", "-"]) == 1
    assert "--> <stdin>:3:5" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing.acdl", None, "missing.acdl: does not exist; did you mean massing.acdl?"),
        ("binary.acdl", b"\x89PNG\0\0", "binary.acdl: is a binary file, not text"),
        ("latin.acdl", b"caf\xe9", "latin.acdl: is not UTF-8 text: byte 0xe9 in line 1"),
        ("big.acdl", b"a" * 10_000_001, "big.acdl: is larger than 10 MB"),
        ("empty/", None, "empty/: no .acdl files or pages in this folder"),
    ],
)
def test_what_cannot_be_read(
    name: str, data: bytes | None, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence, status 2, and the other files are still checked."""
    (folder / "massing.acdl").write_text(NESTED)
    if name.endswith("/"):
        (folder / name).mkdir()
    elif data is not None:
        (folder / name).write_bytes(data)
    assert main(["check", name, "massing.acdl"]) == 2
    out, err = capsys.readouterr()
    assert f"acdl: {words}" in err
    assert "nested-role" in out


def test_a_folder_that_the_settings_exclude(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the settings, not a folder without specs; a single file is checked all the same."""
    (folder / "acdl.toml").write_text('exclude = ["old/**"]\n')
    (folder / "old").mkdir()
    (folder / "old" / "a.acdl").write_text(NESTED)
    assert main(["check", "old"]) == 2
    words = (
        f"`exclude` in {folder / 'acdl.toml'} leaves out all .acdl files and pages in this folder; name single files"
    )
    assert f"acdl: old: {words}" in capsys.readouterr().err
    assert main(["check", "old/a.acdl"]) == 1


def test_colors(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours come when asked for, and not in a pipe."""
    (folder / "a.acdl").write_text(NESTED)
    for arguments, is_colored in (([], False), (["--color", "always"], True), (["--color", "never"], False)):
        main(["check", *arguments, "a.acdl"])
        assert ("\x1b[" in capsys.readouterr().out) is is_colored
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for value, is_colored in (("1", False), ("", True)):
        monkeypatch.setenv("NO_COLOR", value)
        main(["check", "a.acdl"])
        assert ("\x1b[" in capsys.readouterr().out) is is_colored


@pytest.mark.parametrize("spec", ["a/b", "../x", "x" * 300])
def test_spec_that_is_no_name(spec: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A `spec` that cannot be a name is a problem of its block; the other blocks are checked all the same."""
    (folder / "a.md").write_text(f'```acdl spec="{spec}"\n{GOOD}```\n\n```acdl\n{NESTED}```\n')
    assert main(["check", "--format", "line", "a.md"]) == 1
    names = [line.split("[")[1].partition("]")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["unknown-spec" if spec.isalpha() else "bad-option-value", "nested-role"]


def test_long_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that no file can have cannot be read, and the other files are checked."""
    (folder / "a.acdl").write_text(NESTED)
    assert main(["check", "a" * 300, "a.acdl"]) == 2
    out, err = capsys.readouterr()
    assert f"acdl: {'a' * 300}: cannot be read: " in err
    assert "nested-role" in out


def test_progress(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, a bar shows how far a long check is; it is gone whenever a problem is printed."""
    for name in "ab":
        (folder / f"{name}.acdl").write_text(NESTED)
    main(["check", "."])
    assert "/2" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main(["check", "."])
    err = capsys.readouterr().err
    assert "1/2" in err
    assert err.count("\r[") == err.count("\r\x1b[K") == 2


def test_formats_are_for_a_terminal_or_a_program() -> None:
    """A panel of a page is no format of the command line."""
    with pytest.raises(SystemExit):
        main(["check", "--format", "html", "."])


def test_same_fences_as_the_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sample in indented code is not a spec, and lines may end with CR alone."""
    (tmp_path / "sample.md").write_text("Text\n\n    ```acdl\n    U: {\n    ```\n")
    (tmp_path / "cr.md").write_bytes(b"Text\r\r```acdl\rU: {\r```\r")
    assert main(["check", str(tmp_path / "sample.md")]) == 0
    assert "in 0 specs" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "cr.md")]) == 1
    assert "cr.md:4:" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_nothing_was_checked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be read is not counted as fine."""
    assert main(["check", "nope.acdl"]) == 2
    assert capsys.readouterr().err == "acdl: nope.acdl: does not exist\n"
    assert main(["check", ""]) == 2
    assert capsys.readouterr().err == "acdl: an empty argument names no file; the working folder is `.`\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    assert main(["check", "-"]) == 1
    assert "error[empty-block]: the text is empty" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["check", "-"]) == 2
    assert capsys.readouterr().err == "acdl: standard input is closed\n"


def test_specs_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Specs and fragments of a file are counted apart, groups inside them are not; a text without a title is one."""
    (folder / "two.acdl").write_text(
        "One[@T]: { U: A }\n\nTwo[@T]: {\n  Frag F[] // {\n  Mark 1 { U: B }\n}\n\nRolesFrag F[]: { U: B }\n"
    )
    assert main(["check", "two.acdl"]) == 0
    assert capsys.readouterr().err == "no problems in 2 specs and 1 fragment\n"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", (1, 0)),
        ("S: RULES\nHistory[@t] { U: env.q }\n", (1, 0)),
        ("P[@T]: {\n  S: A\n  History { U: env.q[@T] }\n}\n", (1, 0)),
        ("// Q[@T]: {\nP[@T]\n{ U: x /* { */ }\nStrFrag F[d]: { U { } } Q: { }\n", (2, 1)),
        ('P[@T]: {\n  U: { "{" #msg\n\nQ[@T]: { # {\n}\nRolesFrag R[@t]: { }\n', (2, 1)),
        ("StrFrag F[d]: { }\nRoleFrag G: { }\n", (0, 2)),
    ],
)
def test_definitions_are_counted(text: str, counts: tuple[int, int]) -> None:
    """Titles at the top level count, whatever comments and strings say, and after a block that is never closed."""
    assert count_definitions(text) == counts
