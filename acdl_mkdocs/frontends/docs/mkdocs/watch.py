"""Watch files and folders during a preview of MkDocs or ProperDocs, also when they vanish and come back.

The watcher of these tools stops for good when its folder is moved away, as by a change of branches, and cannot wait
for one that does not exist yet. Knows nothing of what is in the files.
"""

import os
import time
from collections.abc import Iterable, Set
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from threading import Lock, Thread

from mkdocs.livereload import LiveReloadServer
from watchdog.events import FileModifiedEvent
from watchdog.observers.api import ObservedWatch

from acdl_mkdocs.foundation.frozen import dataclass

_INTERVAL_S = 0.5
_N_BUILDS = 16
"""Builds after which unused paths are no longer watched: a site in several languages is built once for each."""


@dataclass(frozen=True, slots=True)
class _FileState:
    """The identity of a file or folder, to detect a replacement."""

    folder: int
    """Number of the folder, for a file that of its folder: editors replace files."""
    changed_ns: int
    """Time of the last change or move."""
    modified_ns: int

    @classmethod
    def read_state(cls, path: str) -> "_FileState | None":
        """Return the current state of a path, or None."""
        with suppress(OSError):
            stat = os.stat(path)
            folder = stat if S_ISDIR(stat.st_mode) else os.stat(os.path.dirname(path))
            return cls(folder.st_ino, stat.st_ctime_ns, stat.st_mtime_ns)
        return None

    def is_back_after(self, before: "_FileState | None") -> bool:
        """Return whether it was away between two looks: another folder is there, or it was moved and not written."""
        if before is None or before.folder != self.folder:
            return True
        return before.changed_ns != self.changed_ns and before.modified_ns == self.modified_ns


class FileWatcher:
    """A watcher of a server, from its start to its end."""

    def __init__(self, server: LiveReloadServer, others: Iterable[str] = ()) -> None:
        """Watch nothing yet.

        Parameters:
            server: The server that rebuilds the site.
            others: Folders and files that it watches by itself, but not again when they come back.
        """
        self._server = server
        self._others = tuple(map(os.path.abspath, others))
        self._last_builds: dict[str, int] = {}
        """Paths, and the number of the last build that named them."""
        self._n_builds = 0
        self._states: dict[str, _FileState | None] = {}
        """Paths, and their state at the last look."""
        self._watched: set[str] = set()
        self._lock = Lock()

    def watch_paths(self, paths: Iterable[Path]) -> None:
        """Watch files and folders, missing ones as soon as they exist, and those of a few builds before.

        A path inside a watched folder has no watcher itself: each is a thread, and reports an edit later
        than that of the folder, so that the site would be built twice.
        """
        self._n_builds += 1
        self._last_builds |= dict.fromkeys(map(os.path.abspath, paths), self._n_builds)
        self._last_builds = {
            path: build for path, build in self._last_builds.items() if build + _N_BUILDS > self._n_builds
        }
        wanted = _keep_outermost({*self._last_builds, *self._others})
        with self._lock:
            for path in self._states.keys() - set(wanted):
                del self._states[path]
                self._stop_watching(path)
            for path in wanted:
                if path not in self._states:
                    seen = _FileState.read_state(path)
                    self._states[path] = seen if seen and self._start_watching(path) else None

    def start_polling(self) -> None:
        """Check the paths repeatedly, beside the server, until the program ends."""
        Thread(target=self._poll_forever, name="acdl-watch", daemon=True).start()

    def check_paths(self) -> None:
        """Rebuild the site if something has vanished or come back, and watch the latter again."""
        with self._lock:
            stopped = self._find_stopped()
            for path, before in self._states.items():
                seen = _FileState.read_state(path)
                if seen and (path in stopped or seen.is_back_after(before)):
                    self._states[path] = seen if self._start_watching(path) else None
                    self._rebuild_site(path)
                elif seen or before:
                    self._states[path] = seen
                    if not seen:
                        self._rebuild_site(path)

    def _poll_forever(self) -> None:
        while True:
            time.sleep(_INTERVAL_S)
            self.check_paths()

    def _start_watching(self, path: str) -> bool:
        """Start to watch a path; return False if it vanished again before that."""
        self._stop_watching(path)
        n_others = 0
        with suppress(KeyError):  # until the server itself no longer watches it either
            while True:
                self._server.unwatch(path)
                n_others += 1
        self._watched.add(path)
        try:
            for _ in range(n_others + 1):
                self._server.watch(path)
        except OSError:
            return False
        return True

    def _stop_watching(self, path: str) -> None:
        """Stop watching a path."""
        if path in self._watched:
            self._watched.remove(path)
            with suppress(KeyError):  # starting had failed
                self._server.unwatch(path)

    def _find_stopped(self) -> set[str]:
        """Return the paths whose watcher has stopped."""
        emitters = list(self._server.observer.emitters)
        return {_watched_path(each.watch) for each in emitters if each.ident is not None and not each.is_alive()}

    def _rebuild_site(self, path: str) -> None:
        """Report a change to the server, which listens to files, not to folders."""
        for each in list(self._server.observer.emitters):
            if _watched_path(each.watch) == path:
                self._server.observer.event_queue.put((FileModifiedEvent(path), each.watch))


def _keep_outermost(paths: Set[str]) -> list[str]:
    """Return the paths that are inside none of the others; a path inside a missing one is missing too."""
    return [path for path in sorted(paths) if paths.isdisjoint(map(str, Path(path).parents))]


def _watched_path(watch: ObservedWatch) -> str:
    """Return the watched path; newer versions of watchdog watch the folder of a file."""
    return str(getattr(watch, "raw_path", watch.path))
