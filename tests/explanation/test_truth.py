"""What an explanation says of every example is what its evaluation does, with and without a state."""

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import strategies
from exhaustive import exhaustive
from hypothesis import given

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.explain.explain import explain
from acdl_mkdocs.evaluation.explain.model import Explanation, Message
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import ForEach, Fragment, NameDef, NameRef, Prompt, Range, TimeIndex, walk

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.acdl") if ".cache" not in path.parts)
TURNS = ("1", "2", "3", "4", "5")


@cache
def understood(path: Path) -> Resolved:
    """An example."""
    return parse_and_resolve(Source(path.read_text("utf-8"), path.name)).resolved


def explanations(path: Path) -> list[Explanation]:
    """Those of the specs of an example."""
    return [each for each in explain(understood(path)) if each.kind in ("chat", "completion")]


def states_of(path: Path) -> Iterator[State]:
    """The states beside an example."""
    for file in sorted(path.parent.glob(f"{path.stem}*.state.yaml")):
        if file.name.partition(".")[0] == path.stem:
            read = read_state(file.read_text("utf-8"), file.name, file.parent)
            assert read.state is not None
            yield read.state


def transcripts(path: Path, told: Explanation) -> Iterator[Transcript]:
    """What a spec sends: without a state, and with each state that is for it, at every turn and step that there is."""
    resolved = understood(path)
    options = Options(spec=told.name, missing="placeholder")
    for at in TURNS:
        yield evaluate(resolved, None, at, options)
    for state in states_of(path):
        if state.spec in (None, told.name):
            turns = range(1, state.last_step + 1)
            steps = [f"{turn}.{step}" for turn in turns for step in range(1, state.substeps((turn,)) + 1)]
            for point in (*map(str, parse_points(state.at or "1", state)), *map(str, turns), *steps):
                yield evaluate(resolved, state, point, options)


def place(message: Message) -> tuple[str, int, str]:
    """By what a message is known: two of a role in one line are one."""
    return message.file, message.line, message.role


def is_true(told: Explanation, transcript: Transcript) -> None:
    """Hold what is said of messages against what is sent."""
    written = Counter(map(place, told.messages))
    sent = Counter((each.origin.source.name, each.origin.line, str(each.role)) for each in transcript.messages)
    assert set(sent) <= set(written), (told.name, transcript.at)
    for message in told.messages:
        key = place(message)
        where = (told.name, str(transcript.at), message)
        others = [each for each in told.messages if place(each) == key]
        if any("at each use" in each.when for each in others):
            continue
        n_least = sum(each.when == "always" for each in others)
        assert sent[key] >= n_least, where
        most = [n_most(each.when) for each in others]
        assert sent[key] <= sum(most), where


def n_most(when: str) -> float:
    """How often a message can be sent at most, as far as is said."""
    if when.startswith("never"):
        return 0
    loops = when.count("for each")
    windows = [int(each.partition(")")[0]) for each in when.split("(never more than ")[1:]]
    return math.prod(windows) if len(windows) == loops else math.inf


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=exhaustive if path.stem == "pokemon" else ()) for path in EXAMPLES],  # the longest
    ids=lambda path: path.stem,
)
def test_messages(path: Path) -> None:
    """Every message that is sent is told; one that is always sent is sent once, and one that never is, never."""
    for told in explanations(path):
        for transcript in transcripts(path, told):
            is_true(told, transcript)


@given(strategies.files)
def test_messages_of_any_text(text: str) -> None:
    """So it is of specs that nobody would write."""
    resolved = parse_and_resolve(Source(text, "p.acdl")).resolved
    for told in explain(resolved):
        if told.kind in ("chat", "completion") and len(resolved.definitions[told.name]) == 1 and not told.unknown:
            for at in ("1", "2", "3.1"):
                is_true(told, evaluate(resolved, None, at, Options(spec=told.name, missing="placeholder")))


EARLY = [
    *("@T", "@T-0", "@T-1", "@T-2", "(@T)-2", "((@T)) - 2", "(@T-1)-1", "@T+1-2", "@T+(-2)"),
    *("1+(@T-2)", "1+(@T-4)", "(@T-3)+1", "@3-1", "@1-2", "T-1", "T-2"),
    *("@T*1-2", "-(@T-5)", '"x" + (@T-2)', "(@T-2)*3", "f(@T-2)", "env.x[@T-2]", "1-2"),
]
"""Sums with a time in them, of which nothing is sent where they are before the turn 0; and what is not a time."""


@pytest.mark.parametrize("value", EARLY)
def test_early_times(value: str) -> None:
    """A sum with a time in it is always sent if it is sent at all turns, the first too, and not otherwise."""
    resolved = parse_and_resolve(Source(f"P[@T]: {{ U: {{ {value} }} }}", "p.acdl")).resolved
    (told,) = explain(resolved)
    sent = [evaluate(resolved, None, at, Options(missing="placeholder")).messages for at in TURNS]
    assert (told.messages[0].when == "always") == all(sent)


@pytest.mark.parametrize(
    "text",
    [
        "P[@T.I]: { U: @T.I-1 }",
        "P[@T]: { U: { Frag F[@T-5] } }\nStrFrag F[@t]: { @t }",
        "P[@T]: { U: { Frag F[@T-5] } }\nStrFrag F[@t]: { @t+1 }",
        "P[@T]: { Name C := @T-5 U: @$C }",
        "P[@T]: { Name C := @T-5 U: $C+1 }",
    ],
)
def test_times_that_may_be_early(text: str) -> None:
    """A time that a fragment is given, or a name has, or one before the first step, may be before all that is sent."""
    resolved = parse_and_resolve(Source(text, "p.acdl")).resolved
    assert not evaluate(resolved, None, "1", Options(spec="P", missing="placeholder")).messages
    assert explain(resolved, "P")[0].messages[0].when == "always, if there is anything in it"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_first_points(path: Path) -> None:
    """The table of first points begins with the first prompt, and is what is sent without a state."""
    for told in explanations(path):
        assert told.moments[0].at == "1"
        for moment in told.moments:
            sent = evaluate(understood(path), None, moment.at, Options(spec=told.name, missing="placeholder"))
            assert tuple(each.role for each in sent.messages) == moment.roles
            assert set(moment.undecided) == {each.condition for each in sent.choices}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_uses_of_names(path: Path) -> None:
    """A name is used as often as names are resolved to it."""
    resolved = understood(path)
    for told in explanations(path):
        (definition,) = [each.node for each in resolved.definitions[told.name]]
        expected: dict[tuple[str, int], int] = {}
        for node in walk(definition):
            for target in node.targets if isinstance(node, NameDef) else ():
                uses = [use for use, bound in resolved.bindings.items() if bound is target]
                assert all(isinstance(use, NameRef | TimeIndex) for use in uses)
                name = resolved.source.text[target.span.start : target.span.end].lstrip("$@")
                expected[name, resolved.source.find_place(node.span.start).line] = len(uses)
        own = {(each.name, each.line): each.n_uses for each in told.names}
        assert {key: own.get(key) for key in expected} == expected


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_growth(path: Path) -> None:
    """A loop that makes more rounds at each turn is told, and one that is told without an end makes more."""
    resolved = understood(path)
    for told in explanations(path):
        (definition,) = [each.node for each in resolved.definitions[told.name]]
        runs = [evaluate(resolved, None, at, Options(spec=told.name, missing="placeholder")) for at in TURNS]
        lines = {int(each.split(":")[0].removeprefix("line ")): each for each in told.growing}
        for loop, outer in loops_in(definition):
            rounds = [run.counts.get(loop, 0) for run in runs]
            line = resolved.source.find_place(loop.span.start).line
            is_told = line in lines or any(resolved.source.find_place(each.span.start).line in lines for each in outer)
            if rounds == sorted(set(rounds)):
                assert is_told, (told.name, line, rounds)
            entry = lines.get(line, "")
            is_plain = entry and not outer and "step" not in entry and not entry.endswith(")")
            if is_plain and isinstance(loop.iterable, Range) and rounds[-1]:
                assert rounds == sorted(rounds), (told.name, line, rounds)
                assert rounds[-1] > rounds[1], (told.name, line, rounds)


def loops_in(definition: Prompt | Fragment) -> list[tuple[ForEach, tuple[ForEach, ...]]]:
    """The loops of a spec with those around each."""
    every = [each for each in walk(definition) if isinstance(each, ForEach)]
    return [(loop, tuple(each for each in every if each is not loop and loop in set(walk(each)))) for loop in every]
