"""Where something was measured: machine, versions, commit, how busy it was, and how fast."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
DISTRIBUTIONS = ("acdl-mkdocs", "lark", "svgwrite", "markdown", "mkdocs", "mkdocs-material", "pymdown-extensions")


CODE = ("acdl_mkdocs", "benchmarks", "examples", "pyproject.toml", ":!benchmarks/*.json")
"""What makes a commit dirty for results, which benchmarks write themselves."""

SLOWNESS = "as slow as the reference machine"
LARK_MS = 61
"""What `python -c 'import lark'` took on the machine where bars in milliseconds were set."""


_MEMORY = Path("/dev/shm")  # noqa: S108 - a name of its own is made in it
"""Where Linux keeps files in memory."""
_LEAST_FREE_BYTES = 4_000_000_000


@contextmanager
def files_in_memory() -> Iterator[None]:
    """Keep temporary files and caches in memory, where the system can and no other place for them is named.

    Sites are built again and again here. On a disk with ext4 each build then slows the next one, since files that were
    deleted a moment ago are skipped one by one: up to 0.7 ms for each new file, which no build pays that runs alone.
    """
    can = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _LEAST_FREE_BYTES
    if not can or "TMPDIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(dir=_MEMORY) as name:
        os.environ |= {"TMPDIR": name, "XDG_CACHE_HOME": f"{name}/cache"}
        tempfile.tempdir = name
        yield


def where() -> dict[str, str]:
    """By name, as results keep it."""
    found = {"machine": processor(), "system": platform.platform(terse=True), "Python": platform.python_version()}
    found |= {"files": "in memory"} if Path(tempfile.gettempdir()).is_relative_to(_MEMORY) else {}
    found |= {name: version(name) for name in DISTRIBUTIONS}
    return found | {"commit": commit()} | load()


def commit() -> str:
    """What is measured: a release or a commit, and whether something is changed since."""
    return (git("describe", "--always") or "none") + ("-dirty" if git("status", "-s", *CODE) else "")


def load() -> dict[str, str]:
    """How busy and how slow the machine is now."""
    busy = {"load before": f"{os.getloadavg()[0]:.1f}"} if hasattr(os, "getloadavg") else {}
    return busy | {SLOWNESS: f"{slowness():.2f} x"}


def load_around(before: dict[str, str]) -> dict[str, str]:
    """What `load` said before something was measured, corrected by now: a slow moment makes nothing look fast."""
    return before | {SLOWNESS: min(before[SLOWNESS], load()[SLOWNESS], key=factor)}


def factor(said: str) -> float:
    """The number in what is said of slowness."""
    return float(said.split()[0])


def slowness() -> float:
    """How many times as long as where the bars were set a yardstick takes that has none of our code."""
    times_ms = []
    for _ in range(9):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import lark"], check=True)
        times_ms.append((time.perf_counter() - start) * 1000)
    return median(times_ms[1:]) / LARK_MS


def git(*words: str) -> str:
    """What git prints; nothing if it fails."""
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    return ran.stdout.strip()


def processor() -> str:
    """Its name and how many cores there are."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text("utf-8").splitlines() if names.exists() else []
    name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
    return f"{name or platform.machine()}, {os.cpu_count()} cores"
