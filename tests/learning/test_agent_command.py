"""`acdl playbook learn --agent` and `evaluate --agent` from end to end, with a program as agent."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from models.loopback import Loopback, Request, Said, said
from scripted_task import SAMPLES, delta, new_playbook, playbook_of, reflection

from acdl_mkdocs.frontends.cli.main import main

PROGRAM = """
import json, re, sys

task = json.load(sys.stdin)
to, n, unit = re.search(r"How many (\\w+) are (\\d+) (\\w+)s", task["question"]).groups()
known = {name: (key, int(rate)) for key, name, rate in re.findall(
    r"\\[([\\w-]+)\\] helpful=\\d+ harmful=\\d+ :: Count one (\\w+) as (\\d+)", task["playbook"])}
if unit == "drof":
    sys.exit("no tool for that unit")
key, rate = known.get(unit, ("", 1))
json.dump({"answer": int(n) * rate, "trajectory": "looked it up", "bullet_ids": [key] if key else [],
           "usage": {"input_tokens": 5, "output_tokens": 1}}, sys.stdout)
"""


def model(request: Request) -> Said:
    """Reflector and curator."""
    words = "\n".join(str(each["content"]) for each in request.body["messages"])
    keys = request.body["response_format"]["json_schema"]["schema"]["properties"]
    assert "final_answer" not in keys
    return said(reflection(words) if "key_insight" in keys else delta(words))


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the agent, a data set and an empty playbook."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agent.py").write_text(PROGRAM, "utf-8")
    lines = [json.dumps({"id": each.id, "question": each.question, "answer": each.answer}) for each in SAMPLES[:10]]
    (tmp_path / "task.jsonl").write_text("\n".join(lines), "utf-8")
    return new_playbook(tmp_path)


KEY = "sk-proj-" + "a1B2c3D4e5" * 4
COMMAND = f"{sys.executable} my_agent.py"


def test_learn_and_evaluate(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program learns: its lessons make it right, its failures have their reason, and `evaluate` needs no model."""
    pytest.importorskip("openai")
    with Loopback(model) as server:
        words = ["--playbook", "playbook.yaml", "--agent", COMMAND, "--model", "m", "--base-url", server.url]
        assert main(["playbook", "learn", "task.jsonl", *words, "--rounds", "2"]) == 1
    out = capsys.readouterr().out
    assert "5 not answered" in out
    assert "not answered (5): generator: `" in out
    assert "my_agent.py` ended with status 1: no tool for that unit" in out
    assert [each.content for each in playbook_of(task).active] == ["Count one blim as 7 snarks."]
    assert playbook_of(task).active[0].helpful > 0
    asked = [
        "playbook",
        "evaluate",
        "task.jsonl",
        "--playbook",
        "playbook.yaml",
        "--against",
        "none",
        "--agent",
        COMMAND,
    ]
    assert main([*asked, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["before"]["accuracy"], report["after"]["accuracy"]) == (0.0, 0.5)
    assert report["model"] == COMMAND
    assert list(report["after"]["failures"].values()) == [5]
    assert report["after"]["prompt_model_tokens"] == 25


def test_keys_of_an_agent(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What an agent is given on its command line, and what its tools print, is in no file, message or question."""
    pytest.importorskip("openai")
    text = PROGRAM.replace('"looked it up"', "'$ env\\nOPENAI_API_KEY=' + sys.argv[-1]")
    text = text.replace('"no tool for that unit"', '"no tool, and the key is " + sys.argv[-1]')
    (task.parent / "my_agent.py").write_text(text, "utf-8")
    folder = task.with_name("playbook.run")
    with Loopback(model) as server:
        words = ["--agent", f"{COMMAND} --api-key {KEY}", "--model", "m", "--base-url", server.url]
        main(["playbook", "learn", "task.jsonl", "--playbook", "playbook.yaml", *words])
    said = capsys.readouterr()
    written = "".join(path.read_text("utf-8") for path in task.parent.rglob("*") if path.is_file())
    assert "$ env" in written
    assert "no tool, and the key is" in written
    assert "--api-key" in written
    asked = str([request.body for request in server.requests])
    assert not any(KEY in text for text in (written, said.out, said.err, asked))
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_agent_that_cannot_run_ends_it(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that is not there is tried once, and nothing is lost."""
    words = ["playbook", "evaluate", "task.jsonl", "--playbook", str(task)]
    assert main([*words, "--agent", "no-such-program"]) == 2
    assert "`no-such-program` cannot be run: there is no such program" in capsys.readouterr().err
    assert main([*words, "--agent", "my_agent:answer"]) == 2
    assert "the module `my_agent` cannot be imported: " in capsys.readouterr().err
    assert main(words) == 2
    assert "name a model, `--model NAME`, or your agent, `--agent COMMAND`" in capsys.readouterr().err


def test_an_agent_is_validated(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The agent answers the validation set too, a delta may be made of several questions, and roles have models."""
    pytest.importorskip("openai")
    known = [line for line in Path("task.jsonl").read_text("utf-8").splitlines() if " blims" in line]
    Path("blims.jsonl").write_text("\n".join(known), "utf-8")
    with Loopback(model) as server:
        words = ["--playbook", "playbook.yaml", "--agent", COMMAND, "--model", "m", "--base-url", server.url]
        more = ["--validation", "blims.jsonl", "--batch", "2", "--role", "reflector", "model=other"]
        assert main(["playbook", "learn", "blims.jsonl", *words, *more]) == 0
    assert "validation: from 0.0% to 100.0%" in capsys.readouterr().out
    (lesson,) = playbook_of(task).active
    assert lesson.source[0].model == f"other, with answers of {COMMAND}"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("learn --model m --agent true --role generator model=x", "leave out `--role generator`"),
        ("learn --model m --recorded --validation task.jsonl", "leave out `--warm-up` and `--validation`"),
        ("learn --model m --recorded --scores s.csv --feedback true", "leave out one of `--scores` and `--feedback`"),
        ("evaluate --agent true --against cheatsheet", "is about a model"),
        ("evaluate", "nobody answers the questions"),
    ],
)
@pytest.mark.usefixtures("task")
def test_what_does_not_go_together(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that contradict each other are a sentence, and nothing is asked."""
    action, *rest = words.split()
    assert main(["playbook", action, "task.jsonl", "--playbook", "playbook.yaml", *rest]) == 2
    assert said in capsys.readouterr().err
