"""`acdl record`: runs a program, hands on its streams, signals and exit status, and says what it recorded."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Recorded
from acdl_mkdocs.runs.record import recording
from acdl_mkdocs.runs.record.providers import PLACEHOLDER_KEY
from recorder.upstream import recorded_lines, said_json, script_of, upstream

ASK = """
import json, os, sys, urllib.request
def ask(text="hi"):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode())
    try:
        return json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as refused:
        return json.load(refused)["error"]["message"]
"""
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def command(*words: str) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "acdl_mkdocs", "record", *words]


def record(*words: str, cwd: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    environ = {key: value for key, value in os.environ.items() if not key.endswith(("_BASE_URL", "_API_KEY"))}
    return subprocess.run(
        command(*words), cwd=cwd, env=environ | variables, capture_output=True, text=True, encoding="utf-8", timeout=600
    )


def agent(path: Path, code: str) -> list[str]:
    """A program of the tests, as it is written behind `--`."""
    path.write_text(f"{ASK}\n{code}\n", "utf-8")
    return ["--", sys.executable, path.name]


@pytest.fixture
def script(tmp_path: Path) -> str:
    """A script with two replies, in the folder where commands run."""
    return script_of(tmp_path / "replies.yaml", "{text: one}", "{text: two}").name


def test_a_run(tmp_path: Path, script: str) -> None:
    """Streams and exit status are those of the program; the recording is read as any other."""
    code = "print(ask(), ask()); print('oh', file=sys.stderr); print(sys.stdin.read(), sys.argv[1:]); sys.exit(7)"
    words = agent(tmp_path / "agent.py", code)
    ran = subprocess.run(
        command("-o", "deep/run.jsonl", "--script", script, *words, "--force", "--", "-x"),
        cwd=tmp_path,
        input="typed",
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (ran.returncode, ran.stdout) == (7, "one two\ntyped ['--force', '--', '-x']\n")
    assert ran.stderr == "oh\nacdl: recorded 2 requests (2 openai) in deep/run.jsonl\n"
    found = list(read_trace(tmp_path / "deep" / "run.jsonl"))
    assert [isinstance(each, Recorded) and each.status for each in found] == [200, 200]


def test_without_dashes(tmp_path: Path, script: str) -> None:
    """The first word that is no option begins the program; what follows is for it, options too."""
    words = agent(tmp_path / "a.py", "ask(); ask(); print(sys.argv[1:])")[1:]
    ran = record("--script", script, *words, "-o", "--help", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "['-o', '--help']\n")


def test_a_real_provider(tmp_path: Path) -> None:
    """Without a script, requests go where the variables said; no key is made up."""
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "ho"}}]}
    code = "print(ask(), os.environ.get('OPENAI_API_KEY'), os.environ.get('ANTHROPIC_API_KEY'))"
    with upstream(said_json(json.loads(json.dumps(answer)))) as provider:
        address = f"{provider.address}/v7"
        ran = record("-o", "run.jsonl", *agent(tmp_path / "a.py", code), cwd=tmp_path, OPENAI_BASE_URL=address)
    assert (ran.returncode, ran.stdout) == (0, "ho None None\n")
    assert provider.got[0].path == "/v7/chat/completions"


def test_placeholders_for_keys(tmp_path: Path, script: str) -> None:
    """Clients that want a key get one where none is needed, unless there is one."""
    code = "ask(); print([os.environ.get(name) for name in ('OPENAI_API_KEY', 'GEMINI_API_KEY', 'ANTHROPIC_API_KEY')])"
    tracing = "print(os.environ['OPENAI_AGENTS_DISABLE_TRACING'])"
    words = ("--script", script, *agent(tmp_path / "a.py", f"{code}; {tracing}"))
    ran = record(*words, cwd=tmp_path, OPENAI_API_KEY="mine", ANTHROPIC_AUTH_TOKEN="other")  # noqa: S106
    assert ran.stdout == f"['mine', '{PLACEHOLDER_KEY}', None]\n1\n"


def test_files_are_not_overwritten(tmp_path: Path, script: str) -> None:
    """What is there stays, unless something else is asked for; runs that are added have names."""
    words = ("--script", script, *agent(tmp_path / "a.py", "ask()"))
    assert record("-o", "run.jsonl", "--episode", "a", *words, cwd=tmp_path).returncode == 0
    again = record("-o", "run.jsonl", *words, cwd=tmp_path)
    assert again.returncode == 2
    assert (
        again.stderr
        == "acdl: run.jsonl: the file exists already; replace it with `--force`, or add to it with `--append`\n"
    )
    assert record("-o", "run.jsonl", "--append", "--episode", "b", *words, cwd=tmp_path).returncode == 0
    assert [line["episode"] for line in recorded_lines(tmp_path / "run.jsonl")] == ["a", "b"]
    assert record("-o", "run.jsonl", "--force", *words, cwd=tmp_path).returncode == 0
    assert len(recorded_lines(tmp_path / "run.jsonl")) == 1
    with (tmp_path / "run.jsonl").open("ab") as file:
        file.write(b"{")
    cut = record("-o", "run.jsonl", "--append", *words, cwd=tmp_path)
    assert (cut.returncode, "its last line is incomplete" in cut.stderr) == (2, True)


@exhaustive
def test_names_of_runs(tmp_path: Path, script: str) -> None:
    """A run is called as the file, and those that are added get a number; several conversations have no name."""
    words = ("--script", script, *agent(tmp_path / "a.py", "ask()"))
    for mode in ((), ("--append",), ("--append", "--episode", "run 4"), ("--append",), ("--append", "--no-episode")):
        assert record("-o", "run.x.jsonl", *mode, *words, cwd=tmp_path).returncode == 0
    with (tmp_path / "run.x.jsonl").open("ab") as file:
        file.write(b'{"episode": oh\n["episode"]\n')
    assert record("-o", "run.x.jsonl", "--append", *words, cwd=tmp_path).returncode == 0
    lines = (tmp_path / "run.x.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line).get("episode") for line in (*lines[:5], lines[-1])]
    assert found == ["run", "run 2", "run 4", "run 3", None, "run 5"]
    with pytest.raises(RecorderError, match="cannot have the same name"), recording(episode="a", has_many_runs=True):
        pass


@exhaustive
def test_a_script_that_is_too_short(tmp_path: Path, script: str) -> None:
    """A program that takes the error for an answer does not make the run a good one."""
    ran = record("--script", script, *agent(tmp_path / "a.py", "[ask() for _ in range(3)]"), cwd=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("acdl: replies.yaml has no reply for request 3 (openai, model `m`, last: `hi`): all 2")
    few = record("--script", script, *agent(tmp_path / "a.py", "ask()"), cwd=tmp_path)
    assert few.returncode == 0
    assert few.stderr == "acdl: 1 reply was never used; the first is in line 4 of replies.yaml\n"
    wanted = record("--all", "--script", script, *agent(tmp_path / "a.py", "ask()"), cwd=tmp_path)
    assert (wanted.returncode, wanted.stderr) == (1, few.stderr)


def test_replay(tmp_path: Path, script: str) -> None:
    """A recording answers; another question is told with its difference, and fails the run."""
    same = agent(tmp_path / "a.py", "print(ask(), ask('tell more'))")
    assert record("-o", "run.jsonl", "--script", script, *same, cwd=tmp_path).returncode == 0
    again = record("--replay", "run.jsonl", "-o", "again/run.jsonl", *same, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "one two\n")
    assert (tmp_path / "again" / "run.jsonl").read_bytes() == (tmp_path / "run.jsonl").read_bytes()
    other = record("--replay", "run.jsonl", *agent(tmp_path / "b.py", "print(ask('say more'))"), cwd=tmp_path)
    assert other.returncode == 1
    clause = 'the most similar one is in line 2: `messages[0].content` is "say more", and "tell more" in the recording'
    assert other.stderr.splitlines()[0] == f"acdl: request 1 is not in run.jsonl; {clause}"
    assert other.stderr.splitlines()[1].startswith("acdl: 2 requests were not sent again")


def test_nothing_came(tmp_path: Path, script: str) -> None:
    """A program whose client goes elsewhere is told with cures; with a script the run is worth nothing."""
    words = agent(tmp_path / "a.py", "pass")
    ran = record("-o", "run.jsonl", *words, cwd=tmp_path)
    assert ran.returncode == 1
    assert not (tmp_path / "run.jsonl").exists()
    assert ran.stderr.startswith("acdl: no request was recorded: the program sent none, or it sets the address")
    assert "remove `base_url` from the program" in ran.stderr
    assert "--variable NAME=openai" in ran.stderr
    assert record("--script", script, *words, cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("words", "said"),
    few(
        [
            (("-o", "x.jsonl"), "there is no program to run; write it behind `--`"),
            (("--", "python"), "there is no recording to write; add `-o run.jsonl`"),
            (("-o", "-", "--", "python"), "standard output belongs to the program"),
            (("-o", "x.jsonl", "--", "no-such-program-x"), "there is no program `no-such-program-x`"),
            (("-o", "x.jsonl", "--", "."), "`.` cannot be run: permission denied"),
            (
                ("-o", "x.jsonl", "--upstream", "openai", "--", "python"),
                "--upstream: `openai` means nothing; write it as",
            ),
            (("-o", "x.jsonl", "--variable", "A=opnai", "--", "python"), "did you mean `openai`?"),
            (("-o", "x.jsonl", "--all", "--", "python"), "`--all` needs a script or a recording"),
            (("--script", "none.yaml", "--", "python"), "none.yaml: no such file or directory"),
            (("--replay", "x.jsonl", "-o", "./x.jsonl", "--", "python"), "is the source of the answers"),
        ],
        4,
    ),
)
def test_what_cannot_be_done(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """It is told before anything runs, with status 2."""
    ran = record(*words, cwd=tmp_path)
    assert (ran.returncode, said in ran.stderr, "Traceback" in ran.stderr) == (2, True, False)


@POSIX
@pytest.mark.parametrize("number", few([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
def test_signals_are_handed_on(tmp_path: Path, script: str, number: signal.Signals) -> None:
    """The program may end in its own way, and what it sent until then is recorded."""
    code = f"""
import signal, time
def end(*_):
    os.write(1, b"ended by {int(number)}\\n")  # `print` must not be entered again while it writes
    sys.exit(9)
signal.signal({int(number)}, end)
print(ask(), flush=True)
for _ in range(600):  # Python 3.14 sees a signal that comes during `print` only after the next call
    time.sleep(0.1)
"""
    words = agent(tmp_path / "a.py", code)
    before = signal.signal(number, signal.SIG_DFL)  # under `nohup` and the like it is ignored, by programs of ours too
    try:
        running = subprocess.Popen(
            command("-o", "run.jsonl", "--script", script, *words),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(number, before)
    assert running.stdout is not None
    assert running.stdout.readline() == "one\n"
    running.send_signal(number)
    out, errors = running.communicate(timeout=600)
    assert (running.returncode, out) == (9, f"ended by {int(number)}\n")
    assert "recorded 1 request (1 openai) in run.jsonl" in errors
    assert len(recorded_lines(tmp_path / "run.jsonl")) == 1


@POSIX
def test_a_program_that_is_killed(tmp_path: Path, script: str) -> None:
    """The status is the one that a shell tells, and the recording is whole."""
    ran = record(
        "-o", "r.jsonl", "--script", script, *agent(tmp_path / "a.py", "ask(); os.kill(os.getpid(), 9)"), cwd=tmp_path
    )
    assert ran.returncode == 137
    assert len(recorded_lines(tmp_path / "r.jsonl")) == 1


@POSIX
def test_lines_are_there_while_the_program_runs(tmp_path: Path, script: str) -> None:
    """A recorder that is killed itself leaves what was recorded."""
    words = agent(tmp_path / "a.py", "ask(); print('asked', flush=True); import time; time.sleep(60)")
    running = subprocess.Popen(
        command("-o", "run.jsonl", "--script", script, *words),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"asked\n"
    until = time.monotonic() + 600
    while not (tmp_path / "run.jsonl").read_bytes().endswith(b"\n") and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    assert len(recorded_lines(tmp_path / "run.jsonl")) == 1


def test_calls_that_nobody_knows(tmp_path: Path) -> None:
    """What may have been a request in another form is told, and is in the recording."""
    code = "u = os.environ['OPENAI_BASE_URL']; ask(); urllib.request.urlopen(u + '/completions', b'{}')"
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "ho"}}]}
    with upstream(said_json(json.loads(json.dumps(answer))), said_json({"choices": []})) as provider:
        words = ("-o", "run.jsonl", "--upstream", f"openai={provider.address}", *agent(tmp_path / "a.py", code))
        ran = record(*words, cwd=tmp_path)
    told = "are recorded, but cannot be checked, because their format is not known"
    assert ran.stderr.splitlines() == [
        f"acdl: calls of `/completions` (1) {told}",
        "acdl: recorded 1 request (1 openai), and 1 other call in run.jsonl",
    ]


@POSIX
def test_interrupted_at_a_terminal(tmp_path: Path, script: str) -> None:
    """The program gets the signal of the terminal once, and not a second time from us."""
    import pty

    code = """
import signal, time
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
print(ask(), flush=True)
until = time.monotonic() + 600
while not seen and time.monotonic() < until:
    time.sleep(0.01)
time.sleep(0.5)
print("interrupted", len(seen), flush=True)
"""
    words = agent(tmp_path / "a.py", code)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, command("-o", "run.jsonl", "--script", script, *words))  # noqa: S606
    shown = b""
    while b"one\r\n" not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    while b"interrupted" not in shown or b"run.jsonl\r\n" not in shown:
        shown += os.read(terminal, 1000)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    assert b"interrupted 1\r\n" in shown
