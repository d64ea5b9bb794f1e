"""`--watch`: what makes a command run again, what it leaves alone, and how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from acdl_mkdocs.frontends.cli.main import main

Edit = Callable[[], object]
ROOT = Path(__file__).parent.parent.parent
FRAGMENT = "StrFrag F[@t]: { env.q[@t] }\n"
SPEC = "// acdl: use frag.acdl\nA[@T]: { U: Frag F[@T] }\n"


@pytest.fixture
def specs(folder: Path) -> Path:
    """A project with a spec that uses the fragment of another folder."""
    (folder / "pyproject.toml").write_text("")
    (folder / "specs").mkdir()
    (folder / "specs" / "frag.acdl").write_text(FRAGMENT)
    (folder / "specs" / "a.acdl").write_text(SPEC)
    return folder / "specs"


@pytest.fixture
def editing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Edits to be made while a command waits, one after another; then Ctrl-C."""

    def give(*edits: Edit) -> None:
        waiting = iter(edits)

        def watch(*folders: Path, **_: object) -> Iterator[Sequence[Path]]:
            assert all(folder.is_dir() for folder in folders)
            yield ()
            for edit in waiting:
                edit()
                yield folders
                yield ()
            raise KeyboardInterrupt

        monkeypatch.setattr("acdl_mkdocs.frontends.cli.watching.import_extra", lambda *_: SimpleNamespace(watch=watch))

    return give


def changes(err: str) -> list[str]:
    """What the command says that it runs again for."""
    return [line.removeprefix("changed: ") for line in err.splitlines() if line.startswith("changed: ")]


def replace(path: Path, text: str) -> Edit:
    """Write a file as editors do: another one takes its place."""

    def edit() -> None:
        draft = path.with_name("draft")
        draft.write_text(text)
        os.replace(draft, path)

    return edit


def write(path: Path, text: str) -> Edit:
    """Write a file, its folder too if need be."""

    def edit() -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    return edit


def test_what_makes_check_run_again(
    specs: Path, editing: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is replaced, a file in a new folder, settings that appear, and a file that goes."""
    levels = '[rules]\nundefined-name = "note"\n'
    editing(
        replace(specs / "frag.acdl", "StrFrag F[@t]: { $gone }\n"),
        write(specs / "new" / "b.acdl", "B[@T]: { U: $absent }\n"),
        write(specs.parent / "acdl.toml", levels),
        (specs / "new" / "b.acdl").unlink,
    )
    assert main(["check", "--watch", "specs"]) == 130
    out, err = capsys.readouterr()
    assert changes(err) == ["specs/frag.acdl", "specs/new/b.acdl", "acdl.toml", "specs/new/b.acdl"]
    summaries = [line for line in err.splitlines() if " in " in line]
    assert summaries == [
        "no problems in 1 spec and 1 fragment",
        "1 error in 1 spec and 1 fragment",
        "2 errors in 2 specs and 1 fragment",
        "2 notes in 2 specs and 1 fragment",
        "1 note in 1 spec and 1 fragment",
    ]
    assert out.count("error[undefined-name]") == 3


def test_file_that_is_used_and_not_named(
    specs: Path, editing: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file outside the argument is watched because the spec uses it, also before it exists."""
    other = specs.parent / "lib"
    other.mkdir()
    (specs / "a.acdl").write_text(SPEC.replace("frag.acdl", "../lib/frag.acdl"))
    editing(write(other / "frag.acdl", FRAGMENT), replace(other / "unrelated.acdl", "x"))
    assert main(["check", "--watch", "specs/a.acdl"]) == 130
    err = capsys.readouterr().err
    assert changes(err) == ["lib/frag.acdl"]
    assert "no problems in 1 spec" in err


def test_broken_text_keeps_the_figure(
    specs: Path, editing: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """While a text has errors its figure stays, and the errors are printed; then it is drawn again."""
    figure = specs.parent / "out" / "a.svg"
    seen: list[str] = []

    def look() -> None:
        seen.append(figure.read_text())

    editing(
        look,
        replace(specs / "a.acdl", "A[@T]: { U: env.q If {\n"),
        look,
        replace(specs / "a.acdl", "A[@T]: { S: RULES }\n"),
        look,
    )
    assert main(["render", "--watch", "specs/a.acdl", "-o", str(figure)]) == 130
    err = capsys.readouterr().err
    assert "error[syntax]" in err
    assert f"{figure}: stays as it was until the errors are fixed" in err
    assert err.count(f"drew {figure}") == 2
    assert seen[0] == seen[1] != seen[2]
    assert list(figure.parent.iterdir()) == [figure]


def test_file_that_goes_and_comes_back(
    specs: Path, editing: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is away for a moment ends nothing."""
    editing((specs / "a.acdl").unlink, write(specs / "a.acdl", "A[@T]: { S: RULES }\n"))
    assert main(["render", "--watch", "specs/a.acdl", "-o", "a.svg"]) == 130
    err = capsys.readouterr().err
    assert "specs/a.acdl: does not exist" in err
    assert err.count("drew a.svg") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "--watch", "-"], "--watch needs files"),
        (["check", "--watch", "--fix", "specs"], "--watch goes without --fix"),
        (["check", "--watch", "none.acdl"], "none.acdl: does not exist"),
        (["render", "--watch", "specs/a.acdl"], "with -o"),
    ],
)
def test_what_cannot_be_watched(
    words: list[str], said: str, specs: Path, editing: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A command line that makes no sense ends at once with status 2."""
    editing()
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert specs.is_dir()


def test_package_that_is_missing(
    specs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the package, the error names the extra."""
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert main(["check", "--watch", str(specs)]) == 2
    assert "pip install 'acdl-mkdocs[watch]'" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_real_files_and_a_real_interrupt(specs: Path) -> None:
    """The real package notices a file that is replaced; Ctrl-C ends the command without a traceback."""
    pytest.importorskip("watchfiles")
    command = [sys.executable, "-m", "acdl_mkdocs", "check", "--watch", "specs"]
    packages = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": packages}
    running = subprocess.Popen(
        command, cwd=specs.parent, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stderr
    assert running.stdout
    try:
        assert "no problems" in running.stderr.readline()
        assert "watching 2 files" in running.stderr.readline()
        replace(specs / "frag.acdl", "StrFrag F[@t]: { $gone }\n")()
        assert "error[undefined-name]" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        assert "Traceback" not in running.stderr.read()
    finally:
        running.kill()
        running.wait()
        running.stdout.close()
        running.stderr.close()
