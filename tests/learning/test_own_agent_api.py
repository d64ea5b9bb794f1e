"""The Python interface in three lines: `learn` and `evaluate_agent`."""

import json
from pathlib import Path

import pytest
from models.loopback import Loopback, Request, Said, said
from scripted_task import SAMPLES, Units, delta, playbook_of, reflection

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook import learn as learning
from acdl_mkdocs.playbook.learn import Feedback, Sample, Task, evaluate_agent, learn, read_runs
from acdl_mkdocs.playbook.learn.loop import Settings
from acdl_mkdocs.playbook.model.bullets import Playbook

QUESTIONS = [{"question": each.question, "answer": str(each.answer)} for each in SAMPLES[:5]]
"""All about one unit."""


def agent(task: Task) -> str:
    """Knows what its lessons say."""
    n = int(task.question.split()[4])
    return str(n * 7) if "Count one blim as 7 snarks." in task.instructions else "1"


def test_three_lines(tmp_path: Path) -> None:
    """A playbook that is made, learned and evaluated; nobody writes a file before."""
    path = tmp_path / "playbook.yaml"
    ran = learn(path, QUESTIONS, agent, model=Units(), settings=Settings(rounds=2))
    before, after = (evaluate_agent(each, QUESTIONS, agent).accuracy for each in (None, path))
    assert (before, after) == (0.0, 1.0)
    assert ran.playbook == playbook_of(path)
    assert evaluate_agent(ran.playbook, list(SAMPLES[:5]), agent, top=1).n_right == 5


def test_outcomes_take_the_place_of_labels(tmp_path: Path) -> None:
    """Without right answers, a function says what came of one: what is learned is the same."""

    def feedback(sample: Sample, answer: str) -> Feedback:
        n = int(sample.question.split()[4])
        return Feedback(f"Correct answer: {n * 7}", float(answer == str(n * 7)))

    questions = [{"question": each["question"]} for each in QUESTIONS]
    path = tmp_path / "playbook.yaml"
    ran = learn(path, questions, agent, model=Units(), feedback=feedback, settings=Settings(rounds=2), is_online=True)
    assert [each.content for each in ran.playbook.active] == ["Count one blim as 7 snarks."]
    assert ran.totals.n_right == 4


def test_files_commands_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data set is a path, an agent a command, and a model a name."""
    pytest.importorskip("openai")

    def server(request: Request) -> Said:
        words = "\n".join(str(each["content"]) for each in request.body["messages"])
        keys = request.body["response_format"]["json_schema"]["schema"]["properties"]
        return said(reflection(words) if "key_insight" in keys else delta(words))

    data = tmp_path / "task.jsonl"
    data.write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    monkeypatch.syspath_prepend(Path(__file__).parent)
    with Loopback(server) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        ran = learn(
            str(tmp_path / "p.yaml"), str(data), "test_own_agent_api:agent", model="m", settings=Settings(rounds=2)
        )
    assert (ran.totals.n_right, ran.playbook.name) == (4, "p")


def test_recorded_runs_in_python() -> None:
    """Recorded runs are questions with an agent that has answered them."""
    runs = read_runs([Path(__file__).parent.parent.parent / "examples" / "agents" / "react_openai.run.jsonl"])
    assert runs.agent(Task(runs.samples[0].id, "")).answer.startswith("It is 24 km")


def test_what_is_no_data_set() -> None:
    """A map without a question is said as in a file."""
    with pytest.raises(RunError, match="questions: line 1: there is no question in the field `question`"):
        evaluate_agent(Playbook("p"), [{"answer": "x"}], agent)


def test_public_names() -> None:
    """Every name is there, and a wrong one is said."""
    assert all(getattr(learning, name) is not None for name in learning.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'lern'"):
        learning.lern  # noqa: B018
