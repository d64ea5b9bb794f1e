"""Files in git revisions: one file, or all changed files of a folder."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.system import find_program
from acdl_mkdocs.foundation.wording import find_closest

_REVISION = re.compile(r"(?P<revision>[^:]+):(?P<path>.+)", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_STEPS = re.compile(r"[~^@]")
"""Suffixes of a branch in `main~2`, `main^`, `main@{1}`."""
_MOST_SECONDS = 60
_NO_PROGRAMS = ("protocol.allow=never", "core.fsmonitor=false", f"core.hooksPath={os.devnull}")
"""Settings that prevent git from running programs that a repository names."""
_NO_QUESTIONS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
"""Variables that prevent git from using the network and from asking the user, in old versions too."""


def split_revision(name: str, folder: Path | None = None) -> tuple[str, str] | None:
    """Split `REV:path` into revision and path; `None` for the name of an existing file or any other name.

    Parameters:
        name: The name of a text as the user gave it.
        folder: Where names of files start; the working folder without it.
    """
    match = _REVISION.fullmatch(name)
    if match is None or _DRIVE.match(name) or os.path.exists(os.path.join(folder or "", name)):
        return None
    return match["revision"], match["path"]


def read_revision(revision: str, path: str, folder: Path | None = None) -> bytes:
    """Return the contents of a file in a revision.

    Parameters:
        revision: As git understands it: `HEAD~1`, a branch, a tag, a commit.
        path: The file, from the folder.
        folder: Where git runs; the working folder, from which names of files start too.

    Raises:
        RevisionError: There is no git, no repository, no such revision, or it has no such file.
    """
    return read_blob(commit_of(revision, folder), revision, path, folder)


def commit_of(revision: str, folder: Path | None = None) -> str:
    """Return the commit that a revision names.

    Raises:
        RevisionError: There is no git, no repository or no such revision.
    """
    if revision.startswith("-"):
        raise RevisionError(f"`{revision}` is not a revision: it begins with `-`")
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
    """Return the contents of a file in a commit, cached by commit; errors name its revision.

    Raises:
        RevisionError: The commit has no such file.
    """
    name = os.path.relpath(path, folder) if os.path.isabs(path) else path
    data = _read_blob(commit, f"./{name}".replace("\\", "/"), folder or Path.cwd())
    if data is None:
        raise RevisionError(
            f"`{revision}` has no file `{path}`; `git ls-tree -r --name-only {revision}` lists what it has"
        )
    return data


def files_of_ref(revision: str, folder: Path) -> tuple[Path, ...]:
    """Return the files of the repository, one of which changes whenever the revision names another commit.

    Parameters:
        revision: A branch, a tag, or a commit relative to one: `main`, `HEAD~1`.
        folder: Where git runs.
    """
    ref = _STEPS.split(revision, maxsplit=1)[0] or "HEAD"
    full = (run_git(folder, "rev-parse", "--symbolic-full-name", "--end-of-options", ref) or b"").decode().strip()
    full = full.rpartition("\n")[2]
    names = ["HEAD", "logs/HEAD", "packed-refs", *((full, f"logs/{full}") if full.startswith("refs/") else ())]
    output = run_git(folder, "rev-parse", *(word for name in names for word in ("--git-path", name)))
    paths = [folder / line for line in os.fsdecode(output or b"").splitlines()]
    has_log = len(paths) == 5 and paths[-1].is_file()
    waiting = [] if has_log else paths[3:4]  # a ref that is packed becomes a file when it moves
    return tuple(dict.fromkeys([*(path for path in paths if path.is_file()), *waiting]))


@lru_cache(maxsize=256)
def _read_blob(commit: str, name: str, folder: Path) -> bytes | None:
    """Read a file of a commit; links are followed inside the repository."""
    if "\n" in name:
        return None
    output = run_git(folder, "cat-file", "--batch", "--follow-symlinks", stdin=os.fsencode(f"{commit}:{name}\n"))
    head, _, body = (output or b"").partition(b"\n")
    words = head.split()
    return body[:-1] if len(words) == 3 and words[1] == b"blob" else None


def run_git(folder: Path | None, *arguments: str, stdin: bytes | None = None) -> bytes | None:
    """Return what git prints, or `None` if it fails. Uses no network, asks no question and runs no other program.

    Parameters:
        folder: Where it runs.
        arguments: Its command.
        stdin: What it reads.

    Raises:
        RevisionError: Git cannot be run, or this is not a repository.
    """
    try:
        command = git_command(*arguments)
    except FileNotFoundError:
        raise RevisionError("git is not installed, so revisions cannot be read; give the names of two files") from None
    try:
        completed = subprocess.run(  # noqa: S603 - no shell
            command,
            capture_output=True,
            input=stdin or b"",
            timeout=_MOST_SECONDS,
            check=False,
            cwd=folder,
            env={**os.environ, **_NO_QUESTIONS},
        )
    except ValueError:  # a zero byte, or half a character
        return None
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RevisionError(f"git cannot be run: {problem}") from None
    if completed.returncode == 0:
        return completed.stdout
    error_text = completed.stderr.decode("utf-8", "replace")
    if "not a git repository" in error_text or "dubious ownership" in error_text:
        raise RevisionError(error_text.strip().splitlines()[0].removeprefix("fatal: "))
    return None


def git_command(*arguments: str) -> list[str]:
    """Return the command line for git, set to run no program that a repository names.

    Raises:
        FileNotFoundError: Git is not installed.
    """
    program = find_program("git")
    if program is None:
        raise FileNotFoundError("git")
    return [program, *(word for each in _NO_PROGRAMS for word in ("-c", each)), *arguments]


PathFilter = Callable[[str], bool]
"""Returns whether the file at a path is to be compared."""
_FILES = ("100644", "100755")
"""Modes of regular files, unlike those of links, submodules and missing files."""


@dataclass(frozen=True, slots=True)
class RevisionPair:
    """Two states of a repository: two commits, or a commit and the working files."""

    old: str
    """The name that people use for the older commit."""
    new: str | None
    """The name that people use for the newer one; `None` for the working files."""
    old_commit: str
    new_commit: str | None
    here: str = "./"
    """The prefix of paths from the working folder after a commit; empty in a bare repository, which has none."""

    def file_name(self, path: str, is_new: bool) -> str:
        """Return the name of a file: `main:specs/react.acdl`, or its path in the working folder."""
        revision = self.new if is_new else self.old
        return path if revision is None else f"{revision}:{path}"


def parse_revisions(text: str, folder: Path | None = None) -> RevisionPair:
    """Parse a comparison of two states: `main`, `main..HEAD`, or `main...HEAD` for the changes of a branch.

    Raises:
        RevisionError: There is no git, no repository or no such revision.
    """
    first, dots, last = text.partition("...") if "..." in text else text.partition("..")
    if not first:  # most often an unset variable: everything would be compared with itself
        where = f"before `{dots}`" if dots else "to compare with"
        raise RevisionError(f"`--git` names no revision {where}; is a variable empty? name one: `HEAD{dots}{last}`")
    last = last or "HEAD"
    old = commit_of(first, folder)
    if not dots:
        return RevisionPair(first, None, old, None, _path_prefix(folder))
    new = commit_of(last, folder)
    if dots == "...":
        base = run_git(folder, "merge-base", old, new)
        if base is None:
            raise RevisionError(
                f"`{first}` and `{last}` have no commit in common; `{first}..{last}` compares them as they are"
            )
        old = base.decode().strip()
        first = old[:12]
    return RevisionPair(first, last, old, new, _path_prefix(folder))


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    """A file that git lists, with its modes on both sides; `000000` if it does not exist."""

    name: str
    old_mode: str
    new_mode: str


def changed_files(
    pair: RevisionPair, paths: Sequence[str], is_wanted: PathFilter, folder: Path | None = None
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the contents of changed files on both sides, by paths relative to the folder in which git runs.

    Parameters:
        pair: The two sides.
        paths: Files and folders to compare; all if empty.
        is_wanted: Which files are looked at.
        folder: Where git runs; the working folder.

    Raises:
        RevisionError: A path is on neither side, or git does not compare them.
    """
    listed = [each for each in _list_changes(pair, paths, folder) if is_wanted(each.name)]
    for path in paths:
        _check_path(path, pair, folder)
    old = {
        each.name: _blob_at(pair.old_commit, f"{pair.here}{each.name}", folder)
        for each in listed
        if each.old_mode in _FILES
    }
    new = {each.name: _read_current(pair, each.name, folder) for each in listed if each.new_mode in _FILES}
    return old, {name: data for name, data in new.items() if data is not None}


def _list_changes(pair: RevisionPair, paths: Sequence[str], folder: Path | None) -> list[_ChangedFile]:
    """Return the files that git lists as different, and untracked files."""
    commits = [pair.old_commit, *([pair.new_commit] if pair.new_commit else [])]
    options = ("--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    settings = ("-c", "diff.relative=false", *_without_filters(folder))
    output = run_git(folder, *settings, "diff", *options, *commits, "--", *map(_literal_path, paths))
    if output is None:
        if not pair.here and pair.new_commit is None:
            raise RevisionError(
                f"this repository is bare, so it has no files as they are; name two commits: `{pair.old}..HEAD`"
            )
        raise RevisionError("git cannot compare these; are all paths in this repository?")
    prefix = (run_git(folder, "rev-parse", "--show-prefix") or b"").decode("utf-8", "surrogateescape").strip("\n")
    words = iter(_split_names(output))
    listed: list[_ChangedFile] = []
    for head, name in zip(words, words, strict=True):
        old_mode, new_mode, *_ = head.removeprefix(":").split()
        listed.append(_ChangedFile(_from_here(name, prefix), old_mode, new_mode))
    if pair.new_commit is None:
        new = [name for name in _list_untracked(paths, folder) if not os.path.islink((folder or Path()) / name)]
        listed += [_ChangedFile(name, "000000", _FILES[0]) for name in new]
    return listed


def _without_filters(folder: Path | None) -> Iterator[str]:
    """Yield settings that disable filter programs of the repository: git would run them to compare files.

    Raises:
        RevisionError: There is one that cannot be set to nothing.
    """
    output = run_git(folder, "config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    for driver in sorted({name.rpartition(".")[0] for name in _split_names(output or b"")}):
        if "=" in driver:
            raise RevisionError(f"this repository has a setting `{driver}`, whose `=` git cannot replace; rename it")
        for setting in ("clean=", "process=", "required=false"):
            yield from ("-c", f"{driver}.{setting}")


def _check_path(path: str, pair: RevisionPair, folder: Path | None) -> None:
    """Report a path that is on neither side, with a similar one.

    Raises:
        RevisionError: It is on neither side.
    """
    base = folder or Path()
    name = (os.path.relpath(path, folder) if os.path.isabs(path) else path).replace("\\", "/").rstrip("/")
    commits = [pair.old_commit, *([pair.new_commit] if pair.new_commit else [])]
    if pair.new_commit is None and os.path.lexists(base / path):
        return
    if any(run_git(folder, "cat-file", "-e", f"{commit}:{pair.here}{name}") is not None for commit in commits):
        return
    names = [each for commit in commits for each in _list_names(commit, folder)]
    near = find_closest(name, names)
    cure = f"did you mean `{near}`?" if near else "paths start at the working folder"
    raise RevisionError(f"`{path}` is on neither side; {cure}")


def _list_names(commit: str, folder: Path | None) -> Iterator[str]:
    """Yield the files and folders of a commit, relative to the working folder."""
    return iter(_split_names(run_git(folder, "ls-tree", "-r", "-t", "-z", "--name-only", commit) or b""))


def files_with_uses(
    pair: RevisionPair, paths: Sequence[str], is_wanted: PathFilter, folder: Path | None = None
) -> dict[str, bytes]:
    """Return files of the old side that may name others with `// acdl: use`: contents by path in the folder.

    Parameters:
        pair: The two sides.
        paths: Files and folders to compare; all if empty.
        is_wanted: Which files are looked at.
        folder: Where git runs; the working folder.
    """
    where = list(map(_literal_path, paths)) or [":/"]
    options = ("-c", "grep.fullName=false", "grep", "--no-color", "-l", "-z", "-I", "-F", "-e", "acdl:")
    output = run_git(folder, *options, pair.old_commit, "--", *where)
    names = [name.partition(":")[2] for name in _split_names(output or b"")]
    return {name: _blob_at(pair.old_commit, f"{pair.here}{name}", folder) for name in names if is_wanted(name)}


def files_of(revision: str, path: str, is_wanted: PathFilter, folder: Path | None = None) -> dict[str, bytes] | None:
    """Return the contents of the files of a folder in a revision, by path below it; `None` if it is not a folder.

    Raises:
        RevisionError: There is no git, no repository or no such revision.
    """
    commit = commit_of(revision, folder)
    below = path.replace("\\", "/").rstrip("/") or "."
    prefix = _path_prefix(folder)
    tree = f"{commit}:{prefix}{below}" if below != "." else f"{commit}:{prefix}"
    if (run_git(folder, "cat-file", "-t", tree) or b"").strip() != b"tree":
        return None
    lines = (line.partition("\t") for line in _split_names(run_git(folder, "ls-tree", "-r", "-z", tree) or b""))
    names = [name for head, _, name in lines if head.split()[0] in _FILES and is_wanted(name)]
    start = prefix if below == "." else f"{prefix}{below}/"
    return {name: _blob_at(commit, f"{start}{name}", folder) for name in names}


def _path_prefix(folder: Path | None) -> str:
    is_bare = (run_git(folder, "rev-parse", "--is-bare-repository") or b"").strip() == b"true"
    return "" if is_bare else "./"


def _split_names(listed: bytes) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]


def _literal_path(path: str) -> str:
    """Return a path in which git gives no character a special meaning."""
    return f":(literal){path}"


def _list_untracked(paths: Sequence[str], folder: Path | None) -> list[str]:
    """Return untracked files, relative to the working folder."""
    output = run_git(folder, "ls-files", "-z", "--others", "--exclude-standard", "--", *map(_literal_path, paths))
    return _split_names(output or b"")


def _from_here(name: str, prefix: str) -> str:
    """Return a path relative to the working folder, given one relative to the top of the repository."""
    return os.path.relpath(name, prefix).replace("\\", "/") if prefix else name


def _blob_at(commit: str, path: str, folder: Path | None) -> bytes:
    """Read a file that a commit contains.

    Raises:
        RevisionError: The repository has its name but not its content.
    """
    data = run_git(folder, "cat-file", "blob", f"{commit}:{path}")
    if data is None:
        raise RevisionError(f"{path} of {commit[:12]} is not in this repository; `git fetch --refetch` gets all files")
    return data


def _read_current(pair: RevisionPair, name: str, folder: Path | None) -> bytes | None:
    """Read a file in the newer commit, or from the working folder.

    Raises:
        RevisionError: It cannot be read.
    """
    if pair.new_commit is not None:
        return _blob_at(pair.new_commit, f"{pair.here}{name}", folder)
    path = (folder or Path()) / name
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError as problem:
        raise RevisionError(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}") from None
