"""Look up known vulnerabilities of every pin of the locks, also of those for other Pythons and platforms than this one.

`pip-audit` leaves out what a condition rules out, and takes one version of a package: it runs on the pins without their
conditions, once for each further version.
"""

import re
import subprocess
import sys
from pathlib import Path

from supply.requirements import ROOT

_PIN = re.compile(r"^([^\s=]+)(==\S+)(?: ; .*?)?( \\\n(?:    --hash=.*\n)+)", re.MULTILINE)


def rounds(lock: str) -> list[str]:
    """The pins of locks as requirements without conditions, each package at most once in each."""
    found: list[dict[str, str]] = []
    for name, version, hashes in dict.fromkeys(_PIN.findall(lock)):
        place = next((each for each in found if name not in each), None)
        if place is None:
            place = {}
            found.append(place)
        place[name] = f"{name}{version}{hashes}"
    return ["".join(each.values()) for each in found]


def main(folder: Path) -> int:
    """Audit all rounds; the exit code is the worst."""
    folder.mkdir(parents=True, exist_ok=True)
    worst = 0
    locks = "".join(path.read_text("utf-8") for path in sorted((ROOT / "supply").glob("*.lock")))
    for number, pins in enumerate(rounds(locks), 1):
        path = folder / f"pins-{number}.txt"
        path.write_text(pins, "utf-8")
        options = ("--strict", "--require-hashes", "--disable-pip", "--requirement")
        worst = max(worst, subprocess.run([sys.executable, "-m", "pip_audit", *options, path], cwd=ROOT).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
