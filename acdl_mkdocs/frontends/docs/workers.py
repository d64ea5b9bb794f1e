"""Python processes that fill caches ahead of a build.

Only caches change: the build finds results in them and makes the missing ones itself. So a process that cannot start or
is killed costs time and nothing else. Knows nothing about what is made.
"""

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from weakref import finalize

from acdl_mkdocs.foundation.system import n_processes

_log = logging.getLogger(__name__)


def most_workers(n_jobs: int) -> int:
    """Return the most processes for an option `jobs`: 0 is one for each core, but 8 at most."""
    return n_jobs or n_processes()


class Workers:
    """Processes that run a module. They end with their work, or with this process."""

    def __init__(self, module: str, work: Sequence[object], n_workers: int) -> None:
        """Start processes; where none can start, the work is left to others.

        Parameters:
            module: Run as `python -m`; it reads its share of the work, a pickled list, from standard input.
            work: What has to be done, dealt out in turn.
            n_workers: So many processes.
        """
        self._module = module
        self._processes: list[subprocess.Popen[bytes]] = []
        self.stop = finalize(self, _stop_processes, self._processes)
        """Stop those that still run."""
        try:
            for number in range(n_workers):
                self._processes.extend(_start_process(module, work[number::n_workers]))
        except BaseException:
            self.stop()
            raise

    def wait(self) -> None:
        """Wait until they have ended; an interrupt stops them."""
        try:
            for process in self._processes:
                if process.wait():
                    _log.debug("a process of %s has ended with %d", self._module, process.returncode)
        finally:
            self.stop()


def _start_process(module: str, share: Sequence[object]) -> "Iterator[subprocess.Popen[bytes]]":
    """Yield a process that does its share of the work; none if it cannot start, or the work cannot be sent."""
    if not sys.executable or hasattr(sys, "frozen"):  # a program with embedded Python cannot be started again
        return
    quiet = subprocess.DEVNULL
    try:
        with TemporaryFile() as file:  # unlike a pipe, it takes all the work before the process has begun to read
            pickle.dump(share, file)
            file.seek(0)
            yield subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", module],
                stdin=file, stdout=quiet, stderr=quiet, env=_process_environment(),
            )  # fmt: skip
    except (OSError, pickle.PicklingError, TypeError, AttributeError):
        _log.debug("a process was not started", exc_info=True)


def _stop_processes(processes: "Sequence[subprocess.Popen[bytes]]") -> None:
    for process in processes:
        process.kill()
        process.wait()


def _process_environment() -> dict[str, str]:
    """Return the environment with all module folders of this process: its package may be in any of them."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
