"""The configurations of editors that the pages show, tried in the editors that are installed."""

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EDITORS = ROOT / "editors"
BROKEN = "P[@T]: { U: { Frag Greting[@T] } }\nStrFrag Greeting[@T]: { HELLO }\n"
NORMAL = "P[@T]: { U: { Frag Greting[@T] } }||StrFrag Greeting[@T]: {|    HELLO|}"
"""`BROKEN` as it is after formatting, with `|` for ends of lines: a definition with an error is left as it is."""
FILES = (
    ("neovim", "acdl.lua"),
    ("neovim", "acdl-before-0.11.lua"),
    ("helix", "languages.toml"),
    ("emacs", "acdl.el"),
)

_VISIBLE = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[P\]].*?(?:\x1b\\\\|\x07)|\x1b.")
"""What a terminal is told besides the text: it is taken away."""
_NEOVIM = """
vim.wait(40000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, each in ipairs(vim.diagnostic.get(0)) do print("FOUND", each.lnum, each.col, each.code) end
local before = vim.lsp.buf.formatting_sync
if before then before(nil, 600000) else vim.lsp.buf.format({ timeout_ms = 600000 }) end
print("TEXT", vim.fn.join(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|"))
"""
_EMACS = """
(package-initialize)
(load (getenv "ACDL_EL"))
(find-file "a.acdl")
(apply #'eglot--connect (eglot--guess-contact))
(let ((n 0)) (while (and (< n 400) (not (flymake-diagnostics))) (accept-process-output nil 0.1) (setq n (1+ n))))
(dolist (each (flymake-diagnostics)) (princ (format "FOUND %s\\n" (flymake-diagnostic-beg each))))
(eglot-format-buffer)
(princ (format "TEXT %s\\n" (replace-regexp-in-string "\\n" "|" (buffer-substring-no-properties 1 (point-max)))))
(eglot-shutdown (eglot-current-server))
(set-buffer-modified-p nil)
"""


def environment(**more: str) -> dict[str, str]:
    """One in which `acdl` is that of this Python."""
    folders = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": folders, **more}


@pytest.mark.parametrize(("editor", "name"), FILES)
def test_pages_show_the_files(editor: str, name: str) -> None:
    """A page has the file itself, so that both say the same."""
    assert (EDITORS / editor / name).is_file()
    page = (ROOT / "site_src" / "editors" / f"{editor}.md").read_text("utf-8")
    assert f'--8<-- "editors/{editor}/{name}"' in page


def test_helix() -> None:
    """Helix finds the command by the name that its languages give."""
    settings = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text("utf-8"))
    assert settings["language-server"]["acdl"] == {"command": "acdl", "args": ["lsp"]}
    assert [each["name"] for each in settings["language"]] == ["acdl", "markdown"]
    assert all("acdl" in each["language-servers"] for each in settings["language"])


def neovim_version() -> tuple[int, ...]:
    """That of the Neovim which is installed."""
    said = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, said.split()[1].removeprefix("v").split("-")[0].split(".")))


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim(tmp_path: Path) -> None:
    """Neovim with our file shows the problem of a spec and formats it."""
    home, project = tmp_path / "home", tmp_path / "project"
    is_new = neovim_version() >= (0, 11)
    place = home / "nvim" / ("lsp" if is_new else "plugin")
    place.mkdir(parents=True)
    shutil.copy(EDITORS / "neovim" / ("acdl.lua" if is_new else "acdl-before-0.11.lua"), place / "acdl.lua")
    (home / "nvim" / "init.lua").write_text('vim.lsp.enable("acdl")\n' if is_new else "", "utf-8")
    project.mkdir()
    (project / "a.acdl").write_text(BROKEN, "utf-8")
    (tmp_path / "try.lua").write_text(_NEOVIM, "utf-8")
    homes = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), str(home))
    command = ["nvim", "--headless", "a.acdl", "-c", f"luafile {tmp_path / 'try.lua'}", "-c", "qa!"]
    ran = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600, env=environment(**homes))
    assert "FOUND 0 19 unknown-fragment" in ran.stderr + ran.stdout
    assert f"TEXT {NORMAL}" in ran.stderr + ran.stdout


@pytest.mark.skipif(shutil.which("hx") is None, reason="Helix is not installed")
def test_helix_itself(tmp_path: Path) -> None:
    """Helix with our file shows the problem of a spec and formats it."""
    home, project = tmp_path / "home", tmp_path / "project"
    (home / "helix").mkdir(parents=True)
    shutil.copy(EDITORS / "helix" / "languages.toml", home / "helix")
    project.mkdir()
    (project / "a.acdl").write_text(BROKEN, "utf-8")
    seen = drive(
        ["hx", "a.acdl"],
        project,
        environment(XDG_CONFIG_HOME=str(home), XDG_CACHE_HOME=str(home), TERM="xterm-256color", COLUMNS="200"),
        ("●", ":format\r"),
        ("[+]", ":write\r"),
        ("written", ":quit\r"),
    )
    assert (project / "a.acdl").read_text("utf-8").replace("\n", "|") == f"{NORMAL}|", seen


def drive(command: list[str], cwd: Path, environ: dict[str, str], *turns: tuple[str, str]) -> str:
    """Run a program in a terminal: as soon as it has shown a text, type another. Gives what it has shown in all."""
    import fcntl
    import pty
    import select
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
    running = subprocess.Popen(
        command, cwd=cwd, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    shown, end = "", time.monotonic() + 600
    waiting = list(turns)
    since = 0
    try:
        while running.poll() is None and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                shown += _VISIBLE.sub("", os.read(ours, 65536).decode("utf-8", "replace"))
            if waiting and waiting[0][0] in shown[since:]:
                os.write(ours, waiting.pop(0)[1].encode())
                since = len(shown)
    except OSError:  # the terminal is closed with the program
        running.wait(10)
    finally:
        running.kill()
        os.close(ours)
    return shown


def has_eglot() -> bool:
    """Whether Emacs is installed and has Eglot."""
    if shutil.which("emacs") is None:
        return False
    code = '(progn (package-initialize) (kill-emacs (if (locate-library "eglot") 0 1)))'
    return subprocess.run(["emacs", "--batch", "--eval", code], capture_output=True, check=False).returncode == 0


def test_emacs(tmp_path: Path) -> None:
    """Emacs with our file shows the problem of a spec and formats it."""
    if not has_eglot():
        pytest.skip("Emacs with Eglot is not installed")
    (tmp_path / "a.acdl").write_text(BROKEN, "utf-8")
    (tmp_path / "try.el").write_text(_EMACS, "utf-8")
    variables = environment(ACDL_EL=str(EDITORS / "emacs" / "acdl.el"), HOME=str(tmp_path))
    command = ["emacs", "--batch", "-l", "try.el"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, env=variables)
    assert "FOUND 20\n" in ran.stdout, ran.stderr
    assert f"TEXT {NORMAL}|\n" in ran.stdout
