"""The sample states of the examples: clean, complete, and as their first lines say."""

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

import acdl_mkdocs
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats.growth import compare_transcripts
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.mismatches import find_missing_names, find_prompts, find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript, build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts import prompt
from acdl_mkdocs.prompts.providers import WIRES

PACKAGE = Path(acdl_mkdocs.__file__).parent
EXAMPLES = PACKAGE.parent / "examples"
SCHEMA = json.loads((PACKAGE / "assets" / "state.schema.json").read_text("utf-8"))
STATES = sorted(EXAMPLES.glob("*.state.yaml"))

SERVES = {
    "react-variants": ("ReactBase", "ReactWithoutReasoning"),
    "react-variants.tools-last": ("ReactToolsLast",),
}
"""The specs that a state is for, where they are not all of the file."""

_NO_SOLUTION = r"resp\.solution(_reasoning)?\[@3\]"
SLIPS: dict[tuple[str, str], tuple[str, ...]] = {
    # An answer that has still to be given, at the beginning of a turn.
    ("deepseek", "DeepSeekAgentWithTools"): (r"resp\.answer\[@3\]",),
    # The history reaches the current turn; feedback has a sub-step; two names are not those of their neighbours.
    ("mint", "MintOriginal"): (_NO_SOLUTION, r"env\.feedback\[@\d\.\d\]", r"\.tool_responses", r"resp\.tool_used\["),
    # The history reaches the current turn, which has no solution and no feedback yet.
    **{("mint-variations", f"Var{n}"): (_NO_SOLUTION, r"env\.feedback\[@3\]") for n in (1, 2, 3, 6)},
    ("mint-variations", "Var4"): (_NO_SOLUTION, r"env\.feedback\[@\d\.\d\]"),
    ("mint-variations", "Var5"): (_NO_SOLUTION, r"env\.user_input\[@3\]"),
    # No namespace; answers in `sys`; sub-steps of the current turn counted for every turn.
    ("opencode", "OpenCodeMain"): (r"`tool_requests\[@\.i\]", r"sys\.response\[", r"sys\.tool_requests\[@\d\.\d\]"),
    # Between two summaries of summaries.
    ("pokemon", "Pokemon"): (r"sys\.compressed_summary\[@1100\]",),
    # Step 0.
    ("tool-agent", "ToolAgent"): (r"env\.user_(input|document)\[@0\]",),
}
"""What published specs ask for and no state can give: patterns of the errors, and why."""


def named(path: Path) -> str:
    """`react` for `react.state.yaml`."""
    return path.name.removesuffix(".state.yaml")


def example(path: Path) -> str:
    """The example that a state is for."""
    return path.name.partition(".")[0]


@cache
def spec_file(path: Path) -> Resolved:
    """The specs that a state is for."""
    beside = EXAMPLES / f"{example(path)}.acdl"
    return parse_and_resolve(Source(beside.read_text("utf-8"), beside.name)).resolved


@cache
def state_of(path: Path) -> State:
    """A state with which nothing is wrong."""
    file = read_state(path.read_text("utf-8"), path.name, path.parent)
    assert [each.message for each in file.problems] == []
    assert file.state is not None
    return file.state


def specs_of(path: Path) -> tuple[str, ...]:
    """The specs that a state can serve."""
    return SERVES.get(named(path)) or tuple(each.name.name for each in find_prompts(spec_file(path), None))


def sent(path: Path, spec: str) -> list[Transcript]:
    """What a spec sends at all points that the state names."""
    state = state_of(path)
    options = Options(spec=spec, missing="error")
    return [evaluate(spec_file(path), state, at, options) for at in parse_points(state.at or "", state)]


USES = [(path, spec) for path in STATES for spec in specs_of(path)]
IDS = [f"{named(path)}-{spec}" for path, spec in USES]


def test_every_example_has_a_state() -> None:
    """And every state an example."""
    examples = {path.stem for path in EXAMPLES.glob("*.acdl")}
    assert {example(path) for path in STATES} == examples
    written = {(path, each.name.name) for path in STATES for each in find_prompts(spec_file(path), None)}
    assert {(example(path), spec) for path, spec in USES} == {(example(path), spec) for path, spec in written}


@pytest.mark.parametrize("path", STATES, ids=named)
def test_clean(path: Path) -> None:
    """A state fits the schema, has all that its specs read and nothing else, and says first what to look for."""
    text = path.read_text("utf-8")
    state = state_of(path)
    assert [each.message for each in find_unread_names(spec_file(path), state, Source(text, path.name))] == []
    assert [each.message for each in find_missing_names(spec_file(path), state)] == []
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(yaml.safe_load(text))))
    header = text.partition("acdl_state:")[0]
    assert re.match(r"# Sample state of .*\.acdl", header)
    assert "\n# Look for" in header
    assert len(header.splitlines()) <= 5
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(("path", "spec"), USES, ids=IDS)
def test_complete(path: Path, spec: str) -> None:
    """A spec has all that it needs at every point of its state, but for what no state can give."""
    slips = SLIPS.get((named(path), spec), ())
    messages = []
    for transcript in sent(path, spec):
        messages += [each.diagnostic.message for each in transcript.errors]
        lacking = [each for each in transcript.pieces if each.status != "given"]
        assert transcript.errors or not lacking
        assert transcript.choices == ()
        assert transcript.messages
    assert [each for each in messages if not any(re.search(slip, each) for slip in slips)] == []
    assert [slip for slip in slips if not any(re.search(slip, each) for each in messages)] == []


@pytest.mark.parametrize(("path", "spec"), [use for use in USES if use[1].endswith("Corrected")], ids=str)
def test_without_warnings(path: Path, spec: str) -> None:
    """A corrected spec is served without any warning."""
    found = [each.diagnostic for transcript in sent(path, spec) for each in transcript.findings]
    assert [each.message for each in found if each.severity != "note"] == []


_REPEATED = ("Var2", "Var3", "Var4", "Var6")
"""Published specs that send the calls of the current turn for every turn."""


@pytest.mark.parametrize(("path", "spec"), [use for use in USES if use[1] not in _REPEATED], ids=str)
def test_answers_belong_to_calls(path: Path, spec: str) -> None:
    """Every message of a tool answers one of the calls before it, and no call has two answers."""
    for transcript in sent(path, spec):
        whole = build_prompt(transcript)
        if any(isinstance(part, prompt.Call) for message in whole.messages for part in message.parts):
            said = " ".join(loss.sentence for loss in WIRES["openai"].write(whole, "m").losses)
            assert "does not answer" not in said
            assert "another call has the id" not in said


KEPT = {
    ("react", "React2Corrected"): True,
    ("react-variants", "ReactBase"): True,
    ("react-variants.tools-last", "ReactToolsLast"): False,
    ("mint", "MintOriginalCorrected"): True,
    ("mint-variations", "Var3Corrected"): True,
    ("mint-variations", "Var1Corrected"): False,
    ("mint-variations", "Var5Corrected"): False,
    ("deepseek", "DeepSeekAgentWithToolsCorrected"): True,
    ("deepseek", "DeepSeekAgentWithTools"): False,
    ("openclaw", "OpenClaw"): False,
    ("opencode", "OpenCodeMainCorrected"): False,
    ("chat", "ChatAgent"): True,
    ("context-with-arguments", "Context"): False,
    ("context-with-arguments", "ContextCorrected"): False,
    ("context", "Context"): True,
}
"""Whether every prompt begins with all of the one before it."""


@pytest.mark.parametrize(("name", "spec"), KEPT)
def test_kept(name: str, spec: str) -> None:
    """The prompts grow as the first lines of the state say."""
    transcripts = sent(EXAMPLES / f"{name}.state.yaml", spec)
    kept = [compare_transcripts(earlier, later).is_prefix for earlier, later in pairwise(transcripts)]
    assert all(kept) == KEPT[name, spec]
