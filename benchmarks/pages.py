"""Results of benchmarks as a file, and as the tables of pages in `site_src/develop/`.

`python benchmarks/pages.py` writes these tables anew; `--part WORDS` prints one of them.
"""

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from circumstances import SLOWNESS, factor
from measure import Row, at_speed
from peers_page import PEER_PARTS
from tables import number, table

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results.json"
COUNTS = Path(__file__).parent / "counts.json"
PAGES = tuple(ROOT / "site_src" / "develop" / name for name in ("benchmarks.md", "beside-others.md", "robustness.md"))
MACHINE = ("machine", "system")
OWN = ("commit", "load before", SLOWNESS)
"""What is told of each part, though it may be the same for all."""
MISSING = "Not measured yet."
HEAD = ("what", "median", "quartiles", "in turn with", "ratio", "limit", "met")

_PART = re.compile(r"(<!-- generated: bench (?P<words>[^>\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)

Results = dict[str, Any]
"""By the name of a part: `where` it was measured, and `rows`; that of peers has what `peers_page` reads, and that of
the long run has `marks`, the cells of a table."""


HEADLINES = (
    "25-line spec to SVG, cold",
    "inline SVG of 25 lines",
    "acdl --version",
    "acdl check, 1,000 files, cold, one core",
    "1,000 blocks on 100 pages, cold, two cores, search",
    "an edit of one of 1,000 blocks, built again in one process",
)
"""The rows that a page begins with."""


LEADS = (
    (
        "25-line spec to SVG, cold",
        "A figure of 25 lines costs **{value}**, {ratio} × what `svgwrite` takes for 100 elements.",
    ),
    ("acdl render, one file", "The first figure of a process takes **{ratio} ×** as long as `import lark`."),
    (
        "1,000 blocks on 100 pages, cold, one core, search",
        "A thousand blocks add **{value}** to a new build on one core.",
    ),
    (
        "1,000 blocks on 100 pages, nothing changed, one core, search",
        "If nothing changed, they add **{value}**.",
    ),
    (
        "an edit of one of 1,000 blocks, built again in one process",
        "An edit of one of them takes **{ratio} ×** as long as with plain fences.",
    ),
)
"""The answers that a page begins with, each from a row."""


def load(path: Path = RESULTS) -> Results:
    """What was measured."""
    found: Results = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def save(results: Results, path: Path = RESULTS) -> None:
    """Keep what was measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


def keep(name: str, found: Results, path: Path = RESULTS) -> None:
    """Put what was measured of one part beside the others; pages follow the results of this repository."""
    results = load(path)
    results[name] = found
    save(results, path)
    if path == RESULTS:
        write_pages(load(path))  # in the order of the file, as whoever reads it later has it


def keep_rows(name: str, where: dict[str, str], rows: list[Row], path: Path = RESULTS) -> None:
    """The same for a part of rows, which are printed too; missed times also at the speed of the reference machine."""
    if SLOWNESS in where:
        rows = [at_speed(row, factor(where[SLOWNESS])) for row in rows]
    print(rows_table(rows, is_padded=True))
    keep(name, {"where": where, "rows": [asdict(row) for row in rows]}, path)


def write_pages(results: Results) -> None:
    """Make the tables of all pages anew."""
    for page in PAGES:
        page.write_text(written(page.read_text("utf-8"), results), "utf-8")


def written(page: str, results: Results) -> str:
    """A page with everything that is from results made anew."""
    return _PART.sub(lambda found: f"{found[1]}\n{part(found['words'], results).strip()}\n\n{found[3]}", page)


def part(words: str, results: Results) -> str:
    """A table or a sentence: `headlines`, `rows PART ...`, `where PART ...`, `marks PART`, `peers KIND` or `counts`."""
    kind, *names = words.split()
    if kind == "headlines":
        return headlines(results)
    if kind == "counts":
        return counts_table(json.loads(COUNTS.read_text("utf-8")))
    if kind == "peers":
        return PEER_PARTS[names[0]](results["peers"]) if "peers" in results else MISSING
    known = [name for name in names if name in results]
    if kind == "where":
        return where_words({name: results[name]["where"] for name in known}) if known else ""
    if kind == "marks":
        return table(results[names[0]]["marks"]) if known else ""
    rows = [Row(**each) for name in known for each in results[name]["rows"]]
    missing = [f"Not measured yet: `{name}`." for name in names if name not in known]
    return "\n\n".join([*([rows_table(rows)] if rows else ()), *missing])


def headlines(results: Results) -> str:
    """The answers in sentences, how many limits are met, and the rows that most readers look for."""
    rows = [Row(**each) for found in results.values() for each in found.get("rows", ())]
    n_met, n_bars = sum(row.is_met is True for row in rows), sum(row.is_met is not None for row in rows)
    shown = [row for what in HEADLINES for row in rows if row.what == what]
    sentences = [
        words.format(value=f"{number(row.value)} {row.unit.removesuffix(' more')}", ratio=f"{row.ratio or 0:.2f}")
        for what, words in LEADS
        for row in rows
        if row.what == what
    ]
    if "peers" in results:
        sentences.append(f"{PEER_PARTS['lead'](results['peers'])} [Other tools](beside-others.md) draw the same.")
    leads = "\n".join(f"- {each}" for each in sentences)
    return f"{leads}\n\n{n_met} of {n_bars} limits are met.\n\n{rows_table(shown)}"


def where_words(parts: Mapping[str, Mapping[str, str]]) -> str:
    """What parts have in common, as a sentence, and a table of what is of each: its commit, how busy it was."""
    found = {name for where in parts.values() for name in where}
    names = [*(name for name in OWN if name in found), *sorted(found - {*OWN})]
    said = {name: [where.get(name, "") for where in parts.values()] for name in names}
    own = [name for name in said if name in OWN or len(set(said[name])) > 1]
    shared = {name: values[0] for name, values in said.items() if name not in own}
    machine = [shared.pop(name) for name in MACHINE if name in shared]
    sentence = ", ".join([*machine, *(f"{name} {version}" for name, version in shared.items())])
    lines = [(f"`{name}`", *(where.get(each, "") for each in own)) for name, where in parts.items()]
    return f"{sentence}.\n\n{table([('part', *own), *lines])}"


def counts_table(record: Mapping[str, Any]) -> str:
    """Instructions in millions, and what counted them."""
    lines = [(what, f"{count / 1e6:,.1f}") for what, count in record["instructions"].items()]
    told = table([("what", "million instructions"), *lines])
    return f"Python {record['python']}, commit {record['commit']}.\n\n{told}"


def rows_table(rows: list[Row], *, is_padded: bool = False) -> str:
    """Rows with their bars."""
    return table([HEAD, *map(cells_of, rows)], is_padded=is_padded)


def cells_of(row: Row) -> tuple[str, ...]:
    """The words of a row."""
    spread = f"{number(row.low)} to {number(row.high)}" if row.low is not None and row.high is not None else ""
    met = {True: "yes", False: "NO", None: ""}[row.is_met]
    if row.at_speed is not None:
        met += f"; {number(row.at_speed)} ms at the reference speed"
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return (row.what, f"{number(row.value)} {row.unit}".strip(), spread, row.against, ratio, row.bar, met)


def main() -> None:
    """Write the pages, or print a part of them."""
    parser = argparse.ArgumentParser(description="Write the pages of benchmarks from their results.")
    words = "`rows PART ...`, `where PART ...`, `marks PART`, `peers KIND`, `counts`"
    parser.add_argument("--part", metavar="WORDS", help=f"print only this: {words}")
    args = parser.parse_args()
    if args.part:
        print(part(args.part, load()))
    else:
        write_pages(load())


if __name__ == "__main__":
    main()
