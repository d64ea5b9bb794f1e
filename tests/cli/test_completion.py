"""`acdl completion`: real shells complete commands, options, files and names, and offer nothing else."""

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.completion import SHELLS
from acdl_mkdocs.frontends.cli.main import main

ROOT = Path(__file__).parent.parent.parent
LINES = {
    "acdl che": {"check", "check-run"},
    "acdl help play": {"playbook", "playground"},
    "acdl help playbook cu": {"curate"},
    "acdl playbook show --se": {"--section"},
    "acdl check --st": {"--strict"},
    "acdl check --color ": {"auto", "always", "never"},
    "acdl rules unknown-f": {"unknown-fragment", "unknown-fence"},
    "acdl render specs/a.acdl --spec ": {"First", "Second"},
    "acdl diff specs/a.acdl --new-spec Se": {"Second"},
    "acdl render --width ": set(),
    "acdl render specs/": {"specs/a.acdl"},
    "acdl state n": {"new"},
    "acdl -": {"-h", "--help", "-V", "--version"},
}
"""A command line up to the cursor, and all words with which it can continue."""
_BASH = """
eval "$(acdl completion bash)"
while IFS= read -r line; do
    COMP_LINE="$line" COMP_POINT=${#line} COMP_TYPE=9 COMPREPLY=()
    _python_argcomplete acdl "" ""
    echo "${COMPREPLY[@]}"
done
"""


def needs(program: str) -> pytest.MarkDecorator:
    """Skip where a shell is not installed."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a spec, and `acdl` in `bin`."""
    pytest.importorskip("argcomplete")
    folder = tmp_path_factory.mktemp("completion")
    (folder / "specs").mkdir()
    (folder / "specs" / "a.acdl").write_text("First[@T]: { U: env.q }\nSecond[@T]: { U: env.q }\n")
    program = folder / "bin" / "acdl"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom acdl_mkdocs.frontends.cli.main import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    return folder


def environment(place: Path) -> Mapping[str, str]:
    """One in which `acdl` is the program of this checkout."""
    packages = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": packages}


def shell(place: Path, *words: str, given: str = "") -> str:
    """What a shell prints."""
    ran = subprocess.run(
        words, cwd=place, env=environment(place), input=given, capture_output=True, text=True, check=True, timeout=600
    )
    assert ran.stderr == ""
    return ran.stdout


@needs("bash")
def test_bash(place: Path) -> None:
    """Bash offers exactly what can follow."""
    printed = shell(place, "bash", "--noprofile", "--norc", "-c", _BASH, given="\n".join(LINES) + "\n")
    found = {line: set(words.split()) for line, words in zip(LINES, printed.splitlines(), strict=True)}
    assert found == LINES


@needs("fish")
def test_fish(place: Path) -> None:
    """So does fish, with what each means."""
    asked = ("acdl che", "acdl rules unknown-f", "acdl render specs/")
    code = "acdl completion fish | source; for line in $argv; complete -C $line; echo %%; end"
    printed = shell(place, "fish", "--no-config", "-c", code, *asked)
    found = [{each.partition("\t")[0] for each in part.split("\n") if each} for part in printed.split("%%\n")[:-1]]
    assert found == [LINES[line] for line in asked]
    assert "check\treport problems" in printed


@needs("zsh")
def test_zsh(place: Path) -> None:
    """In zsh, the Tab key completes a command and the name of a rule."""
    terminal, of_zsh = pytest.importorskip("pty").openpty()
    settings = {**environment(place), "TERM": "dumb", "PS1": "> "}
    running = subprocess.Popen(
        ["zsh", "-f", "-i"], cwd=place, env=settings, stdin=of_zsh, stdout=of_zsh, stderr=of_zsh, start_new_session=True
    )

    def expect(typed: str, wanted: str) -> None:
        os.write(terminal, typed.encode())
        seen, until_s = "", time.monotonic() + 600
        while wanted not in seen and time.monotonic() < until_s:
            if select.select([terminal], [], [], 1)[0]:
                seen += os.read(terminal, 65536).decode(errors="replace")
        assert wanted in seen

    try:
        expect('autoload -U compinit; compinit -u; eval "$(acdl completion zsh)"; echo rea""dy\n', "ready\r\n")
        expect("acdl unr\t", "acdl unroll ")
        expect("\x15acdl rules unknown-frag\t", "unknown-fragment ")
    finally:
        running.kill()
        running.wait()
        os.close(terminal)
        os.close(of_zsh)


@pytest.mark.parametrize("name", SHELLS)
def test_code_for_each_shell(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """There is code for each shell that is named, and it is about `acdl`."""
    pytest.importorskip("argcomplete")
    assert main(["completion", name]) == 0
    printed = capsys.readouterr().out
    assert "_ARGCOMPLETE" in printed
    assert "acdl" in printed


def test_package_that_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the package, the error names the extra; a shell that asks is not answered with a traceback."""
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert main(["completion", "bash"]) == 2
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setenv("COMP_LINE", "acdl che")
    assert main(["check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("pip install 'acdl-mkdocs[completion]'") == 2
