"""The agents of `examples/agents`, run with the real clients and without a network, against what they should send.

Nothing here reaches a model: the recorder answers from the script beside each agent.
"""

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_runs import AGENTS, MUTATIONS, QUESTIONS, Mutation, checked, record
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.prompt import Call, Opaque, Prompt, Text
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Tally

PRINTED = {
    "react_openai": ["It is 24 km farther to Trondheim than to Bergen."],
    "chat_anthropic": [
        "On Saturday it is sunny after noon; on Sunday it rains all day.",
        "A light jacket for the morning fog, and shoes for steep paths.",
        "Yes: the castle at noon, and the palace before 17:30.",
        "You are welcome, and enjoy Sintra.",
    ],
    "desks_pydantic_ai": [
        "Bring your city bicycle on Friday, and we tighten its frame.",
        "Order 8, a child's bicycle, is delivered on 12 June.",
        "You are welcome.",
    ],
}
POINTS = {
    "react_openai": ["1.0", "1.1", "1.2", "1.3"],
    "chat_anthropic": ["1.0", "1.1", "2.0", "3.0", "3.1", "3.2", "4.0"],
    "desks_pydantic_ai": ["1.0", "1.1", "1.2", "1.3", "2.0", "2.1", "3.0"],
}
SURVIVORS = {
    "react_openai": set[tuple[int, str]](),
    "chat_anthropic": {(7, "bound"), (10, "split")},
    "desks_pydantic_ai": {(7, "condition"), (13, "bound"), (16, "split")},
}
"""Changes of the specs that the recordings do not tell from them: the prompt ends before the last round of a longer
loop, a message that is split is one message for these providers, and only a state knows who says which instructions."""
BY_HAND = {'          desk: "repairs"  # not in the recording, added by hand', "# not in the recording: `resp.desk`"}
"""What is different in the sample state of the desks from the one that the recording tells."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, str]]:
    """Runs an agent, once for all tests: the recording and what it printed."""
    found: dict[str, tuple[Path, str]] = {}

    def run(agent: str) -> tuple[Path, str]:
        if agent not in found:
            out = tmp_path_factory.mktemp("run") / f"{agent}.run.jsonl"
            found[agent] = (out, record(AGENTS / f"{agent}.py", agent, out))
        return found[agent]

    return run


@pytest.mark.parametrize("agent", few(QUESTIONS))
def test_agent_sends_what_its_spec_says(recorded: Callable[[str], tuple[Path, str]], agent: str) -> None:
    """Every line is confirmed by the requests alone, and with the sample state too."""
    run, printed = recorded(agent)
    assert printed.splitlines() == PRINTED[agent]
    for has_state in (False, True):
        found = checked(agent, run, has_state=has_state).checked
        assert {line.line: line.reason for line in found.lines if line.verdict != "confirmed"} == {}
        assert [str(each.recorded.at) for each in found.calls] == POINTS[agent]
        assert found.n_agreeing == len(POINTS[agent])


@pytest.mark.parametrize("agent", QUESTIONS)
def test_recording_is_evidence(agent: str) -> None:
    """Changes of a spec are refuted by its recording, but those of which it cannot tell."""
    found = checked(agent, AGENTS / f"{agent}.run.jsonl", mutants=100).score
    assert found is not None
    assert {(mutant.origin.line, mutant.change) for mutant in found.survivors} == SURVIVORS[agent]
    assert found.n_killed + len(found.survivors) == len(found.results) > 10


@pytest.mark.parametrize("agent", QUESTIONS)
def test_recording_is_that_of_the_agent(recorded: Callable[[str], tuple[Path, str]], agent: str) -> None:
    """What is beside an agent is what it sends today; settings that clients add to requests are not compared."""
    assert [*map(essence, prompts(AGENTS / f"{agent}.run.jsonl"))] == [*map(essence, prompts(recorded(agent)[0]))]


def test_recording_is_the_same_each_time(recorded: Callable[[str], tuple[Path, str]], tmp_path: Path) -> None:
    """To the byte."""
    again = tmp_path / "again" / "react_openai.run.jsonl"  # the name of the file is that of the run
    record(AGENTS / "react_openai.py", "react_openai", again)
    assert again.read_bytes() == recorded("react_openai")[0].read_bytes()


def prompts(path: Path) -> list[Prompt]:
    """The requests of a recording."""
    return [each.request for each in Tally().count_requests(read_trace(path))]


def essence(prompt: Prompt) -> list[object]:
    """What a prompt says, without what only one provider understands."""
    tools: list[object] = [(tool.name, tool.description) for tool in prompt.tools]
    messages = [
        (message.role, [part for part in message.parts if not isinstance(part, Opaque) and part != Text("")])
        for message in prompt.messages
    ]
    spelled = [
        (role, [(part.tool, part.args, part.id) if isinstance(part, Call) else part for part in parts])
        for role, parts in messages
    ]
    return [*tools, *spelled]


@pytest.mark.parametrize("agent", QUESTIONS)
def test_state_is_that_of_the_recording(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample state beside an agent is what `--emit-state` makes of its recording, but for a line made by hand."""
    monkeypatch.chdir(AGENTS.parent.parent)
    folder = Path("examples", "agents")
    made = tmp_path / "made.state.yaml"
    words = ["check-run", str(folder / f"{agent}.acdl"), str(folder / f"{agent}.run.jsonl"), "--emit-state", str(made)]
    assert main([*words, "-o", str(tmp_path / "report.txt")]) == 0
    emitted = made.read_text("utf-8").replace("# yaml-language-server: $schema=state.schema.json\n", "").splitlines()
    kept = (AGENTS / f"{agent}.state.yaml").read_text("utf-8").splitlines()
    changed = [each[2:] for each in difflib.ndiff(emitted, kept) if each[0] in "+-"]
    assert set(changed) == (BY_HAND if agent == "desks_pydantic_ai" else set())
    assert main(["state", "check", str(AGENTS / f"{agent}.state.yaml")]) == 0


ALWAYS = {
    "react_openai-reasoning-dropped",
    "chat_anthropic-instructions-in-the-wrong-role",
    "chat_anthropic-calls-of-earlier-turns-left-out",
    "desks_pydantic_ai-history-cut-short",
    "desks_pydantic_ai-instructions-not-handed-over",
}
"""Mistakes that are always made: one of each kind, and some in each agent."""


@pytest.mark.parametrize(
    "mutation",
    [pytest.param(each, id=each.key, marks=() if each.key in ALWAYS else exhaustive) for each in MUTATIONS],
)
def test_mistake_is_found_at_its_line(mutation: Mutation, tmp_path: Path) -> None:
    """A copy of an agent with a mistake sends something else, and the line that is wrong is named, and no other."""
    code = (AGENTS / f"{mutation.agent}.py").read_text("utf-8")
    assert mutation.before in code
    program, run = tmp_path / "agent.py", tmp_path / "run.jsonl"
    program.write_text(code.replace(mutation.before, mutation.after), "utf-8")
    record(program, mutation.agent, run)
    if mutation.is_with_state:
        assert not checked(mutation.agent, run).checked.is_refuted
    found = checked(mutation.agent, run, has_state=mutation.is_with_state).checked
    refuted = found.list_lines("refuted")
    assert {line.line: line.reason for line in refuted}.keys() == set(mutation.lines)
    assert refuted[0].reason == mutation.reason


def test_each_agent_has_all_that_belongs_to_it() -> None:
    """Program, spec, script, recording and state; each is asked, and mistakes of three kinds are made in each."""
    endings = (".py", ".acdl", ".replies.yaml", ".run.jsonl", ".state.yaml")
    assert {mutation.key for mutation in MUTATIONS} >= ALWAYS
    assert sorted(each.name for each in AGENTS.iterdir() if each.is_file()) == sorted(
        f"{agent}{ending}" for agent in QUESTIONS for ending in endings
    )
    for agent in QUESTIONS:
        names = " ".join(mutation.name for mutation in MUTATIONS if mutation.agent == agent)
        assert all(words in names for words in ("reasoning dropped", "wrong role", "history cut short"))
