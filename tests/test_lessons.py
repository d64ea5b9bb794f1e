"""The playbook of this project is true: what its lessons say of the language is what the program does."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from exhaustive import exhaustive

from acdl_mkdocs import check, evaluate, parse
from acdl_mkdocs import format as formatted
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.language.syntax.nodes import Fragment
from acdl_mkdocs.language.syntax.nodes import Prompt as Spec
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.near_pairs import find_decided_pairs, find_near_pairs
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.playbook.store import load
from acdl_mkdocs.prompts.prompt import Call, Message, Output, Part, Prompt, Role, Text, Thinking
from acdl_mkdocs.prompts.providers import WIRES

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "playbook"
DELTAS = sorted((FOLDER / "deltas").glob("*.json"))
MOVED = {
    "acdl_mkdocs/rules/": "acdl_mkdocs/language/rules/",
    "acdl_mkdocs/wire/": "acdl_mkdocs/prompts/providers/",
}
"""Folders that lessons name as they were when they were learned: a history does not change."""
AUTHORS = "maintainers"

FOUND = [
    ("Close a message before", "U: { A: resp.x[@T-1] }", "nested-role"),
    ("Give every piece a role", "S: A_TEXT\nenv.x[@T]", "content-outside-role"),
    ("Put loops and conditions of a message in braces", "U: If env.x[@T] { A_TEXT }", "control-flow-in-one-line-role"),
    ("Use `N:` alone", "S: A_TEXT\nN: env.q[@T]", "completion-mixed-with-chat"),
    ("Use `N:` alone", "ForEach(t: range(1, @T)) { N: env.q[@t] }", "completion-mixed-with-chat"),
    ("Write wording as a template", "S: be brief please", "unquoted-text"),
    ("Count turns from 1", "U: env.question[@0]", "zero-time-index"),
    ("Name the turn of every step", "U: sys.result[@.i]", "time-without-turn"),
    ("`@t` has no value there", "U: sys.result[@t.1]", "unbound-index"),
    (
        "With half-open ranges end",
        "ForEach(t: range(1, @T-1)) { U: env.q[@t] }\nU: env.q[@T]",
        "range-excludes-current",
    ),
    ("Never read `resp.answer[@T]`", "A: resp.answer[@T]", "resp-before-answer"),
    ("Read nothing that is later", "U: env.q[@T+1]", "future-time-index"),
    (
        "Loop over a list itself",
        "U: { Name docs := f(env.q)\nForEach(i: range(1, $docs.len)) { $docs[i].x } }",
        "range-excludes-last",
    ),
    ("Write a step where a range runs down", "ForEach(t: range(9, 1)) { U: env.q[@t] }", "backwards-range"),
    ("Write what a decision looks at", "If sys.should_summarize { U: A_TEXT }", "condition-is-outcome"),
    (
        "the `Default` of a `Switch` last",
        "Switch env.k { Default { U: A_TEXT } Case x { U: B_TEXT } }",
        "case-after-default",
    ),
    ("as many arguments", "U: { Frag Facts[@T] }", "fragment-argument-count"),
    ("Take a `StrFrag`", "Frag Facts[@T, 1]", "string-fragment-outside-role"),
    ("Take a `StrFrag`", "U: { Frag Turn[@T] }", "role-fragment-inside-role"),
    ("it sees its parameters", "Name docs := f(env.q)\nU: { Frag Blind[@T] }", "undefined-name"),
    ("Write `Frag` before", "U: { Facts[@T, 1] }", "missing-frag"),
    ("Begin every variable", "U: tool_requests[@T]", "implicit-namespace"),
    ("each number once", "Mark 1 { U: env.q[@T] }\nMark 1 { U: env.r[@T] }", "duplicate-mark-number"),
    ("nothing may stand behind", "U: env.q[@0] // acdl: allow(zero-time-index) as published", "unknown-pragma"),
    ("Begin a spec with `// title:`", "// tittle: A\nU: env.q[@T]", "misspelled-header"),
]
"""What a lesson warns of: some of its words, the body of a spec that makes the mistake, and the rule that finds it."""

FRAGMENTS = """
StrFrag Facts[@t, n]: { env.fact[@t] n }
StrFrag Blind[@t]: { $docs[1].x }
RolesFrag Turn[@t]: { U: env.q[@t] }
"""

SILENT = [
    ("With inclusive ranges end", "ForEach(t: range(1, @T)) { U: env.q[@t] }\nU: env.q[@T]", "inclusive"),
    ("Quote the values of conditions", "If sys.mode == serach { U: A_TEXT }", "half-open"),
    (
        "Inside a loop over turns",
        "ForEach(t: range(1, @T)) { ForEach(i: range(1, @T.substeps)) { T: sys.r[@t.i] } }",
        "inclusive",
    ),
    (
        "`tool_responses` beside",
        "ForEach(i: range(1, I+1)) { A: sys.u[@T.i].tool_response\nT: sys.u[@T.i].tool_responses }",
        "half-open",
    ),
]
"""What no rule finds, so that a lesson is all there is: some of its words, a body, and how ranges are read."""

STATE: Mapping[str, object] = {
    "acdl_state": 1,
    "args": {"who": "ada"},
    "steps": {
        1: {
            "env": {"q": "q1"},
            "sys": {"mode": "plan", "row": "row"},
            "resp": {"a": "a1"},
            "substeps": {1: {"sys": {"r": "r11"}}, 2: {"sys": {"r": "r12"}}},
        },
        2: {"env": {"q": "q2"}, "resp": {"a": "a2"}, "substeps": {1: {"sys": {"r": "r21"}}, 2: {"sys": {"r": "r22"}}}},
        3: {"env": {"q": "q3"}},
    },
    "sys": {"row": {1: "column"}, "nothing": ""},
    "hold": ["sys.mode"],
    "functions": {"f": [{"args": ["q1"], "returns": ["d1", "d2"]}, {"args": "*", "returns": []}]},
    "templates": {"A_TEXT": "A", "B_TEXT": "B"},
}

LOOP = "ForEach(t: range(1, @T)) {{ U: env.q[@t]\nForEach(i: range(1, @{}.substeps)) {{ T: sys.r[@t.i] }} }}"
WRITTEN_OUT = "ForEach(t: range(1, {})) {{ U: env.q[@t] }}\nU: env.q[@T]"

SENT = [
    ("With inclusive ranges end", WRITTEN_OUT.format("@T"), "3", "inclusive", ["q1", "q2", "q3", "q3"]),
    ("With inclusive ranges end", WRITTEN_OUT.format("@T-1"), "3", "inclusive", ["q1", "q2", "q3"]),
    ("With half-open ranges end", WRITTEN_OUT.format("@T-1"), "3", "half-open", ["q1", "q3"]),
    ("With half-open ranges end", WRITTEN_OUT.format("@T"), "3", "half-open", ["q1", "q2", "q3"]),
    ("Inside a loop over turns", LOOP.format("T"), "2.1", "inclusive", ["q1", "r11", "q2", "r21"]),
    ("Inside a loop over turns", LOOP.format("t"), "2.1", "inclusive", ["q1", "r11", "r12", "q2", "r21"]),
    ("Say what `I` counts", "ForEach(i: range(1, I)) { T: sys.r[@T.i] }", "2.3", "half-open", ["r21", "r22"]),
    ("Say what `I` counts", "ForEach(i: range(1, I + 1)) { T: sys.r[@T.i] }", "2.2", "half-open", ["r21", "r22"]),
    (
        "Loop over the finished calls",
        "ForEach(i: range(1, @T.substeps)) { T: sys.r[@T.i] }",
        "2.2",
        "inclusive",
        ["r21", "r22"],
    ),
    ("of a later turn is 0", "ForEach(i: range(1, @2.substeps)) { U: A_TEXT }\nU: B_TEXT", "1.1", "inclusive", ["B"]),
    ("A `Mark` is no block", "Mark 1 { Name d := env.q[@T] }\nU: $d", "1", "half-open", ["q1"]),
    ("Let a window begin", "U: { ForEach(t: range(@T-5, @T)) { env.q[@t] } }", "3", "half-open", ["q1\nq2"]),
    ("Quote the values", "If sys.mode[@T] == pln { U: A_TEXT } Else { U: B_TEXT }", "1", "half-open", ["B"]),
    ("Give a state what its conditions", "If sys.gone[@T] { U: A_TEXT } Else { U: B_TEXT }", "1", "half-open", ["B"]),
    ("List under `hold`", "S: sys.mode[@T]", "3", "half-open", ["plan"]),
    ("the row of `steps` wins", "S: sys.row[@T]", "1", "half-open", ["row"]),
    ("Give a function a sample", "U: { ForEach(d: f(env.q[@T])) { d } }\nU: A_TEXT", "1", "half-open", ["d1\nd2", "A"]),
    ("Give a function a sample", "U: { ForEach(d: f(env.q[@T])) { d } }\nU: A_TEXT", "2", "half-open", ["A"]),
    ("Expect a message without", "S: { If @T > 5 { A_TEXT } }\nU: B_TEXT", "1", "half-open", ["B"]),
    ("neighbours are not merged", "U: A_TEXT\nU: B_TEXT", "1", "half-open", ["A", "B"]),
    ("Give every piece a role", "S: A_TEXT\nenv.q[@T]", "1", "half-open", ["A"]),
    ("without one it is empty", "U: { ForEach(t: range(3, 1)) { env.q[@t] } }\nU: A_TEXT", "3", "half-open", ["A"]),
    ("without one it is empty", "U: { ForEach(t: range(@T, 0, -1)) { env.q[@t] } }", "3", "half-open", ["q3\nq2\nq1"]),
    (
        "under `If @T == @t`",
        "ForEach(t: range(1, @T)) { U: { env.q[@t] If @T == @t { A_TEXT } } }",
        "2",
        "inclusive",
        ["q1", "q2\nA"],
    ),
    (
        "Turn slices into bounds",
        "U: { ForEach(t: range(max(1, @T-2), @T)) { env.q[@t] } }",
        "3",
        "half-open",
        ["q1\nq2"],
    ),
]
"""What a lesson says that is sent: some of its words, a body, the point, how ranges are read, and the messages."""


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    """The playbook as it is committed."""
    loaded = load(FOLDER / "playbook.yaml")
    assert loaded.playbook is not None, loaded.problems
    return loaded.playbook


def lesson(playbook: Playbook, words: str) -> Bullet:
    """The one active bullet that has these words."""
    (found,) = [bullet for bullet in playbook.active if words in bullet.content]
    return found


@pytest.mark.parametrize(("words", "body", "rule"), FOUND, ids=[f"{words}-{rule}" for words, _, rule in FOUND])
def test_mistake_is_found(words: str, body: str, rule: str, playbook: Playbook) -> None:
    """The rule that a lesson is about finds the mistake that it warns of."""
    assert lesson(playbook, words)
    spec = f"P[@T]: {{\n{body}\n}}\n{FRAGMENTS}"
    spec = f"{body.partition(chr(10))[0]}\nP[@T]: {{\n}}\n" if body.startswith("// t") else spec
    assert rule in {found.rule for found in check(spec, Config(range="half-open"))}


@pytest.mark.parametrize(("words", "body", "ranges"), SILENT, ids=[words for words, _, _ in SILENT])
def test_mistake_is_not_found(words: str, body: str, ranges: str, playbook: Playbook) -> None:
    """Where a lesson says that no rule helps, none does."""
    assert lesson(playbook, words)
    assert not check(f"P[@T.I]: {{\n{body}\n}}\n", Config(range=ranges))  # type: ignore[arg-type]


@pytest.mark.parametrize(("words", "body", "at", "ranges", "texts"), SENT)
def test_what_is_sent(words: str, body: str, at: str, ranges: str, texts: list[str], playbook: Playbook) -> None:
    """A spec sends what a lesson says of it."""
    assert lesson(playbook, words)
    sent = evaluate(f"P[@T.I]: {{\n{body}\n}}\n", STATE, at, range=ranges)  # type: ignore[arg-type]
    assert [message.text for message in sent.messages] == texts


def test_signs_of_conditions(playbook: Playbook) -> None:
    """The formatter writes the signs that a lesson names."""
    assert lesson(playbook, "Join conditions with `&` and `|`")
    assert "If env.a & env.b & env.c | env.d {" in formatted(
        "P: { If env.a and env.b && env.c or env.d { U: A_TEXT } }"
    )


def message(role: Role, *parts: Part) -> Message:
    """A message of these parts."""
    return Message(role, parts)


LOSSES = [
    (
        "Put instructions first",
        "anthropic",
        [message("user", Text("q")), message("system", Text("s"))],
        "`<system>` tags",
    ),
    ("Put instructions first", "gemini", [message("user", Text("q")), message("system", Text("s"))], "`<system>` tags"),
    ("Begin with a User message", "anthropic", [message("assistant", Text("a"))], "requires a user message first"),
    ("Begin with a User message", "gemini", [message("assistant", Text("a"))], "requires a user message first"),
    (
        "Send a result only behind",
        "openai",
        [message("tool", Output((Text("4"),), "c", "f"))],
        "sent as text of a user message",
    ),
    (
        "Do not count on earlier thoughts",
        "openai",
        [message("assistant", Thinking("h"), Text("a"))],
        "thinking is not sent",
    ),
    (
        "Do not count on earlier thoughts",
        "anthropic",
        [message("assistant", Thinking("h"), Text("a"))],
        "what it signed itself",
    ),
    ("Expect `N:` to arrive", "openai", [message("none", Text("q"))], "text without a role is sent as a user message"),
    ("Say `max_tokens`", "anthropic", [message("user", Text("q"))], "4096 is filled in"),
]
"""What a lesson says of a request: some of its words, the format, the messages, and what is told."""


@pytest.mark.parametrize(("words", "wire", "messages", "told"), LOSSES)
def test_what_is_told(words: str, wire: str, messages: list[Message], told: str, playbook: Playbook) -> None:
    """A request loses what a lesson says that it does."""
    assert lesson(playbook, words)
    losses = WIRES[wire].write(Prompt(tuple(messages)), "m").losses
    assert any(told in loss.sentence for loss in losses), [loss.sentence for loss in losses]


def test_failed_results(playbook: Playbook) -> None:
    """Chat Completions has the flag of an error in the text, Anthropic in a field."""
    assert lesson(playbook, "have no flag for errors")
    failed = Prompt(
        (
            message("user", Text("q")),
            message("assistant", Call("f", {}, "c")),
            message("tool", Output((Text("no"),), "c", "f", is_error=True)),
        )
    )
    assert "is_error" in json.dumps(WIRES["anthropic"].write(failed, "m").body)
    assert 'status=\\"error\\"' in json.dumps(WIRES["openai"].write(failed, "m").body)


def test_size(playbook: Playbook) -> None:
    """It is large enough to be used, and stands in several sections."""
    assert len(playbook.active) >= 40
    assert len(DELTAS) >= 15
    assert len({bullet.section for bullet in playbook.active}) >= 6


def test_sources(playbook: Playbook) -> None:
    """Each lesson says where it was learned; files exist."""
    for bullet in playbook.bullets:
        assert bullet.source, bullet.content
        for source in bullet.source:
            assert source.by == AUTHORS
            assert source.reference, bullet.content
            if not source.reference.startswith("commit: "):
                path = source.reference.partition("#")[0]
                for old, new in MOVED.items():
                    path = path.replace(old, new)
                assert (ROOT / path).exists(), source.reference


def test_applies_to(playbook: Playbook) -> None:
    """Specs and fragments that lessons are about are those of the examples."""
    known = set()
    for path in (ROOT / "examples").glob("*.acdl"):
        for node in parse(path).file.items:
            if isinstance(node, Spec | Fragment):
                known.add(f"{'acdl' if isinstance(node, Spec) else 'fragment'}:{node.name.name}")
    named = {name for bullet in playbook.bullets for name in bullet.applies_to}
    assert len(named) > 10
    assert named <= known


@exhaustive
def test_replay(tmp_path: Path) -> None:
    """The deltas give the committed file and its history, to the byte."""
    ran = subprocess.run(
        [sys.executable, str(FOLDER / "replay.py"), str(tmp_path)], capture_output=True, text=True, encoding="utf-8"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for name in ("playbook.yaml", "playbook.history.jsonl"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), (
            f"{name}: python examples/playbook/replay.py"
        )


def test_history_shows_real_cases() -> None:
    """The history has merges, decisions, corrections and an archive."""
    events = [json.loads(line) for line in (FOLDER / "playbook.history.jsonl").read_text("utf-8").splitlines()]
    counts = Counter(event["op"] for event in events)
    assert {"ADD", "UPDATE", "TAG", "REMOVE", "PIN", "MERGED", "KEEP", "SECTION"} <= set(counts), counts


def test_pairs_are_decisions(playbook: Playbook) -> None:
    """The file links only what a person decided, and the look-alikes that matter are among it."""
    assert find_decided_pairs(playbook) == playbook.pairs
    assert {(pair.verdict, pair.by) for pair in playbook.pairs} == {("differs", "person")}
    inclusive, half_open = lesson(playbook, "With inclusive ranges end"), lesson(playbook, "With half-open ranges end")
    assert [pair for pair in playbook.pairs if {pair.a, pair.b} == {inclusive.id, half_open.id}]
    near = find_near_pairs(playbook, load_similarity("ngrams"))
    assert len(near) <= 1.5 * len(playbook.active)
    assert near[0].score < 0.9


def test_verify() -> None:
    """Nothing is wrong with the file or its history."""
    command = [sys.executable, "-m", "acdl_mkdocs", "playbook", "verify", str(FOLDER / "playbook.yaml")]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_deltas_are_written_in_order() -> None:
    """Deltas are numbered from 1 without a gap, and each says what it is for."""
    numbers = [int(re.match(r"\d+", path.name)[0]) for path in DELTAS]  # type: ignore[index]
    assert numbers == list(range(1, len(DELTAS) + 1))
    for path in DELTAS:
        delta = json.loads(path.read_text("utf-8"))
        assert delta["reasoning"], path.name
        assert delta["operations"], path.name
