"""A program `mkdocs serve` in a folder: what it shows, and what it takes of the machine."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import urlopen

_RELOADS = re.compile(rb"<script>(?:(?!<script>).)*livereload\((?:(?!<script>).)*</script>(?=</body>)", re.DOTALL)
"""What the server puts into pages."""
_LONGEST_S = 600


class StuckError(Exception):
    """The server ended, or has not built the site for too long."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a process has of the machine."""

    memory_kb: int
    """Its own, and its share of what it has in common with others."""
    n_files: int
    """Open ones."""
    n_threads: int
    cpu_s: float
    """Since its start."""


class Served:
    """A preview, from its start to its end."""

    def __init__(self, root: Path, log: Path) -> None:
        """Start it.

        Parameters:
            root: The project's folder.
            log: A file for what it says.
        """
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        self._log = log
        words = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"]
        with log.open("wb") as out:
            self._process = subprocess.Popen(words, cwd=root, stdout=out, stderr=subprocess.STDOUT)

    def __enter__(self) -> "Served":
        """Wait until the site is there."""
        try:
            self.wait(0)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._end()

    def _end(self) -> None:
        self._process.kill()  # it has nothing to save
        self._process.wait()

    def wait(self, since_ms: int, again: Callable[[], object] = int) -> None:
        """Wait until it shows a site whose build began after a time of the clock `time.monotonic`.

        Parameters:
            since_ms: That time.
            again: Called each minute without a build: it may have begun between the change and that time.

        Raises:
            StuckError: It has ended, or takes too long.
        """
        end = time.monotonic() + _LONGEST_S
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urlopen(f"{self.url}livereload/{since_ms}/1", timeout=_LONGEST_S) as answer:  # noqa: S310 - ours
                    if int(answer.read()) > since_ms:
                        return
                again()
            except URLError:
                time.sleep(0.1)
        raise StuckError(f"no site after {_LONGEST_S} s; the end of its log:\n{self.log()[-3000:]}")

    def html(self, address: str) -> str | None:
        """A page; `None` if there is none."""
        content = self.file(address)
        return None if content is None else content.decode()

    def file(self, address: str) -> bytes | None:
        """A file as it was built; `None` if there is none."""
        try:
            with urlopen(self.url + quote(address), timeout=_LONGEST_S) as answer:  # noqa: S310 - ours
                return _RELOADS.sub(b"", bytes(answer.read()))
        except HTTPError:
            return None

    def log(self) -> str:
        """All that it has said."""
        return self._log.read_text("utf-8", "replace")

    def n_builds(self) -> int:
        """How often it has built the site; of how long that took, MkDocs logs no time twice."""
        return self.log().count("Building documentation...")

    def taken(self) -> Taken:
        """What it has of the machine now."""
        proc = Path("/proc", str(self._process.pid))
        shares = dict(line.split()[:2] for line in (proc / "smaps_rollup").read_text().splitlines()[1:])
        ticks = (proc / "stat").read_text().rpartition(")")[2].split()
        return Taken(
            memory_kb=int(shares["Pss:"]),
            n_files=len(os.listdir(proc / "fd")),
            n_threads=len(os.listdir(proc / "task")),
            cpu_s=(int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"),
        )
