"""A small Sphinx project in a folder of its own, and what a real build of it said and made."""

import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

CONF = """project = "Test"
extensions = ["myst_parser", "acdl_mkdocs.sphinx"]
html_theme, show_warning_types = "basic", True  # which Sphinx 8 does by itself
"""
CHAT = "Chat[@T]: {\n    U: env.question[@T]\n}\n"
NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"


@dataclass(frozen=True)
class Built:
    """One run of `sphinx-build`."""

    out: Path
    code: int
    said: str
    """What it wrote to standard output."""
    warned: str
    """What it wrote to standard error, with paths from the project's folder."""

    def read(self, path: str = "index.html") -> str:
        """A file that was made."""
        return (self.out / path).read_text("utf-8")

    @property
    def written(self) -> list[str]:
        """The documents that this run has written."""
        return sorted(re.findall(r"^writing output\.\.\. \[ *\d+%\] (\S+)", self.said, re.MULTILINE))


def sphinx_build(source: Path, out: Path, *arguments: str) -> Built:
    """Run the real program."""
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", *arguments, str(source), str(out)]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment)
    return Built(out, ran.returncode, ran.stdout, ran.stderr.replace(f"{source}{os.sep}", ""))


class Project:
    """Pages and settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.out = folder / "out"
        self.write("conf.py", CONF)

    def write(self, path: str, text: str) -> None:
        """Put a file into the project."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def conf(self, *lines: str) -> None:
        """Add lines to the settings."""
        self.write("conf.py", CONF + "\n".join(lines) + "\n")

    def build(self, builder: str = "html", *arguments: str) -> Built:
        """Build it in this process; documents that have been read before are kept, as on a person's machine."""
        from sphinx.cmd.build import build_main

        out, said, warned = self.out / builder, StringIO(), StringIO()
        options = ["-d", str(self.out / "doctrees"), "--no-color", "--keep-going"]  # Sphinx 8 goes on by itself
        words = ["-b", builder, *options, *arguments, str(self.folder), str(out)]
        plain = patch.dict(os.environ, NO_COLOR="1")  # with CI set, Sphinx writes its progress over one line
        with plain, redirect_stdout(said), redirect_stderr(warned):
            code = build_main(words)
        return Built(out, code, said.getvalue(), warned.getvalue().replace(f"{self.folder}{os.sep}", ""))
