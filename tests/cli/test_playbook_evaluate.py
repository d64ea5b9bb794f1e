"""`acdl playbook evaluate` end to end, against a real server on this machine."""

import json
import os
import re
import signal
import sys
from pathlib import Path
from threading import Event

import pytest
from exhaustive import exhaustive, few
from models.loopback import Loopback, Request, Said, refused, said

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.cli.playbook import evaluate as playbook_evaluating
from acdl_mkdocs.playbook.learn.scorers import SCORERS
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.store import create

LESSON = "A dozen is twelve."
RECORDS = [{"id": f"q{n}", "question": f"{n} dozen?", "answer": str(12 * n)} for n in range(1, 7)]


def answer(request: Request) -> Said:
    """Right if the lesson is in the prompt, or the question is easy; an error for question 6."""
    asked = json.dumps(request.body["messages"])
    number = next(n for n in range(1, 7) if f"{n} dozen?" in asked)
    if number == 6:
        return said("half", "length")
    found = 12 * number if LESSON in asked or number == 1 else 10
    return said(json.dumps({"reasoning": "r", "bullet_ids": [], "final_answer": str(found)}))


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A playbook with the lesson and a data set."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bullet = Bullet(id="ge-00000001", section="general", content=LESSON)
    create(folder / "playbook.yaml", Playbook("sums", bullets=(bullet,)), time="2026-01-01T00:00:00Z")
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    return folder


def evaluate(url: str, *words: str) -> int:
    """Run the command."""
    fixed = ["playbook", "evaluate", "data.jsonl", "--playbook", "playbook.yaml", "--model", "m", "--base-url", url]
    return main([*fixed, *words])


@pytest.mark.usefixtures("project")
def test_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    """A playbook is compared with none; a question that fails is counted, and is exit status 1."""
    with Loopback(answer) as server:
        status = evaluate(server.url, "--against", "none", "--price-in", "1", "--price-out", "2", "--workers", "3")
    out, err = capsys.readouterr()
    assert (status, err) == (1, "")
    assert "Accuracy 16.7 % → 83.3 % (+66.7 points). 4 better, 0 worse" in out
    assert "fixed: q2, q3, q4, q5\n" in out
    assert "failed: q6: the reply was cut" in out
    assert "Cost" in out
    assert len(server.requests) == 12


def test_reports(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report is written as the file is called; the same run gives the same bytes."""
    with Loopback(answer) as server:
        for name in ("a.json", "b.json", "a.md"):
            assert evaluate(server.url, "--against", "none", "-o", name) == 1
        evaluate(server.url, "--format", "json", "--limit", "2", "--seed", "5", "--scorer", "numeric")
    data = json.loads((project / "a.json").read_text("utf-8"))
    assert (data["schema_version"], data["change"]["fixed"]) == (1, 4)
    assert (project / "a.json").read_bytes() == (project / "b.json").read_bytes()
    assert (project / "a.md").read_text("utf-8").startswith("# Evaluation of sums\n")
    limited = json.loads(capsys.readouterr().out)
    assert (limited["after"]["n_samples"], limited["seed"], limited["scorer"]) == (2, 5, "numeric")


@pytest.mark.usefixtures("project")
def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows how far it is, and its line is free in the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Loopback(answer) as server:
        evaluate(server.url)
    err = capsys.readouterr().err
    assert "0/6" in err
    assert "6/6" in err
    assert err.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "9"), "9"),
        (("--scorer", "exat"), "no scorer `exat`; did you mean `exact`?"),
        (("--against", "gone.yaml"), "gone.yaml"),
        (("--answer", "anser"), "no record has an answer in the field `anser`; did you mean `--answer answer`?"),
        (("--base-url", "nowhere"), "does not begin with `http://`"),
        (("-o", "data.jsonl/report.md"), "data.jsonl/report.md: cannot be written: "),
        (("-o", "."), ".: cannot be written: it is a folder; name another file: `-o report.md`"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_cannot_run(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be run is told before any question is asked."""
    with Loopback([]) as server:
        assert evaluate(server.url, *words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_a_paid_report_is_not_lost(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file cannot be written in the end, the report is printed."""
    monkeypatch.setattr(Path, "replace", full_disk)
    with Loopback(answer) as server:
        assert evaluate(server.url, "-o", "report.md") == 2
    out, err = capsys.readouterr()
    assert out.startswith("# Evaluation of sums\n")
    assert "report.md: cannot be written: no space left" in err


def full_disk(draft: Path, target: Path) -> Path:
    """Nothing can be written any more."""
    raise OSError(28, "No space left on device", str(draft), None, str(target))


@pytest.mark.parametrize("place", ["kept/side-1", "kept/.lock", "kept/side-1/q1.jsonl"])
def test_links_among_the_replies(place: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A clone can bring one: no question is asked, and no reply is written where it leads."""
    outside = project / "outside"
    outside.mkdir()
    (project / place).parent.mkdir(parents=True)
    (project / place).symlink_to(outside)
    with Loopback(answer) as server:
        assert evaluate(server.url, "--run", "kept") == 2
    assert f"{place}: is a link, and must be a file of its own; delete it" in capsys.readouterr().err
    assert server.requests == []
    assert [*outside.iterdir()] == []


@pytest.mark.usefixtures("project")
def test_interrupted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends it with 130, saying what was found out so far; the same command asks only what is left."""
    are_counted = Event()

    def count(n_done: int, n_all: int) -> None:
        del n_all
        if n_done == 3:
            are_counted.set()

    monkeypatch.setattr(playbook_evaluating, "show_bar", count)

    def until(request: Request) -> Said:
        if "4 dozen?" in json.dumps(request.body["messages"]):
            assert are_counted.wait(300)
            os.kill(os.getpid(), signal.SIGINT)
        return answer(request)

    with Loopback(until) as server:
        assert evaluate(server.url, "--against", "none", "-o", "report.md") == 130
    out, err = capsys.readouterr()
    assert (out, Path("report.md").exists()) == ("", False)
    lines = err.splitlines()
    goes_on = "the same command resumes where it was, and pays for no reply twice"
    assert lines[0] == f"acdl: stopped; no report is written; {goes_on}"
    assert lines[1] == "acdl: none, revision 0: 1 of 3 questions right so far"
    with Loopback(answer) as server:
        assert evaluate(server.url, "--against", "none", "-o", "report.md") == 1
    assert 6 <= len(server.requests) <= 9  # three or more were answered before
    with Loopback(answer) as server:
        assert evaluate(server.url, "--against", "none", "-o", "again.md") == 1
    assert len(server.requests) == 12
    assert Path("report.md").read_bytes() == Path("again.md").read_bytes()
    assert not [*Path().glob("playbook.evaluation*")]


@pytest.mark.usefixtures("project")
def test_stopped_at_any_question(capsys: pytest.CaptureFixture[str]) -> None:
    """Stopped again and again by a server that wants money, it asks for no answer of any side twice."""
    Path("train.jsonl").write_text("\n".join(map(json.dumps, RECORDS[:2])))
    words = ["--against", "rewrite", "--against", "cheatsheet", "--against", "examples", "--train", "train.jsonl"]
    words += ["--format", "json"]
    Path("data.jsonl").write_text("\n".join(map(json.dumps, RECORDS[1:5])))
    left = [10**9]

    def noted(request: Request) -> Said:
        left[0] -= 1
        if left[0] < 0:
            return refused(402, "pay")
        is_about_notes = "notes" in request.body["response_format"]["json_schema"]["schema"]["properties"]
        return said(json.dumps({"notes": "Multiply."})) if is_about_notes else answer(request)

    with Loopback(noted) as server:
        evaluate(server.url, *words)
        n_asked, whole = len(server.requests), capsys.readouterr().out
        assert n_asked == 2 * 2 + 4 + 2 * 4 + 4 + 4
        n_stops, left[0] = 0, 5
        while evaluate(server.url, *words) == 2:
            n_stops, left[0] = n_stops + 1, 5
    out, err = capsys.readouterr()
    assert (n_stops, out) == (n_asked // 5, whole)
    assert err.count("status 402: pay; the account has no credit left") == n_stops
    assert 0 <= len(server.requests) - 2 * n_asked - n_stops <= n_stops  # the next one may be on its way
    assert not [*Path().glob("playbook.evaluation*")]


@pytest.mark.usefixtures("project")
def test_a_server_that_is_away(capsys: pytest.CaptureFixture[str]) -> None:
    """After five questions in a row without any answer it is of no use to go on."""
    with Loopback(lambda _: refused(503, "busy")) as server:
        assert evaluate(server.url, "--deadline", "0") == 2
    err = capsys.readouterr().err
    assert "the server gave no answer to 5 questions in a row" in err
    assert "the same command resumes where it was" in err
    assert not [*Path().glob("playbook.evaluation*")]


@exhaustive
def test_several_comparisons(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A playbook is compared with several at once, each with its change; a gate looks at all of them."""
    create(project / "empty.yaml", Playbook("empty"), time="2026-01-01T00:00:00Z")
    words = ("--playbook", "empty.yaml", "--against", "none", "--against", "playbook.yaml", "--at", "0")
    with Loopback(answer) as server:
        assert evaluate(server.url, *words, "--fail-on", "regression") == 1
        assert len(server.requests) == 24
        out, err = capsys.readouterr()
        assert evaluate(server.url, *words, "-o", "report.json") == 1
        assert evaluate(server.url, *words, "-o", "report.md") == 1
    assert err.count("gate: the accuracy fell from 83.33% to 16.67%, compared with sums") == 1
    assert "Compared with none: Accuracy 16.7 % → 16.7 % (+0.0 points). No sample" in out
    assert "Compared with sums: Accuracy 83.3 % → 16.7 % (-66.7 points). 0 better, 4 worse" in out
    assert "broken: q2, q3, q4, q5" in out
    data = json.loads((project / "report.json").read_text("utf-8"))
    assert [(each["playbook"], each["n_right"], each["change"]["broken"]) for each in data["against"]] == [
        ("none", 1, 0), ("sums", 5, 4), ("empty", 1, 0)
    ]  # fmt: skip
    assert data["before"] == {key: value for key, value in data["against"][0].items() if key != "change"}
    assert [each["change"] for each in data["samples"][1]["against"]] == [None, "broken", None]
    text = (project / "report.md").read_text("utf-8")
    assert "|  | none | sums | empty | empty |" in text
    assert "## Broken, compared with sums (4)" in text


def test_nearest_lessons(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--top` answers with so many lessons, as the report says; `--max-tokens` limits the replies."""
    words = ("Paris is in France.", LESSON)
    bullets = tuple(Bullet(id=f"ge-0000000{n}", section="general", content=each) for n, each in enumerate(words))
    create(project / "two.yaml", Playbook("two", bullets=bullets), time="2026-01-01T00:00:00Z")
    with Loopback(answer) as server:
        evaluate(server.url, "--playbook", "two.yaml", "--top", "1", "--max-tokens", "700")
    sent = json.dumps([each.body for each in server.requests])
    assert LESSON in sent
    assert "Paris" not in sent
    assert {each.body["max_tokens"] for each in server.requests} == {700}
    assert "note: prompts have the 1 lesson nearest to the question" in capsys.readouterr().out


def test_bad_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every bad line of the data set is told, and nothing is asked."""
    (project / "data.jsonl").write_text('{"question": "q"}\noops\n{}\n')
    with Loopback([]) as server:
        assert evaluate(server.url) == 2
        err = capsys.readouterr().err
        assert "data.jsonl:2: not JSON" in err
        assert "data.jsonl:3: there is no question" in err
        (project / "data.jsonl").write_text('{"question": "q"}\n')
        assert evaluate(server.url) == 2
    assert "no record has a known answer" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_wrong_key(capsys: pytest.CaptureFixture[str]) -> None:
    """A server that knows nobody ends the evaluation with what to do."""
    with Loopback(lambda _: refused(401, "who are you")) as server:
        assert evaluate(server.url) == 2
    assert "who are you; put the key of this server into OPENAI_API_KEY" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_what_a_server_refuses_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    """A fall-back is part of the report."""

    def picky(request: Request) -> Said:
        return refused(400, "no response_format here") if "response_format" in request.body else answer(request)

    with Loopback(picky) as server:
        evaluate(server.url)
    assert "note: the server does not take a JSON schema" in capsys.readouterr().out


def test_help_names_every_scorer(capsys: pytest.CaptureFixture[str]) -> None:
    """The help of the command lists the scorers that there are."""
    with pytest.raises(SystemExit):
        main(["playbook", "evaluate", "--help"])
    assert f"{', '.join(sorted(SCORERS))}, or one" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("gate", "status", "message"),
    few(
        [
            (("--fail-below", "0.9"), 1, "gate: the accuracy is 83.33%, and at least 90.00% is wanted"),
            (("--fail-below", "80%"), 0, ""),
            (("--fail-on", "regression", "--against", "none"), 0, ""),
            (("--fail-on", "failure"), 1, "gate: the model failed on 1 question"),
            (
                ("--playbook", "empty.yaml", "--against", "playbook.yaml", "--fail-on", "regression"),
                1,
                "gate: the accuracy fell from 83.33% to 16.67%, compared with sums, revision 0; 0 better, 4 worse",
            ),
        ],
        2,
    ),
)
def test_gates(
    gate: tuple[str, ...], status: int, message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate decides the exit status, and says why; the report is printed in any case."""
    create(project / "empty.yaml", Playbook("empty"), time="2026-01-01T00:00:00Z")
    with Loopback(answer) as server:
        assert evaluate(server.url, *gate) == status
    out, err = capsys.readouterr()
    assert "Accuracy without failures" in out
    assert message in err
    assert bool(err) == bool(status)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--fail-on", "regression"), "--fail-on regression needs something to compare with"),
        (("--against", "examples"), "--against examples needs questions with answers: add `--train FILE`"),
        (("--against", "rewrite", "--train", "asked.jsonl"), "--against rewrite finds no answer in --train"),
        (("--train", "data.jsonl"), "--train is for `--against examples`"),
        (("--examples", "3"), "--examples is for `--against examples`"),
    ],
)
def test_gates_and_baselines_that_cannot_be(
    words: tuple[str, ...], message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What has nothing to compare with, or to learn from, is told before anything is asked."""
    (project / "asked.jsonl").write_text('{"question": "q"}')
    with Loopback([]) as server:
        assert evaluate(server.url, *words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["80", "-1", "half", "101%", "80%x"])
@pytest.mark.usefixtures("project")
def test_parts(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An accuracy is a part from 0 to 1, or a percentage."""
    with pytest.raises(SystemExit):
        evaluate("http://localhost:1", f"--fail-below={text}")
    assert f"`{text}` is not a part from 0 to 1" in capsys.readouterr().err


def test_baseline(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A playbook is compared with examples of a training set."""
    (project / "train.jsonl").write_text(json.dumps({"question": LESSON, "answer": "12"}))
    with Loopback(answer) as server:
        words = ("--against", "examples", "--train", "train.jsonl", "--examples", "1", "--format", "json")
        assert evaluate(server.url, *words, "--temperature", "0.5") == 1
        assert {each.body["temperature"] for each in server.requests} == {0.5}
    data = json.loads(capsys.readouterr().out)
    assert (data["before"]["playbook"], data["before"]["n_right"]) == ("in-context examples", 5)


def test_goals_by_a_command(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks without answers are judged by a command; tasks and scenarios are counted."""
    tasks = [{"id": f"q{n}", "question": f"{n} dozen?", "scenario": f"s{n % 2}"} for n in range(1, 6)]
    (project / "data.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    program = "import json,sys; d = json.load(sys.stdin); sys.exit(d['given'] not in ('12', '36', '60', '24'))"
    (project / "judge.py").write_text(program)
    with Loopback(answer) as server:
        assert evaluate(server.url, "--feedback", f"'{Path(sys.executable).as_posix()}' judge.py") == 0
    out = capsys.readouterr().out
    assert re.search(r"Task goal completion +4 of 5 \(80.0 %\)", out)
    assert re.search(r"Scenario goal completion +1 of 2 \(50.0 %\)", out)
