"""How much memory a program takes at most, with all that it starts."""

import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

_PROC = Path("/proc")
_EVERY_S, _AT_FIRST_S, _SOON_S = 0.01, 0.001, 0.05
"""How often to look: more often in the beginning, since some programs are over soon."""


def peak_mb(words: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> float:
    """The peak of a program that has to succeed, in MB.

    The shares of all processes of its tree are added up every 10 ms, or it is the peak that the system keeps of one
    of them, if that is more. What the system keeps for a parent does not help: it has what the parent had before.
    """
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(words, cwd=cwd, env=env, stdin=quiet, stdout=quiet, stderr=quiet)
    began, peak_kb = time.perf_counter(), 0
    while process.poll() is None:
        tree = _tree(process.pid)
        together = sum(_number(pid, "smaps_rollup", "Pss:") for pid in tree)
        peak_kb = max(peak_kb, together, *(_number(pid, "status", "VmHWM:") for pid in tree))
        time.sleep(_AT_FIRST_S if time.perf_counter() - began < _SOON_S else _EVERY_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(words))
    return peak_kb / 1024


def _tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    children = defaultdict(list)
    for stat in _PROC.glob("[0-9]*/stat"):
        try:
            text = stat.read_text("utf-8", errors="replace")
        except OSError:
            continue
        parent = text.rpartition(")")[2].split()[1]
        children[int(parent)].append(int(stat.parent.name))
    found = [root]
    for each in found:
        found += children[each]
    return found


def _number(pid: int, file: str, key: str) -> int:
    """A number of kilobytes that the system tells of a process; 0 if it has ended."""
    try:
        lines = (_PROC / str(pid) / file).read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(key)), 0)
