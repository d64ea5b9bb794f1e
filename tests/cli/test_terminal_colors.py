"""Reports on a real terminal: their colours reach it as colours."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.commands import COMMANDS

ROOT = Path(__file__).parents[2]


def on_terminal(arguments: list[str], folder: Path) -> bytes:
    """What a command writes to a pseudo terminal."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "acdl_mkdocs", *arguments]
    with subprocess.Popen(words, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 65_536)
            except OSError:  # how a terminal ends
                break
            if not more:
                break
            said += more
    os.close(ours)
    return said


@pytest.mark.parametrize(
    ("command", "color"),
    [("check-run", b"\x1b[1;34m-->\x1b[0m"), ("diff", b"\x1b[1m--- a.acdl\x1b[0m"), ("inspect", b"\x1b[1;34m")],
)
def test_colors_reach_a_terminal(command: str, color: bytes, tmp_path: Path) -> None:
    """No colour of a report is taken for a text that could act on the terminal; such a text does not act."""
    said = on_terminal(list(COMMANDS[command]("\x1b]0;pwned\x07", tmp_path)), tmp_path)
    assert color in said, said
    assert "\N{REPLACEMENT CHARACTER}[".encode() not in said
    assert b"\x1b]" not in said
