"""Statements that several prompts share become a fragment, if the file is shorter then."""

from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.runs.infer.fragments import share_fragments
from inference.talks import GUIDE, PLAN, record, talk

LOOP = """\
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        PromptEndsHere when @t == @T
        A: resp.answer[@t]
    }
"""
FRAGMENT = f"RolesFrag Conversation[@T]: {{\n{LOOP}}}\n"


def prompt(name: str, body: str, time: str = "@T") -> str:
    """Write a prompt with a comment."""
    return f'// requests: system="{name}"\n{name}[{time}]: {{\n{body}}}\n'


@pytest.mark.parametrize(
    ("texts", "shared", "fragments"),
    [
        pytest.param(
            [prompt("One", f"    S: INSTRUCTIONS\n{LOOP}"), prompt("Two", f"{LOOP}    S: REMINDER\n")],
            [
                prompt("One", "    S: INSTRUCTIONS\n    Frag Conversation[@T]\n"),
                prompt("Two", "    Frag Conversation[@T]\n    S: REMINDER\n"),
            ],
            [FRAGMENT],
            id="a loop",
        ),
        pytest.param(
            [prompt("Conversation", LOOP), prompt("Two", LOOP)],
            [prompt("Conversation", "    Frag Conversation_2[@T]\n"), prompt("Two", "    Frag Conversation_2[@T]\n")],
            [FRAGMENT.replace("Conversation", "Conversation_2")],
            id="a name that is taken",
        ),
    ],
)
def test_shared(texts: list[str], shared: list[str], fragments: list[str]) -> None:
    """Each prompt uses the fragment where it had the statements."""
    assert share_fragments(texts) == (shared, fragments)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param(prompt("One", LOOP), prompt("Two", LOOP, "@T.I"), id="of other times"),
        pytest.param(
            prompt("One", LOOP.replace("    U", "    S: HINT\n        U")),
            prompt("Two", LOOP.replace("    U", "    S: HINT\n        U")),
            id="templates, whose texts differ",
        ),
        pytest.param(
            prompt("One", "    U: env.question[@T]\n"), prompt("Two", "    U: env.question[@T]\n"), id="short"
        ),
        pytest.param(prompt("One", LOOP), prompt("Two", LOOP.replace("answer", "reply")), id="other names"),
        pytest.param(
            prompt("One", LOOP.replace("range(1", "range(@$start")),
            prompt("Two", LOOP.replace("range(1", "range(@$start")),
            id="names of the prompt",
        ),
    ],
)
def test_not_shared(one: str, two: str) -> None:
    """What is not the same, or too short, stays as it is."""
    assert share_fragments([one, two]) == ([one, two], [])


def test_inferred_agents_share_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file agrees with the recordings, is in normal form, and has no problem."""
    monkeypatch.chdir(tmp_path)
    record("both.jsonl", [*talk(GUIDE), *talk(PLAN)])
    assert main(["infer", "both.jsonl", "-o", "both.acdl"]) == 0
    text = Path("both.acdl").read_text("utf-8")
    assert text.endswith(FRAGMENT)
    assert text.count("    Frag Conversation[@T]\n") == 2
    assert main(["check", "both.acdl"]) == 0
    assert main(["format", "--check", "both.acdl"]) == 0
    assert main(["check-run", "both.acdl", "both.jsonl", "--strict"]) == 0
