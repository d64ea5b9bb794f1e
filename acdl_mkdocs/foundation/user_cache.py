"""Cache folders: in the user's cache folder, one per project, and never in the project itself.

The contents of a cache are trusted: figures go into a site unchanged, and the packages that bundle the playground are
run. A project may be a clone of an untrusted repository, which can contain any file and any link, so nothing in it is
used as a cache. Signed files in the project would need a key in the same folder of the user, and a check of each file
and link; this way there is nothing to check, and a read-only project has a cache too.
"""

import os
import shutil
import sys
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from acdl_mkdocs.foundation.atomic import replace_file
from acdl_mkdocs.foundation.errors import NoCacheError
from acdl_mkdocs.foundation.real_path import find_repository, real_path

VARIABLE = "ACDL_CACHE_DIR"
"""Environment variable: the folder, if it should be another one."""
PROJECTS = "projects"
"""In it, what belongs to one project each."""
_NAME = "acdl-mkdocs"
_PROJECT = "project.txt"
"""The file that names the project of a folder, so that the folder is deleted with the project."""
_WRITABLE_BY_OTHERS = 0o022


def user_cache(project: Path) -> Path:
    """Return this package's folder in the user's cache folder, created if needed.

    Parameters:
        project: The folder of a project, whose files are not trusted.

    Raises:
        NoCacheError: No folder can be trusted, or it cannot be created.
    """
    folder = _find_folder()
    try:
        folder, project = real_path(folder), real_path(project)
        top = find_repository(project) or project  # all of a repository comes from the same people
        existing = [each for each in (folder, *folder.parents) if each.exists()]
        if any(each.samefile(top) for each in existing):
            raise NoCacheError(f"{folder} is in the project, which may come from anybody; set {VARIABLE} to another")
        _check_owner(existing[0], is_made=existing[0] == folder)
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except (OSError, ValueError) as reason:
        raise NoCacheError(f"{folder}: {getattr(reason, 'strerror', None) or reason}") from None
    return folder


def project_cache(project: Path) -> Path:
    """Return the cache folder of a project, created if needed; caches of deleted projects are deleted then.

    Raises:
        NoCacheError: As `user_cache`.
    """
    folder = user_cache(project)
    try:
        path = os.fsencode(real_path(project))
        folder = folder / PROJECTS / blake2b(path, digest_size=10).hexdigest()
        if not (folder / _PROJECT).exists():
            _drop_orphans(folder.parent)
            replace_file(folder / _PROJECT, path)
    except OSError as reason:
        raise NoCacheError(f"{folder}: {reason.strerror}") from None
    return folder


def _find_folder() -> Path:
    """Return the user's cache folder, by the rules of the system.

    Raises:
        NoCacheError: The user has no home folder.
    """
    folder = os.environ.get(VARIABLE, "")
    if folder:
        return Path(folder)
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local", _NAME, "Cache")
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / _NAME
        folder = os.environ.get("XDG_CACHE_HOME", "")
        return (Path(folder) if os.path.isabs(folder) else Path.home() / ".cache") / _NAME
    except RuntimeError:
        raise NoCacheError(f"the user has no home folder; set {VARIABLE} to a folder") from None


def _check_owner(folder: Path, *, is_made: bool) -> None:
    """Check that only the user can write a folder, or that the parent of a new folder belongs to nobody else.

    Raises:
        NoCacheError: Another user can, or does: such as the user whose home folder `sudo` leaves to root.
        OSError: The folder cannot be examined.
    """
    if sys.platform == "win32":  # a user's folders belong to nobody else there
        return
    status, user = folder.stat(), os.geteuid()
    if status.st_uid != user and (is_made or user == 0):
        raise NoCacheError(f"{folder} belongs to another user; set {VARIABLE} to another folder")
    if is_made and status.st_mode & _WRITABLE_BY_OTHERS:
        raise NoCacheError(f"others can write to {folder}; run `chmod 700 {folder}`")


def _drop_orphans(folder: Path) -> None:
    """Delete the caches of projects that have been deleted."""
    with suppress(OSError):
        for each in folder.iterdir():
            with suppress(OSError):
                if not os.path.isdir((each / _PROJECT).read_bytes()):
                    shutil.rmtree(each, ignore_errors=True)
