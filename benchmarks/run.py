"""Measure everything, print one table and write it as JSON: `python benchmarks/run.py [PART ...]`.

Parts are named by the arguments, such as `figure site`; without any, all are measured. A missed bar is shown
and is no failure.
"""

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import comparisons
import documents
import figures
import galleries
import playbooks
import processes
import prompts
import sites
import trees
from measure import Row

PARTS: Mapping[str, Callable[[], list[Row]]] = {
    "figure": figures.measure,
    "process": processes.measure,
    "tree": trees.measure,
    "site": sites.measure,
    "gallery": galleries.measure,
    "evaluation": prompts.measure,
    "comparison": comparisons.measure,
    "playbook": playbooks.measure,
    "pml": documents.measure,
}
Cells = tuple[str, str, str, str, str, str, str]

ROOT = Path(__file__).parent.parent
DISTRIBUTIONS = ("acdl-mkdocs", "lark", "svgwrite", "markdown", "mkdocs", "mkdocs-material", "pymdown-extensions")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Measure acdl-mkdocs.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; default: all")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench.json", help="file for the results")
    args = parser.parse_args()
    unknown = set(args.parts) - PARTS.keys()
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    circumstances = where()
    print("  ".join(f"{name} {value}" for name, value in circumstances.items()), file=sys.stderr)
    rows: list[Row] = []
    for part in args.parts or PARTS:
        print(f"measuring {part} ...", file=sys.stderr, flush=True)
        rows += PARTS[part]()
    print(table(rows))
    args.json.parent.mkdir(parents=True, exist_ok=True)
    result = {"where": circumstances, "rows": [asdict(row) for row in rows]}
    args.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def where() -> dict[str, str]:
    """Machine, versions and commit."""
    found = {"machine": processor(), "system": platform.platform(terse=True), "python": platform.python_version()}
    found |= {name: version(name) for name in DISTRIBUTIONS}
    command = ["git", "describe", "--always", "--dirty"]
    described = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return found | {"commit": described.stdout.strip() or "none"}


def processor() -> str:
    """Its name and how many cores there are."""
    import os

    names = Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
    return f"{name or platform.machine()}, {os.cpu_count()} cores"


def table(rows: list[Row]) -> str:
    """Rows as Markdown, which a page can show as it is."""
    head: Cells = ("what", "median", "quartiles", "in turn with", "ratio", "bar", "met")
    cells = [head, *(cells_of(row) for row in rows)]
    widths = [max(len(line[idx]) for line in cells) for idx in range(len(cells[0]))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in lines)


def cells_of(row: Row) -> Cells:
    """The words of a row."""
    spread = f"{number(row.low)} to {number(row.high)}" if row.low is not None and row.high is not None else ""
    met = {True: "yes", False: "NO", None: ""}[row.is_met]
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return (row.what, f"{number(row.value)} {row.unit}", spread, row.against, ratio, row.bar, met)


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
