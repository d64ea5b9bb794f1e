"""Files and folders that a preview of MkDocs or ProperDocs watches, also when they vanish and come back.

The watcher of these tools stops for good when its folder is moved away, as a change of branches does, and cannot wait
for one that does not exist yet. Knows nothing of what is in the files.
"""

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR
from threading import Lock, Thread

from mkdocs.livereload import LiveReloadServer
from watchdog.events import FileModifiedEvent
from watchdog.observers.api import ObservedWatch

_INTERVAL_S = 0.5
_WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What tells a file or folder from one that took its place."""

    folder: int
    """Number of the folder, of a file that of the folder it lies in: editors put another file in the place of one."""
    changed_ns: int
    """When it was changed or moved."""
    written_ns: int

    @classmethod
    def at(cls, path: str) -> "_Seen | None":
        """What is there now, or None."""
        with suppress(OSError):
            stat = os.stat(path)
            folder = stat if S_ISDIR(stat.st_mode) else os.stat(os.path.dirname(path))
            return cls(folder.st_ino, stat.st_ctime_ns, stat.st_mtime_ns)
        return None

    def is_back_after(self, before: "_Seen | None") -> bool:
        """Whether it was away between two looks: another folder is there, or it was moved and not written."""
        if before is None or before.folder != self.folder:
            return True
        return before.changed_ns != self.changed_ns and before.written_ns == self.written_ns


class Watcher:
    """Keeps a server watching, from its start to its end."""

    def __init__(self, server: LiveReloadServer) -> None:
        """Watch nothing yet.

        Parameters:
            server: The one that rebuilds the site.
        """
        self._server = server
        self._wanted: dict[str, _Seen | None] = {}
        """Paths, and what was there at the last look."""
        self._watched: set[str] = set()
        self._lock = Lock()

    def watch(self, paths: Iterable[Path]) -> None:
        """Watch more files and folders; those that do not exist, as soon as they do."""
        with self._lock:
            for path in sorted(map(os.path.abspath, paths)):
                if path not in self._wanted:
                    seen = _Seen.at(path)
                    self._wanted[path] = seen if seen and self._begin(path) else None

    def follow(self) -> None:
        """Look again and again, beside the server, until the program ends."""
        Thread(target=self._look_forever, name="acdl-watch", daemon=True).start()

    def look(self) -> None:
        """Rebuild the site if something has vanished or come back, and watch what has come back."""
        with self._lock:
            stopped = self._stopped()
            for path, before in self._wanted.items():
                seen = _Seen.at(path)
                if seen and (path in stopped or seen.is_back_after(before)):
                    self._wanted[path] = seen if self._begin(path) else None
                    self._rebuild(path)
                elif seen or before:
                    self._wanted[path] = seen
                    if not seen:
                        self._rebuild(path)

    def _look_forever(self) -> None:
        while True:
            time.sleep(_INTERVAL_S)
            self.look()

    def _begin(self, path: str) -> bool:
        """Watch a path afresh; whether that could be done before it vanished again."""
        if path in self._watched:
            with suppress(KeyError):  # the last attempt had failed
                self._server.unwatch(path)
        self._watched.add(path)
        try:
            self._server.watch(path)
        except OSError:
            return False
        return True

    def _stopped(self) -> set[str]:
        """The paths whose watcher has given up."""
        emitters = list(self._server.observer.emitters)
        return {str(each.watch.path) for each in emitters if each.ident is not None and not each.is_alive()}

    def _rebuild(self, path: str) -> None:
        """Tell the server of a change; it listens to files, not to folders."""
        watch = ObservedWatch(path, recursive=True)
        self._server.observer.event_queue.put((FileModifiedEvent(path), watch))


def fixed_part(root: Path, pattern: str) -> Path:
    """The folder or file that a pattern such as `specs/*/*.acdl` begins with.

    Parameters:
        root: The project's folder.
        pattern: A path from there, with or without wildcards.
    """
    parts = Path(pattern).parts
    n_fixed = next((idx for idx, part in enumerate(parts) if _WILDCARD.search(part)), len(parts))
    return root.joinpath(*parts[:n_fixed])
