"""Run a command again whenever a file that it read changes: `--watch` of `acdl check` and `acdl render`.

The package `watchfiles` wakes this module up; changes are found by comparing the files themselves, so an editor
that replaces files, a folder that appears and a change during a run are all noticed.
"""

import argparse
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError, SettingsError
from acdl_mkdocs.foundation.extras import import_extra
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error, print_outcome
from acdl_mkdocs.workspace.settings import SETTINGS_FILES, load_settings

_WAKE_MS = 1000
"""The interval at which files are compared even if the system reports no change, as on some network drives."""
_SETTLED_MS = 50
"""Changes less than this apart are one: an editor writes, renames and removes."""
_MOST_NAMED = 3
_Stamp = tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run."""

    status: int
    files: Collection[Path]
    """The files that it depended on besides those of the arguments and of settings, existing or not."""


def add_watch(parser: argparse.ArgumentParser) -> None:
    """Declare `--watch`."""
    parser.add_argument("--watch", action="store_true", help="run again whenever a file changes, until Ctrl-C")


def run_or_watch(args: argparse.Namespace, once: Callable[[], RunResult]) -> int:
    """Run a command once, or repeatedly until interrupted; return the exit status.

    Parameters:
        args: The arguments, with `watch`, `paths` and `config`.
        once: Runs the command.
    """
    if not args.watch:
        return once().status
    if "-" in args.paths:
        print_error("--watch needs files: standard input, `-`, can be read only once")
        return 2
    try:
        return _watch_files(args, once, import_extra("watchfiles", "watch").watch)
    except AcdlError as reason:
        print_error(str(reason))
    except RuntimeError as reason:
        print_error(f"files cannot be watched: {reason}; name fewer folders, or set WATCHFILES_FORCE_POLLING=1")
    return 2


def _watch_files(
    args: argparse.Namespace, once: Callable[[], RunResult], changes: Callable[..., Iterable[object]]
) -> int:
    """Run, wait for a change, run again."""
    depends: set[Path] = set()
    is_first = True
    while True:
        started_ns = time.time_ns()
        files = _find_files(args.paths)
        before = {path: _stamp_of(path) for path in (*files, *depends)}
        result = once()
        if is_first and result.status == 2:
            return 2
        depends = {_make_absolute(path) for path in (*result.files, *_settings_files(files, args.config))}
        if is_first:
            print_outcome(f"watching {format_count(len(files), 'file')} and what they use; Ctrl-C ends it")
        is_first = False
        changed = _wait_for_change(args.paths, depends, before, started_ns, changes)
        print_outcome("")
        print_outcome(f"changed: {_join_paths(changed)}")


def _wait_for_change(
    arguments: Sequence[str],
    depends: set[Path],
    before: dict[Path, _Stamp],
    started_ns: int,
    changes: Callable[..., Iterable[object]],
) -> list[Path]:
    """Wait for changes since a run began, and return the changed files."""
    while True:
        paths = {*before, *depends, *_find_files(arguments)}
        folders = _list_folders(arguments, paths)
        is_first = True
        for events in changes(
            *sorted(folders),
            recursive=False,
            watch_filter=None,
            step=_SETTLED_MS,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if events or is_first:
                paths |= _find_files(arguments)
            changed = [path for path in sorted(paths) if _is_changed(path, depends, before, started_ns)]
            if changed:
                return changed
            if (events or is_first) and _list_folders(arguments, paths) != folders:
                break
            is_first = False


def _is_changed(path: Path, depends: set[Path], before: dict[Path, _Stamp], started_ns: int) -> bool:
    """Return whether a file changed since the run began."""
    now = _stamp_of(path)
    if path in before:
        return now != before[path]
    if path in depends:  # it was not tracked before: compare its time stamps
        return now is not None and _changed_ns(path) > started_ns
    return now is not None


def _find_files(arguments: Sequence[str]) -> set[Path]:
    """Return the files that the arguments name at this moment."""
    from acdl_mkdocs.workspace.search import find_files  # not needed for help

    files, _ = find_files(arguments, cache(load_settings))
    return {_make_absolute(named.path) for named in files if named.path}


def _make_absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _settings_files(paths: Iterable[Path], config: Path | None) -> set[Path]:
    """Return the settings files of some files, existing or not."""
    from acdl_mkdocs.workspace.project import find_project

    if config is not None:
        return {config}
    folders = {path.resolve().parent for path in paths}
    with_settings: set[Path] = set()
    for folder in folders:
        root = find_project(folder)
        with_settings.update(each for each in (folder, *folder.parents) if each.is_relative_to(root))
        with suppress(SettingsError):  # the run has reported it
            nearest = load_settings(folder).folder
            with_settings.update((nearest,) if nearest else ())
    return {folder / name for folder in with_settings for name in SETTINGS_FILES}


def _list_folders(arguments: Sequence[str], files: Iterable[Path]) -> set[Path]:
    """Return the folders whose changes matter: those of the arguments, and that of each file."""
    from acdl_mkdocs.workspace.search import find_folders

    folders = set(find_folders(arguments, cache(load_settings)))
    return folders | {folder for path in files if (folder := path.parent).is_dir()}


def _stamp_of(path: Path) -> _Stamp:
    """Return a stamp that stays equal while a file is untouched; `None` for one that does not exist."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _changed_ns(path: Path) -> int:
    try:
        status = os.stat(path)
    except OSError:
        return 0
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _join_paths(paths: Sequence[Path]) -> str:
    names = [os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path) for path in paths]
    n_more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {n_more} more" if n_more > 0 else "")
