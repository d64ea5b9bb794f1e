"""`acdl check-run`: what it reads, what it writes, and the status it ends with."""

import io
import json
import os
import sys
from errno import ENOSPC
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.frontends.cli import messages
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.prompt import Json

SPEC = """// acdl: range=inclusive
Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T-1)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}

Other[@T]: {
    U: env.question[@T]
}
"""
CHAT = (("system", "be kind"), ("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "a2"), ("user", "q3"))


def body(*messages: tuple[str, str]) -> Json:
    """The body of a request."""
    return {"model": "gpt-5", "messages": [{"role": role, "content": text} for role, text in messages]}


GOOD = [body(*CHAT[:2]), body(*CHAT[:4]), body(*CHAT)]
BAD = [body(*CHAT[:2]), body(*CHAT[:2], ("user", "a1"), ("user", "q2"))]


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a spec and recordings."""
    monkeypatch.chdir(tmp_path)
    Path("chat.acdl").write_text(SPEC, "utf-8")
    record("good.jsonl", GOOD)
    record("bad.jsonl", BAD)


def record(name: str, bodies: list[Json]) -> None:
    """Write a recording."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in bodies), "utf-8")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("good.jsonl", 0),
        ("bad.jsonl", 1),
        ("good.jsonl bad.jsonl", 1),
        ("good.jsonl --strict", 0),
        ("good.jsonl --spec Other", 1),
        ("good.jsonl --min-coverage 100 --min-score 100", 0),
        ("one.jsonl", 0),
        ("one.jsonl --min-coverage 50", 1),
        ("one.jsonl --min-score 90", 1),
        ("one.jsonl --fail-on unexercised", 1),
        ("one.jsonl --fail-on uncontrollable --fail-on cut", 0),
        ("one.jsonl --strict", 1),
        ("damaged.jsonl", 0),
        ("damaged.jsonl --fail-on unread", 1),
        ("windows.jsonl --spec Other", 0),
        ("windows.jsonl --spec Other --fail-on cut", 1),
        ("good.jsonl --at 2", 1),
        ("good.jsonl --from openai", 0),
        ("good.jsonl --from jsonl", 0),
        ("good.jsonl --state right.yaml", 0),
        ("good.jsonl --state wrong.yaml", 1),
        ("good.jsonl --manifest points.json", 0),
        ("nothing.jsonl", 2),
        ("missing.jsonl", 2),
        ("empty", 2),
        ("good.jsonl --from opnai", 2),
        ("good.jsonl --spec Chta", 2),
        ("good.jsonl --state missing.yaml", 2),
        ("good.jsonl --state good.jsonl", 2),
        ("good.jsonl --manifest good.jsonl", 2),
        ("good.jsonl --manifest missing.json", 2),
        ("good.jsonl --manifest -", 2),
        ("good.jsonl --at 0.x", 2),
        ("good.jsonl --mutants 0 --min-score 5", 2),
        ("good.jsonl --force", 2),
        ("good.jsonl --emit-state -", 2),
        ("- -", 2),
    ],
)
def test_status(words: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    """0 where no request disagrees, 1 where one does or there is too little, 2 where nothing could be tried."""
    record("one.jsonl", GOOD[:1])
    Path("damaged.jsonl").write_text(Path("good.jsonl").read_text("utf-8") + "{broken\n", "utf-8")
    record("windows.jsonl", [body(("user", "q1")), body(("user", "q2"))])
    Path("nothing.jsonl").write_text('{"choices": []}\n', "utf-8")
    Path("empty").mkdir()
    Path("right.yaml").write_text('acdl_state: 1\ntemplates: {INSTRUCTIONS: "be kind"}\n', "utf-8")
    Path("wrong.yaml").write_text('acdl_state: 1\ntemplates: {INSTRUCTIONS: "be rude"}\n', "utf-8")
    Path("points.json").write_text('["1", "2", "3"]', "utf-8")
    if "windows" in words:
        Path("points.json").write_text('[{"at": "1", "episode": "a"}, {"at": "2", "episode": "a"}]', "utf-8")
        words += " --manifest points.json"
    assert main(["check-run", "chat.acdl", *words.split()]) == status, capsys.readouterr()
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    if status == 2:
        assert "acdl: " in err
        assert not out


def test_broken_spec(capsys: pytest.CaptureFixture[str]) -> None:
    """Its errors are shown, and nothing is checked."""
    Path("chat.acdl").write_text("Chat[@T]: {\n    U: {\n}\n", "utf-8")
    assert main(["check-run", "chat.acdl", "good.jsonl"]) == 2
    err = capsys.readouterr().err
    assert "-->" in err
    assert err.endswith("acdl: nothing was checked: solve these errors first\n")


def test_report_is_written_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """And a person still gets the sentence."""
    assert main(["check-run", "chat.acdl", "bad.jsonl", "--format", "junit", "-o", "out/run.xml"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "acdl: out/run.xml: refuted: 1 of 5 lines; 1 of 2 requests disagrees\n")
    assert Path("out/run.xml").read_text("utf-8").startswith("<?xml ")


def test_folder_is_read_in_the_order_of_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """A file for each request, as some loggers write; other files are left alone."""
    for number, each in enumerate(GOOD, 9):
        record(f"log/{number}.json", [each])
    record("log/.hidden/1.json", BAD)
    Path("log/notes.txt").write_text("no requests", "utf-8")
    assert main(["check-run", "chat.acdl", "log", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [Path(each).name for each in found["files"]] == ["9.json", "10.json", "11.json"]
    assert [each["at"] for each in found["calls"]] == ["1", "2", "3"]
    assert found["runs"] == ["run 1"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording may come from a pipe."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(Path("bad.jsonl").read_bytes()))))
    assert main(["check-run", "chat.acdl", "-"]) == 1
    assert "--> <stdin>:2, messages[2]" in capsys.readouterr().out


def test_spec_of_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines are those of the page."""
    Path("page.md").write_text(f"# Chat\n\n```acdl\n{SPEC}```\n", "utf-8")
    assert main(["check-run", "page.md#Chat", "bad.jsonl", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [each["line"] for each in found["lines"] if each["verdict"] == "refuted"] == [9]


def test_weak_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    """A green check says what it is worth."""
    record("one.jsonl", GOOD[:1])
    assert main(["check-run", "chat.acdl", "one.jsonl"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("agrees with the only request; 3 of 5 lines unexercised, ")
    assert last.endswith(" detected: weak evidence")


def test_forgotten_history(capsys: pytest.CaptureFixture[str]) -> None:
    """Requests without what was said before look like runs of their own: that is told, and is weak evidence."""
    record("forgets.jsonl", [body(CHAT[0], CHAT[at]) for at in (1, 3, 5)])
    assert main(["check-run", "chat.acdl", "forgets.jsonl"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("agrees with all 3 requests, grouped into 3 runs; ")
    assert last.endswith(": weak evidence")
    Path("points.json").write_text(json.dumps([{"episode": "a"}, {"episode": "a"}, {"episode": "a"}]), "utf-8")
    assert main(["check-run", "chat.acdl", "forgets.jsonl", "--manifest", "points.json"]) == 1


def test_emitted_state(capsys: pytest.CaptureFixture[str]) -> None:
    """What the run tells is a state; a file that is there stays, unless that is asked for."""
    command = ["check-run", "chat.acdl", "good.jsonl", "--emit-state", "chat.state.yaml"]
    assert main(command) == 0
    state = read_state(Path("chat.state.yaml").read_text("utf-8")).state
    assert state is not None
    assert main(["check-run", "chat.acdl", "good.jsonl", "--state", "chat.state.yaml", "--strict"]) == 0
    capsys.readouterr()
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert not out, "nothing is checked before that is known"
    assert "--force writes over it" in err
    assert main([*command, "--force"]) == 0


@pytest.mark.parametrize("name", ["chat.state.yaml", "state.schema.json"])
def test_emitted_state_without_room(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The state and its schema are both there or neither is; the command can be repeated without `--force`."""
    command = ["check-run", "chat.acdl", "good.jsonl", "--emit-state", "chat.state.yaml"]
    write_draft = atomic.write_draft

    def full(path: Path, data: bytes, *, is_durable: bool = False) -> Path:
        if path.name == name:
            raise OSError(ENOSPC, os.strerror(ENOSPC), str(path))
        return write_draft(path, data, is_durable=is_durable)

    before = sorted(os.listdir())
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "write_draft", full)
        assert main(command) == 2
    assert f"{name}: " in capsys.readouterr().err
    assert sorted(os.listdir()) == before
    assert main(command) == 0
    assert {"chat.state.yaml", "state.schema.json"} <= {*os.listdir()}


@pytest.mark.parametrize("option", ["--min-coverage", "--min-score"])
def test_more_than_all(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What no requests can reach is refused."""
    with pytest.raises(SystemExit, match="2"):
        main(["check-run", "chat.acdl", "good.jsonl", option, "101"])
    assert "a number from 0 to 100" in capsys.readouterr().err


def test_mutants_on_some_requests(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where mutants are held only against some requests, every sentence about them says so."""
    monkeypatch.setattr("acdl_mkdocs.runs.match.mutants.MOST_MESSAGES", 1)
    main(["check-run", "chat.acdl", "good.jsonl"])
    assert f", checked against 1 of {len(GOOD)} requests" in capsys.readouterr().out
    main(["check-run", "chat.acdl", "good.jsonl", "--format", "badge", "-o", "badge.json"])
    assert "deliberate errors detected by 1 of the requests" in capsys.readouterr().err
    main(["check-run", "chat.acdl", "good.jsonl", "--format", "markdown"])
    assert "that none of 1 requests detects" in capsys.readouterr().out


def test_excerpts_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Where what was said must not be in a log."""
    record("bad.jsonl", [body(("system", "the secret recipe"), ("user", "q1"), ("user", "the secret sauce"))])
    assert main(["check-run", "chat.acdl", "bad.jsonl", "--no-excerpts"]) == 1
    assert "secret" not in capsys.readouterr().out


def test_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal, what is done is shown when it takes long, and gone at the end; in a pipe nothing is."""
    words = ["check-run", "chat.acdl", "good.jsonl", "--mutants", "0", "--emit-state", "new.state.yaml", "--force"]
    main(words)
    before = capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main(words)
    assert "requests" not in capsys.readouterr().err.replace(before, "")
    monkeypatch.setattr(messages, "SILENT_S", -1.0)
    monkeypatch.setattr(messages, "EVERY_S", 0.0)
    main(words)
    lines = capsys.readouterr().err.split("\r")
    assert [line for line in lines if "request" in line and "[" not in line] == [
        "1 request",
        "2 requests",
        "3 requests",
    ]
    bars = [line.partition("] ")[2] for line in lines if line.startswith("[")]
    assert bars == [
        f"{number}/3 requests" for _ in ("checked", "read for the state", "compared") for number in (1, 2, 3)
    ]
    assert sum(line.startswith("\x1b[K") for line in lines) >= 2
