"""`acdl playbook learn` from end to end, against a real server on this machine."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive, few
from models.loopback import Loopback, Request, Said, refused, said
from scripted_task import SAMPLES, answer, delta, new_playbook, playbook_of, reflection, traces

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.learn.models.model import CutReplyError

pytest.importorskip("openai")


def reply(request: Request) -> Said:
    """What the model of the scripted task says over HTTP."""
    words = "\n".join(str(each["content"]) for each in request.body["messages"])
    keys = request.body["response_format"]["json_schema"]["schema"]["properties"]
    role = answer if "final_answer" in keys else reflection if "key_insight" in keys else delta
    try:
        return said(role(words), usage=(1000, 100))
    except CutReplyError:
        return said("{", finish="length")


def dataset(folder: Path, samples: Any = SAMPLES) -> str:
    """The task as a file with fields of its own names."""
    path = folder / "task.jsonl"
    lines = [json.dumps({"key": each.id, "ask": {"text": each.question}, "gold": each.answer}) for each in samples]
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def words(folder: Path, server: Loopback, *more: str, samples: Any = SAMPLES) -> list[str]:
    """The words of the command."""
    fields = ["--question", "ask.text", "--answer", "gold", "--id", "key"]
    asked = ["--playbook", str(folder / "playbook.yaml"), "--model", "m", "--base-url", server.url]
    return ["playbook", "learn", dataset(folder, samples), *asked, *fields, "--time", "2026-01-31T09:30:00Z", *more]


def test_learn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command learns, says what it came to and what it cost, and shows no bar in a pipe."""
    new_playbook(tmp_path)
    with Loopback(reply) as server:
        status = main(words(tmp_path, server, "--price-in", "0.5", "--price-out", "2"))
    shown = capsys.readouterr()
    assert (status, shown.err) == (1, "")  # one question is never answered
    sent, received = (len(server.requests) - 1) * 1000 + 10, (len(server.requests) - 1) * 100 + 5
    playbook = playbook_of(tmp_path / "playbook.yaml")
    lines = shown.out.splitlines()
    assert lines[0] == "40 questions: 33 right at once, 6 after a reflection, 1 not answered"
    assert lines.pop(1).startswith("not answered (1): generator: the reply was cut after 5 model tokens; ")
    assert lines[1] == "accuracy of first answers: 82.5%, from 0.0% to 100.0%"
    assert lines[2] == f"{tmp_path / 'playbook.yaml'}: revision {playbook.revision}, 6 lessons, 6 operations refused"
    assert lines[4] == f"model tokens: {sent:,} sent, {received:,} received, cost {(sent / 2 + received * 2) / 1e6:.4f}"
    assert lines[-1].startswith(f"run: {tmp_path / 'playbook.run'} (run-")


@exhaustive
def test_workers_of_the_command(tmp_path: Path) -> None:
    """The same window with one worker and with four leaves the same bytes."""
    paths = [new_playbook(tmp_path / name) for name in ("one", "four")]
    for path, workers in zip(paths, ("1", "4"), strict=True):
        with Loopback(reply) as server:
            assert main(words(path.parent, server, "--window", "5", "--workers", workers)) == 1
    assert traces(paths[0]) == traces(paths[1])


FEW = SAMPLES[:20]
"""Four of the units; one question is never answered."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The playbook of a run over few questions that nobody disturbed."""
    path = new_playbook(tmp_path_factory.mktemp("whole"))
    with Loopback(reply) as server:
        assert main(words(path.parent, server, samples=FEW)) == 1
    return path


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signals here")
@pytest.mark.parametrize("blow", few(["SIGINT", "SIGKILL"]))
def test_stopped_and_gone_on_with(tmp_path: Path, whole: Path, blow: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C and kill -9 leave a run that the same command goes on with, to the same end; `--restart` is not needed."""
    path = new_playbook(tmp_path / "stopped")
    with Loopback(reply) as server:
        command = [sys.executable, "-m", "acdl_mkdocs", *words(path.parent, server, samples=FEW)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        trajectory = path.with_name("playbook.run") / "trajectory.jsonl"
        while process.poll() is None and not (trajectory.exists() and trajectory.read_bytes().count(b"\n") > 5):
            time.sleep(0.005)
        os.kill(process.pid, getattr(signal, blow))
        _, err = process.communicate(timeout=600)
        assert process.returncode == (130 if blow == "SIGINT" else -signal.SIGKILL), err
        if blow == "SIGINT":
            assert err == "acdl: stopped; the same command resumes where it was\n"
        assert trajectory.read_bytes().count(b"\n") < len(FEW)
        capsys.readouterr()
        assert main(words(path.parent, server, "--seed", "1", samples=FEW)) == 2
        assert "begun with other settings: seed was 0 and is 1;" in capsys.readouterr().err
        assert main(words(path.parent, server, "--resume", samples=FEW)) == 1
    assert traces(path) == traces(whole)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--epochs", "6"), "epochs is 6, and a run that is offline takes 1 to 5"),
        (("--online", "--epochs", "2"), "epochs is 2, and a run that is online takes 1"),
        (("--scorer", "exakt"), "no scorer `exakt`; did you mean `exact`?"),
        (("--resume",), "there is no run to go on with"),
        (("--resume", "--run", "nowhere/run"), "nowhere/run: there is no run to go on with"),
        (("--base-url", "ftp://x"), "http"),
    ],
)
def test_cannot_run(more: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be meant is status 2 and one line that says what can."""
    new_playbook(tmp_path)
    with Loopback([]) as server:
        assert main(words(tmp_path, server, *more)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not Path("nowhere").exists()


def test_no_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty file is called empty."""
    path = new_playbook(tmp_path)
    (tmp_path / "none.jsonl").write_text("")
    asked = ["--playbook", str(path), "--model", "m"]
    assert main(["playbook", "learn", str(tmp_path / "none.jsonl"), *asked]) == 2
    assert "none.jsonl:1: the file is empty; write a record as" in capsys.readouterr().err


def test_longest_reply(tmp_path: Path) -> None:
    """`--max-tokens` is sent with every request."""
    new_playbook(tmp_path)
    with Loopback(reply) as server:
        assert main(words(tmp_path, server, "--max-tokens", "900", samples=SAMPLES[:1])) == 0
    assert {each.body["max_tokens"] for each in server.requests} == {900}


def test_no_playbook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A playbook that is not there, or has errors, is status 2."""
    with Loopback([]) as server:
        assert main(words(tmp_path, server)) == 2
        assert "playbook.yaml" in capsys.readouterr().err
        (tmp_path / "playbook.yaml").write_text("schema_version: 1\nnam: x\n")
        assert main(words(tmp_path, server)) == 2
    assert "did you mean `name`?" in capsys.readouterr().err


def test_a_server_that_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong key is asked for once and said once, without the key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key-0123456789")
    new_playbook(tmp_path)
    with Loopback([refused(401, "Incorrect API key provided: sk-not-a-real-key-0123456789")]) as server:
        assert main(words(tmp_path, server)) == 2
    err = capsys.readouterr().err
    assert "the model failed at 1 question (generator: " in err
    assert "0 of 40 are done, and the same command resumes from there" in err
    assert "0123456789" not in err
    assert "0123456789" not in "".join(each.read_text() for each in tmp_path.rglob("*.json*"))


@exhaustive
def test_example_on_a_cluster(tmp_path: Path) -> None:
    """The example learns on a cluster of this machine, and resumes where it was when it is started again."""
    pytest.importorskip("distributed")
    example = Path(__file__).parent.parent.parent / "examples" / "learning"
    path = new_playbook(tmp_path)
    with Loopback(reply) as server:
        given = [example / "on_a_cluster.py", example / "questions.jsonl", path, "m", server.url]
        command = [sys.executable, *map(str, given)]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0].endswith("after 1 questions: 0%, 1 lessons")
    assert lines[-1] == "after 12 questions: 100%, 3 lessons"
    assert len(playbook_of(path).active) == 3


@exhaustive
def test_the_whole_method(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A warm-up, batches, a validation set, a model for a role, and a command that gives feedback."""
    path = new_playbook(tmp_path)
    for name, part in (("warm", SAMPLES[:20]), ("valid", SAMPLES[:20:4])):
        lines = [json.dumps({"key": each.id, "ask": {"text": each.question}, "gold": each.answer}) for each in part]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    program = tmp_path / "judge.py"
    program.write_text("print('looked at')")
    more = ["--online", "--warm-up", str(tmp_path / "warm.jsonl"), "--batch", "2", "--validate-every", "20"]
    more += ["--validation", str(tmp_path / "valid.jsonl"), "--workers", "3", "--price-in", "1"]
    more += ["--role", "reflector", "model=large", "temperature=0.25", "max-tokens=900"]
    more += ["--feedback", f"'{Path(sys.executable).as_posix()}' '{program.as_posix()}'"]
    with Loopback(reply) as server:
        assert main(words(tmp_path, server, *more, samples=SAMPLES[:20])) == 1
    out = capsys.readouterr().out
    bodies = [each.body for each in server.requests]
    large = [each for each in bodies if each["model"] == "large"]
    assert {(each["temperature"], each["max_tokens"]) for each in large} == {(0.25, 900)}
    assert all("expert reviewer" in json.dumps(each) for each in large)
    assert any("looked at" in json.dumps(each) for each in large)
    assert "warm-up epoch 1: " in out
    assert ", stream: " in out
    assert "validation: from 0.0% to " in out
    assert "note: the cost is not known" in out
    best = path.with_name("playbook.run") / "best.yaml"
    assert str(best) in out
    assert playbook_of(best).active


def reply_worse(request: Request) -> Said:
    """The same, of a model that is confused by more than two lessons."""
    words = "\n".join(str(each["content"]) for each in request.body["messages"])
    is_confused = "You are an expert who answers" in words and words.count(" helpful=") > 2
    return said('{"final_answer": "0"}') if is_confused else reply(request)


@exhaustive
def test_the_best_revision_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a validation the summary says which revision the playbook is, and how to take the other one."""
    samples = SAMPLES[:30:5]
    valid = tmp_path / "valid.jsonl"
    lines = [json.dumps({"key": each.id, "ask": {"text": each.question}, "gold": each.answer}) for each in samples]
    valid.write_text("\n".join(lines))
    for name, more in (("best", ()), ("last", ("--keep", "last"))):
        path = new_playbook(tmp_path / name)
        validation = ["--validation", str(valid), "--validate-every", "1", *more]
        with Loopback(reply_worse) as server:
            assert main(words(tmp_path / name, server, *validation, samples=samples)) == 0
        said_of = [each for each in capsys.readouterr().out.splitlines() if str(path) in each]
        n = playbook_of(path).revision
        best = playbook_of(path.with_name("playbook.run") / "best.yaml")
        if name == "best":
            told = f"{path}: revision {n} is as the best one was, {best.revision}"
            assert said_of[:2] == [told, f"for the last one, revision {n - 1}: acdl playbook undo {path} {n}"]
            assert main(["playbook", "undo", str(path), str(n)]) == 0
            assert len(playbook_of(path).active) > len(best.active)
        else:
            how = f"acdl playbook undo {path} --to {best.revision}"
            assert said_of[0] == f"{path}: is the last revision, and not the best one; for the best one: {how}"
            assert main(["playbook", "undo", str(path), "--to", str(best.revision)]) == 0
            assert f"{path}: revision {n + 1} is as revision {best.revision} was" in capsys.readouterr().out
            assert [each.content for each in playbook_of(path).active] == [each.content for each in best.active]
            assert main(["playbook", "undo", str(path), "--to", str(n + 1)]) == 0
            assert "nothing is to be taken back" in capsys.readouterr().out
            assert main(["playbook", "undo", str(path), "--to", "999"]) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--keep", "best"), "--keep best needs questions that decide: add --validation FILE"),
        (("--validate-every", "5"), "--validate-every needs questions that decide: add --validation FILE"),
        (("--warm-up", "x.jsonl"), "--warm-up is for --online"),
        (("--role", "judge", "model=m"), "--role: no role `judge`; there are generator, reflector, curator"),
        (("--role", "curator"), "--role: nothing is said about the curator"),
        (("--role", "curator", "size=3"), "--role: `size=3` is not a setting of a role"),
        (("--role", "curator", "temperature=hot"), "--role: temperature: `hot` is not a number of at least 0"),
        (("--feedback", "no-such-program-here"), "`no-such-program-here` cannot be used"),
        (("--window", "3", "--batch", "2"), "a window is made of whole batches"),
    ],
)
def test_options_that_cannot_be(
    more: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be meant is told with what there is."""
    new_playbook(tmp_path)
    with Loopback(reply) as server:
        assert main(words(tmp_path, server, *more, samples=SAMPLES[:2])) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", "'open"])
def test_no_command(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Feedback needs a command."""
    with Loopback([]) as server, pytest.raises(SystemExit):
        main(words(tmp_path, server, "--feedback", command))
    assert "command" in capsys.readouterr().err


def test_a_validation_set_without_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Questions that nothing can judge validate nothing."""
    new_playbook(tmp_path)
    (tmp_path / "valid.jsonl").write_text('{"ask": {"text": "q"}, "key": "k"}')
    with Loopback([]) as server:
        assert main(words(tmp_path, server, "--validation", str(tmp_path / "valid.jsonl"))) == 2
    assert "no record has an answer in the field `gold`" in capsys.readouterr().err
