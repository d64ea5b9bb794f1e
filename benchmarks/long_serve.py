"""A long day of writing: `mkdocs serve` while 2,000 edits are made, each compared with a build without any memory.

`make soak`. Prints what the server takes of the machine as edits go by, and ends with 1 if a page was ever wrong. The
same seed makes the same edits; `--plain` is the same site with blocks of text and without the plugin, to know what of
it is MkDocs' own.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import linear_regression, median

from clean_pages import clean_pages
from edited_site import Edit, EditedSite
from served import Served, StuckError, Taken

_ALL_EVERY = 50
"""So many edits after which all pages are compared."""


@dataclass(slots=True)
class Run:
    """What was seen."""

    edits: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    n_compared: int = 0
    n_builds: list[int] = field(default_factory=list)
    """Builds until the end of each edit."""
    cache_kb: int = 0


def main() -> None:
    """Run and print."""
    args = _arguments()
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
            builds_s = served.builds_s()
    print(table(run, builds_s))
    if run.wrong:
        print("\n".join(("\nWrong:", *run.wrong, "", "All edits:", *run.edits)))
        n_edits = len(run.edits)
        print(f"\nTo replay: python benchmarks/long_serve.py --seed {args.seed} --pages {args.pages} --edits {n_edits}")
        sys.exit(1)


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
        is_all = len(run.edits) % _ALL_EVERY == 0
        others = {f"{page.name}.md" for page in site.chance.sample(site.pages, min(2, len(site.pages)))}
        expected = clean_pages(site.root, served.url, None if is_all else {*edit.pages, *others})
        served.wait(since_ms)
        for each in wrong_pages(edit, expected, served):
            run.wrong.append(f"{run.edits[-1]}: {each}")
            print(run.wrong[-1], file=sys.stderr, flush=True)
        run.n_compared += len(expected)
        run.taken.append(served.taken())
        run.n_builds.append(len(served.builds_s()))
        if is_all:
            print(_line(run, len(run.edits)), file=sys.stderr, flush=True)
    if "Traceback" in served.log():
        run.wrong.append(f"the server had a fault:\n{served.log()[-3000:]}")
    run.cache_kb = sum(path.stat().st_size for path in (site.root / ".cache").rglob("*") if path.is_file()) // 1000


def wrong_pages(edit: Edit, expected: dict[str, tuple[str, str]], served: Served) -> list[str]:
    """The pages that differ from a build without memory, byte by byte, and those that should be gone."""
    wrong = []
    for name, (address, content) in expected.items():
        html = served.html(address)
        if html is None or content not in html:
            wrong.append(f"{name} is {'not there' if html is None else 'not what a clean build makes'}")
    wrong += (f"{name} is not there in a clean build" for name in edit.pages if name not in expected)
    if edit.gone and served.html(edit.gone.removesuffix(".md") + "/") is not None:
        wrong.append(f"{edit.gone} is still there")
    return wrong


def table(run: Run, builds_s: Sequence[float]) -> str:
    """What was seen, as Markdown."""
    n_edits = len(run.taken)
    if n_edits < 4:
        return f"{n_edits} edits, {len(run.wrong)} wrong"
    marks = sorted({*(mark for mark in (1, 100, 500, 1000, 1500, 2000) if mark < n_edits), n_edits})
    lines = ["| edits | memory, MB | files | threads | CPU of an edit, ms |", "|--:|--:|--:|--:|--:|"]
    lines += (_line(run, mark) for mark in marks)
    half = n_edits // 2
    slope, _ = linear_regression(range(half, n_edits), [each.memory_kb for each in run.taken[half:]])
    n_builds = len(builds_s) - 1
    return "\n".join(
        (
            *lines,
            "",
            f"{n_edits} edits, {run.n_compared} pages compared, {len(run.wrong)} wrong",
            f"memory: {slope:+.2f} kB an edit over the last half",
            f"builds: {n_builds / n_edits:.2f} an edit, {median(builds_s):.2f} s each (median)",
            f"cache folder at the end: {run.cache_kb} kB",
        )
    )


def _line(run: Run, n_edits: int) -> str:
    """One row, over up to 100 edits that end there."""
    now, first = run.taken[n_edits - 1], run.taken[max(0, n_edits - 100)]
    n_between = max(1, min(n_edits, 100) - 1)
    cpu_ms = 1000 * (now.cpu_s - first.cpu_s) / n_between
    return f"| {n_edits} | {now.memory_kb / 1000:.1f} | {now.n_files} | {now.n_threads} | {cpu_ms:.0f} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Edit a site under `mkdocs serve` for long.")
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=240, help="stop after so long in any case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=12, help="pages of the site, with 24 blocks each")
    parser.add_argument("--plain", action="store_true", help="blocks of text, without the plugin")
    return parser.parse_args()


if __name__ == "__main__":
    main()
