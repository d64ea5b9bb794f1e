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
from contextlib import suppress
from typing import Any

from acdl_mkdocs.foundation.system import n_processes

_log = logging.getLogger(__name__)


def most_workers(n_jobs: int) -> int:
    """Return the most processes for an option `jobs`: 0 is one for each core, but 8 at most."""
    return n_jobs or n_processes()


def run_workers(module: str, work: Sequence[object], n_workers: int) -> None:
    """Run a module in processes, and wait until they end.

    Parameters:
        module: Run as `python -m`; it reads its share of the work, a pickled list, from standard input.
        work: What has to be done, dealt out in turn.
        n_workers: So many processes.
    """
    processes: list[subprocess.Popen[bytes]] = []
    try:
        processes.extend(_start_processes(module, n_workers))  # start all first: each reads its work after its imports
        for number, process in enumerate(processes):
            _send_work(process, work[number :: len(processes)])
        for process in processes:
            if process.wait():
                _log.debug("a process of %s has ended with %d", module, process.returncode)
    finally:
        for process in processes:  # a build that is interrupted leaves none
            process.kill()
            process.wait()


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


def _send_work(process: "subprocess.Popen[bytes]", work: Sequence[object]) -> None:
    """Send a process its work; one that has ended, or work that cannot be sent, is ignored."""
    try:
        if process.stdin:
            with process.stdin as stream:
                pickle.dump(work, stream)
    except (OSError, pickle.PicklingError, TypeError, AttributeError):
        _log.debug("a process was not told its work", exc_info=True)
