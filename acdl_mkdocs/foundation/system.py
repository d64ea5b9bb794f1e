"""The machine and its processes: finding programs, how many to start, their priority, and garbage collection."""

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


def _program_endings() -> list[str]:
    """Return the endings of program files on this system."""
    return os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";") if os.name == "nt" else [""]


def find_program(name: str, endings: Sequence[str] | None = None) -> str | None:
    """Find a program in the absolute folders of `PATH`; `None` if it is in none of them.

    Windows looks in the current folder first, and other systems do where `PATH` has an empty or relative entry: a
    repository that has a file named `git` would get it run.

    Parameters:
        name: The name of the program, as it is typed.
        endings: What the name of its file may end with, best first; those of this system without them.
    """
    files = [f"{name}{ending}" for ending in (_program_endings() if endings is None else endings)]
    paths = (os.path.join(folder, file) for folder in os.get_exec_path() if os.path.isabs(folder) for file in files)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


MOST_PROCESSES = 8
"""More take memory and wait for the disk, and for the process that gives them their work; Windows refuses 62."""
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def n_usable_cores() -> int:
    """Return the number of cores that this process may use, at least one: a container may have fewer."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # `max` means no limit
        quota, period = map(int, _QUOTA.read_text("ascii").split())
        n_cores = min(n_cores, -(-quota // period))
    return max(1, n_cores)


def n_processes() -> int:
    """Return how many processes to start for much work by default."""
    return min(n_usable_cores(), MOST_PROCESSES)


_LOWER_PRIORITY = 10
"""A priority behind the usual one, as `nice` has it."""


def lower_priority(process_id: int) -> None:
    """Let other processes have the cores first, where the system can do that."""
    with suppress(OSError, AttributeError):  # Windows has no such function
        os.setpriority(os.PRIO_PROCESS, process_id, _LOWER_PRIORITY)


_MANY = 10_000
"""Number of new objects that triggers a garbage collection of the young ones, in busy processes."""


@contextmanager
def relax_collector() -> Iterator[None]:
    """Run the garbage collector less often within the block: most objects die before it would look at them."""
    young, *older = gc.get_threshold()
    if not 0 < young < _MANY:
        yield
        return
    gc.set_threshold(_MANY, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)


@contextmanager
def pause_collector() -> Iterator[None]:
    """Disable garbage collection within the block, and restore its state afterwards."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
