"""`acdl explain`: prints, exits and complains as every command."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

SPEC = "Chat[@T]: { U: env.q[@T] }\nOther[@T]: { S: A_TEXT }\n"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with two specs, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.acdl").write_text(SPEC, "utf-8")
    (tmp_path / "page.md").write_text(
        f"# A\n\n```acdl\n{SPEC}```\n\n```acdl\nThird[@T]: {{ U: env.r }}\n```\n", "utf-8"
    )
    return "chat.acdl"


def test_all_specs_or_one(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name all specs are explained, of a page those of all blocks."""
    assert main(["explain", spec]) == 0
    assert capsys.readouterr().out.count("# Chat[@T]\n") == 1
    for words in ([f"{spec}#Other"], [spec, "--spec", "Other"]):
        assert main(["explain", *words]) == 0
        assert "# Chat" not in capsys.readouterr().out
    assert main(["explain", "page.md", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in shown["explanations"]] == ["Chat", "Other", "Third"]
    assert shown["explanations"][2]["line"] == 9
    assert main(["explain", "page.md#Third"]) == 0
    assert "`env.r`" in capsys.readouterr().out


def test_lines_of_other_files(spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of a fragment in another file has the name of that file."""
    rounds = "ForEach(@t: range(1, @T)) { U: { Name x := env.h[@t] $x } }"
    (tmp_path / "parts.acdl").write_text(f"\n\nRolesFrag History[@T]: {{ {rounds} }}\n", "utf-8")
    (tmp_path / spec).write_text("// acdl: use parts.acdl\nP[@T]: { S: A_TEXT Frag History[@T] }\n", "utf-8")
    assert main(["explain", spec]) == 0
    said = capsys.readouterr().out
    assert "- a System message: the template `A_TEXT` [line 2]\n" in said
    assert "    - a User message: [parts.acdl:3]\n" in said
    assert "\n- parts.acdl:3: for each number `@t` from 1 to " in said
    assert "- `$x` (parts.acdl:3, used 1 time) stands for `env.h` of turn t\n" in said
    assert "[line 3]" not in said


def test_to_a_file(spec: str, tmp_path: Path) -> None:
    """With -o, nothing is printed."""
    assert main(["explain", spec, "-o", "out/chat.md"]) == 0
    assert (tmp_path / "out" / "chat.md").read_text("utf-8").startswith("# Chat[@T]\n")


def test_errors_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is understood is explained; the rest is on standard error, and the status says so."""
    path = tmp_path / "wrong.acdl"
    path.write_text("Chat[@T]: { U: env.q[@T]\n", "utf-8")
    assert main(["explain", str(path)]) == 1
    said = capsys.readouterr()
    assert "# Chat[@T]" in said.out
    assert "error[" in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chat.acdl", "--spec", "Chta"], "did you mean `Chat`?"),
        (["page.md", "--spec", "Thrid"], "did you mean `Third`?"),
        (["missing.acdl"], "does not exist"),
        (["nested-role"], "`acdl rules nested-role` explains it"),
    ],
)
@pytest.mark.usefixtures("spec")
def test_nothing_to_explain(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not there is named, with what may be meant."""
    assert main(["explain", *words]) == 2
    assert said in capsys.readouterr().err
