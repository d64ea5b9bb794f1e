"""The text of a file as a git revision has it: `HEAD~1:specs/react.acdl`. Runs git, and changes nothing."""

import os
import re
import subprocess
from functools import lru_cache
from pathlib import Path

from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.system import find_program

_REVISION = re.compile(r"(?P<revision>[^:]+):(?P<path>.+)", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_STEPS = re.compile(r"[~^@]")
"""What stands behind the name of a branch in `main~2`, `main^`, `main@{1}`."""
_MOST_SECONDS = 60
_NO_PROGRAMS = ("protocol.allow=never", "core.fsmonitor=false", f"core.hooksPath={os.devnull}")
"""Settings that keep git from running programs that a repository names."""
_NO_QUESTIONS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
"""Variables that keep it from asking the network, also where it is too old for one of them, or a person."""


def split_revision(name: str, folder: Path | None = None) -> tuple[str, str] | None:
    """The revision and the path in `REV:path`; `None` for the name of a file that is there, or for any other name.

    Parameters:
        name: What a person calls a text.
        folder: Where names of files start; the working folder without it.
    """
    found = _REVISION.fullmatch(name)
    if found is None or _DRIVE.match(name) or os.path.exists(os.path.join(folder or "", name)):
        return None
    return found["revision"], found["path"]


def read_revision(revision: str, path: str, folder: Path | None = None) -> bytes:
    """What the file was in a revision.

    Parameters:
        revision: As git understands it: `HEAD~1`, a branch, a tag, a commit.
        path: The file, from the folder.
        folder: Where git runs; the working folder, from which names of files start too.

    Raises:
        RevisionError: There is no git, no repository, no such revision, or it has no such file.
    """
    return read_blob(commit_of(revision, folder), revision, path, folder)


def commit_of(revision: str, folder: Path | None = None) -> str:
    """The commit that a revision names.

    Raises:
        RevisionError: There is no git, no repository or no such revision.
    """
    if revision.startswith("-"):
        raise RevisionError(f"`{revision}` is no revision: it begins with `-`")
    commit = run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is not None:
        return commit.decode().strip()
    if (run_git(folder, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true":
        raise RevisionError(
            f"no revision `{revision}` in this repository, of which only the newest commits are here; "
            "`git fetch --unshallow` gets the others, in a GitHub workflow `fetch-depth: 0` of `actions/checkout`"
        )
    raise RevisionError(f"no revision `{revision}` in this repository; `git log --oneline` lists them")


def read_blob(commit: str, revision: str, path: str, folder: Path | None = None) -> bytes:
    """What the file was in a commit, which is called by its revision if it has none; remembered by its commit.

    Raises:
        RevisionError: The commit has no such file.
    """
    name = os.path.relpath(path, folder) if os.path.isabs(path) else path
    data = _blob(commit, f"./{name}".replace("\\", "/"), folder or Path.cwd())
    if data is None:
        raise RevisionError(
            f"`{revision}` has no file `{path}`; `git ls-tree -r --name-only {revision}` lists what it has"
        )
    return data


def files_of_ref(revision: str, folder: Path) -> tuple[Path, ...]:
    """The files of the repository of which one changes when the revision becomes another commit.

    Parameters:
        revision: A branch, a tag, or what is reckoned from one: `main`, `HEAD~1`.
        folder: Where git runs.
    """
    ref = _STEPS.split(revision, maxsplit=1)[0] or "HEAD"
    full = (run_git(folder, "rev-parse", "--symbolic-full-name", "--end-of-options", ref) or b"").decode().strip()
    full = full.rpartition("\n")[2]
    names = ["HEAD", "logs/HEAD", "packed-refs", *((full, f"logs/{full}") if full.startswith("refs/") else ())]
    said = run_git(folder, "rev-parse", *(word for name in names for word in ("--git-path", name)))
    paths = [folder / line for line in os.fsdecode(said or b"").splitlines()]
    has_log = len(paths) == 5 and paths[-1].is_file()
    waiting = [] if has_log else paths[3:4]  # a ref that is packed becomes a file when it moves
    return tuple(dict.fromkeys([*(path for path in paths if path.is_file()), *waiting]))


@lru_cache(maxsize=256)
def _blob(commit: str, name: str, folder: Path) -> bytes | None:
    """A file of a commit; links are followed inside the repository."""
    if "\n" in name:
        return None
    said = run_git(folder, "cat-file", "--batch", "--follow-symlinks", given=os.fsencode(f"{commit}:{name}\n"))
    head, _, body = (said or b"").partition(b"\n")
    words = head.split()
    return body[:-1] if len(words) == 3 and words[1] == b"blob" else None


def run_git(folder: Path | None, *arguments: str, given: bytes | None = None) -> bytes | None:
    """What git prints; `None` where it says no. It never asks the network nor a person, and runs no other program.

    Parameters:
        folder: Where it runs.
        arguments: Its command.
        given: What it reads.

    Raises:
        RevisionError: Git cannot be run, or this is no repository.
    """
    try:
        command = git_command(*arguments)
    except FileNotFoundError:
        raise RevisionError("git is not installed, so revisions cannot be read; give the names of two files") from None
    try:
        done = subprocess.run(  # noqa: S603 - no shell
            command,
            capture_output=True,
            input=given or b"",
            timeout=_MOST_SECONDS,
            check=False,
            cwd=folder,
            env={**os.environ, **_NO_QUESTIONS},
        )
    except ValueError:  # a zero byte, or half a character
        return None
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RevisionError(f"git cannot be run: {problem}") from None
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace")
    if "not a git repository" in said or "dubious ownership" in said:
        raise RevisionError(said.strip().splitlines()[0].removeprefix("fatal: "))
    return None


def git_command(*arguments: str) -> list[str]:
    """The command line of git that runs no program that a repository names.

    Raises:
        FileNotFoundError: Git is not installed.
    """
    program = find_program("git")
    if program is None:
        raise FileNotFoundError("git")
    return [program, *(word for each in _NO_PROGRAMS for word in ("-c", each)), *arguments]
