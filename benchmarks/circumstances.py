"""Where something was measured: machine, versions, commit, and how busy it was."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
DISTRIBUTIONS = ("acdl-mkdocs", "lark", "svgwrite", "markdown", "mkdocs", "mkdocs-material", "pymdown-extensions")


CODE = ("acdl_mkdocs", "benchmarks", "examples", "pyproject.toml", ":!benchmarks/*.json")
"""What makes a commit dirty for results, which benchmarks write themselves."""


def where() -> dict[str, str]:
    """By name, as results keep it."""
    found = {"machine": processor(), "system": platform.platform(terse=True), "Python": platform.python_version()}
    found |= {name: version(name) for name in DISTRIBUTIONS}
    found["commit"] = (_git("describe", "--always") or "none") + ("-dirty" if _git("status", "-s", *CODE) else "")
    return found | load()


def load() -> dict[str, str]:
    """How busy the machine is now."""
    return {"load before": f"{os.getloadavg()[0]:.1f}"} if hasattr(os, "getloadavg") else {}


def _git(*words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    return ran.stdout.strip()


def processor() -> str:
    """Its name and how many cores there are."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text("utf-8").splitlines() if names.exists() else []
    name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
    return f"{name or platform.machine()}, {os.cpu_count()} cores"
