"""The program `acdl` itself: commands, version, how it ends, what it imports."""

import errno
import io
import os
import re
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest

import acdl_mkdocs
from acdl_mkdocs import __version__
from acdl_mkdocs.frontends.cli import COMMANDS, messages
from acdl_mkdocs.frontends.cli.main import main

PACKAGE = Path(acdl_mkdocs.__file__).parent


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


def test_the_program_ends_without_a_last_collection() -> None:
    """A last search for garbage would take a sixth of the time of `acdl render`; a call of `main` changes nothing."""
    program = "import atexit, gc, sys; from acdl_mkdocs.frontends.cli.main import main; main({}); {}; {}"
    frozen = "print(gc.get_freeze_count() > 1000)"
    for arguments, expected in (("", "True"), ("['--version']", "False")):
        words = program.format(arguments, "atexit._run_exitfuncs()", frozen)
        ran = subprocess.run([sys.executable, "-c", words, "--version"], capture_output=True, text=True, check=True)
        assert ran.stdout.split("\n")[1] == expected


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` names every command with a sentence; so does each command."""
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name in COMMANDS:
        assert name in text
        with pytest.raises(SystemExit) as end:
            main([name, "--help"])
        assert end.value.code == 0
        assert len(capsys.readouterr().out) > 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekc"], "there is no command `chekc`; did you mean `check`?"),
        (["xyzzy"], "there is no command `xyzzy`; `acdl help` lists all"),
        (["help", "chekc"], "there is no command `chekc`; did you mean `check`?"),
        (["-q", "check"], "`-q` comes before the command; write `acdl COMMAND -q`"),
        (["check", "--strickt", "a"], "there is no option `--strickt`; did you mean `--strict`?"),
        (["check", "--xyzzy=1", "a"], "there is no option `--xyzzy`"),
        (["check", "-x", "a"], "there is no option `-x`"),
        (["check", "--format", "jsn", "a"], "there is no choice for --format `jsn`; did you mean `json`?"),
        (["explain", "a", "--format", "xml"], "there is no choice for --format `xml`; there are `text`, `json`"),
        (["render"], "the following arguments are required: PATH"),
        (["explain", "a", "b"], "`b` is one argument too many"),
        (["playbook", "currate"], "there is no action `currate`; did you mean `curate`?"),
        (["playbook", "show", "a", "--formt", "json"], "there is no option `--formt`; did you mean `--format`?"),
        (["pml", "chck"], "there is no action `chck`; did you mean `check`?"),
        (["git", "stup"], "there is no action `stup`; did you mean `setup`?"),
        (["check", "--config", "none.toml"], "there is no file none.toml"),
        (["check", "-q", "-v"], "argument -v/--verbose: not allowed with argument -q/--quiet"),
        (["pml", "check", "--verbsoe", "a"], "there is no option `--verbsoe`; did you mean `--verbose`?"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong command line gives 2, the usage, and what was probably meant."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert "usage: acdl" in printed
    assert printed.endswith(f"{said}\n"), printed


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"]])
def test_overview(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command, all are listed in groups, each once; none of them is imported."""
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    listed = [line.split()[0] for line in printed.splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted(COMMANDS)
    assert [line for line in printed.splitlines() if len(line) > 120] == []


@pytest.mark.parametrize("arguments", [["help", "check"], ["help", "playbook", "curate"]])
def test_help_of_a_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`acdl help X` is `acdl X --help`, also for actions."""
    printed = []
    for words in (arguments, [*arguments[1:], "--help"]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].startswith(f"usage: acdl {' '.join(arguments[1:])} ")


def test_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` and `format` without a path take the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.acdl").write_text("A[@T]: {\n  U: env.q\n}\n")
    assert main(["check"]) == 0
    assert main(["format"]) == 0
    assert Path("docs/a.acdl").read_text() == "A[@T]: {\n    U: env.q\n}\n"
    assert capsys.readouterr().err == "no problems in 1 spec\n1 file formatted, 0 unchanged\n"


def test_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-q` leaves summaries out, and errors in."""
    monkeypatch.chdir(tmp_path)
    Path("a.acdl").write_text("A[@T]: {\n  U: env.q\n}\n")
    assert main(["check", "-q"]) == 0
    assert main(["format", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["check", "-q", "none.acdl"]) == 2
    assert capsys.readouterr().err == "acdl: none.acdl: does not exist\n"


def test_settings_of_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--config` wins over the settings that are found, and says what is wrong with its file."""
    monkeypatch.chdir(tmp_path)
    Path("a.acdl").write_text("A[@T]: {\n  S: {\n    U: env.q\n  }\n}\n")
    Path("acdl.toml").write_text("")
    Path("ci").mkdir()
    Path("ci/pyproject.toml").write_text("[tool.acdl]\nexclude = ['ci/**']\n[tool.acdl.rules]\nnested-role = 'off'\n")
    Path("loose.toml").write_text("[rules]\nnested-role = 'off'\n")
    Path("empty").mkdir()
    Path("empty/pyproject.toml").write_text("[tool.other]\n")
    assert main(["check"]) == 1
    assert main(["check", "--config", "ci/pyproject.toml"]) == 0
    assert main(["check", "--config", "loose.toml"]) == 0
    assert main(["check"]) == 1
    capsys.readouterr()
    assert main(["check", "--config", "empty/pyproject.toml"]) == 2
    assert "has no table `[tool.acdl]`" in capsys.readouterr().err


def test_start_up_is_lean() -> None:
    """The version needs nothing; checking and drawing do not import the documentation tools."""
    code = "import sys\nfrom acdl_mkdocs.frontends.cli.main import main\nmain({})\n"
    code += "print(*sorted(sys.modules), file=sys.stderr)"
    heavy = {"lark", "svgwrite", "json", "importlib.metadata", "markdown", "mkdocs", "yaml", "logging", "difflib"}
    for arguments, allowed in ((["--version"], set()), (["check", os.devnull], {"lark", "json", "logging"})):
        result = subprocess.run(
            [sys.executable, "-c", code.format(arguments)], capture_output=True, text=True, check=True
        )
        assert heavy & set(result.stderr.split()) <= allowed


def test_help_is_lean() -> None:
    """The help of a command declares what it takes, and imports nothing that only its run needs."""
    code = (
        "import sys; from acdl_mkdocs.frontends.cli.main import main\n"
        "known = set(sys.modules)\n"
        "for name in sys.argv[1:]:\n"
        "    try: main([name, '--help'])\n"
        "    except SystemExit: pass\n"
        "    print(name, *sorted(sys.modules.keys() - known), file=sys.stderr)\n"
        "    known = set(sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, *COMMANDS], capture_output=True, text=True, check=True)
    heavy = [f"acdl_mkdocs.{name}" for name in ("drawing.figure.describe", "drawing.from_drawing")]
    heavy += [f"acdl_mkdocs.{name}" for name in ("language", "playbook", "prompts.pml", "frontends.docs")]
    for room, light in (("app", "convert"), ("evaluation", "formats"), ("workspace", "settings")):
        names = {path.stem for path in (PACKAGE / room).iterdir()} - {light, "__init__", "__pycache__"}
        heavy += [f"acdl_mkdocs.{room}.{name}" for name in sorted(names)]
    imported = {line.split()[0]: line.split()[1:] for line in ran.stderr.splitlines()}
    assert imported.keys() == COMMANDS.keys()
    for name, modules in imported.items():
        wrong = [each for each in modules if each.startswith(tuple(heavy))]
        assert not wrong, f"move what `acdl {name} --help` imports into the function that needs it: {wrong}"


def test_broken_pipe_is_quiet(tmp_path: Path) -> None:
    """A reader that stops reading is not an error to talk about."""
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


def test_verbose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-v` prints the files that are read and written and the programs that run, and only while it is in force."""
    monkeypatch.chdir(tmp_path)
    Path("acdl.toml").write_text('range = "inclusive"\n')
    Path("a.acdl").write_text("A[@T]: { U: env.q }\n")
    said: list[list[str]] = []
    for words in (
        ["render", "a.acdl", "-o", "a.svg", "-v"],
        ["diff", "HEAD:a.acdl", "a.acdl", "-v"],
        ["check", "a.acdl"],
    ):
        main(words)
        said.append(capsys.readouterr().err.splitlines())
    details, of_git, none = said
    assert details[-1].startswith("acdl: finished after 0.")
    assert details[-1].endswith(" s with exit status 0")
    assert [each for each in details if "a.acdl" in each] == ["acdl: reads a.acdl"]
    assert [each for each in details if "a.svg" in each] == ["acdl: writes a.svg"]
    assert [each for each in details if "acdl.toml" in each] == ["acdl: reads acdl.toml"]
    assert [each for each in details if ".py" in each] == []
    assert any(re.match(r"acdl: runs \S*/git ", each) for each in of_git)
    assert none == ["no problems in 1 spec"]


@pytest.mark.parametrize("words", [["pml", "-q", "check"], ["pml", "check", "-q"]])
def test_common_options_of_actions(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What every command takes can also follow the action."""
    document = str(Path(__file__).parents[2] / "examples" / "pml" / "weather.pml.xml")
    assert main([*words, document]) == 0
    assert capsys.readouterr().err == ""


class _Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["state", "check", "a.state.yaml", "b.state.yaml"], 0),
        (["pml", "check", "a.xml", "gone.xml"], 2),
        (["unroll", "a.acdl", "--at", "1..2", "--missing", "empty"], 0),
        (["diff", "old", "new"], 1),
        (["render", "a.acdl", "b.acdl", "-o", "out"], 0),
    ],
)
def test_progress(words: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What works on several things shows how many are done, on a terminal only, and no bar is left behind."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "old/a", "old/b", "new/a", "new/b"):
        path = Path(f"{name}.acdl")
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"A[@T]: {{ U: env.{'p' if name.startswith('new') else 'q'}[@T] }}\n")
        Path(f"{name}.state.yaml").write_text("acdl_state: 1\nenv:\n  q: {1: x, 2: y}\n")
    Path("a.xml").write_text("<prompt><user>x</user></prompt>\n")
    shown: list[str] = []
    for terminal, quiet in ((_Terminal(), []), (_Terminal(), ["-q"]), (io.StringIO(), [])):
        monkeypatch.setattr(sys, "stderr", terminal)
        assert main([*words, *quiet]) == status, terminal.getvalue()
        shown.append(terminal.getvalue())
    assert "] 1/2" in shown[0]
    assert all("1/2" not in each for each in shown[1:])
    assert shown[0].rfind("\r\x1b[K") > shown[0].rfind("\r[")


def test_never_a_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A fault of ours is one line and status 2."""
    (tmp_path / "a.acdl").write_text("A[@T]: { U: env.q }\n")
    monkeypatch.setattr("acdl_mkdocs.language.analyse.analyse", lambda *_: 1 / 0)
    assert main(["check", str(tmp_path / "a.acdl")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.setenv("ACDL_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["check", str(tmp_path / "a.acdl")])


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the program as it ends others."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("acdl_mkdocs.workspace.search.find_files", interrupt)
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


def test_what_takes_long_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal, and only there, a command that shows no progress says what it is doing."""
    monkeypatch.setattr(messages, "SILENT_S", 0.0)
    with messages.report_if_slow("working on p.yaml"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    said = ""
    with messages.report_if_slow("working on p.yaml"):
        for _ in range(1_000):
            said += capsys.readouterr().err
            if said:
                break
            time.sleep(0.01)
    assert said == "acdl: working on p.yaml ...\n"
    monkeypatch.setattr(messages, "SILENT_S", 60.0)
    with messages.report_if_slow("working on p.yaml"):
        pass
    assert capsys.readouterr().err == ""
