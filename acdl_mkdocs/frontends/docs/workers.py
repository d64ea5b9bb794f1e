"""Python processes that fill caches ahead of a build.

Only caches change: the build finds results in them and makes the missing ones itself. So a process that cannot start or
is killed costs time and nothing else. Knows nothing about what is made.
"""

import atexit
import gc
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from threading import Thread
from typing import Any
from weakref import finalize

from acdl_mkdocs.foundation.system import n_processes

_log = logging.getLogger(__name__)


def most_workers(n_jobs: int) -> int:
    """Return the most processes for an option `jobs`: 0 is one for each core, but 8 at most."""
    return n_jobs or n_processes()


class Workers:
    """Processes that work while this one continues; they end with it."""

    def __init__(self, module: str, work: Sequence[object], n_workers: int) -> None:
        """Run a module in processes.

        Parameters:
            module: Run as `python -m`; it reads its share of the work, a pickled list, from standard input.
            work: What has to be done, dealt out in turn.
            n_workers: So many processes.
        """
        self._module = module
        self._processes: list[subprocess.Popen[bytes]] = []
        self._end = finalize(self, _kill_processes, self._processes)
        # Start all first: each reads its work after its imports, so that only a thread waits for that.
        self._processes.extend(_start_processes(module, n_workers))
        n_started = len(self._processes)
        shares = [_pickle_work(work[number::n_started]) for number in range(n_started)]
        self._sender = Thread(target=_send_all, args=(self._processes, shares), daemon=True)
        self._sender.start()

    def wait(self) -> None:
        """Wait until they have done their work."""
        self._sender.join()
        for process in self._processes:
            if process.wait():
                _log.debug("a process of %s has ended with %d", self._module, process.returncode)

    def kill(self) -> None:
        """End them now."""
        self._end()


def _kill_processes(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def run_workers(module: str, work: Sequence[object], n_workers: int) -> None:
    """Run a module in processes, and wait until they end; the parameters are those of `Workers`."""
    workers = Workers(module, work, n_workers)
    try:
        workers.wait()
    finally:
        workers.kill()  # a build that is interrupted leaves none


def receive_work() -> Any:
    """Return the share of the work of this process, which `run_workers` has started."""
    atexit.register(gc.freeze)  # the process ends without a last search for garbage
    return pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that has started this one


def _start_processes(module: str, n_wanted: int) -> "Iterator[subprocess.Popen[bytes]]":
    """Yield processes that wait for their work; none if they cannot start, and the work is left to others."""
    if not sys.executable or hasattr(sys, "frozen"):  # a program with embedded Python cannot be started again
        return
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        for _ in range(n_wanted):
            yield subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=_process_environment(),
            )  # fmt: skip


def _process_environment() -> dict[str, str]:
    """Return the environment with all module folders of this process: its package may be in any of them."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _pickle_work(work: Sequence[object]) -> bytes:
    """Return a share of the work as bytes; none for what cannot be sent, which the build does itself."""
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, TypeError, AttributeError):
        _log.debug("a process was not told its work", exc_info=True)
        return b""


def _send_all(processes: Sequence["subprocess.Popen[bytes]"], shares: Sequence[bytes]) -> None:
    for process, share in zip(processes, shares, strict=True):
        with suppress(OSError), process.stdin or nullcontext() as stream:  # one that has ended is ignored
            if stream:
                stream.write(share)
