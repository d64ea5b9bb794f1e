"""What a process is given: a folder, streams, memory, open files. Where it lacks one, a sentence says so."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.learn.replay_cache import append_line
from faults.projects import CHAT, make_project, run_acdl

resource = pytest.importorskip("resource", reason="needs limits of processes, which Windows does not have")

MEMORY = 1 << 20
GONE = "acdl: the current folder does not exist any more; go to one that does\n"
SHORT = "acdl: there is not enough memory; give it less at once, or let it have more\n"


def limited(
    folder: Path, prepare: Callable[[], None], *arguments: str, stdout: int | None = subprocess.PIPE
) -> "subprocess.CompletedProcess[str]":
    """`acdl`, in a process to which something is done before Python and its modules are loaded there."""
    return subprocess.run(
        [sys.executable, "-m", "acdl_mkdocs", *arguments],
        cwd=folder,
        preexec_fn=prepare,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("arguments", [("check", "."), ("render", "chat.acdl"), ("new", "site", "."), ("format", ".")])
def test_a_folder_that_is_gone(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Who works in a folder that somebody has deleted is told that, not that the output is missing."""
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os, sys; from acdl_mkdocs.frontends.cli.main import main\n"
    code += "os.rmdir(os.getcwd()); sys.exit(main(sys.argv[1:]))"
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=gone, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (2, GONE)


@exhaustive
def test_too_little_memory(tmp_path: Path) -> None:
    """A text that needs more memory than there is gives status 2 and a sentence, and no half figure."""
    lines = "".join(f"  U: env.q{number}[@T]\n" for number in range(20_000))
    (tmp_path / "a.acdl").write_text(f"A[@T]: {{\n{lines}}}\n")

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (90 * MEMORY, 90 * MEMORY))

    ran = limited(tmp_path, prepare, "render", "a.acdl", "-o", "a.svg")
    assert (ran.returncode, ran.stderr) == (2, SHORT)
    assert [path.name for path in tmp_path.iterdir()] == ["a.acdl"]


def test_memory_that_ends_anywhere(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever memory ends in a command, also while something else is being said, it is that sentence."""

    def short(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("acdl_mkdocs.workspace.search.find_files", short)
    assert main(["check", "x"]) == 2
    assert capsys.readouterr().err == SHORT


def test_few_files_may_be_open(tmp_path: Path) -> None:
    """Ten open files are enough for any number of texts, since none stays open."""
    for number in range(60):
        (tmp_path / f"{number}.acdl").write_text(CHAT, "utf-8")

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))

    ran = limited(tmp_path, prepare, "render", ".", "-o", "figures")
    assert ran.returncode == 0, ran.stderr
    assert len([*(tmp_path / "figures").iterdir()]) == 60


def test_no_file_may_be_opened(tmp_path: Path) -> None:
    """Where a file cannot be opened because too many are, that is said of it."""
    (tmp_path / "a.acdl").write_text(CHAT, "utf-8")
    code = (
        "import resource, sys; from acdl_mkdocs.frontends.cli.main import main; main(['check', 'a.acdl'])\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)); sys.exit(main(['check', 'a.acdl']))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "acdl: a.acdl: cannot be read: too many open files" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    few(
        [
            ("check -", 2, "standard input is closed"),
            ("mcp", 2, "standard input is closed"),
            ("lsp", 2, "started by an editor"),
            ("playbook curate book/playbook.yaml -", 2, "standard input is closed"),
            ("playbook import book/playbook.yaml -", 2, "standard input is closed"),
            ("playbook review book/playbook.yaml", 0, ""),
            ("pml check -", 2, "standard input is closed"),
            ("check-run specs/chat.acdl -", 2, "standard input is closed"),
        ],
        3,
    ),
)
def test_closed_standard_input(words: str, status: int, said: str, tmp_path: Path) -> None:
    """`<&-`: what reads it says so."""
    project = make_project(tmp_path / "project")
    ran = limited(project, lambda: os.close(0), *words.split())
    assert (ran.returncode, said in ran.stderr) == (status, True), ran
    assert "report it" not in ran.stderr


@pytest.mark.parametrize(
    "arguments", few([(("check", "specs"),), (("render", "specs"),), (("unroll", "specs/chat.acdl"),)])
)
def test_no_environment_at_all(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Without a single variable, commands do the same."""
    project = make_project(tmp_path / "project")
    wanted = run_acdl(*arguments, folder=project)
    command = [sys.executable, "-m", "acdl_mkdocs", *arguments]
    ran = subprocess.run(command, cwd=project, env={}, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (wanted.returncode, wanted.stdout, wanted.stderr)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments", [("render", "specs/chat.acdl", "--spec", "Chat"), ("explain", "specs/chat.acdl"), ("rules",)]
)
def test_output_to_a_full_disk(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A redirected output that does not fit is a sentence and status 2, never a shorter file with status 0."""
    project = make_project(tmp_path / "project")
    with open("/dev/full", "wb") as full:
        ran = limited(project, lambda: None, *arguments, stdout=full.fileno())
    assert (ran.returncode, ran.stderr) == (2, "acdl: standard output: no space left on device\n")


def test_a_full_disk_under_a_run_of_learning_is_named(tmp_path: Path) -> None:
    """The file that could not be written is in what is said, although the system does not name it."""
    path = tmp_path / "trajectory.jsonl"
    code = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from acdl_mkdocs.playbook.learn.replay_cache import append_line\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "try:\n    append_line(Path(sys.argv[1]), {'n': 'a' * 100})\n"
        "except OSError as reason:\n    print(reason.filename, reason.strerror)"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{path} File too large\n"
    path.unlink()
    append_line(path, {"n": 1})
    assert path.read_text() == '{"n":1}\n'
