"""`acdl unroll`: which spec, which state, which points; what is said about what is not known; how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

SPEC = """Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T-1)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}
"""
STATE = """acdl_state: 1
spec: Chat
at: "1..2"
range: inclusive
templates: {INSTRUCTIONS: Be brief.}
steps:
  1:
    env: {question: Hello?}
    resp: {answer: Yes.}
  2:
    env: {question: And now?}
"""
MANY = "```acdl\nOne[@T]: { U: env.one }\n```\n\n```acdl\nTwo[@T]: { U: env.two[@T] }\n```\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    """A working folder with a spec, its state and a page."""
    (folder / "chat.acdl").write_text(SPEC)
    (folder / "chat.state.yaml").write_text(STATE)
    (folder / "page.md").write_text(MANY)
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    """What a command prints on its two streams."""
    assert main(["unroll", *words]) == status
    out, err = capsys.readouterr()
    return out, err


def roles(text: str) -> list[tuple[str, str]]:
    """Roles and contents of an OpenAI request."""
    return [(each["role"], each["content"]) for each in json.loads(text)["messages"]]


def test_one_token(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A single message of a single token: neither noun is in the plural."""
    (folder / "one.acdl").write_text("One[@T]: { U: env.q[@T] }\n")
    (folder / "one.state.yaml").write_text("acdl_state: 1\nat: 1\nenv: {q: {1: hi}}\n")
    out, _ = said(capsys, "one.acdl")
    assert "\n1 message, 1 model token (o200k_base)\n" in out
    out, _ = said(capsys, "one.acdl", "--format", "html")
    assert "1 model token (o200k_base)" in out


@pytest.mark.usefixtures("folder")
def test_transcript(capsys: pytest.CaptureFixture[str]) -> None:
    """Without options: the state beside the spec, at the points that it names."""
    out, err = said(capsys, "chat.acdl", "--tokens", "none")
    assert err == ""
    first, _, second = out.partition("\n\nChat at ")
    assert first.startswith("Chat at @1, inclusive ranges (chat.acdl)\n2 messages\n\n")
    assert second.split("\n", 1)[0] == "@2, inclusive ranges (chat.acdl)"
    assert "@t=1  4 | User\n        |   Hello?\n" in second


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("points", "n_points"),
    [
        pytest.param("2", 1, id="step"),
        pytest.param("@2.0", 1, id="sub-step"),
        pytest.param("1..3", 3, id="range"),
        pytest.param("*", 2, id="all"),
        pytest.param("1,2,5", 3, id="list"),
    ],
)
def test_points(points: str, n_points: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Several points are several transcripts, JSON lines, rows, or one object with a list."""
    words = ("chat.acdl", "--at", points, "--tokens", "estimate", "--missing", "placeholder")
    assert said(capsys, *words)[0].count("Chat at @") == n_points
    assert len(said(capsys, *words, "--format", "growth")[0].splitlines()) == 3 + n_points
    tree = json.loads(said(capsys, *words, "--format", "json")[0])
    assert len(tree.get("transcripts", [tree])) == n_points
    out = said(capsys, *words, "--format", "openai")[0]
    assert n_points == 1 or [json.loads(line)["messages"][0]["role"] for line in out.splitlines()] == (
        ["system"] * n_points
    )


@pytest.mark.usefixtures("folder")
def test_request(capsys: pytest.CaptureFixture[str]) -> None:
    """A request is what would be sent, and says nothing else on standard output."""
    out, err = said(capsys, "chat.acdl", "--at", "2", "--format", "openai", "--model", "m")
    assert err == ""
    assert roles(out) == [("system", "Be brief."), ("user", "Hello?"), ("assistant", "Yes."), ("user", "And now?")]
    out, err = said(capsys, "chat.acdl", "--at", "2", "--format", "openai")
    assert "the request needs a model name" in err
    assert json.loads(out)


def test_misread_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number that is sent differently from how it is written has a note, once for all points."""
    (folder / "chat.state.yaml").write_text(STATE.replace("question: Hello?", "question: 1.10"))
    out, err = said(capsys, "chat.acdl", "--tokens", "none")
    assert "|   1.1\n" in out
    assert err.count("note[state-file]: steps.1.env.question is the number `1.10`, which is sent as `1.1`") == 1


@pytest.mark.usefixtures("folder")
def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`--curl` prints a command; it has to know the model."""
    words = ("chat.acdl", "--at", "1", "--format", "anthropic", "--curl")
    out, _ = said(capsys, *words, "--model", "m")
    assert out.startswith("curl -sS 'https://api.anthropic.com/")
    assert "${ANTHROPIC_API_KEY:?}" in out
    out, err = said(capsys, *words, status=2)
    assert out == ""
    assert "--model NAME" in err


@pytest.mark.usefixtures("folder")
def test_missing_value(capsys: pytest.CaptureFixture[str]) -> None:
    """What the state lacks: an error with both places in a request, a name where people look."""
    words = ("chat.acdl", "--at", "3")
    out, err = said(capsys, *words, "--format", "openai", status=1)
    assert out == ""
    assert "error[missing-value]: the state has no `env.question[@3]`\n --> chat.acdl:7:8\n" in err
    assert "= help: `steps` is at chat.state.yaml:6:1\n" in err
    assert "= help: `steps.2` is at chat.state.yaml:10:3\n" in err
    assert err.endswith("acdl: nothing is sent: solve the errors first, or send names with `--missing placeholder`\n")
    out, err = said(capsys, *words)
    assert "⟦env.question[@3]⟧" in out
    assert err == "acdl: 2 values are not in the state: `env.question[@3]`, `resp.answer[@2]`\n"
    out, err = said(capsys, *words, "--missing", "empty", "--format", "openai", "--model", "m")
    assert [role for role, _ in roles(out)] == ["system", "user", "assistant", "user"]
    out, err = said(capsys, *words, "--missing", "error", status=1)
    assert "⟦env.question[@3]⟧" in out
    assert "error[missing-value]" in err


@pytest.mark.usefixtures("folder")
def test_near_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name of the state that is nearly right is said with its place, and what is missing with the near name."""
    (folder / "chat.state.yaml").write_text(STATE.replace("{question: And", "{qestion: And"))
    _, err = said(capsys, "chat.acdl", "--at", "2", "--format", "openai", status=1)
    assert "warning[state-file]: steps.2.env.qestion: did you mean question?\n  --> chat.state.yaml:11:11\n" in err
    assert "= help: did you mean `qestion`?" in err
    assert "= help: `steps.2.env` is at chat.state.yaml:11:5\n" in err


def test_no_state(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a state nothing is sent, unless names may stand for everything; and that is said."""
    (folder / "chat.state.yaml").unlink()
    words = ("chat.acdl", "--format", "openai", "--model", "m", "--at", "1")
    for more in ((), ("--curl",)):
        assert said(capsys, *words, *more, status=1) == (
            "",
            "acdl: nothing is sent: there is no state; name one with `--state FILE`, "
            "or send names with `--missing placeholder`\n",
        )
    out, err = said(capsys, *words, "--missing", "placeholder")
    assert roles(out) == [("system", "⟦INSTRUCTIONS⟧"), ("user", "⟦env.question[@1]⟧")]
    assert err == (
        "acdl: 1 template has no text, so its name is sent: `INSTRUCTIONS`\n"
        "acdl: 1 value is not in the state: `env.question[@1]`\n"
    )
    (folder / "plain.acdl").write_text('Plain: { U: "hello" }\n')
    out, err = said(capsys, "plain.acdl", "--format", "openai", "--model", "m")
    assert (roles(out), err) == ([("user", "hello")], "")


def test_templates_without_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request with the name of a template in it says so, as a command too; a transcript says it once."""
    (folder / "chat.state.yaml").write_text(STATE.replace("templates: {INSTRUCTIONS: Be brief.}\n", ""))
    words = ("chat.acdl", "--at", "1")
    for more in ((), ("--curl",)):
        _, err = said(capsys, *words, "--format", "openai", "--model", "m", *more)
        assert err == "acdl: 1 template has no text, so its name is sent: `INSTRUCTIONS`\n"
    out, err = said(capsys, *words)
    assert err == "acdl: 1 template has no text: `INSTRUCTIONS`\n"
    assert "note" not in out


def test_unfilled_state(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The placeholders of a first state are never sent without a word."""
    (folder / "chat.state.yaml").unlink()
    assert main(["state", "new", "chat.acdl", "-o", "chat.state.yaml"]) == 0
    capsys.readouterr()
    words = ("chat.acdl", "--at", "1")
    still = "acdl: 2 values are still `…`: `steps.1.env.question`, `templates.INSTRUCTIONS`"
    export = ("--format", "anthropic", "--model", "m")
    out, err = said(capsys, *words, *export, status=1)
    assert out == ""
    assert err == (
        still.replace("acdl: ", "acdl: nothing is sent: ")
        + "; fill in what the agent sees, or send it as it is with `--missing placeholder`\n"
    )
    out, err = said(capsys, *words, *export, "--missing", "placeholder")
    assert json.loads(out)["messages"] == [{"role": "user", "content": "…"}]
    assert still in err
    assert said(capsys, *words)[1] == f"{still}\n"
    text = (folder / "chat.state.yaml").read_text("utf-8").replace('"…"', '"Wait…"', 2)
    (folder / "named.acdl").write_text(
        "Chat[@T]: { Name q := env.question[@T]\n U: RULES(env.question[@T])\n U: $q }\n"
    )
    (folder / "named.state.yaml").write_text(
        "acdl_state: 1\ntemplates: {RULES: 'Wait… {{q}}'}\nsteps: {1: {env: {question: …}}}\n"
    )
    assert "2 values are still `…`: `$q`, `RULES(" in said(capsys, "named.acdl", "--at", "1")[1]
    (folder / "chat.state.yaml").write_text(text, "utf-8")
    assert "Wait…" in said(capsys, *words, *export)[0]


def test_messages_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message that is not in a request is said with its place."""
    (folder / "two.acdl").write_text('P[@T]: {\n U: "hello"\n A: { If sys.no { x } }\n}\n')
    (folder / "two.state.yaml").write_text("acdl_state: 1\nsys: {no: false}\n")
    _, err = said(capsys, "two.acdl", "--format", "openai", "--model", "m")
    assert "note[no-message]: the Assistant message is left out" in err
    assert "--> two.acdl:3:2\n" in err
    assert said(capsys, "two.acdl")[1] == ""


def test_state_with_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with the state is said at its place, and makes the command fail."""
    (folder / "wrong.yaml").write_text(STATE + "stepps: 1\n")
    out, err = said(capsys, "chat.acdl", "--state", "wrong.yaml", "--format", "openai", status=1)
    assert out == ""
    assert "--> wrong.yaml:12:1" in err
    assert "did you mean" in err
    out, _ = said(capsys, "chat.acdl", "--state", "wrong.yaml", "--tokens", "none", status=1)
    assert "And now?" in out
    (folder / "wrong.yaml").write_text("- 1\n")
    out, err = said(capsys, "chat.acdl", "--state", "wrong.yaml", status=1)
    assert out == ""
    assert "error[state-file]" in err


def test_spec_with_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is understood is shown; the command fails."""
    (folder / "bad.acdl").write_text("Bad[@T]: {\n  U: { env.q[@T }\n  S: INSTRUCTIONS\n}\n")
    out, err = said(capsys, "bad.acdl", status=1)
    assert "⟦INSTRUCTIONS⟧" in out
    assert "error[syntax]" in err


@pytest.mark.usefixtures("folder")
def test_blocks_of_pages(capsys: pytest.CaptureFixture[str]) -> None:
    """A block of a page is named behind `#` or with `--spec`."""
    for words in (("page.md#Two",), ("page.md", "--spec", "Two")):
        out, _ = said(capsys, *words, "--tokens", "none")
        assert "Two at @1, half-open ranges (page.md)" in out
        assert "\n6 | User\n  |   ⟦env.two[@1]⟧\n" in out
    _, err = said(capsys, "page.md", status=2)
    assert err == "acdl: page.md: has 2 blocks; say which spec with --spec: `One`, `Two`\n"
    _, err = said(capsys, "page.md#Twoo", status=2)
    assert err == "acdl: page.md: there is no spec `Twoo`; did you mean `Two`?\n"


def test_state_of_a_block(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The state beside a page is called like the page or like the spec."""
    (folder / "Two.state.json").write_text('{"acdl_state": 1, "env": {"two": {"1": "hello"}}}')
    assert "hello" in said(capsys, "page.md#Two")[0]


def test_states_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each spec of a file has the state that names it, and the others the one that is called like the file."""
    (folder / "both.acdl").write_text("One[@T]: { U: env.one }\nTwo[@T]: { U: env.one }\n")
    (folder / "both.state.yaml").write_text("acdl_state: 1\nenv: {one: shared}\n")
    (folder / "both.second.state.yaml").write_text("acdl_state: 1\nspec: Two\nenv: {one: its own}\n")
    assert "shared" in said(capsys, "both.acdl")[0]
    assert "shared" in said(capsys, "both.acdl#One")[0]
    assert "its own" in said(capsys, "both.acdl#Two")[0]


def test_fragments_of_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`// acdl: use` is followed, and a place in another file is named with it."""
    (folder / "turns.acdl").write_text("RolesFrag Turn[@T]: { U: env.question[@T] }\n")
    (folder / "uses.acdl").write_text("// acdl: use turns.acdl\nUses[@T]: { Frag Turn[@T] }\n")
    (folder / "plain.yaml").write_text(STATE.replace("spec: Chat", "spec: Uses"))
    out, err = said(capsys, "uses.acdl", "--state", "plain.yaml", "--at", "1", "--tokens", "none")
    assert "Turn  turns.acdl:1 | User\n" in out
    assert "Hello?" in out
    assert "error" not in err


@pytest.mark.usefixtures("folder")
def test_options_reach_the_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    """Ranges, joiner and empty messages are as the command line says, whatever the state says."""
    out, _ = said(capsys, "chat.acdl", "--at", "2", "--range", "half-open", "--format", "openai", "--model", "m")
    assert [role for role, _ in roles(out)] == ["system", "user"]
    spec = "P[@T]: {\n S: { ONE TWO }\n U: { If sys.no { x } }\n}\n"
    Path("two.acdl").write_text(spec)
    Path("two.state.yaml").write_text("acdl_state: 1\ntemplates: {ONE: 'one', TWO: 'two'}\nsys: {no: false}\n")
    out, _ = said(capsys, "two.acdl", "--joiner", r"\n\n--", "--empty", "keep", "--format", "openai", "--model", "m")
    assert roles(out)[0] == ("system", "one\n\n--two")
    assert len(roles(out)) == 2


def test_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results go to a file; spec and state come from standard input too."""
    assert said(capsys, "chat.acdl", "--format", "html", "-o", "out/chat.html") == ("", "")
    page = (folder / "out" / "chat.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count('class="acdl-sent-point"') == 2
    assert "<svg" in page
    command = [sys.executable, "-m", "acdl_mkdocs", "unroll", "-", "--state", "chat.state.yaml", "--at", "1"]
    ran = subprocess.run(command, input=SPEC, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    assert "Hello?" in ran.stdout
    command = [sys.executable, "-m", "acdl_mkdocs", "unroll", "chat.acdl", "--state", "-", "--at", "1"]
    ran = subprocess.run(command, input=STATE, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    assert "Hello?" in ran.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param(("cat.acdl",), "cat.acdl: does not exist; did you mean chat.acdl?", id="no file"),
        pytest.param(("chat.acdl", "--state", "x.yaml"), "x.yaml: does not exist", id="no state"),
        pytest.param((".",), ".: is a folder; name one .acdl file or page in it", id="folder"),
        pytest.param(("chat.acdl", "--at", "0"), "`0` is before the first step", id="step 0"),
        pytest.param(("chat.acdl", "--at", "x"), "`x` is not a point in time", id="no point"),
        pytest.param(("chat.acdl", "--at", "2..1"), "write `1..2`", id="backwards"),
        pytest.param(("chat.acdl", "--at", "1..99999"), "more than 1000 points", id="too many"),
        pytest.param(("chat.acdl", "--spec", "Caht"), "did you mean `Chat`?", id="no spec"),
        pytest.param(("chat.acdl", "--tokens", "o200k"), "did you mean `o200k_base`?", id="no encoding"),
        pytest.param(("chat.acdl", "--curl"), "--curl sends a request", id="curl of a transcript"),
        pytest.param(("chat.acdl", "--model", "m"), "--model is part of a request", id="model of a transcript"),
        pytest.param(("-", "--state", "-"), "both the spec and the state", id="one standard input"),
    ],
)
def test_could_not_run(words: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong request is one sentence with a cure, and status 2."""
    out, err = said(capsys, *words, status=2)
    assert out == ""
    assert reason in err
    assert err.count("\n") == 1
    assert err.startswith("acdl: ")


def test_hostile_state(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing that a state says acts on a terminal, not even in messages."""
    (folder / "chat.state.yaml").write_text(
        STATE.replace("Hello?", r'"\e[31m\x9b1m"')
        .replace("Yes.", r'"\e[2J\n"')
        .replace("INSTRUCTIONS:", r'"X\e[2J\u202e": red, INSTRUCTIONS:')
        .replace("question: And", r'"question\u202e": "\u2066", question: And')
    )
    (folder / "\u202ename.acdl").write_text("P[@T]: { U: env.\u202equestion }\n")
    (folder / "chat.acdl").write_text(SPEC.replace("env.question[@T]", "env.by[resp.answer[@1]]"))
    for name in ("transcript", "json", "html", "growth", "openai"):
        main(["unroll", "chat.acdl", "--format", name, "--at", "1"])
        out, err = capsys.readouterr()
        assert not {"\x1b", "\x9b", "\x07", "\u202e", "\u2066"} & {*out, *err}
    for words in (["unroll", "chat.acdl", "--spec", "\u202e"], ["unroll", "\u202ename.acdl"], ["unroll", "x\u202e"]):
        main([*words, "--at", "1"])
        out, err = capsys.readouterr()
        assert "<U+202E>" in out + err
        assert "\u202e" not in out + err
