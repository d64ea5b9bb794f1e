"""What the paper says that its figures send, in messages written by hand from its sentences, and what is sent.

`paper/NAME.prompts` has the messages, with the sentences above them; `paper/NAME.state.yaml` the state, whose texts are
the names of the pieces. Nothing there is copied from what an evaluation gave. A spec that was published with a slip
`deviates`: its messages are those that it says, and the corrected spec sends those of the paper.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.read import read_state, state_of
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved

PAPER = Path(__file__).parent / "paper"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
HEADING = re.compile(r"= (?P<specs>[\w, ]+) @(?P<at>[\d.]+)(?: (?P<how>deviates|partly))?")
SERIES = re.compile(r"(?P<name>.+) (?P<first>\d+)\.\.(?P<last>\d+)(?: by (?P<step>\d+))?")


@dataclass(frozen=True, slots=True)
class Case:
    """What a spec sends at one point."""

    figure: str
    example: str
    spec: str
    at: str
    how: str
    """`deviates`: not what the paper says. `partly`: only the last messages are given."""
    messages: tuple[str, ...]
    errors: tuple[str, ...]

    def __str__(self) -> str:
        """As pytest names the case."""
        return f"{self.figure}: {self.spec} @{self.at}"


def cases_of(path: Path) -> list[Case]:
    """The cases of a file, one for each spec of a heading."""
    first, *lines = path.read_text("utf-8").splitlines()
    blocks: list[tuple[re.Match[str], list[str]]] = []
    for line in lines:
        if heading := HEADING.fullmatch(line):
            blocks.append((heading, []))
        elif line and not line.startswith((">", "//")):
            assert re.match(r"(system|user|assistant|tool|error): ", line), line
            blocks[-1][1].append(line)
    found: list[Case] = []
    for heading, block in blocks:
        messages = tuple(written_out(line) for line in block if not line.startswith("error: "))
        errors = tuple(line.removeprefix("error: ") for line in block if line.startswith("error: "))
        for spec in heading["specs"].split(", "):
            example = first.removeprefix("example: ")
            found.append(Case(path.stem, example, spec, heading["at"], heading["how"] or "", messages, errors))
    return found


def written_out(line: str) -> str:
    """A message with every piece of `action 1..3`."""
    role, _, pieces = line.partition(": ")
    found: list[str] = []
    for piece in pieces.split(" | "):
        series = SERIES.fullmatch(piece)
        if series is None:
            found.append(piece)
            continue
        numbers = range(int(series["first"]), int(series["last"]) + 1, int(series["step"] or 1))
        found.extend(f"{series['name']} {number}" for number in numbers)
    return f"{role}: {' | '.join(found)}"


CASES = [case for path in sorted(PAPER.glob("*.prompts")) for case in cases_of(path)]


def pokemon_state() -> Mapping[str, object]:
    """Two thousand steps of a game."""
    steps = range(1, 2101)
    sums = {str(step): f"summary {step}" for step in steps if step % 100 == 0}
    summaries: list[object] = []
    for step in (100, 200, 1000):
        for last in (step - 1, step):
            actions = [f"action {each}" for each in range(max(1, step - 100), last + 1)]
            summaries.append({"args": [actions], "returns": f"summary of actions {max(1, step - 100)} to {last}"})
    compressed = {
        "args": [[f"summary {step}" for step in range(1000, 0, -100)]],
        "returns": "summaries 1000 to 100, compressed",
    }
    critics = [
        {"args": [f"history {step}"], "returns": f"critique of history {step}"} for step in (25, 100, 125, 200, 1000)
    ]
    return {
        "acdl_state": 1,
        "templates": {
            "INTRO": "playing Pokémon Blue",
            "GOAL": "beat the game",
            "CONVENTIONS": "conventions and tips",
            "AVAILABLE_TOOLS": "two tools",
            "INSTRUCTION_TO_EXPLORE": "explore",
            "CHOOSE_ACTION": "choose an action",
        },
        "functions": {
            "summarize": summaries,
            "compress_summaries": [compressed],
            "critique_performance": critics,
        },
        "env": {"image": {"HUD": "screenshot"}, "xml_map": {str(step): f"map {step}" for step in steps}},
        "sys": {
            "history": {str(step): f"history {step}" for step in steps},
            "summary": sums,
            "compressed_summary": {str(step): f"compressed summary {step}" for step in (1000, 2000)},
        },
        "resp": {"action": {str(step): f"action {step}" for step in steps}},
        "steps": {str(step): {"env": {"image": {"HUD": f"screenshot {step}"}}} for step in steps},
    }


MADE = {"figure-7": pokemon_state}


@cache
def spec_file(name: str) -> Resolved:
    """An example, its names resolved."""
    return parse_and_resolve(Source((EXAMPLES / name).read_text("utf-8"), name)).resolved


@cache
def state_for(figure: str) -> State:
    """The state of a figure; nothing is wrong with it."""
    path = PAPER / f"{figure}.state.yaml"
    file = state_of(MADE[figure]()) if figure in MADE else read_state(path.read_text("utf-8"), path.name, PAPER)
    assert file.state is not None
    assert [each.message for each in file.problems] == []
    return file.state


def sent(example: str, spec: str, at: str, state: State, range_mode: RangeMode | None = None) -> Transcript:
    """What a spec sends; what is missing is an error."""
    return evaluate(spec_file(example), state, at, Options(spec=spec, missing="error", range=range_mode))


def lines_of(transcript: Transcript) -> tuple[str, ...]:
    """The messages, one in a line; a piece that is not given is its name in brackets."""
    found = []
    for each in transcript.messages:
        texts = (piece.text if piece.status == "given" else f"⟦{piece.resolved}⟧" for piece in each.pieces)
        found.append(f"{each.role}: {' | '.join(texts)}")
    return tuple(found)


@pytest.mark.parametrize("expected", CASES, ids=str)
def test_messages(expected: Case) -> None:
    """A spec sends what the paper says, or what its slip makes of that."""
    transcript = sent(expected.example, expected.spec, expected.at, state_for(expected.figure))
    lines = lines_of(transcript)
    assert lines[-len(expected.messages) :] == expected.messages
    assert expected.how == "partly" or len(lines) == len(expected.messages)
    found = [each.diagnostic for each in transcript.errors]
    assert sorted((each.rule, re.findall("`.*`", each.message)[0]) for each in found) == sorted(
        (rule, name) for rule, _, name in (each.partition(" ") for each in expected.errors)
    )


@pytest.mark.parametrize("expected", [case for case in CASES if case.how == "deviates"], ids=str)
def test_deviations(expected: Case) -> None:
    """Where a published spec deviates, the corrected one sends something else, without any error."""
    corrected = sent(expected.example, f"{expected.spec}Corrected", expected.at, state_for(expected.figure))
    assert lines_of(corrected) != expected.messages
    assert corrected.errors == ()
    same_point = [each for each in CASES if (each.spec, each.at) == (f"{expected.spec}Corrected", expected.at)]
    assert [each.how for each in same_point] in ([""], ["partly"])


def test_corrected_specs_agree() -> None:
    """No corrected spec is noted to deviate, and every corrected spec of these figures is compared."""
    assert not [case for case in CASES if case.how == "deviates" and case.spec.endswith("Corrected")]
    compared = {(case.example, case.spec) for case in CASES}
    written = {
        (example, name)
        for example in {case.example for case in CASES}
        for name in spec_file(example).definitions
        if name
    }
    assert written - compared == set()


@pytest.mark.parametrize("spec", ["React2", "React2Short"])
def test_readings(spec: str) -> None:
    """The published specs send the same as the corrected ones because of how they are read, and that is said."""
    notes = {
        each.diagnostic.message
        for each in sent("react.acdl", spec, "3.1", state_for("react2")).findings
        if each.diagnostic.rule == "read-as"
    }
    assert any(each.startswith("`resp.response` is read as that of the step of the loop") for each in notes)
    assert any(each.startswith("`@t` is read as the current one") for each in notes) == (spec == "React2")


def test_last_fifty_actions() -> None:
    """The paper's "history of the agent's last 50 actions and their results" is sent with an exclusive end, only so."""
    steps: dict[str, object] = {
        str(step): {"sys": {"performed_action": {"$value": f"action {step}", "result": f"result {step}"}}}
        for step in range(1, 60)
    }
    steps["60"] = {"sys": {"inventory": "inventory", "memory": "memory", "in_conversation": False}}
    file = state_of(
        {
            "acdl_state": 1,
            "args": {"agent": "me"},
            "templates": {"INSTRUCTIONS": "instructions"},
            "env": {"seen_actors": {"60": []}},
            "agents": {"me": {"sys": {"available_actions": "actions"}, "steps": steps}},
        }
    )
    assert file.state is not None
    transcript = sent("multi-agent.acdl", "MultiAgent", "60", file.state)
    expected = [text for step in range(10, 60) for text in (f"action {step}", f"result {step}")]
    assert [piece.text for piece in transcript.messages[1].pieces] == [*expected, "inventory"]
    assert transcript.errors == ()
    inclusive = sent("multi-agent.acdl", "MultiAgent", "60", file.state, "inclusive")
    assert len(inclusive.messages[1].pieces) == 51 * 2 + 1
    assert "`sys[me].performed_action[@60]`" in inclusive.errors[0].diagnostic.message
