"""What files a folder has in a git revision, and which files differ between two. Runs git, and changes nothing.

Symbolic links are no files here: what one leads to is compared where it stands, and never read through the link.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from acdl_mkdocs.comparison.revisions import commit_of, run_git
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest

Wanted = Callable[[str], bool]
"""Says of a path whether its file is looked at."""
_FILES = ("100644", "100755")
"""Modes of files, unlike those of links, of repositories in repositories, and of what is not there."""


@dataclass(frozen=True, slots=True)
class Between:
    """Two states of a repository: two commits, or a commit and the files as they are."""

    old: str
    """What a person calls the older commit."""
    new: str | None
    """What a person calls the newer one; `None` for the files as they are."""
    old_commit: str
    new_commit: str | None
    here: str = "./"
    """How paths from the working folder begin behind a commit; nothing in a bare repository, which has none."""

    def name(self, path: str, is_new: bool) -> str:
        """What is read: `main:specs/react.acdl`, or the path of the file as it is."""
        revision = self.new if is_new else self.old
        return path if revision is None else f"{revision}:{path}"


def between(text: str, folder: Path | None = None) -> Between:
    """The two states that a person names: `main`, `main..HEAD`, or `main...HEAD` for what a branch has changed.

    Raises:
        RevisionError: There is no git, no repository or no such revision.
    """
    first, dots, last = text.partition("...") if "..." in text else text.partition("..")
    if not first:  # most often a variable that is not set: all would be compared with itself
        where = f"before `{dots}`" if dots else "to compare with"
        raise RevisionError(f"`--git` names no revision {where}; is a variable empty? name one: `HEAD{dots}{last}`")
    last = last or "HEAD"
    old = commit_of(first, folder)
    if not dots:
        return Between(first, None, old, None, _here(folder))
    new = commit_of(last, folder)
    if dots == "...":
        base = run_git(folder, "merge-base", old, new)
        if base is None:
            raise RevisionError(
                f"`{first}` and `{last}` have no commit in common; `{first}..{last}` compares them as they are"
            )
        old = base.decode().strip()
        first = old[:12]
    return Between(first, last, old, new, _here(folder))


@dataclass(frozen=True, slots=True)
class _Changed:
    """A file that git lists, with its modes on both sides; `000000` where it is not there."""

    name: str
    old_mode: str
    new_mode: str


def changed_files(
    found: Between, paths: Sequence[str], is_wanted: Wanted, folder: Path | None = None
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What the files that differ say on both sides, by their paths from the folder in which git runs.

    Parameters:
        found: The two sides.
        paths: Files and folders to look at; none are all.
        is_wanted: Which files are looked at.
        folder: Where git runs; the working folder.

    Raises:
        RevisionError: A path is on neither side, or git does not compare them.
    """
    listed = [each for each in _listed(found, paths, folder) if is_wanted(each.name)]
    for path in paths:
        _check_path(path, found, folder)
    old = {
        each.name: _blob(found.old_commit, f"{found.here}{each.name}", folder)
        for each in listed
        if each.old_mode in _FILES
    }
    new = {each.name: _now(found, each.name, folder) for each in listed if each.new_mode in _FILES}
    return old, {name: data for name, data in new.items() if data is not None}


def _listed(found: Between, paths: Sequence[str], folder: Path | None) -> list[_Changed]:
    """What git says that differs, and files that it does not know yet."""
    commits = [found.old_commit, *([found.new_commit] if found.new_commit else [])]
    options = ("--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    settings = ("-c", "diff.relative=false", *_without_filters(folder))
    said = run_git(folder, *settings, "diff", *options, *commits, "--", *map(_literal, paths))
    if said is None:
        if not found.here and found.new_commit is None:
            raise RevisionError(
                f"this repository is bare, so it has no files as they are; name two commits: `{found.old}..HEAD`"
            )
        raise RevisionError("git cannot compare these; are all paths in this repository?")
    prefix = (run_git(folder, "rev-parse", "--show-prefix") or b"").decode("utf-8", "surrogateescape").strip("\n")
    words = iter(_split(said))
    listed: list[_Changed] = []
    for head, name in zip(words, words, strict=True):
        old_mode, new_mode, *_ = head.removeprefix(":").split()
        listed.append(_Changed(_from_here(name, prefix), old_mode, new_mode))
    if found.new_commit is None:
        new = [name for name in _untracked(paths, folder) if not os.path.islink((folder or Path()) / name)]
        listed += [_Changed(name, "000000", _FILES[0]) for name in new]
    return listed


def _without_filters(folder: Path | None) -> Iterator[str]:
    """Settings without the programs that a repository names to read its files: git would run them to compare.

    Raises:
        RevisionError: There is one that cannot be set to nothing.
    """
    said = run_git(folder, "config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    for driver in sorted({name.rpartition(".")[0] for name in _split(said or b"")}):
        if "=" in driver:
            raise RevisionError(f"this repository has a setting `{driver}`, whose `=` git cannot replace; rename it")
        for setting in ("clean=", "process=", "required=false"):
            yield from ("-c", f"{driver}.{setting}")


def _check_path(path: str, found: Between, folder: Path | None) -> None:
    """Say of a path that is on neither side which one is near.

    Raises:
        RevisionError: It is on neither side.
    """
    base = folder or Path()
    name = (os.path.relpath(path, folder) if os.path.isabs(path) else path).replace("\\", "/").rstrip("/")
    commits = [found.old_commit, *([found.new_commit] if found.new_commit else [])]
    if found.new_commit is None and os.path.lexists(base / path):
        return
    if any(run_git(folder, "cat-file", "-e", f"{commit}:{found.here}{name}") is not None for commit in commits):
        return
    known = [each for commit in commits for each in _names(commit, folder)]
    near = closest(name, known)
    cure = f"did you mean `{near}`?" if near else "paths start at the working folder"
    raise RevisionError(f"`{path}` is on neither side; {cure}")


def _names(commit: str, folder: Path | None) -> Iterator[str]:
    """The files and folders of a commit, from the working folder."""
    return iter(_split(run_git(folder, "ls-tree", "-r", "-t", "-z", "--name-only", commit) or b""))


def using_files(
    found: Between, paths: Sequence[str], is_wanted: Wanted, folder: Path | None = None
) -> dict[str, bytes]:
    """What the files of the old side say that may name others with `// acdl: use`, by their paths from the folder.

    Parameters:
        found: The two sides.
        paths: Files and folders to look at; none are all.
        is_wanted: Which files are looked at.
        folder: Where git runs; the working folder.
    """
    where = list(map(_literal, paths)) or [":/"]
    options = ("-c", "grep.fullName=false", "grep", "--no-color", "-l", "-z", "-I", "-F", "-e", "acdl:")
    said = run_git(folder, *options, found.old_commit, "--", *where)
    names = [name.partition(":")[2] for name in _split(said or b"")]
    return {name: _blob(found.old_commit, f"{found.here}{name}", folder) for name in names if is_wanted(name)}


def files_of(revision: str, path: str, is_wanted: Wanted, folder: Path | None = None) -> dict[str, bytes] | None:
    """What the files of a folder said in a revision, by their paths below it; `None` if it is no folder there.

    Raises:
        RevisionError: There is no git, no repository or no such revision.
    """
    commit = commit_of(revision, folder)
    place = path.replace("\\", "/").rstrip("/") or "."
    here = _here(folder)
    tree = f"{commit}:{here}{place}" if place != "." else f"{commit}:{here}"
    if (run_git(folder, "cat-file", "-t", tree) or b"").strip() != b"tree":
        return None
    lines = (line.partition("\t") for line in _split(run_git(folder, "ls-tree", "-r", "-z", tree) or b""))
    names = [name for head, _, name in lines if head.split()[0] in _FILES and is_wanted(name)]
    start = here if place == "." else f"{here}{place}/"
    return {name: _blob(commit, f"{start}{name}", folder) for name in names}


def _here(folder: Path | None) -> str:
    is_bare = (run_git(folder, "rev-parse", "--is-bare-repository") or b"").strip() == b"true"
    return "" if is_bare else "./"


def _split(listed: bytes) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]


def _literal(path: str) -> str:
    """A path in which no character means more than itself."""
    return f":(literal){path}"


def _untracked(paths: Sequence[str], folder: Path | None) -> list[str]:
    """New files that git does not know yet, from the working folder."""
    found = run_git(folder, "ls-files", "-z", "--others", "--exclude-standard", "--", *map(_literal, paths))
    return _split(found or b"")


def _from_here(name: str, prefix: str) -> str:
    """A path from the working folder, of one from the top of the repository."""
    return os.path.relpath(name, prefix).replace("\\", "/") if prefix else name


def _blob(commit: str, path: str, folder: Path | None) -> bytes:
    """A file that a commit has.

    Raises:
        RevisionError: The repository has only its name.
    """
    data = run_git(folder, "cat-file", "blob", f"{commit}:{path}")
    if data is None:
        raise RevisionError(f"{path} of {commit[:12]} is not in this repository; `git fetch --refetch` gets all files")
    return data


def _now(found: Between, name: str, folder: Path | None) -> bytes | None:
    """A file in the newer commit, or as it is.

    Raises:
        RevisionError: It cannot be read.
    """
    if found.new_commit is not None:
        return _blob(found.new_commit, f"{found.here}{name}", folder)
    path = (folder or Path()) / name
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError as problem:
        raise RevisionError(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}") from None
