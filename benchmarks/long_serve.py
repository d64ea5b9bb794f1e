"""A long day of writing: `mkdocs serve` while 2,000 edits are made, each compared with a build without any memory.

`make soak`. Prints what the server takes of the machine as edits go by, and ends with 1 if anything was ever wrong, or
if memory, open files or threads grew over the last half. Keeps the result of a run that is long enough to tell. Needs
Linux, whose `/proc` says what a process takes. The same seed makes the same edits; `--plain` is the same site with
blocks of text and without the plugin, to know what of it is MkDocs' own.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import linear_regression

from circumstances import where
from clean_pages import clean_pages, clean_site
from edited_site import Edit, EditedSite
from measure import Row
from pages import keep, rows_table
from served import Served, StuckError, Taken
from tables import table

from acdl_mkdocs.foundation.user_cache import project_cache

_ALL_EVERY = 50
"""So many edits after which all files of the site are compared; after the last, they are too."""
MOST_KB_AN_EDIT, MOST_OPEN_AN_EDIT = 2, 0.01
"""What an edit of the last half may leave behind: memory, and open files or threads. One figure has about 10 kB."""
N_TO_JUDGE = 500
"""Edits from which on growth is judged: before, the server still meets what it has not seen."""


@dataclass(slots=True)
class Run:
    """What was seen."""

    edits: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    n_compared: int = 0
    n_builds: int = 0
    """With that of the start."""
    cache_kb: int = 0


def main() -> None:
    """Run, print and keep."""
    args = _arguments()
    if not Path("/proc/self/smaps_rollup").exists():
        sys.exit("the long run needs Linux, whose /proc says what a process takes")
    circumstances = where()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "site"
        site = EditedSite(root, Random(args.seed), args.pages, args.plain)  # noqa: S311 - the same each time
        site.write()
        run = Run()
        with Served(root, root.with_suffix(".log")) as served:
            try:
                edit_often(site, served, run, n_edits=args.edits, most_s=args.minutes * 60)
            except StuckError as stuck:
                run.wrong.append(str(stuck))
            run.n_builds = served.n_builds()
    found, marks = rows(run), marks_of(run)
    print(f"{table(marks, is_padded=True)}\n\n{rows_table(found, is_padded=True)}")
    if len(run.taken) >= N_TO_JUDGE and not args.plain:
        keep("soak", {"where": circumstances, "marks": marks, "rows": [asdict(row) for row in found]})
    if run.wrong:
        print("\n".join(("\nWrong:", *run.wrong, "", "All edits:", *run.edits)))
        n_edits = len(run.edits)
        print(f"\nTo replay: python benchmarks/long_serve.py --seed {args.seed} --pages {args.pages} --edits {n_edits}")
    sys.exit(any(row.is_met is False for row in found))


def edit_often(site: EditedSite, served: Served, run: Run, *, n_edits: int, most_s: float) -> None:
    """Edit, wait, compare, and look at the process.

    Raises:
        StuckError: The server shows nothing any more.
    """
    end = time.monotonic() + most_s
    while len(run.edits) < n_edits and time.monotonic() < end:
        edit = site.edit()
        since_ms = round(time.monotonic() * 1000)
        run.edits.append(f"{len(run.edits) + 1}: {edit.what}")
        is_all = len(run.edits) % _ALL_EVERY == 0 or len(run.edits) == n_edits
        others = {f"{page.name}.md" for page in site.chance.sample(site.pages, min(2, len(site.pages)))}
        expected = clean_pages(site.root, served.url, {*edit.pages, *others})
        files = clean_site(site.root, served.url) if is_all else {}
        served.wait(since_ms, min((site.root / "docs").rglob("*.md")).touch)
        for each in (*wrong_pages(edit, expected, served), *wrong_files(files, served)):
            run.wrong.append(f"{run.edits[-1]}: {each}")
            print(run.wrong[-1], file=sys.stderr, flush=True)
        run.n_compared += len(expected) + len(files)
        run.taken.append(served.taken())
        if is_all:
            print(" | ".join(_mark(run, len(run.edits))), file=sys.stderr, flush=True)
    if "Traceback" in served.log():
        run.wrong.append(f"the server had a fault:\n{served.log()[-3000:]}")
    run.cache_kb = sum(path.stat().st_size for path in project_cache(site.root).rglob("*") if path.is_file()) // 1000


def wrong_pages(edit: Edit, expected: dict[str, tuple[str, str]], served: Served) -> list[str]:
    """The pages whose content differs from that of a build without memory, and those that should be gone."""
    wrong = []
    for name, (address, content) in expected.items():
        html = served.html(address)
        if html is None or content not in html:
            wrong.append(f"{name} is {'not there' if html is None else 'not what a clean build makes'}")
    wrong += (f"{name} is not there in a clean build" for name in edit.pages if name not in expected)
    if edit.gone and served.html(edit.gone.removesuffix(".md") + "/") is not None:
        wrong.append(f"{edit.gone} is still there")
    return wrong


def wrong_files(expected: dict[str, bytes], served: Served) -> list[str]:
    """The files of the site that differ from those of a build without memory, byte by byte."""
    return [
        f"the file {address} is not what a clean build makes"
        for address, content in expected.items()
        if served.file(address) != content
    ]


def marks_of(run: Run) -> list[tuple[str, ...]]:
    """What the server took as edits went by, as the cells of a table."""
    n_edits = len(run.taken)
    marks = sorted({*(mark for mark in (1, 100, 500, 1000, 1500, 2000) if mark < n_edits), n_edits} - {0})
    return [
        ("edits", "memory, MB", "open files", "threads", "CPU of an edit, ms"),
        *(_mark(run, mark) for mark in marks),
    ]


def _mark(run: Run, n_edits: int) -> tuple[str, ...]:
    """One row, over up to 100 edits that end there."""
    now, first = run.taken[n_edits - 1], run.taken[max(0, n_edits - 100)]
    n_between = max(1, min(n_edits, 100) - 1)
    cpu_ms = 1000 * (now.cpu_s - first.cpu_s) / n_between
    return (f"{n_edits:,}", f"{now.memory_kb / 1000:.1f}", str(now.n_files), str(now.n_threads), f"{cpu_ms:.0f}")


def rows(run: Run) -> list[Row]:
    """What has to hold, and what else there is to know."""
    n_edits, n_wrong = len(run.taken), len(run.wrong)
    what = f"wrong of {run.n_compared:,} pages and files after {n_edits:,} edits"
    found = [Row(what, n_wrong, "", bar="<= 0", is_met=n_wrong == 0)]
    if n_edits >= N_TO_JUDGE:
        last = run.taken[n_edits // 2 :]
        found += [
            _growth("memory", "kB an edit", [each.memory_kb for each in last], MOST_KB_AN_EDIT),
            _growth("open files", "an edit", [each.n_files for each in last], MOST_OPEN_AN_EDIT),
            _growth("threads", "an edit", [each.n_threads for each in last], MOST_OPEN_AN_EDIT),
        ]
    builds = Row("builds", (run.n_builds - 1) / max(1, n_edits), "an edit")
    return [*found, builds, Row("cache folder at the end", run.cache_kb, "kB")]


def _growth(what: str, unit: str, values: Sequence[int], most: float) -> Row:
    """By how much a number grows with each edit, by least squares."""
    slope, _ = linear_regression(range(len(values)), values)
    return Row(f"{what}, growth over the last half", slope, unit, bar=f"<= {most:g} {unit}", is_met=slope <= most)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Edit a site under `mkdocs serve` for long.")
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=240, help="stop after so long in any case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=6, help="pages of the site, with 24 blocks each")
    parser.add_argument("--plain", action="store_true", help="blocks of text, without the plugin")
    return parser.parse_args()


if __name__ == "__main__":
    main()
