"""The program `acdl` itself: commands, version, how it ends, what it imports."""

import errno
import io
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from acdl_mkdocs import __version__
from acdl_mkdocs.cli import COMMANDS
from acdl_mkdocs.cli.main import main


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "acdl_mkdocs", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """The version is that of the installed package."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"acdl {metadata.version('acdl-mkdocs')}\n"
    assert metadata.version("acdl-mkdocs") == __version__


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` names every command with a sentence; so does each command."""
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    for name in COMMANDS:
        assert name in text
        with pytest.raises(SystemExit) as end:
            main([name, "--help"])
        assert end.value.code == 0
        assert len(capsys.readouterr().out) > 200


@pytest.mark.parametrize("arguments", [[], ["chekc"], ["check"], ["check", "--format", "xml", "a"], ["render", "--no"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong command line gives 2 and says what is right."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: acdl" in capsys.readouterr().err


def test_start_up_is_lean() -> None:
    """The version needs nothing; checking and drawing do not import the documentation tools."""
    code = "import sys; from acdl_mkdocs.cli.main import main; main({}); print(*sorted(sys.modules), file=sys.stderr)"
    heavy = {"lark", "svgwrite", "json", "importlib.metadata", "markdown", "mkdocs", "yaml", "logging", "difflib"}
    for arguments, allowed in ((["--version"], set()), (["check", os.devnull], {"lark", "json", "logging"})):
        result = subprocess.run(
            [sys.executable, "-c", code.format(arguments)], capture_output=True, text=True, check=True
        )
        assert heavy & set(result.stderr.split()) <= allowed


def test_broken_pipe_is_quiet(tmp_path: Path) -> None:
    """A reader that stops reading is no error to talk about."""
    (tmp_path / "a.acdl").write_text("Chat[@T]: { U: { S: { A } } }\n" * 3000)
    process = subprocess.Popen(
        [sys.executable, "-m", "acdl_mkdocs", "check", str(tmp_path / "a.acdl")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert errors == b""


def test_never_a_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A fault of ours is one line and status 2."""
    (tmp_path / "a.acdl").write_text("A[@T]: { U: env.q }\n")
    monkeypatch.setattr("acdl_mkdocs.analyse.analyse", lambda *_: 1 / 0)
    assert main(["check", str(tmp_path / "a.acdl")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.setenv("ACDL_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["check", str(tmp_path / "a.acdl")])


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the program as it ends others."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("acdl_mkdocs.cli.check.find_files", interrupt)
    assert main(["check", "x"]) == 130


def test_as_a_module(tmp_path: Path) -> None:
    """`python -m acdl_mkdocs` is the program; text is UTF-8 in a pipe whatever the system's encoding."""
    path = tmp_path / "a.acdl"
    path.write_text("Ch\u00e4t[@T]: {\n  U: env.q\n}\n", "utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "acdl_mkdocs", "render", "--format", "text", str(path)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert "Ch\u00e4t" in result.stdout.decode("utf-8")
    assert run("--version").stdout == f"acdl {__version__}\n"


class _FullDisk(io.StringIO):
    """A standard output that nothing more fits on."""

    def write(self, text: str) -> int:
        """Refuse."""
        del text
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fileno(self) -> int:
        """A file of its own, so that nothing else is closed."""
        return os.open(os.devnull, os.O_WRONLY)


def test_output_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk and a closed output are one sentence."""
    (tmp_path / "a.acdl").write_text("A[@T]: {\n  U: env.q\n}\n")
    monkeypatch.setattr(sys, "stdout", _FullDisk())
    assert main(["render", str(tmp_path / "a.acdl")]) == 2
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["render", str(tmp_path / "a.acdl")]) == 2
    said = "acdl: standard output: no space left on device\nacdl: standard output is closed\n"
    assert capsys.readouterr().err == said
