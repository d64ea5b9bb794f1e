"""Write bills of materials in CycloneDX: one of what everybody installs, and one of each extra for users with that."""

import subprocess
import sys
import tomllib
from pathlib import Path

from supply.requirements import ROOT

OURS = {"docs", "fuzz", "supply", "test"}
"""Extras for those who work on the project."""


def extras() -> list[str]:
    """The extras for users, and an empty word for none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return ["", *(name for name in project["optional-dependencies"] if name not in OURS)]


def write(folder: Path, extra: str) -> Path:
    """The bill of one extra, in the versions of the lock and with its hashes, for all platforms."""
    wanted = folder / "requirements.txt"
    chosen = ("--extra", extra) if extra else ()
    locked = ("--constraints", "supply/test.lock", "--generate-hashes", "--no-emit-index-url", "--no-header")
    words = ("pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--no-annotate", *locked, *chosen)
    subprocess.run(
        [sys.executable, "-m", "uv", *words, "--output-file", wanted, "pyproject.toml"], cwd=ROOT, check=True
    )
    bill = folder / f"acdl-mkdocs{extra and f'-{extra}'}.cdx.json"
    written = ("--output-reproducible", "--mc-type", "library", "--pyproject", "pyproject.toml", "--output-file", bill)
    subprocess.run([sys.executable, "-m", "cyclonedx_py", "requirements", *written, wanted], cwd=ROOT, check=True)
    wanted.unlink()
    return bill


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    for name in extras():
        print(write(target, name).name)
