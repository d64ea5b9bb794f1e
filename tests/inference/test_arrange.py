"""Conditions around lines: alternatives, lines that come together, and turns that are left out."""

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from acdl_mkdocs.app.infer import infer
from acdl_mkdocs.prompts.prompt import Json, Text
from acdl_mkdocs.runs.check_files import open_recordings
from acdl_mkdocs.runs.infer.arrange import Arranger, Block
from acdl_mkdocs.runs.infer.conditions import Iteration
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.infer.spec_values import Value
from acdl_mkdocs.runs.read.recorded import Recorded
from inference.talks import body, record

PLACES = [Iteration(Request(0, turn, 0, (), cast("Recorded", None)), turn, 0) for turn in range(1, 8)]
"""Seven requests, one a turn."""


def block(name: str, turns: Collection[int], *, has_value: bool = False) -> Block:
    """Return a block that is sent in some turns, with a value of its own or none."""
    present = {iteration for iteration in PLACES if iteration.now in turns}
    value = None
    if has_value:
        value = Value(name, name, name=f"env.{name}")
        value.known = {(0, iteration.now): (Text(name),) for iteration in present}
    return Block(PLACES, present, [f"U: {name}"], value, name.upper())


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        pytest.param(
            [block("a", {1, 2, 5}, has_value=True), block("b", {3, 4, 6, 7}, has_value=True)],
            "If env.a[@T] { U: a } Else { U: b }",
            id="one of two values",
        ),
        pytest.param(
            [block("a", {1, 2, 5}, has_value=True), block("b", {3, 7}, has_value=True)],
            "If env.a[@T] { U: a } ElseIf env.b[@T] { U: b }",
            id="at most one of two values",
        ),
        pytest.param(
            [block("a", {2, 3, 4, 5, 6, 7}, has_value=True), block("b", {1})],
            "If @T > 1 { U: a } Else { U: b }",
            id="a test instead of a value",
        ),
        pytest.param(
            [block("a", {1, 2, 5}), block("b", {3, 4, 6, 7})],
            "Switch sys.variant[@T] { Case a { U: a } Default { // b U: b } }",
            id="one of two constants",
        ),
        pytest.param(
            [block("a", {1, 4, 5}), block("b", {3, 7}), block("c", {6})],
            "Switch sys.variant[@T] { Case a { U: a } Case b { U: b } Case c { U: c } }",
            id="at most one of three constants",
        ),
        pytest.param(
            [block("a", {2, 5}, has_value=True), block("b", {2, 5}, has_value=True)],
            "If env.a[@T] { U: a U: b }",
            id="two that come together",
        ),
        pytest.param(
            [block("a", {2, 5}, has_value=True), block("b", {2, 3}, has_value=True)],
            "If env.a[@T] { U: a } If env.b[@T] { U: b }",
            id="two on their own",
        ),
        pytest.param(
            [block("a", {1}), block("b", {3, 4, 6}), block("c", {2, 7})],
            "If @T == 1 { U: a } Switch sys.variant[@T] { Case b { U: b } Case c { U: c } }",
            id="a test, and two constants",
        ),
    ],
)
def test_alternatives(blocks: list[Block], expected: str) -> None:
    """A request that has two alternatives, or none where there is always one, would contradict the spec."""
    lines = Arranger().arrange(blocks, "request", 0, "T")
    assert " ".join(" ".join(lines).split()) == expected


ROUTES = {turn: word for word, turns in {"pay": (1, 4, 5), "fix": (3, 7), "ask": (2, 6)}.items() for turn in turns}


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        pytest.param(
            [block("a", {1, 4, 5}), block("b", {3, 7}), block("c", {2, 6})],
            "Switch resp.route[@T] { Case pay { U: a } Case fix { U: b } Default { // ask U: c } }",
            id="always one",
        ),
        pytest.param(
            [block("a", {1, 4, 5}), block("b", {3, 7})],
            "Switch resp.route[@T] { Case pay { U: a } Case fix { U: b } }",
            id="none after another word",
        ),
        pytest.param(
            [block("a", {1, 4}), block("b", {3, 7})],
            "Switch sys.variant[@T] { Case a { U: a } Case b { U: b } }",
            id="none after a word that also sends one",
        ),
        pytest.param(
            [block("a", {1, 4, 3}), block("b", {5, 7})],
            "Switch sys.variant[@T] { Case a { U: a } Case b { U: b } }",
            id="not decided by the word",
        ),
    ],
)
def test_the_answer_of_a_router(blocks: list[Block], expected: str) -> None:
    """What another agent answered before each turn decides, if it says for each word which block is sent."""
    arranger = Arranger(routes={(0, turn): word for turn, word in ROUTES.items()})
    lines = arranger.arrange(blocks, "request", 0, "T")
    assert " ".join(" ".join(lines).split()) == expected


def test_names_and_words_that_are_taken() -> None:
    """A value of the state has a name of its own, and the word for nothing is none of a case."""
    arranger = Arranger(routes={(0, 1): "none", (0, 4): "none", (0, 5): "pay"}, used={"resp.route"})
    lines = list(arranger.arrange([block("a", {1, 4}), block("b", {5})], "request", 0, "T"))
    assert lines[0] == "Switch resp.route_2[@T] {"
    assert arranger.choices["resp.route_2"][0, 2] == "none_2"
    arranger.flags["sys.is_kept"] = {(0, 1): True, (0, 2): False}
    assert arranger._add_flag("sys.last_kept", {(0, 1): 1, (0, 2): 0}) == "sys.last_kept"


def test_the_state_says_what_is_missing() -> None:
    """Only values that a condition asks for are stated to be missing."""
    arranger = Arranger()
    blocks = [block("a", {1, 2, 5}, has_value=True), block("b", {3, 4, 6, 7}, has_value=True)]
    list(arranger.arrange(blocks, "request", 0, "T"))
    assert arranger.absent == {blocks[0].value: {(0, 3), (0, 4), (0, 6), (0, 7)}}


def test_what_stands_for_old_turns() -> None:
    """A summary belongs to the turns that are left out: without one of them, the other contradicts the spec."""
    bodies: list[Json] = []
    said: list[str] = []
    summary = 0
    for turn in range(1, 10):
        if turn in (4, 8):  # whenever it has become too long
            said, summary = [], turn
        said.append(f"question {turn}?")
        instructed = body("You guide.", *said)
        if summary:
            told: list[Json] = [
                {"role": "user", "content": f"Summary of the conversation: we met at pier {summary}."},
                {"role": "assistant", "content": "Understood."},
            ]
            cast("list[Json]", instructed["messages"])[1:1] = told  # type: ignore[index, call-overload]
        bodies.append(instructed)
        said.append(f"answer {turn}.")
    record("run.jsonl", [{"episode": "a", "request": each} for each in bodies])
    text = infer(partial(open_recordings, ["run.jsonl"])).text
    lines = [line.split(" //")[0].strip() for line in text.split("\n")]
    assert lines[2:9] == [
        "S: INSTRUCTIONS",
        "Name start := sys.first_turn[@T]",
        "If @$start > 1 {",
        "U: SUMMARY_CONVERSATION(sys.summary_conversation[@T])",
        "A: resp.answer",
        "}",
        "ForEach(t: range(@$start, @T)) {",
    ]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
