"""Measure, print tables, keep the results and write their page: `python benchmarks/run.py [PART ...]`.

Parts are named by the arguments, such as `figure site`; without any, all are measured. Results of other parts stay as
they are. A missed bar is shown and is no failure.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import comparisons
import documents
import figures
import galleries
import large_sites
import pages
import peers_all
import playbooks
import processes
import prompts
import sites
import trees
from circumstances import where
from measure import Row
from peers_page import PEER_PARTS

PARTS: Mapping[str, Callable[[], list[Row]]] = {
    "figure": figures.measure,
    "process": processes.measure,
    "tree": trees.measure,
    "site": sites.measure,
    "gallery": galleries.measure,
    "large": large_sites.measure,
    "evaluation": prompts.measure,
    "comparison": comparisons.measure,
    "playbook": playbooks.measure,
    "pml": documents.measure,
}
SIDE_BY_SIDE = "peers"
"""The part whose results are no rows: this project beside other tools."""


def main() -> None:
    """Measure, print, keep, write."""
    names = (*PARTS, SIDE_BY_SIDE)
    parser = argparse.ArgumentParser(description="Measure acdl-mkdocs.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(names)}; default: all")
    parser.add_argument("--json", type=Path, default=pages.RESULTS, help="file of the results; another writes no page")
    args = parser.parse_args()
    if unknown := set(args.parts) - {*names}:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    for part in args.parts or names:
        print(f"measuring {part} ...", file=sys.stderr, flush=True)
        circumstances = where()
        if part == SIDE_BY_SIDE:
            found = {"where": circumstances, **peers_all.measure()}
            print(*(f"{each(found)}\n" for each in PEER_PARTS.values()), sep="\n")
            pages.keep(part, found, args.json)
        else:
            pages.keep_rows(part, circumstances, PARTS[part](), args.json)


if __name__ == "__main__":
    main()
