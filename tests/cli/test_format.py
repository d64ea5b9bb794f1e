"""`acdl format`: what it reads, what it writes, what it prints, how it ends."""

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

MESSY = "Chat[@T] {\n  user:env.q[@T]\n}\n"
NORMAL = "Chat[@T]: {\n    U: env.q[@T]\n}\n"
BROKEN = "Chat[@T]: {\n    U: {\n"
PAGE = """\
# Agents

> ```acdl id=one
> S:{A,B}
>
>
> u: env.q # newest
> ```

- an item

    ~~~acdl
    foreach t : 1..@T { U: env.q[@t] }
    ~~~

```acdl src=other.acdl
```

```python
S:{A}
```
"""
PAGE_IN_NORMAL_FORM = """\
# Agents

> ```acdl id=one
> S: {
>     A
>     B
> }
>
> U: env.q // newest
> ```

- an item

    ~~~acdl
    ForEach(t: 1 ... @T) {
        U: env.q[@t]
    }
    ~~~

```acdl src=other.acdl
```

```python
S:{A}
```
"""


def test_files_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of a folder are brought to their normal form; a second time nothing is touched."""
    (folder / "a.acdl").write_text(MESSY)
    (folder / "b.acdl").write_text(NORMAL)
    (folder / "notes.txt").write_text(MESSY)
    os.utime(folder / "b.acdl", (1, 1))
    assert main(["format", "."]) == 0
    assert capsys.readouterr() == ("", "1 file formatted, 1 unchanged\n")
    assert (folder / "a.acdl").read_text() == NORMAL
    assert (folder / "notes.txt").read_text() == MESSY
    assert (folder / "b.acdl").stat().st_mtime == 1
    assert main(["format", "a.acdl", "b.acdl"]) == 0
    assert capsys.readouterr() == ("", "0 files formatted, 2 unchanged\n")
    assert sorted(path.name for path in folder.iterdir()) == ["a.acdl", "b.acdl", "notes.txt"]


def test_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` names the files that would change, writes nothing, and gives 1 if there are any."""
    (folder / "a.acdl").write_text(MESSY)
    (folder / "b.acdl").write_text(NORMAL)
    assert main(["format", "--check", "."]) == 1
    assert capsys.readouterr() == ("a.acdl\n", "1 file would be formatted, 1 unchanged\n")
    assert (folder / "a.acdl").read_text() == MESSY
    assert main(["format", "--check", "b.acdl"]) == 0


def test_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--diff` prints the lines that differ, with colours where they are wanted, and writes nothing."""
    (folder / "a.acdl").write_text(MESSY.rstrip())
    assert main(["format", "--diff", "a.acdl"]) == 1
    assert capsys.readouterr().out == (
        "--- a.acdl\tbefore\n+++ a.acdl\tafter\n@@ -1,3 +1,3 @@\n-Chat[@T] {\n-  user:env.q[@T]\n-}\n"
        "\\ No newline at end of file\n+Chat[@T]: {\n+    U: env.q[@T]\n+}\n"
    )
    assert (folder / "a.acdl").read_text() == MESSY.rstrip()
    main(["format", "--diff", "--color", "always", "a.acdl"])
    assert "\x1b[32m+Chat[@T]: {\x1b[0m\n" in capsys.readouterr().out
    (folder / "a.acdl").write_text(NORMAL)
    assert main(["format", "--diff", "a.acdl"]) == 0
    assert capsys.readouterr().out == ""


def test_a_diff_is_a_patch(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gets what can be applied, whatever characters it has; a terminal nothing that acts on it."""
    (folder / "a.acdl").write_text('P[@T] {\nU: "x\u200fy\u009b"\r\n\tS: A\n}\n', newline="")
    assert main(["format", "--diff", "a.acdl"]) == 1
    patch = capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["format", "--diff", "--color", "never", "a.acdl"]) == 1
    assert '+    U: "x\ufffdy\ufffd"\n' in capsys.readouterr().out
    subprocess.run(["git", "apply", "-"], cwd=folder, input=patch.encode(), check=True)
    applied = (folder / "a.acdl").read_bytes()
    assert main(["format", "a.acdl"]) == 0
    assert (folder / "a.acdl").read_bytes() == applied
    assert "x\u200fy\u009b" in applied.decode()


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input goes to standard output, with no word beside it; nothing comes of text that is broken."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfS:A\r\n")))
    assert main(["format", "-"]) == 0
    assert capsys.readouterr() == ("S: A\n", "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    assert main(["format", "-"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert " --> <stdin>:" in err


def test_broken_text_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text with a syntax error is reported with its place and not written; the other files are, and the status is 2."""
    (folder / "a.acdl").write_text(BROKEN)
    (folder / "b.acdl").write_text(MESSY)
    assert main(["format", "."]) == 2
    err = capsys.readouterr().err
    assert "error[unbalanced-block]: " in err
    assert " --> a.acdl:" in err
    assert err.endswith("1 file formatted, 0 unchanged, 1 not formatted\n")
    assert (folder / "a.acdl").read_text() == BROKEN
    assert (folder / "b.acdl").read_text() == NORMAL


def test_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a page only the lines of `acdl` blocks change; what stands before them is kept."""
    (folder / "page.md").write_text(PAGE)
    assert main(["format", "page.md"]) == 0
    assert (folder / "page.md").read_text() == PAGE_IN_NORMAL_FORM
    assert main(["format", "page.md"]) == 0
    assert capsys.readouterr().err.endswith("0 files formatted, 1 unchanged\n")


def test_page_bytes(folder: Path) -> None:
    """Line ends and the byte order mark of a page are those that it had; blank lines have no blanks."""
    data = ("\ufeff" + PAGE).replace("\n", "\r\n").encode()
    (folder / "page.md").write_bytes(data)
    assert main(["format", "page.md"]) == 0
    assert (folder / "page.md").read_bytes() == ("\ufeff" + PAGE_IN_NORMAL_FORM).replace("\n", "\r\n").encode()


def test_page_with_a_broken_block(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block with a mistake is reported at its place in the page and left alone; the others are formatted."""
    (folder / "page.md").write_text("```acdl\nS: {\n```\n\n```acdl\nS:A\n```\n\n```acdl\nS:B\n")
    assert main(["format", "page.md"]) == 2
    err = capsys.readouterr().err
    assert " --> page.md:2:" in err
    assert "error[unclosed-fence]" in err
    assert (folder / "page.md").read_text() == "```acdl\nS: {\n```\n\n```acdl\nS: A\n```\n\n```acdl\nS:B\n"


def test_lines_of_a_page(folder: Path) -> None:
    """`--range-lines` counts the lines of the page."""
    text = "```acdl\nS:A\nU:b\n```\n\n```acdl\nS:A\nU:b\n```\n"
    (folder / "page.md").write_text(text)
    assert main(["format", "--range-lines", "3:7", "page.md"]) == 0
    assert (folder / "page.md").read_text() == "```acdl\nS:A\nU: b\n```\n\n```acdl\nS: A\nU:b\n```\n"


def test_lines_of_a_spec(folder: Path) -> None:
    """`--range-lines` formats the statements on these lines."""
    (folder / "a.acdl").write_text("S:A\nU:b\nU:c\n")
    assert main(["format", "--range-lines", "2", "a.acdl"]) == 0
    assert (folder / "a.acdl").read_text() == "S:A\nU: b\nU:c\n"


@pytest.mark.parametrize("value", ["0", "3:2", "a", "1:", "-1:2"])
def test_lines_that_do_not_exist(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A range that is none is refused with an example of one."""
    with pytest.raises(SystemExit) as stopped:
        main(["format", f"--range-lines={value}", "-"])
    assert stopped.value.code == 2
    assert "as 3:7" in capsys.readouterr().err


def test_lines_of_one_file_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines of several files, or of a folder, make no sense."""
    (folder / "a.acdl").write_text(MESSY)
    assert main(["format", "--range-lines", "1:2", "."]) == 2
    assert "acdl: --range-lines needs one file" in capsys.readouterr().err
    assert (folder / "a.acdl").read_text() == MESSY


def test_range(folder: Path) -> None:
    """How ranges are read comes from the command line, the header of a block, or the project's settings."""
    text = "S: [x for x in 1..3]\n"
    for number, (arguments, settings) in enumerate(
        [(["--range", "inclusive"], ""), ([], 'range = "inclusive"\n'), ([], "")]
    ):
        below = folder / str(number)
        below.mkdir()
        (below / "acdl.toml").write_text(settings)
        (below / "a.acdl").write_text(text)
        (below / "page.md").write_text(f"```acdl range=inclusive\n{text}```\n")
        assert main(["format", *arguments, str(below)]) == 0
        expected = "S: [x for x in 1 ... 3]\n" if number == 2 else "S: [x for x in range(1, 3)]\n"
        assert (below / "a.acdl").read_text() == expected
        assert "range(1, 3)" in (below / "page.md").read_text()


def test_bytes_of_a_spec(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A byte order mark and line ends of Windows are not part of the normal form."""
    (folder / "a.acdl").write_bytes(("\ufeff" + NORMAL).encode())
    (folder / "b.acdl").write_bytes(NORMAL.replace("\n", "\r\n").encode())
    assert main(["format", "--check", "."]) == 1
    assert capsys.readouterr().out == "a.acdl\nb.acdl\n"
    assert main(["format", "."]) == 0
    assert {(folder / name).read_bytes() for name in ("a.acdl", "b.acdl")} == {NORMAL.encode()}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_and_links(folder: Path) -> None:
    """A file keeps its permissions, and a link stays a link."""
    (folder / "real.acdl").write_text(MESSY)
    (folder / "real.acdl").chmod(0o640)
    (folder / "link.acdl").symlink_to("real.acdl")
    assert main(["format", "link.acdl"]) == 0
    assert (folder / "link.acdl").is_symlink()
    assert (folder / "real.acdl").read_text() == NORMAL
    assert stat.S_IMODE((folder / "real.acdl").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing.acdl", None, "missing.acdl: does not exist"),
        ("a.acdl", b"\xff", "a.acdl: is not UTF-8 text"),
        ("a.acdl", b"\0", "a.acdl: is a binary file"),
    ],
)
def test_unreadable(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes | None, words: str
) -> None:
    """What cannot be read is named and left alone, and the status is 2."""
    if data is not None:
        (folder / name).write_bytes(data)
    assert main(["format", name]) == 2
    assert f"acdl: {words}" in capsys.readouterr().err
    assert data is None or (folder / name).read_bytes() == data


def test_closed_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`acdl format - <&-` is one sentence and 2."""
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["format", "-"]) == 2
    assert capsys.readouterr() == ("", "acdl: standard input is closed\n")


def test_excluded_files(folder: Path) -> None:
    """What the settings exclude is left alone in a folder that is searched, and formatted if it is named."""
    (folder / "acdl.toml").write_text('exclude = ["vendor/**"]\n')
    (folder / "vendor").mkdir()
    theirs, mine = folder / "vendor" / "theirs.acdl", folder / "mine.acdl"
    for path in (theirs, mine):
        path.write_text(MESSY)
    assert main(["format", "."]) == 0
    assert (theirs.read_text(), mine.read_text()) == (MESSY, NORMAL)
    assert main(["format", "vendor/theirs.acdl"]) == 0
    assert theirs.read_text() == NORMAL


def test_a_file_that_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old text stays whole, no draft is left, and the status is 2."""

    def refuse(draft: Path, target: Path) -> Path:
        assert draft.read_text() == NORMAL
        assert target == folder.resolve() / "a.acdl"
        raise PermissionError(13, "Permission denied")

    (folder / "a.acdl").write_text(MESSY)
    monkeypatch.setattr(Path, "replace", refuse)
    assert main(["format", "a.acdl"]) == 2
    assert "acdl: a.acdl: cannot be written: permission denied" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["a.acdl"]
    assert (folder / "a.acdl").read_text() == MESSY


def test_settings_that_are_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistake in the project's settings is said, not guessed over."""
    (folder / "acdl.toml").write_text('rage = "inclusive"\n')
    (folder / "a.acdl").write_text(MESSY)
    assert main(["format", "a.acdl"]) == 2
    assert "there is no setting `rage`" in capsys.readouterr().err


def test_sample_in_indented_code_is_text(tmp_path: Path) -> None:
    """A fence that the build shows as text is left as it is."""
    page = tmp_path / "a.md"
    page.write_text("Text\n\n    ```acdl\n    U:   env.q\n    ```\n")
    before = page.read_text()
    assert main(["format", str(page)]) == 0
    assert page.read_text() == before


def test_page_with_lone_line_ends(folder: Path) -> None:
    """A page whose lines end with CR alone is formatted as others are, and keeps its line ends."""
    page = folder / "a.md"
    text = "# A\r\r> ```acdl\r> Chat[@T]:{\r> U: env.q[@T]\r>\r> A: x\r> }\r> ```\rend"
    page.write_bytes(text.encode())
    assert main(["format", "a.md"]) == 0
    page_in_cr = page.read_bytes()
    page.write_bytes(text.replace("\r", "\n").encode())
    assert main(["format", "a.md"]) == 0
    assert page.read_bytes() == page_in_cr.replace(b"\r", b"\n")
    assert page_in_cr != text.encode()
    assert b"\n" not in page_in_cr


def test_a_definition_with_an_error_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is printed why, the others are written, and the status is 2; in a page each block counts for itself."""
    draft = "Bad[@T] {\n  S: Be nice to users\n}\n"
    (folder / "a.acdl").write_text(draft + MESSY)
    (folder / "b.md").write_text(f"```acdl\n{draft}```\n\n```acdl\n{MESSY}```\n")
    assert main(["format", "--check", "."]) == 2
    assert capsys.readouterr().out == "a.acdl\nb.md\n"
    assert main(["format", "."]) == 2
    err = capsys.readouterr().err
    assert err.count("error[unquoted-text]: ") == 2
    assert err.endswith("0 files formatted, 0 unchanged, 2 in part\n")
    assert (folder / "a.acdl").read_text() == f"{draft}\n{NORMAL}"
    assert (folder / "b.md").read_text() == f"```acdl\n{draft}```\n\n```acdl\n{NORMAL}```\n"
    assert main(["format", "."]) == 2
    assert capsys.readouterr().err.endswith("0 files formatted, 0 unchanged, 2 not formatted\n")


def test_errors_are_those_of_the_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fragments of other files, settings and comments decide what is an error."""
    uses = "P[@T] { U: { Frag Other[@T] } }\n"
    expected = "P[@T]: {\n    U: {\n        Frag Other[@T]\n    }\n}\n"
    (folder / "a.acdl").write_text(uses)
    assert main(["format", "a.acdl"]) == 2
    assert (folder / "a.acdl").read_text() == uses
    (folder / "b.acdl").write_text("StrFrag Other[@T]: {\n    A\n}\n")
    assert main(["format", "."]) == 0
    assert (folder / "a.acdl").read_text() == expected
    (folder / "b.acdl").unlink()
    (folder / "a.acdl").write_text(f"// acdl: allow(unknown-fragment)\n{uses}")
    assert main(["format", "a.acdl"]) == 0
    (folder / "a.acdl").write_text(uses)
    (folder / "acdl.toml").write_text('[rules]\nunknown-fragment = "warning"\n')
    assert main(["format", "a.acdl"]) == 0
    assert (folder / "a.acdl").read_text() == expected
    capsys.readouterr()


def test_line_ends_of_what_is_left(folder: Path) -> None:
    """Line ends of Windows stay where a definition stays as it is."""
    draft = b"Bad[@T] {\r\n  S: Be nice to users\r\n}\r\n"
    (folder / "a.acdl").write_bytes(draft + MESSY.encode())
    assert main(["format", "a.acdl"]) == 2
    assert (folder / "a.acdl").read_bytes() == draft + MESSY.encode()
    (folder / "a.acdl").write_bytes(draft + MESSY.replace("\n", "\r\n").encode())
    assert main(["format", "a.acdl"]) == 2
    assert (folder / "a.acdl").read_bytes() == draft + b"\r\n" + NORMAL.replace("\n", "\r\n").encode()
