"""`acdl state`: first states and what is wrong with states, from the command line."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

SPEC = "Chat[@T]: {\n    S: RULES\n    U: env.user_question[@T] // as typed\n}\n\nOther[@T]: { U: env.x[@T] }\n"


@pytest.fixture
def spec(folder: Path) -> Path:
    """A file with two specs."""
    path = folder / "chat.acdl"
    path.write_text(SPEC, "utf-8")
    return path


def test_new_and_check(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new state has its schema beside it, and nothing is wrong with it."""
    assert main(["state", "new", "chat.acdl", "-o", "states/chat.state.yaml"]) == 0
    assert capsys.readouterr().out.startswith("made states/chat.state.yaml and states/state.schema.json; next: ")
    text = (spec.parent / "states" / "chat.state.yaml").read_text("utf-8")
    assert text.startswith("# yaml-language-server: $schema=state.schema.json\n")
    assert json.loads((spec.parent / "states" / "state.schema.json").read_text("utf-8"))["type"] == "object"
    assert main(["state", "check", "--strict", "states/chat.state.yaml", "--spec-file", "chat.acdl"]) == 0
    out, err = capsys.readouterr()
    assert err == "1 note in 1 state\n"
    assert out.startswith(
        "note[state-file]: 3 values are still `…`; the first is `templates.RULES`\n  --> states/chat."
    )
    assert "`steps.1.env.user_question`" in out or "`env.user_question.1`" in out
    filled = spec.parent / "states" / "chat.state.yaml"
    filled.write_text(text.replace('"…"', '"words"'), "utf-8")
    assert main(["state", "check", "--strict", "states/chat.state.yaml", "--spec-file", "chat.acdl"]) == 0
    assert capsys.readouterr() == ("", "no problems in 1 state\n")


def test_new_of_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block is named as for `acdl unroll`; without a name it is asked for, and fragments are not offered."""
    page = "```acdl\nOne[@T]: { U: env.one }\n```\n\n```acdl\nTwo[@T]: { U: env.two }\nStrFrag F[]: { x }\n```\n"
    (folder / "page.md").write_text(page)
    for words in (["page.md#Two"], ["page.md", "--spec", "Two"]):
        assert main(["state", "new", *words]) == 0
        assert 'spec: "Two"\n' in capsys.readouterr().out
    assert main(["state", "new", "page.md"]) == 2
    assert capsys.readouterr() == ("", "acdl: page.md: has 2 blocks; say which spec with --spec: `One`, `Two`\n")
    for name in ("Fragmentary", "F"):
        assert main(["state", "new", f"page.md#{name}"]) == 2
        assert capsys.readouterr().err == f"acdl: page.md: there is no spec `{name}`; it has `One`, `Two`\n"


@pytest.mark.parametrize(("text", "problem"), [("", "empty-block"), ("P[@T]: {\n U: env.q[@T\n}\n", "syntax")])
def test_new_of_a_broken_spec(folder: Path, text: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written for a text that cannot be read, and what is wrong with it is said."""
    (folder / "bad.acdl").write_text(text)
    assert main(["state", "new", "bad.acdl", "-o", "bad.state.yaml"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"error[{problem}]" in err
    assert err.endswith("acdl: nothing was made: solve the errors of the spec first\n")
    assert not (folder / "bad.state.yaml").exists()


def test_own_file_before_others(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two files have the spec of a state: the one that the state is called like is taken."""
    spec.with_name("a.acdl").write_text("Chat[@T]: { U: env.other }\n")
    state = "acdl_state: 1\nspec: Chat\ntemplates: {RULES: r}\nsteps: {1: {env: {user_question: q}}}\n"
    for name in ("chat.state.yaml", "chat.words.state.yaml"):
        spec.with_name(name).write_text(state)
        assert main(["state", "check", "--strict", name]) == 0
        assert capsys.readouterr() == ("", "no problems in 1 state\n")
    spec.with_name("free.state.yaml").write_text(state)
    assert main(["state", "check", "free.state.yaml"]) == 0
    assert "never read by the spec" in capsys.readouterr().out


def test_every_option_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One wrong option does not hide another."""
    (folder / "s.yaml").write_text("acdl_state: 1\noptions: {missing: x, joiner: 3, empty: [], jonier: a}\n")
    assert main(["state", "check", "s.yaml", "--format", "line"]) == 1
    out = capsys.readouterr().out
    assert [
        word in out for word in ("missing is", "joiner is the number", "empty is a list", "did you mean joiner")
    ] == [True] * 4


def test_new_never_overwrites(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a person wrote stays."""
    state = spec.with_name("a.yaml")
    state.write_text("mine", "utf-8")
    assert main(["state", "new", "chat.acdl", "-o", "a.yaml"]) == 2
    err = capsys.readouterr().err
    assert err == "acdl: nothing was made: a.yaml exists already; choose another name, or remove it\n"
    assert state.read_text("utf-8") == "mine"
    assert not spec.with_name("state.schema.json").exists()


@pytest.mark.usefixtures("spec")
def test_new_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Another spec of the file, with an address of the schema."""
    assert main(["state", "new", "chat.acdl", "--spec", "Other", "--schema", "https://example.org/s.json"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# yaml-language-server: $schema=https://example.org/s.json\n")
    assert 'spec: "Other"\n' in out


@pytest.mark.usefixtures("spec")
def test_new_without_such_a_spec(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name or file is said with the near one."""
    assert main(["state", "new", "chat.acdl", "--spec", "Caht"]) == 2
    assert capsys.readouterr().err == "acdl: chat.acdl: there is no spec `Caht`; did you mean `Chat`?\n"
    assert main(["state", "new", "caht.acdl"]) == 2
    assert capsys.readouterr().err == "acdl: caht.acdl: does not exist; did you mean chat.acdl?\n"


def test_check_finds_the_spec(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The spec of a state is looked for in its folder; names that are nearly right are warnings."""
    text = "acdl_state: 1\nspec: Chat\ntemplates: {RULES: a}\nsteps: {2: {env: {user_qestion: a}}}\n"
    spec.with_name("one.state.yaml").write_text(text, "utf-8")
    assert main(["state", "check", "one.state.yaml", "--format", "line"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1].startswith(
        "one.state.yaml:4:19: warning[state-file]: steps.2.env.user_qestion: did you mean user_question?"
    )
    assert main(["state", "check", "one.state.yaml", "--strict"]) == 1
    assert "1 warning, 1 note in 1 state\n" in capsys.readouterr().err


def test_check_by_name_of_file(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A state without `spec` belongs to the file with its name, and to all specs of it."""
    spec.with_name("chat.state.yaml").write_text("acdl_state: 1\nenv: {user_question: {1: a}, x: {1: b}}\n", "utf-8")
    assert main(["state", "check", "chat.state.yaml", "--format", "json"]) == 0
    (found,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert found["message"] == "the spec reads the template `RULES`, and the state has none"


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        (b"acdl_state: 1\nenvv: {}\n", 1, "envv: did you mean env?"),
        (b"", 1, "the file is empty"),
        (b"\xff\xfe", 2, "is not UTF-8 text"),
        (None, 2, "does not exist"),
    ],
)
def test_check_says_what_is_wrong(
    folder: Path, text: bytes | None, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Problems of a state give status 1, a file that cannot be read 2."""
    if text is not None:
        (folder / "s.yaml").write_bytes(text)
    assert main(["state", "check", "s.yaml"]) == status
    captured = capsys.readouterr()
    assert words in captured.out + captured.err


@pytest.mark.parametrize("form", ["json", "line", "github", "sarif", "junit"])
def test_formats(folder: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every report can show the problems of states."""
    (folder / "s.yaml").write_text("acdl_state: 1\nenvv: {}\n", "utf-8")
    assert main(["state", "check", "s.yaml", "--format", form]) == 1
    assert "did you mean env?" in capsys.readouterr().out


def test_wrong_spec(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A state for a spec that the named file does not have cannot be compared."""
    spec.with_name("s.yaml").write_text("acdl_state: 1\nspec: Nobody\n", "utf-8")
    assert main(["state", "check", "s.yaml", "--spec-file", "chat.acdl"]) == 2
    assert capsys.readouterr().err == "acdl: chat.acdl: there is no spec `Nobody`, which s.yaml is for\n"
