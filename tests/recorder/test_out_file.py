"""The file of a recording: what was there stays until a request takes its place, and nothing else is written over."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.runs.record import recording
from recorder.upstream import recorded_lines, script_of

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
OLD = "what was recorded before, and is longer than what comes\n" * 100
ASK = """
import os, urllib.request
urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b'{"messages":[]}')
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A recording that is there already."""
    path = tmp_path / "old.jsonl"
    path.write_text(OLD, "utf-8")
    return path


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Replies."""
    return script_of(tmp_path / "replies.yaml", "{text: hi, times: any}")


def record(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a folder."""
    command = [sys.executable, "-m", "acdl_mkdocs", "record", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=600)


def ask(address: str) -> None:
    """One request."""
    body = json.dumps({"model": "m", "messages": []}).encode()
    urllib.request.urlopen(f"{address}/chat/completions", body).close()  # noqa: S310 - our own


@pytest.mark.parametrize(("program", "status"), [(["no-such-program-x"], 2), ([sys.executable, "-c", "0"], 1)])
def test_nothing_takes_its_place(old: Path, program: list[str], status: int) -> None:
    """A program that is not there, or sends nothing, leaves the old recording; that it is old is told."""
    ran = record(old.parent, "--force", "-o", old.name, "--", *program)
    assert (ran.returncode, old.read_text("utf-8")) == (status, OLD)
    assert ("acdl: old.jsonl is as it was before" in ran.stderr) is (status == 1)


def test_the_first_request_takes_its_place(old: Path, script: Path) -> None:
    """Nothing of the old recording is left then."""
    with recording(old, script=script) as variables:
        assert old.read_text("utf-8") == OLD
        ask(variables["OPENAI_BASE_URL"])
        ask(variables["OPENAI_BASE_URL"])
    assert [line["status"] for line in recorded_lines(old)] == [200, 200]


def test_a_file_for_nothing(tmp_path: Path) -> None:
    """A run that could not begin leaves no empty recording, which would be in the way of the next."""
    for mode in ((), ("--force",), ("--append",)):
        assert record(tmp_path, *mode, "-o", "new.jsonl", "--", "no-such-program-x").returncode == 2
        assert not (tmp_path / "new.jsonl").exists()


@POSIX
@pytest.mark.parametrize("mode", few([((),), (("--force",),), (("--append",),)]))
@pytest.mark.parametrize(
    "place", ["acdl_mkdocs.runs.record.records:_open_file", "acdl_mkdocs.runs.record.server:Thread.start"]
)
def test_stopped_before_it_begins(place: str, mode: tuple[str, ...], tmp_path: Path) -> None:
    """A signal just after the file was made, or while the server starts: no empty recording is left."""
    module, _, name = place.partition(":")
    code = (
        "import signal, sys, importlib\nfrom operator import attrgetter\n"
        "from acdl_mkdocs.frontends.cli.main import main\n"
        f"module = importlib.import_module({module!r})\nholder, _, name = {name!r}.rpartition('.')\n"
        "holder = attrgetter(holder)(module) if holder else module\nreal = getattr(holder, name)\n"
        "def stopped(*given):\n    real(*given)\n    signal.raise_signal(signal.SIGTERM)\n"
        "setattr(holder, name, stopped)\nsys.exit(main())\n"
    )
    words = ["record", *mode, "-o", "new.jsonl", "--", sys.executable, "-c", "0"]
    ran = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert (ran.returncode, ran.stderr, os.listdir(tmp_path)) == (143, "", [])


@POSIX
def test_for_its_owner(tmp_path: Path, script: Path) -> None:
    """A new recording can be read by nobody else; one that is replaced stays as it is, a link too."""
    kept = tmp_path / "kept.jsonl"
    kept.touch(0o644)
    (tmp_path / "link.jsonl").symlink_to(kept)
    for name in ("new.jsonl", "link.jsonl"):
        with recording(tmp_path / name, script=script) as variables:
            ask(variables["OPENAI_BASE_URL"])
    assert (tmp_path / "new.jsonl").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (len(recorded_lines(kept)), kept.stat().st_mode & 0o777) == (1, 0o644)


@POSIX
@pytest.mark.parametrize("is_linked_hard", few([True, False]))
@pytest.mark.parametrize("option", ["--replay", "--script"])
def test_what_answers_come_from(old: Path, option: str, is_linked_hard: bool) -> None:
    """It is not written over, whatever it is called."""
    (os.link if is_linked_hard else os.symlink)(old, old.with_name("link.jsonl"))
    for out in (old.name, "link.jsonl"):
        ran = record(old.parent, "--force", "-o", out, option, old.name, "--", sys.executable, "-c", "0")
        said = f"acdl: `{out}` is the source of the answers; choose another file: `-o other.jsonl`\n"
        assert (ran.returncode, ran.stderr, old.read_text("utf-8")) == (2, said, OLD)


def test_what_answers_come_from_in_python(old: Path) -> None:
    """There too."""
    with pytest.raises(RecorderError, match="is the source of the answers"), recording(old, replay=old):
        pass
    assert old.read_text("utf-8") == OLD


@pytest.mark.parametrize("mode", ["--force", "--append"])
def test_the_program_itself(old: Path, script: Path, mode: str) -> None:
    """No word of the command is written over."""
    agent = old.with_name("agent.py")
    agent.write_text(ASK, "utf-8")
    ran = record(old.parent, mode, "--script", script.name, "-o", "agent.py", "--", sys.executable, "./agent.py")
    assert (ran.returncode, agent.read_text("utf-8")) == (2, ASK)
    assert ran.stderr.startswith("acdl: `agent.py` is an argument of the command to run; choose another file")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_no_room(tmp_path: Path, script: Path) -> None:
    """A recording that cannot be written is told by its name, and the run is worth nothing."""
    ran = record(tmp_path, "--force", "-o", "/dev/full", "--script", script.name, "--", sys.executable, "-c", ASK)
    said = "acdl: the recording is incomplete: /dev/full: no space left on device\n"
    assert (ran.returncode, ran.stderr) == (1, said)
