"""What measures inferred specs: runs are of the true specs; a true spec gets the best marks, a false one does not."""

import json
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.runs.match.verdicts import check_runs

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import infer
import systems
from measure import Row
from programs import PROGRAMS
from systems import SYSTEMS, System


def find_system(name: str) -> System:
    """The system of a name."""
    return next(each for each in SYSTEMS if each.name == name)


def write_spec(system: System, text: str) -> infer.Infer:
    """In the place of inference: a spec, with the states of the runs of a system."""

    def give_spec(runs: infer.Runs) -> infer.Inferred:
        states = [each.text for each in system.runs if each.name in runs]
        return infer.Inferred(infer.read_spec(text), (infer.InferredPrompt(system.spec, "", runs, states),))

    return give_spec


def test_there_are_as_many_as_said() -> None:
    """The 24 systems of the paper, each once; and at least ten programs."""
    assert len({each.name for each in SYSTEMS}) == 24
    assert len(PROGRAMS) >= 10


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_runs_are_of_the_spec(system: System) -> None:
    """The true spec agrees with the requests and the replies of a run, alone and with the state."""
    run = system.runs[3]
    assert "⟦" not in json.dumps(run.lines, ensure_ascii=False)
    requests = infer.read_lines(run.lines)
    assert len(requests) == len(run.points)
    for state in (None, run.state):
        checked = check_runs(system.resolved, [requests], state, Options(spec=system.spec), is_brief=True)
        assert not checked.is_refuted
    assert systems._make_run(system, 3).lines == run.lines


def test_runs_differ() -> None:
    """Constants of the program are the same in all runs, everything else is new in each."""
    first, second = find_system("rag#BasicRAG").runs[3:5]
    assert first.state.templates == second.state.templates
    texts = [{str(each) for each in run.state.records.base["env"].values()} for run in (first, second)]
    assert not texts[0] & texts[1]


def test_a_true_spec() -> None:
    """It is refuted by nothing, as long as it is, and refutes what its states can tell."""
    system = find_system("tool-agent-paper#ToolAgentCorrected")
    result = infer.measure_subject(system, write_spec(system, system.text))
    assert result.is_fitting
    assert result.is_same
    assert result.n_general == result.n_held_out == len(systems.HELD_OUT)
    assert result.n_lines == result.n_true_lines == 23
    assert result.row.against == "fits, generalises 3 of 3, 23 of 23 lines, same"
    assert all(each.by_states for each in result.mutants)
    assert {each.by_spec for each in result.mutants} == {True, False}
    assert all(each.by_spec == each.by_true for each in result.mutants)


def test_a_false_spec() -> None:
    """A spec of two messages where one was sent does not fit, and sends something else."""
    system = find_system("completion#CompletionPrompt")
    text = "CompletionPrompt[@T]: {\n    U: {\n        TASK_DESCRIPTION\n    }\n    U: env.context[@T]\n}\n"
    result = infer.measure_subject(system, write_spec(system, text))
    assert not result.is_fitting
    assert not result.is_same
    assert result.n_general == 0


def test_a_crash_is_a_result() -> None:
    """The others are measured anyway."""

    def fail(_: infer.Runs) -> infer.Inferred:
        raise ValueError("no idea")

    result = infer.measure_subject(find_system("context#Context"), fail)
    assert result.row.against == "ValueError: no idea"
    assert (result.is_fitting, result.is_same, result.n_held_out) == (False, False, len(systems.HELD_OUT))
    rows = {each.what: each for each in infer.list_rows([result])}
    assert rows["1 systems: fits"] == Row("1 systems: fits", 0, "%", bar=">= 100 %", is_met=False)


def test_runs_are_kept(tmp_path: Path) -> None:
    """A folder has the runs to infer from, those that are held out, and the spec."""
    infer.keep_runs(find_system("context#Context"), tmp_path)
    names = {kind: sorted(each.name for each in (tmp_path / kind).glob("*.jsonl")) for kind in ("runs", "held-out")}
    assert names == {
        "runs": ["1.jsonl", "2.jsonl", "4.jsonl", "6.jsonl", "7.jsonl"],
        "held-out": ["3.jsonl", "5.jsonl", "8.jsonl"],
    }
    assert (tmp_path / "Context.acdl").read_text("utf-8") == find_system("context#Context").text
