"""Repositories of git that tests make: with settings of their own, and away from those of the person."""

import os
import subprocess
from pathlib import Path

import pytest

WHO = {f"GIT_{role}_{what}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Repository:
    """A repository in a folder; `acdl` run in the same process sees the same settings of git."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        home = folder.parent / f"{folder.name}-home"
        home.mkdir(exist_ok=True)
        alone = {**WHO, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(home / "config"), "HOME": str(home)}
        for name, value in {**alone, "XDG_CONFIG_HOME": str(home)}.items():
            monkeypatch.setenv(name, value)
        for name in ("GIT_DIR", "GIT_PAGER_IN_USE", "NO_COLOR", "GIT_EXTERNAL_DIFF"):
            monkeypatch.delenv(name, raising=False)
        self.home = home
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, status: int = 0, folder: Path | None = None) -> str:
        """What git prints when it ends as expected."""
        done = subprocess.run(
            ["git", *arguments], cwd=folder or self.folder, capture_output=True, text=True, check=False, env=os.environ
        )
        assert done.returncode == status, (arguments, done.stdout, done.stderr)
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        """A file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
        return path

    def commit(self) -> None:
        """Everything as it is."""
        self.git("add", "-A")
        self.git("commit", "-qm", "work", "--allow-empty")
