"""Python processes that work ahead of a build.

They fill caches, or return results; the build itself makes whatever is missing. So a process that cannot start or is
killed costs time and nothing else. Knows nothing about what is made.
"""

import atexit
import gc
import logging
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import IO, Any, Literal, TextIO, cast
from weakref import finalize

from acdl_mkdocs.foundation.system import n_processes

_log = logging.getLogger(__name__)
_READY = b"ready for work\n"
"""The line before the first result: other packages may print when Python starts."""


def most_workers(n_jobs: int) -> int:
    """Return the most processes for an option `jobs`: 0 is one for each core, but 8 at most."""
    return n_jobs or n_processes()


class Workers:
    """Processes that work while this one continues; they end with it."""

    def __init__(self, module: str, work: Sequence[object], n_workers: int) -> None:
        """Run a module in processes.

        Parameters:
            module: Run as `python -m`; it calls `do_work`.
            work: The items of work, in order; a process is sent the next item when it begins one.
            n_workers: The number of processes.
        """
        self.results: list[Any] = []
        """What was returned for items of work so far, in any order."""
        self._module = module
        self._processes: list[subprocess.Popen[bytes]] = []
        self._end = finalize(self, _kill_processes, self._processes)
        self._processes.extend(_start_processes(module, n_workers))  # start all first: each begins with its imports
        items = deque(item for each in work if (item := _pickle_item(each)))
        self._senders = [
            Thread(target=_send_items, args=(each, items, self.results), daemon=True) for each in self._processes
        ]
        for sender in self._senders:
            sender.start()

    def wait(self) -> None:
        """Wait until they have done their work."""
        for sender in self._senders:
            sender.join()
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


def run_workers(module: str, work: Sequence[object], n_workers: int) -> list[Any]:
    """Run a module in processes, and wait until they end.

    Parameters:
        module: This and the others are the parameters of `Workers`.

    Returns:
        The results, in any order; those of items for which a process has failed are missing.
    """
    workers = Workers(module, work, n_workers)
    try:
        workers.wait()
        return workers.results
    finally:
        workers.kill()  # a build that is interrupted leaves none


def do_work(do_item: Callable[[Any], object]) -> None:
    """Call a function with each item of work of this process, which `Workers` has started, and send back its results.

    Items come on the standard input and results go to the standard output, which nobody else can use meanwhile. Each
    result also asks for the next item; the first one is empty. So a process receives its next item while it works on
    the current one, and holds back at most one from the others.

    Parameters:
        do_item: Its results are of built-in types; an empty one is not sent.
    """
    atexit.register(gc.freeze)  # the process ends without a last search for garbage
    with _take_over(sys.stdin, "rb") as items, _take_over(sys.stdout, "wb") as results:
        results.write(b"\n" + _READY)
        _send(None, results)
        result: object = None
        for item in _receive_items(items):
            _send(result, results)
            result = do_item(item)
        _send(result, results)


def _take_over(stream: TextIO, mode: Literal["rb", "wb"]) -> IO[bytes]:
    """Return a standard stream for this module alone; for all others it is empty from now on."""
    number = stream.fileno()
    mine, nothing = os.dup(number), os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)
    return open(mine, mode)


def _receive_items(stream: IO[bytes]) -> Iterator[Any]:
    with suppress(EOFError):
        while True:
            yield pickle.load(stream)  # noqa: S301 - from the process that has started this one


def _send(value: object, stream: IO[bytes]) -> None:
    """Send a value, if somebody still reads."""
    with suppress(OSError):
        pickle.dump(value, stream)
        stream.flush()


def _start_processes(module: str, n_wanted: int) -> "Iterator[subprocess.Popen[bytes]]":
    """Yield processes that wait for their work; none if they cannot start, and the work is left to others."""
    if not sys.executable or hasattr(sys, "frozen"):  # a program with embedded Python cannot be started again
        return
    with suppress(OSError):
        for _ in range(n_wanted):
            yield subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_process_environment(),
            )  # fmt: skip


def _process_environment() -> dict[str, str]:
    """Return the environment with all module folders of this process: its package may be in any of them."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _pickle_item(item: object) -> bytes:
    """Return an item of work as bytes; none if it cannot be sent, so that the build does it itself."""
    try:
        return pickle.dumps(item)
    except (pickle.PicklingError, TypeError, AttributeError):
        _log.debug("a process was not told its work", exc_info=True)
        return b""


def _send_items(process: "subprocess.Popen[bytes]", items: deque[bytes], results: list[Any]) -> None:
    """Send a process the next item whenever it asks for one, and add its results, until none is left or it ends."""
    with suppress(OSError, EOFError, pickle.UnpicklingError), process:
        to, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        is_ready = any(line == _READY for line in answers)
        while is_ready:
            result = pickle.load(answers)  # noqa: S301 - from the process that this one has started
            if result is not None:
                results.append(result)
            if to.closed:
                break
            try:
                to.write(items.popleft())
                to.flush()
            except IndexError:
                to.close()
