"""Measure, print tables, keep the results and write their page: `python benchmarks/run.py [PART ...]`.

Parts are named by the arguments, such as `figure site`; without any, all are measured but `large`, which takes as long
as the others together. Results of other parts stay as they are. A missed bar is shown and is not a failure.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import comparisons
import documents
import figures
import galleries
import infer
import large_sites
import page_speed
import pages
import peers_all
import playbooks
import processes
import project_site
import prompts
import recordings
import retrieval
import sites
import trees
from circumstances import files_in_memory, load, load_around, where
from measure import Row
from peers_page import PEER_PARTS

PARTS: Mapping[str, Callable[[], list[Row]]] = {
    "figure": figures.measure,
    "process": processes.measure,
    "tree": trees.measure,
    "site": sites.measure,
    "gallery": galleries.measure,
    "own": project_site.measure,
    "page": page_speed.measure,
    "large": large_sites.measure,
    "evaluation": prompts.measure,
    "comparison": comparisons.measure,
    "recordings": recordings.measure,
    "infer": infer.measure,
    "playbook": playbooks.measure,
    "retrieval": retrieval.measure,
    "pml": documents.measure,
}
SIDE_BY_SIDE = "peers"
"""The part whose results are not rows: this project beside other tools."""
USUAL = (*(name for name in PARTS if name != "large"), SIDE_BY_SIDE)
"""What is measured when nothing is named."""


def main() -> None:
    """Measure, print, keep, write."""
    names = (*PARTS, SIDE_BY_SIDE)
    parser = argparse.ArgumentParser(description="Measure acdl-mkdocs.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(names)}; default: all but large")
    parser.add_argument("--json", type=Path, default=pages.RESULTS, help="file of the results; another writes no page")
    args = parser.parse_args()
    if unknown := set(args.parts) - {*names}:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    with files_in_memory():
        started = where()  # before results are written, which are of the same code
        for part in args.parts or USUAL:
            print(f"measuring {part} ...", file=sys.stderr, flush=True)
            measure(part, started | load(), args.json)


def measure(part: str, circumstances: dict[str, str], results: Path) -> None:
    """Measure a part and keep its results."""
    if part != SIDE_BY_SIDE:
        rows = PARTS[part]()
        pages.keep_rows(part, load_around(circumstances), rows, results)
    elif found := peers_all.measure():
        print(*(f"{each(found)}\n" for each in PEER_PARTS.values()), sep="\n")
        pages.keep(part, {"where": peers_all.with_versions(circumstances), **found}, results)


if __name__ == "__main__":
    main()
