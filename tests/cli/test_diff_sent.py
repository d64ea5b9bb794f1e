"""`acdl diff` with a state, with names of specs, with other formats; what the exit status is about."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.frontends.cli.main import main

OLD = "P[@T]: {\n    ForEach(t: range(1, @T)) { U: env.q[@t] }\n    U: env.q[@T]\n}\n"
SAME = "P[@T]: {\n    ForEach(t: range(1, @T+1)) { U: env.q[@t] }\n}\n"
OTHER = "P[@T]: {\n    ForEach(t: range(1, @T+1)) { A: env.q[@t] }\n}\n"
STATE = "acdl_state: 1\nenv: {q: {1: one, 2: two, 3: three}}\n"
VARIANTS = """\
// acdl: range=half-open
Var1[@T]: { S: RULES U: Frag Q[@T] }
// the other one
Var2[@T]: { S: RULES A: Frag Q[@T] }
StrFrag Q[@t]: { env.q[@t] }
"""


@pytest.fixture
def texts(folder: Path) -> Path:
    """Specs and states in the working folder."""
    for name, text in {
        "old.acdl": OLD,
        "same.acdl": SAME,
        "other.acdl": OTHER,
        "s.state.yaml": STATE,
        "late.state.yaml": STATE.replace("two", "zwei"),
        "variants.acdl": VARIANTS,
    }.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.mark.usefixtures("texts")
def test_same_sent(capsys: pytest.CaptureFixture[str]) -> None:
    """With a state the status is about what is sent; it can be asked for the other one."""
    words = ["diff", "old.acdl", "same.acdl", "--tokens", "estimate"]
    assert main(words) == 1
    capsys.readouterr()
    assert main([*words, "--state", "s.state.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[-5:] == [
        "messages of P (model tokens in estimate (characters / 3.6))",
        "  = @1 to @3 (3 points)  the same",
        "prompt cache: the previous prompt is a prefix at 2 of 2 points",
        "the specs differ, but send the same messages at all points tested; another state may show a difference",
        "the messages are the same at all 3 points tested",
    ]
    assert main([*words, "--state", "s.state.yaml", "--exit", "structure"]) == 1
    assert main([*words, "--exit", "sent"]) == 1
    (Path("renamed.acdl")).write_text(OLD.replace("(t:", "(u:").replace("@t]", "@u]"), "utf-8")
    assert main(["diff", "old.acdl", "renamed.acdl"]) == 1
    assert main(["diff", "old.acdl", "renamed.acdl", "--exit", "sent"]) == 0


@pytest.mark.usefixtures("texts")
def test_one_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    """One model token, and one message more than are shown."""
    Path("a.acdl").write_text("P[@T]: { U: env.a[@T] }", "utf-8")
    Path("b.acdl").write_text("P[@T]: { U: env.b[@T] }", "utf-8")
    Path("ab.yaml").write_text("acdl_state: 1\nat: 1\nenv: {a: {1: yes}, b: {1: no}}\n", "utf-8")
    assert main(["diff", "a.acdl", "b.acdl", "--state", "ab.yaml", "--tokens", "o200k_base"]) == 1
    assert "1 changed; 1 message; 1 model token; common prefix: " in capsys.readouterr().out
    Path("b.acdl").write_text("P[@T]: { U: env.a[@T] " + "S: env.b[@T] " * 13 + "}", "utf-8")
    assert main(["diff", "a.acdl", "b.acdl", "--state", "ab.yaml"]) == 1
    assert "      … 1 more message\n" in capsys.readouterr().out


@pytest.mark.usefixtures("texts")
def test_other_sent(capsys: pytest.CaptureFixture[str]) -> None:
    """Point by point, with the words and the places of both sides."""
    words = ["diff", "old.acdl", "other.acdl", "--tokens", "none", "--state", "s.state.yaml"]
    assert main([*words, "--at", "1..2"]) == 1
    shown = capsys.readouterr().out
    assert (
        """\
messages of P
  ~ @1  1 with a different role; 1 message; common prefix: 0 of 1 old messages
      ~ message 1, User -> Assistant  (old.acdl:3 -> other.acdl:2 @t=1)
          one
  ~ @2  2 with a different role; 2 messages; common prefix: 0 of 2 old messages
      ~ message 1, User -> Assistant  (old.acdl:2 @t=1 -> other.acdl:2 @t=1)
          one
      ~ message 2, User -> Assistant  (old.acdl:3 -> other.acdl:2 @t=2)
          two
"""
        in shown
    )
    assert shown.endswith("the messages differ first at @1, and at 2 of 2 points tested\n")
    assert main([*words, "--color", "always"]) == 1
    assert "\x1b[33m" in capsys.readouterr().out


@pytest.mark.usefixtures("texts")
def test_two_states(capsys: pytest.CaptureFixture[str]) -> None:
    """The same spec with another state may send something else."""
    words = ["diff", "old.acdl", "old.acdl", "--state", "s.state.yaml", "--new-state", "late.state.yaml"]
    assert main([*words, "--tokens", "none"]) == 1
    shown = capsys.readouterr().out
    assert "[-two-]{+zwei+}" in shown
    assert "the specs are equivalent: the difference comes from the states" in shown
    assert main([*words, "--exit", "structure"]) == 0


def test_state_beside(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--at` alone takes the state that lies beside the old text."""
    assert main(["diff", "old.acdl", "same.acdl", "--at", "2"]) == 2
    assert (
        "there is no state beside old.acdl; write one there, or name one for two files with `--state FILE`"
        in capsys.readouterr().err
    )
    (texts / "old.state.yaml").write_text(STATE, "utf-8")
    assert main(["diff", "old.acdl", "same.acdl", "--at", "2"]) == 0
    assert main(["diff", "old.acdl", "same.acdl", "--at", "0"]) == 2
    (texts / "old.state.yaml").write_text("acdl_state: 1\nenv: 7\n", "utf-8")
    assert main(["diff", "old.acdl", "same.acdl", "--at", "2"]) == 2
    shown = capsys.readouterr().err
    assert "old.state.yaml:2" in shown
    assert "old.state.yaml has errors" in shown


def test_points_that_fail(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are no green result."""
    (texts / "late.acdl").write_text(f"{SAME[:-2]}    If @T == 3 {{ U: env.q[@T+1] }}\n}}\n", "utf-8")
    assert main(["diff", "old.acdl", "late.acdl", "--state", "s.state.yaml"]) == 2
    shown = capsys.readouterr().out
    assert "  ! @3  could not be compared\n      new: late.acdl:3: `env.q[@4]` is later" in shown
    assert shown.endswith("the messages are the same at 2 of 3 points; 1 of 3 points could not be compared\n")


@pytest.mark.usefixtures("texts")
def test_specs_of_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Two specs of a file are compared as if they had one name; other definitions do not count."""
    assert main(["diff", "variants.acdl#Var1", "variants.acdl#Var2"]) == 1
    shown = capsys.readouterr().out
    assert "role: user -> assistant" in shown
    assert shown.endswith("1 change: the messages can differ\n")
    assert main(["diff", "variants.acdl", "variants.acdl", "--spec", "Var1", "--new-spec", "Var2"]) == 1
    assert capsys.readouterr().out == shown
    assert main(["diff", "variants.acdl#Var1", "variants.acdl", "--spec", "Var1"]) == 0
    assert main(["diff", "variants.acdl#Var1", "variants.acdl#Var3"]) == 2
    assert "variants.acdl has no spec `Var3`; did you mean `Var1`?" in capsys.readouterr().err


def test_pages(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page of one block is its text; of several, one is named."""
    (texts / "one.md").write_text(f"# Page\n\n```acdl\n{OLD}```\n", "utf-8")
    (texts / "two.md").write_text(f"# Page\n\n```acdl\n{OLD}```\n\n```acdl\n{VARIANTS}```\n", "utf-8")
    assert main(["diff", "old.acdl", "one.md"]) == 0
    assert main(["diff", "old.acdl", "two.md#P"]) == 0
    assert main(["diff", "old.acdl", "two.md"]) == 2
    assert "has 2 blocks; say which spec" in capsys.readouterr().err


def test_revision_of_a_page_and_a_spec(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of specs stand behind revisions too."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=texts, check=True)
    (texts / "variants.acdl").write_text(VARIANTS.replace("Var2[@T]: { S: RULES", "Var3[@T]: {"), "utf-8")
    assert main(["diff", "HEAD:variants.acdl#Var2", "variants.acdl"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("--- HEAD:variants.acdl\n+++ variants.acdl\n")
    assert "name renamed: Var2 -> Var3" in shown
    assert "- 4:13  S: RULES" in shown


@pytest.mark.usefixtures("texts")
def test_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """Every format says what is sent; a file can be written instead."""
    words = ["diff", "old.acdl", "same.acdl", "--state", "s.state.yaml", "--tokens", "none", "--format"]
    assert main([*words, "json"]) == 0
    assert json.loads(capsys.readouterr().out)["sent"]["verdict"] == "the messages are the same at all 3 points tested"
    assert main([*words, "html"]) == 0
    assert "With the state: the messages are the same at all 3 points" in capsys.readouterr().out
    assert main([*words, "svg"]) == 0
    assert "does not show the messages: the messages are the same at all 3 points" in capsys.readouterr().err
    assert main([*words, "markdown", "-o", "out/comment.md"]) == 0
    assert capsys.readouterr().out == ""
    assert "**With the state:** the messages are the same at all 3 points" in Path("out/comment.md").read_text("utf-8")


def test_fragments_of_other_files_in_a_revision(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are those of the revision, in files that it uses by way of others too."""
    (texts / "tools.acdl").write_text("// acdl: use deep/q.acdl\n", "utf-8")
    (texts / "deep").mkdir()
    fragment = texts / "deep" / "q.acdl"
    fragment.write_text("StrFrag Q[@t]: { env.q[@t] }\n", "utf-8")
    (texts / "uses.acdl").write_text("// acdl: use tools.acdl\nP[@T]: { U: Frag Q[@T] }\n", "utf-8")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=texts, check=True)
    asked = ["diff", "HEAD:uses.acdl", "uses.acdl", "--state", "s.state.yaml", "--tokens", "none"]
    assert main(asked) == 0
    captured = capsys.readouterr()
    assert not captured.err
    assert captured.out.startswith("no difference\n")
    assert captured.out.endswith("the messages are the same at all 3 points tested\n")
    fragment.write_text("StrFrag Q[@t]: { env.q[@t] more }\n", "utf-8")
    assert main(asked) == 1
    shown = capsys.readouterr().out
    assert "used fragment: Q of HEAD:deep/q.acdl -> Q of deep/q.acdl" in shown
    assert "used: HEAD:deep/q.acdl -> deep/q.acdl\nStrFrag Q[@t]\n  + 1:28  more\n" in shown
    assert "what differs comes from" not in shown
    assert main(asked[:3]) == 1
    assert main(["diff", "HEAD:tools.acdl", "tools.acdl"]) == 0  # it does not use the fragment itself


def test_used_file_that_a_revision_lacks(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said, and the fragment is one that only the new side has."""
    (texts / "uses.acdl").write_text("// acdl: use tools.acdl\nP[@T]: { U: Frag Q[@T] }\n", "utf-8")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=texts, check=True)
    (texts / "tools.acdl").write_text("StrFrag Q[@t]: { env.q[@t] }\n", "utf-8")
    assert main(["diff", "HEAD:uses.acdl", "uses.acdl"]) == 1
    captured = capsys.readouterr()
    assert "used fragment: nothing -> Q of tools.acdl" in captured.out
    assert "HEAD:uses.acdl:1: the file `tools.acdl` is not in `HEAD`" in captured.err


def test_undecided_conditions(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A branch that nobody has compared is no agreement; where the specs say the same, it does not matter."""
    for name, said in (("one.acdl", "If sys.unknown { A: X1 }"), ("two.acdl", "")):
        (texts / name).write_text(f"P[@T]: {{ {said} U: env.q[@T] }}\n", "utf-8")
    words = ["--state", "s.state.yaml", "--tokens", "none"]
    assert main(["diff", "one.acdl", "two.acdl", *words]) == 2
    shown = capsys.readouterr().out
    assert "? @1  the same, unless a condition holds that the state does not decide" in shown
    assert "the state does not decide sys.unknown: it counts as false" in shown
    assert main(["diff", "one.acdl", "one.acdl", *words]) == 0
    assert "undecided at 3 points" in capsys.readouterr().out


def test_bar(texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A terminal shows how many points are done, and equal texts are evaluated once."""
    (texts / "one.acdl").write_text("P[@T]: { U: env.q[@T] }\n", "utf-8")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    evaluated: list[object] = []

    def counting(*given: Any) -> Transcript:
        evaluated.append(given)
        return evaluate(*given)

    monkeypatch.setattr("acdl_mkdocs.compare.sent.sent.evaluate", counting)
    words = ["--state", "s.state.yaml", "--tokens", "none"]
    assert main(["diff", "one.acdl", "one.acdl", *words]) == 0
    assert "] 2/3" in capsys.readouterr().err
    assert len(evaluated) == 3
