"""`acdl check --fix` mends specs, blocks of pages and standard input, and nothing else."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.diagnostics import MAX_ROUNDS
from acdl_mkdocs.frontends.cli.main import main

SPEC = "Chat[@T]: {\n    user: env.q[@T]\n    If @T == 1 {\n        S: HELLO\n    }\n}\n"
MENDED = SPEC.replace("user:", "U:")
UNUSED = "Chat[@T]: {\n    U: env.q[@T]\n    Name unused := f(env.q[@T])\n}\n"
Output = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("folder")


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Let standard input hold some bytes."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_specs_and_pages(folder: Path, capsys: Output) -> None:
    """Safe fixes are written to both and counted; the second time nothing is left."""
    spec, page, good = folder / "a.acdl", folder / "b.md", folder / "c.acdl"
    spec.write_text(SPEC)
    page.write_bytes(
        b"\xef\xbb\xbf# A\r\n\r\n- x\r\n\r\n    ```acdl\r\n    user: env.q[@T]\r\n    ```\r\nuser: x  \r\n"
    )
    good.write_text(MENDED)
    expected = page.read_bytes().replace(b"    user:", b"    U:")
    time_ns = good.stat().st_mtime_ns
    assert main(["check", "--fix", "."]) == 0
    assert capsys.readouterr() == ("", "fixed 2 problems in 2 files\nno problems in 3 specs\n")
    assert (spec.read_text(), page.read_bytes()) == (MENDED, expected)
    assert good.stat().st_mtime_ns == time_ns
    assert main(["check", "--fix", "."]) == 0
    assert capsys.readouterr().err.startswith("fixed 0 problems\n")
    assert (spec.read_text(), page.read_bytes()) == (MENDED, expected)


def test_unsafe(folder: Path, capsys: Output) -> None:
    """`--unsafe` applies what may change the meaning; not so while there are syntax errors."""
    spec = folder / "a.acdl"
    spec.write_text(UNUSED)
    assert main(["check", "--fix", "a.acdl"]) == 0
    assert spec.read_text() == UNUSED
    assert "unused-name" in capsys.readouterr().out
    assert main(["check", "--fix", "--unsafe", "a.acdl"]) == 0
    assert spec.read_text() == "Chat[@T]: {\n    U: env.q[@T]\n}\n"
    broken = UNUSED.replace("}", "    U: (\n}")
    spec.write_text(broken)
    assert main(["check", "--fix", "--unsafe", "a.acdl"]) == 1
    assert spec.read_text() == broken


def test_blocks_of_a_page_use_each_other(folder: Path) -> None:
    """A fragment that another block uses is not taken out as unused; one that none uses is."""
    page = "```acdl\nStrFrag Hello[x]: { HI }\n```\n\n> ```acdl\n> U: { Frag Hello[1] }\n> ```\n"
    (folder / "a.md").write_text(page)
    assert main(["check", "--fix", "--unsafe", "a.md"]) == 0
    assert (folder / "a.md").read_text() == page


@pytest.mark.parametrize("option", ["", "range=inclusive"])
def test_header_counts(option: str, folder: Path) -> None:
    """A loop is rewritten as the header of its block says that ranges are read."""
    (folder / "a.md").write_text(f"```acdl {option}\nfor t in range(1, 5):\n    U: env.q[@t]\n```\n")
    (folder / "a.acdl").write_text("for t in range(1, 5):\n    U: env.q[@t]\n")
    mode = ["--range", "inclusive"] if option else []
    main(["check", "--fix", "--unsafe", "a.md"])
    main(["check", "--fix", "--unsafe", "--snippet", *mode, "a.acdl"])
    assert (folder / "a.md").read_text().split("\n", 1)[1].removesuffix("```\n") == (folder / "a.acdl").read_text()


def test_settings_count(folder: Path) -> None:
    """What a project has turned off is not mended."""
    (folder / "acdl.toml").write_text('[rules]\nundocumented-spelling = "off"\n')
    (folder / "a.acdl").write_text(SPEC)
    assert main(["check", "--fix", "a.acdl"]) == 0
    assert (folder / "a.acdl").read_text() == SPEC


def test_src_is_left_alone(folder: Path) -> None:
    """A block that draws a file has nothing to mend; the file has, when it is named itself."""
    (folder / "a.acdl").write_text(SPEC)
    page = "```acdl src=a.acdl\n```\n"
    (folder / "a.md").write_text(page)
    main(["check", "--fix", "a.md"])
    assert ((folder / "a.acdl").read_text(), (folder / "a.md").read_text()) == (SPEC, page)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """The mended text goes to standard output, what is left to standard error."""
    give(monkeypatch, UNUSED.replace("U:", "user:").encode())
    assert main(["check", "--fix", "-"]) == 0
    out, err = capsys.readouterr()
    assert out == UNUSED
    assert err.startswith("fixed 1 problem in 1 file\n")
    assert "unused-name" in err
    assert "--> <stdin>:3:" in err


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_standard_input_in_other_formats(form: str, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """Reports for programs do not get mixed with the text either."""
    give(monkeypatch, UNUSED.encode())
    main(["check", "--fix", "--format", form, "-"])
    out, err = capsys.readouterr()
    assert out == UNUSED
    assert "unused-name" in json.dumps(json.loads(err.split("\n", 1)[1]))


def test_standard_input_without_problems(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """A text with nothing to mend, or that is not understood, passes through."""
    for text, status in ((MENDED, 0), ("Chat[@T]: {\n    U: (\n}\n", 1), ("", 1)):
        give(monkeypatch, text.encode())
        assert main(["check", "--fix", "--unsafe", "-"]) == status
        assert capsys.readouterr().out == text


def test_unreadable_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Output, folder: Path) -> None:
    """It is said once, and other files are mended all the same."""
    (folder / "a.acdl").write_text(SPEC)
    give(monkeypatch, b"\xff\xfe")
    assert main(["check", "--fix", "-", "a.acdl"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("standard input is not UTF-8 text") == 1
    assert (folder / "a.acdl").read_text() == MENDED


def test_unwritable_file(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    """It stays as it was, with a sentence, status 2 and its problems; other files are mended."""
    for name in ("a.acdl", "b.acdl"):
        (folder / name).write_text(SPEC)
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.name == "a.acdl":
            raise PermissionError(13, "Permission denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    assert main(["check", "--fix", "."]) == 2
    out, err = capsys.readouterr()
    assert err.count("acdl: a.acdl: cannot be written: permission denied\n") == 1
    assert "fixed 1 problem in 1 file\n" in err
    assert "a.acdl:2:5" in out
    assert ((folder / "a.acdl").read_text(), (folder / "b.acdl").read_text()) == (SPEC, MENDED)
    assert sorted(path.name for path in folder.iterdir() if path.suffix in (".acdl", ".tmp")) == ["a.acdl", "b.acdl"]


@pytest.mark.skipif(os.name == "nt", reason="links and permissions as POSIX has them")
def test_links_and_permissions(folder: Path) -> None:
    """A link still leads to its file, which keeps its permissions."""
    spec = folder / "real.acdl"
    spec.write_text(SPEC)
    spec.chmod(0o640)
    (folder / "link.acdl").symlink_to(spec)
    assert main(["check", "--fix", "link.acdl"]) == 0
    assert (folder / "link.acdl").is_symlink()
    assert (spec.read_text(), spec.stat().st_mode & 0o777) == (MENDED, 0o640)


def test_missing_file(capsys: Output) -> None:
    """It is said once."""
    assert main(["check", "--fix", "none.acdl"]) == 2
    assert capsys.readouterr().err.count("none.acdl: does not exist") == 1


def chain(n_links: int) -> list[str]:
    """Fragments of which each uses the next one, and nothing uses the first."""
    links = [f"StrFrag F{number}[@t]: {{ X Frag F{number + 1}[@t] }}\n" for number in range(n_links)]
    return [*links, f"StrFrag F{n_links}[@t]: {{ X }}\n"]


def test_chain_of_unused_fragments(folder: Path, capsys: Output) -> None:
    """However many fixes make others possible in a file, all are applied: its own old text uses nothing."""
    text = "Chat[@T]: {\n    U: env.q[@T]\n}\n" + "".join(chain(40))
    (folder / "a.acdl").write_text(text)
    assert main(["check", "--fix", "--unsafe", "a.acdl"]) == 0
    assert "Frag" not in (folder / "a.acdl").read_text()
    assert capsys.readouterr().err.startswith("fixed 41 problems in 1 file\nno problems in 1 spec")


def test_fixes_without_end(folder: Path, capsys: Output) -> None:
    """If files need more rounds than there are, that is said, and the command fails until nothing is left."""
    for number, text in enumerate(chain(2 * MAX_ROUNDS - 1)):
        (folder / f"{number:02}.acdl").write_text(f"Chat{number}[@T]: {{\n    U: env.q[@T]\n}}\n{text}")
    assert main(["check", "--fix", "--unsafe", "."]) == 1
    assert f"acdl: stopped after {MAX_ROUNDS} rounds of fixes" in capsys.readouterr().err
    main(["check", "--fix", "--unsafe", "."])
    assert main(["check", "--fix", "--unsafe", "."]) == 0
    assert not [path for path in folder.glob("*.acdl") if "Frag" in path.read_text()]
    assert "stopped" not in capsys.readouterr().err.partition("fixed 0 problems")[2]
