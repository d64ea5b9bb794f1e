"""Read the configuration of git when it is set up for specs or playbooks. Writes no file itself."""

import errno
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from acdl_mkdocs.compare.revisions import git_command


def attributes_file(*, is_global: bool, folder: Path | None = None) -> Path:
    """Return the attributes file of the repository of a folder, or of every repository.

    Parameters:
        is_global: Whether to return that of every repository.
        folder: The folder; else the current one.

    Raises:
        OSError: Git is not installed, or the file of the repository is a link.
        CalledProcessError: Git refuses.
    """
    if is_global:
        return _global_attributes()
    path = Path(run_git(*(("-C", str(folder)) if folder else ()), "rev-parse", "--show-toplevel")) / ".gitattributes"
    if path.is_symlink():
        raise OSError(errno.ELOOP, "is a link, which git does not follow; put the file itself there", str(path))
    return path


def read_attributes(path: Path) -> str:
    """Return the contents of an attributes file with their line ends; empty if there is none.

    Raises:
        OSError, UnicodeDecodeError: It cannot be read.
    """
    return path.read_bytes().decode("utf-8") if path.exists() else ""


def append_lines(text: str, lines: Iterable[str]) -> str:
    """Append lines to the contents of an attributes file, with its line ends."""
    end = "\r\n" if "\r\n" in text else "\n"
    between = end if text and not text.endswith("\n") else ""
    return text + between + "".join(f"{line}{end}" for line in lines)


def _global_attributes() -> Path:
    try:
        setting = run_git("config", "--global", "--type=path", "core.attributesFile")
    except subprocess.CalledProcessError:  # it is not set
        setting = ""
    if setting:
        return Path(setting)
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "git" / "attributes"


def run_git(*arguments: str) -> str:
    """Run git and return its output.

    Raises:
        OSError: It is not installed.
        CalledProcessError: It refuses.
    """
    completed = subprocess.run(  # noqa: S603 - no shell
        git_command(*arguments),
        capture_output=True,
        check=True,
        encoding="utf-8",
        errors="surrogateescape",  # paths may be any bytes
    )
    return completed.stdout.rstrip("\n")


def explain_failure(problem: Exception) -> str:
    """Explain as a sentence why git could not be run.

    Raises:
        OSError: It is about no file, so about standard output, which is not git's.
    """
    if isinstance(problem, FileNotFoundError):
        return "git is not installed"
    if isinstance(problem, subprocess.CalledProcessError):
        message = str(problem.stderr).strip() or f"git ended with status {problem.returncode}"
        message = message.removeprefix("fatal: ").removeprefix("error: ")
        is_elsewhere = "rev-parse" in problem.cmd and "safe.directory" not in message  # git itself names the fix
        return f"git: {message}" + ("; run this in a repository, or with --global" if is_elsewhere else "")
    if isinstance(problem, OSError):
        if problem.filename is None:
            raise problem
        return f"{problem.filename}: {(problem.strerror or str(problem)).lower()}"
    return str(problem)
