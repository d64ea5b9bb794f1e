"""Learning from runs that were recorded, and from files that say what came of them: nothing is asked again."""

import json
from pathlib import Path
from typing import Any

import pytest
from models.loopback import Loopback, Request, Said, said
from scripted_task import delta, new_playbook, playbook_of

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.learn.agents import WithAgent
from acdl_mkdocs.playbook.learn.loop import Settings, offline
from acdl_mkdocs.playbook.learn.models.scripted import Scripted, prompt_words
from acdl_mkdocs.playbook.learn.recorded_runs import read_runs
from acdl_mkdocs.playbook.learn.score_file import scores_of
from acdl_mkdocs.playbook.learn.scorers import Feedback
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.store import create
from acdl_mkdocs.prompts.prompt import Prompt

AGENTS = Path(__file__).parent.parent.parent / "examples" / "agents"
ID, OTHER = "gen-7k3q9f2m", "gen-4h8w2n6p"
LESSONS = tuple(
    Bullet(id=name, section="general", content=content)
    for name, content in ((ID, "Count one blim as 7 snarks."), (OTHER, "Count one tove as 15 wabes."))
)


def run_line(answer: str = f"By [{ID}] it is 15.", lesson: str = "[gen-7k3q9f2m] helpful=0 harmful=0 :: Seven.") -> str:
    """A call of a model as `acdl record` writes it."""
    messages = [
        {"role": "system", "content": f"You convert units.\n\n{lesson}"},
        {"role": "user", "content": "How many snarks are 2 blims?"},
    ]
    reply = {"choices": [{"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}]}
    request = {"model": "m", "messages": messages}
    return json.dumps({"acdl_record": 1, "format": "openai", "status": 200, "request": request, "reply": reply})


def reflects(words: str, insight: str = "Count one blim as 7 snarks.") -> str:
    """A reflection that calls the lesson harmful."""
    tags = [{"id": ID, "tag": "harmful"}, {"id": OTHER, "tag": "helpful"}]
    assert "How many snarks are 2 blims?" in words
    return json.dumps({"reasoning": "", "key_insight": insight, "bullet_tags": tags, "is_final": True})


def test_runs_of_every_provider() -> None:
    """Each run is a question, what the agent did, and its last words; ids are those of the files."""
    runs = read_runs([AGENTS])
    assert [each.id for each in runs.samples] == ["chat_anthropic.run", "desks_pydantic_ai.run", "react_openai.run"]
    react = runs.agent.runs["react_openai.run"]
    assert react.sample.question == "How much farther is it from Oslo to Trondheim than to Bergen?"
    assert react.answer == "It is 24 km farther to Trondheim than to Bergen."
    lines = react.conversation.text.splitlines()
    assert lines[:4] == [
        f"user: {react.sample.question}",
        "assistant: I need the distance from Oslo to Trondheim.",
        'assistant calls distance({"a": "Oslo", "b": "Trondheim"})',
        lines[3],
    ]
    assert lines[3].startswith("distance answers: ")
    assert len(lines) == len(set(lines))  # what later requests repeat is not said again
    chat = runs.agent.runs["chat_anthropic.run"].conversation.text
    assert [chat.count(f"{role}: ") for role in ("user", "system")] == [4, 0]
    assert runs.notes == ()


def test_ids_do_not_depend_on_other_files(tmp_path: Path) -> None:
    """A file with several runs numbers them; a run that has a name of its own keeps it."""
    other = run_line().replace("2 blims", "5 toves")
    (tmp_path / "a.jsonl").write_text(f"{run_line()}\n{other}\n", "utf-8")
    (tmp_path / "b.jsonl").write_text(run_line(), "utf-8")
    assert [each.id for each in read_runs([tmp_path / "a.jsonl"]).samples] == ["a#1", "a#2"]
    (tmp_path / "c.jsonl").write_text("not json\n" + run_line().replace("blims", "mimsies") + "\n", "utf-8")
    read = read_runs([tmp_path])
    assert [each.id for each in read.samples] == ["a#1", "a#2", "c"]  # b repeats the first run of a
    assert [note for note in read.notes if "c.jsonl:1" in note]


def test_a_recorded_run_teaches(tmp_path: Path) -> None:
    """The reflector reads what the agent did and how it ended; lessons of the recorded prompt are tagged and seen."""
    path, runs = tmp_path / "playbook.yaml", tmp_path / "run.jsonl"
    create(path, Playbook("units", bullets=LESSONS), time=None)
    runs.write_text(run_line(), "utf-8")
    asked: list[str] = []

    def roles(prompt: Prompt) -> str:
        words = prompt_words(prompt)
        asked.append(words)
        return reflects(words, "Multiply, do not add.") if '"key_insight"' in words else '{"operations": []}'

    read = read_runs([runs])
    scores = scores_of('{"run": {"score": 0, "feedback": "expected 14"}}').scores
    settings = Settings(epochs=1)
    ran = offline(path, read.samples, WithAgent(Scripted(roles), read.agent), settings, feedback=scores)
    assert len(asked) == 2  # one reflection and the curator: nobody answers again
    assert "The answer is wrong.\nFeedback: expected 14" in asked[0]
    assert f"user: How many snarks are 2 blims?\nassistant: By [{ID}] it is 15." in asked[0]
    assert "You convert units." not in asked[0]
    bullets = playbook_of(path).by_id
    assert (bullets[ID].harmful, bullets[ID].seen, bullets[OTHER].helpful, bullets[OTHER].seen) == (1, 1, 0, 0)
    assert (ran.totals.n_questions, ran.totals.n_scored, ran.totals.n_right) == (1, 1, 0)


def test_recordings_without_a_run(tmp_path: Path) -> None:
    """What gives no run is said with its place."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n', "utf-8")
    with pytest.raises(TraceError, match=r"x\.jsonl: there is no run to learn from; .*x\.jsonl:1"):
        read_runs([path])
    path.write_text(run_line().replace('"role": "user"', '"role": "assistant"'), "utf-8")
    with pytest.raises(TraceError, match="x: the run has no user message"):
        read_runs([path])


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": {"score": 0.5, "feedback": "half"}}',
        '{"id": "a", "score": true}\n{"id": "b", "score": 0.5, "feedback": "half"}\n',
        '[{"id": "a", "score": "passed"}, {"id": "b", "score": "0.5", "feedback": "half"}]',
        "id,score,feedback\na,1,\nb,0.5,half\n",
        '{"id": "a", "score": 1}\n\n{"id": "b", "score": 0.5, "feedback": "half"}',
        '{"scores": {"a": "yes", "b": {"score": "50%", "feedback": "half"}}}',
        '{"results": [{"id": "a", "score": "100 %"}, {"id": "b", "score": 0.5, "feedback": "half"}]}',
        "ID; Score; Feedback\na;1;\nb;50%;half\n",
        "id\tscore\tfeedback\r\na\tpass\t\r\nb\t.5\thalf\r\n",
    ],
)
def test_score_files(text: str) -> None:
    """Scores come as JSON lines, as one JSON value or as a table."""
    read = scores_of(text)
    assert read.problems == ()
    assert read.scores.by_id == {"a": Feedback("", 1.0), "b": Feedback("half", 0.5)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: there is no score"),
        ("a,b\n1,2\n", "line 1: the header has no columns `id` and `score`"),
        ('{"id": "a", "score": 2}\n', "line 1: `score` of `a` is not a number from 0 to 1"),
        ('{"id": "a", "score": 1}\n{"id": "a", "score": 0}\n', "line 2: the id `a` is there twice"),
        ('{"id": "a", "score": 1}\nnot json\n', "line 2: this is not a JSON object"),
        ('{"id": "a", "score": 1}\n{"score": 1}\n', "line 2: there is no `id`"),
        ("id,score,feedback\na,1,passed, but slow\n", "line 2: the row has more cells than the header"),
        ('[{"id": "a"}]', "line 1: `a` has no `score`"),
        ("[7]", "line 1: an element is not an object"),
        ('{"a": 1, "a": 0}', "line 1: `score` of `a` is not a number from 0 to 1"),
        ('{"id": 7, "score": 85}', "line 1: `score` of `7` is not a number from 0 to 1, percentage such as `85%`"),
        ("id,score\na,5%%\n", "line 2: `score` of `a` is not a number from 0 to 1"),
        ("id,score\na,1\nb,good\n", "line 3: `score` of `b` is not a number from 0 to 1"),
    ],
)
def test_score_files_that_are_wrong(text: str, message: str) -> None:
    """Every line that gives no score is said with its number and how to write one."""
    (problem,) = scores_of(text).problems
    assert str(problem).startswith(message)
    assert problem.help.startswith("write a line as")


def server(request: Request) -> Said:
    """A model for reflector and curator."""
    words = "\n".join(str(each["content"]) for each in request.body["messages"])
    keys: Any = request.body["response_format"]["json_schema"]["schema"]["properties"]
    assert "final_answer" not in keys, "the generator was asked although the runs are recorded"
    return said(reflects(words) if "key_insight" in keys else delta(words), usage=None)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`learn --recorded --scores` learns a lesson from a recorded run; what no server reported is unknown."""
    pytest.importorskip("openai")
    path = new_playbook(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one.jsonl").write_text(run_line("It is 15."), "utf-8")
    scores = tmp_path / "scores.csv"
    scores.write_text("id,score\none,0\n", "utf-8")
    with Loopback(server) as model:
        words = ["playbook", "learn", str(tmp_path / "runs"), "--recorded", "--scores", str(scores)]
        words += ["--playbook", str(path), "--model", "m", "--base-url", model.url, "--time", "2026-01-31T09:30:00Z"]
        assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [each.content for each in playbook_of(path).active] == ["Count one blim as 7 snarks."]
    assert out.startswith(
        "1 question: 0 right at once, 0 after a reflection, 0 not answered\naccuracy of first answers: 0"
    )
    assert "model tokens: unknown sent, unknown received\n2 calls did not report how many model tokens they took" in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--recorded", "--agent", "python x.py"], "leave out one of `--agent` and `--recorded`"),
        (["--scores", "scores.csv"], "--scores is about recorded runs: add `--recorded`"),
        (["--recorded", "--scores", "scores.csv"], "there is no run `two`; there are `one`"),
    ],
)
def test_commands_that_cannot_be(
    more: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What does not go together is said before anything is asked."""
    monkeypatch.chdir(tmp_path)
    new_playbook(tmp_path)
    Path("one.jsonl").write_text(run_line(), "utf-8")
    Path("scores.csv").write_text("id,score\ntwo,0\n", "utf-8")
    words = ["playbook", "learn", "one.jsonl", "--playbook", "playbook.yaml", "--model", "m", *more]
    assert main(words) == 2
    assert message in capsys.readouterr().err
