"""How many processes of this package can run at once."""

import os
from contextlib import suppress
from pathlib import Path

MOST_PROCESSES = 8
"""More take memory and wait for the disk, and for the process that gives them their work; Windows refuses 62."""
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def n_usable_cores() -> int:
    """The cores that this process may use, at least one: a container may have fewer than the machine."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # `max` is no limit
        quota, period = map(int, _QUOTA.read_text("ascii").split())
        n_cores = min(n_cores, -(-quota // period))
    return max(1, n_cores)


def n_processes() -> int:
    """How many processes to start for much work, if nobody says."""
    return min(n_usable_cores(), MOST_PROCESSES)
