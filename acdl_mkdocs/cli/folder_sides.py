"""What `acdl diff` compares file by file: folders, revisions of them, commits, or two pages with several specs."""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from acdl_mkdocs.cli.compared_texts import texts_of
from acdl_mkdocs.cli.messages import StoppedError, complain
from acdl_mkdocs.compare.folders import FilePair, paired
from acdl_mkdocs.compare.revisions import between, changed_files, files_of, read_revision, split_revision, using_files
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.files import UnreadableFileError, read_bytes
from acdl_mkdocs.workspace.search import find_files
from acdl_mkdocs.workspace.settings import load_settings

Files = dict[str, bytes]
PAGES = (".md", ".markdown")
_ENDINGS = (".acdl", *PAGES)
_USES = re.compile(rb"acdl:(?:(?!acdl:).)*\buse\b|acdl:[^\S\n]*\n")
"""Where a text may name other files, whose fragments can differ though the text is the same."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The files to compare: what they say on both sides, by their paths, and what they are called."""

    old: Files
    new: Files
    pairs: Sequence[FilePair]
    name: Callable[[str, bool], str]
    """What a person calls a file by its path, of the new side or the old one."""


def sides_of(args: argparse.Namespace) -> tuple[Sides | None, bool]:
    """What is named, if it is compared file by file; and whether only one of the two is a folder.

    Raises:
        AcdlError, StoppedError, UnusableInputError: Something is not there or cannot be read.
    """
    if args.git is not None:
        return _repository(args.git[0], args.git[1:]), False
    is_revised = any(split_revision(name) is not None for name in (args.old, args.new))
    old, new = (_folder(name, is_with_links=not is_revised) for name in (args.old, args.new))
    if old is not None and new is not None:
        tops = [name.rstrip("/") for name in (args.old, args.new)]
        pairs = _sorted([*paired(old, new), *_users(old, new)])
        return Sides(old, new, pairs, lambda path, is_new: f"{tops[is_new]}/{path}"), False
    if old is not None or new is not None:
        return None, True
    return _pages(args), False


def _repository(revisions: str, paths: Sequence[str]) -> Sides:
    """What differs between two commits, and what uses other files, which may."""
    found = between(revisions)
    old, new = changed_files(found, paths, _is_wanted)
    pairs = paired(old, new)
    users = {name: data for name, data in using_files(found, paths, _is_wanted).items() if name not in (*old, *new)}
    same = [FilePair(name, name) for name, data in sorted(users.items()) if _USES.search(data)]
    return Sides({**old, **users}, {**new, **users}, _sorted([*pairs, *same]), found.name)


def _users(old: Files, new: Files) -> list[FilePair]:
    """Files that say the same on both sides, and use others."""
    return [FilePair(path, path) for path in sorted(new) if old.get(path) == new[path] and _USES.search(new[path])]


def _sorted(pairs: Sequence[FilePair]) -> list[FilePair]:
    return sorted(pairs, key=lambda each: each.path)


def _is_wanted(path: str) -> bool:
    return path.lower().endswith(_ENDINGS)


def _folder(name: str, *, is_with_links: bool) -> Files | None:
    """The files of a folder, or of a revision of one; nothing if it is none.

    Parameters:
        name: What a person calls it.
        is_with_links: Whether symbolic links are files too. They are none in a revision.
    """
    if os.path.isdir(name):
        found, problems = find_files([name], load_settings)
        for problem in problems:
            complain(problem)
        paths = [each.path for each in found if each.path and not _is_left_out(each.path, is_with_links=is_with_links)]
        return {path.relative_to(name).as_posix(): _bytes(path) for path in paths}
    revised = split_revision(name) if name != "-" else None
    return files_of(*revised, _is_wanted) if revised is not None else None


def _is_left_out(path: Path, *, is_with_links: bool) -> bool:
    """Whether a path is a link that is no file here, or leads nowhere."""
    return path.is_symlink() and not (is_with_links and path.exists())


def _bytes(path: Path) -> bytes:
    """What a file says.

    Raises:
        StoppedError: It cannot be read.
    """
    try:
        return read_bytes(path)
    except UnreadableFileError as reason:
        raise StoppedError(f"{path} {reason}") from None


def _pages(args: argparse.Namespace) -> Sides | None:
    """Two pages of which one has several specs, if none of these is asked for."""
    names = args.old, args.new
    is_one_asked_for = any(each is not None for each in (args.spec, args.new_spec, args.state, args.new_state))
    if is_one_asked_for or not all(name.lower().endswith(PAGES) for name in names):
        return None
    old, new = ((split_revision(name) or ("", name))[1] for name in names)
    before, after = _page(args.old), _page(args.new)
    if before is None or after is None:
        return None
    n_specs = len(texts_of(args.old, old, before)), len(texts_of(args.new, new, after))
    if min(n_specs) == 0 or max(n_specs) == 1:
        return None
    return Sides({old: before}, {new: after}, [FilePair(old, new)], lambda _, is_new: str(names[is_new]))


def _page(name: str) -> bytes | None:
    """What a page says; nothing where there is none, which is told elsewhere."""
    revised = split_revision(name)
    if revised is not None:
        return read_revision(*revised)
    return _bytes(Path(name)) if os.path.isfile(name) else None
