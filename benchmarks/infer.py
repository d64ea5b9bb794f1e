"""Specs that are inferred from recordings of systems whose specs are known.

`python benchmarks/infer.py --system rag#BasicRAG --keep DIR` writes the runs of a system to a folder, to look at them.
"""

import argparse
from pathlib import Path

from systems import SYSTEMS, System


def main() -> None:
    """Write the runs of systems."""
    parser = argparse.ArgumentParser(description="Measure specs that are inferred from recordings.")
    parser.add_argument("--system", action="append", metavar="NAME", help="one of these, such as rag; default: all")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the runs there, and measure nothing")
    args = parser.parse_args()
    chosen = [each for each in SYSTEMS if not args.system or any(word in each.name for word in args.system)]
    if not chosen:
        parser.error(f"no such system; there are {', '.join(each.name for each in SYSTEMS)}")
    if args.keep is not None:
        for each in chosen:
            keep_runs(each, args.keep / each.name.replace("#", "."))


def keep_runs(system: System, folder: Path) -> None:
    """Write the spec of a system, its states and its runs, those that are held out in a folder of their own."""
    for run in system.runs:
        kept = folder / ("held-out" if run.is_held_out else "runs")
        kept.mkdir(parents=True, exist_ok=True)
        run.write(kept / f"{run.name}.jsonl")
        (folder / f"{run.name}.state.yaml").write_text(run.text, "utf-8")
    (folder / f"{system.spec}.acdl").write_text(system.resolved.source.text, "utf-8")
    print(f"{folder}: {len(system.runs)} runs")


if __name__ == "__main__":
    main()
