"""Instructions executed on the core path, which a loaded machine counts like an idle one: `make counts`.

`python benchmarks/counts.py` counts, and writes `counts.json` and its table on the page; `--compare` counts and
prints what became of the numbers of the last release, or of `counts.json` where there is none. A report: more
instructions are not a failure. Needs Valgrind. Numbers of one interpreter are the same to a thousandth; another one is
allowed for by a yardstick that has none of our code.
"""

import argparse
import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pages
import stages
import tables
from circumstances import commit, git
from measure import empty_caches, run
from specs import TYPICAL

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).with_name("counts.json")
N_WARM = 9
"""Runs before the one that is counted: the interpreter makes code that is used often faster."""
NOTED = 0.02
"""Part by which a count has to change to be pointed out."""

Counts = dict[str, int]


def main() -> int:
    """Count, then write or compare."""
    parser = argparse.ArgumentParser(description="Count the instructions of the core path.")
    parser.add_argument("--compare", action="store_true", help="print a table of old and new, and write nothing")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        run_stages()
        return 0
    if not shutil.which("valgrind"):
        print("instructions are counted with Valgrind, which is not installed", file=sys.stderr)
        return 1
    python, found = platform.python_version(), counted()
    if args.compare:
        print(compared(python, found))
    else:
        record = {"python": python, "commit": commit(), "instructions": found}
        RECORD.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
        pages.write_pages(pages.load())
        print(table({}, found))
    return 0


def run_stages() -> None:
    """Run each stage between two calls of `getppid`, at which Valgrind writes down what it has counted."""
    for prepared in stages.STAGES.values():
        action = prepared()
        for _ in range(N_WARM):
            action()
        empty_caches()
        gc.collect()
        os.getppid()
        action()
        os.getppid()


def counted() -> Counts:
    """Instructions of each stage, and of whole processes; compiling is none, as for an installed package."""
    run(sys.executable, "-m", "compileall", "-q", str(ROOT / "acdl_mkdocs"), str(Path(__file__).parent))
    with TemporaryDirectory() as name:
        folder = Path(name)
        dumps = valgrind(folder, "--dump-before=getppid", program=[str(Path(__file__)), "--inside"])
        counts = dict(zip(stages.STAGES, dumps[1::2], strict=True))
        spec = folder / "typical.acdl"
        spec.write_text(TYPICAL, "utf-8")
        (bare,) = valgrind(folder, program=["-c", "pass"])
        for what, words in (
            ("acdl --version, over a bare interpreter", ["--version"]),
            ("acdl render, one file, over a bare interpreter", ["render", str(spec), "-o", str(folder / "a.svg")]),
            ("acdl check, one file, over a bare interpreter", ["check", str(spec)]),
        ):
            counts[what] = valgrind(folder, program=["-m", "acdl_mkdocs", *words])[0] - bare
    return counts


def valgrind(folder: Path, *options: str, program: list[str]) -> list[int]:
    """What the dumps of a Python program say, in their order; of a program without dumps, what all of it took."""
    out = folder / "callgrind"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *options, sys.executable, *program]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    dumps = sorted(folder.glob("callgrind.*"), key=lambda path: int(path.suffix[1:])) or [out]
    found = [int(re.findall(r"^(?:totals|summary): (\d+)", path.read_text(), re.MULTILINE)[-1]) for path in dumps]
    for path in {*dumps, out}:
        path.unlink(missing_ok=True)
    return found


def compared(python: str, new: Counts) -> str:
    """New counts beside those of the last release, or else those that are recorded, as Markdown."""
    name, old = previous()
    lines = [f"Instructions of the core path, against {name}"]
    if old["python"] != python:
        lines.append(f"Counted with Python {python}, before with {old['python']}; ratios allow for that.")
    return "\n\n".join([*lines, table(old["instructions"], new)])


def previous() -> tuple[str, dict[str, Any]]:
    """Where the old numbers are from, and what they say; a release is compared with the one before."""
    described = git("describe", "--tags", "--abbrev=0", "HEAD^")
    released = git("show", f"{described}:benchmarks/counts.json") if described else ""
    return (described, json.loads(released)) if released else ("the recorded ones", json.loads(RECORD.read_text()))


def table(old: Counts, new: Counts) -> str:
    """Counts in millions, and ratios for an interpreter that needs as many for the yardstick."""
    scale = new[stages.YARDSTICK] / old[stages.YARDSTICK] if stages.YARDSTICK in old else 1
    rows = [("what", "before", "now", "ratio", "")]
    for what, count in new.items():
        before = old.get(what)
        ratio = count / before / scale if before else 1
        word = "more" if ratio > 1 + NOTED else "fewer" if ratio < 1 - NOTED else ""
        then = (millions(before), f"{ratio:.3f}") if before else ("-", "-")
        rows.append((what, then[0], millions(count), then[1], word))
    return tables.table(rows, is_padded=True)


def millions(count: int) -> str:
    """Three decimals are one thousand instructions."""
    return f"{count / 1e6:.3f} M"


if __name__ == "__main__":
    sys.exit(main())
