"""What the page says of tools side by side. Knows results only, so it says the same on every machine."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import Any

from tables import number, table

OURS, PLAIN = "acdl-mkdocs", "plain fences"
NONE, NOTHING, FEW = "–", "Nothing was measured.", " †"
N_FIGURES = 20

Found = Mapping[str, Any]
"""The results: `tools` (a version, what it needs, what draws its fences), `figures` and `pages` (for each tool its
measures; times have one value for each round; a page of fewer figures has `ours` of the same builds), `missing` (why,
and what to install)."""


def lead(found: Found) -> str:
    """What a figure costs beside other tools, in two sentences."""
    figures, pages = found["figures"], found["pages"]
    if OURS not in figures or OURS not in pages:
        return NOTHING
    ours = median(figures[OURS]["next_ms"])
    rails, mermaid = (figures.get(name, {}).get("next_ms") for name in ("railroad-diagrams", "Mermaid, mermaid-cli"))
    times = [f"{number(ours / median(rails))} × railroad-diagrams"] if rails else []
    times += [f"1/{median(mermaid) / ours:.0f} of mermaid-cli"] if mermaid else []
    beside_them = f" ({', '.join(times)})" if times else ""
    added, again = (number(median(pages[OURS][key])) for key in ("added_ms", "again_ms"))
    return (
        f"The next figure of a running process costs **{number(ours)} ms**{beside_them}. "
        f"On a page of {N_FIGURES}, each adds **{added} ms** to a new build, and **{again} ms** if nothing changed."
    )


def figures_table(found: Found) -> str:
    """One figure by every tool."""
    head = (
        "tool", "version", "needs", "first figure of a process, ms", "× ours", "next in the same process, ms", "× ours",
        "memory, MB", "SVG, bytes", "gzip",
    )  # fmt: skip
    figures = found["figures"]
    if OURS not in figures:
        return NOTHING
    rows = []
    for name in sorted(figures, key=lambda each: median(figures[each]["first_ms"])):
        mine, ours = figures[name], figures[OURS]
        rows.append((
            _name(name), found["tools"][name]["version"], found["tools"][name]["needs"],
            spread(mine["first_ms"]), ratio(mine["first_ms"], ours["first_ms"]),
            spread(mine["next_ms"]), ratio(mine["next_ms"], ours["next_ms"]),
            number(mine["memory_mb"]) if mine["memory_mb"] else NONE, f"{mine['bytes']:,}", f"{mine['gzip_bytes']:,}",
        ))  # fmt: skip
    return table([head, *rows])


def pages_table(found: Found) -> str:
    """A page of figures by every tool."""
    head = (
        "tool", "drawn by", "added to a new build, ms per figure", "× ours", "nothing changed, ms per figure",
        "memory more, MB", "loaded more, kB", "gzip", f"all {N_FIGURES} seen after, ms", "× plain",
    )  # fmt: skip
    pages = found["pages"]
    if not {OURS, PLAIN} <= {*pages}:
        return NOTHING
    plain = pages[PLAIN]
    rows = []
    for name in sorted(pages, key=lambda each: median(pages[each]["added_ms"])):
        mine = pages[name]
        ours, mark = beside(mine, pages[OURS]), FEW if "ours" in mine else ""
        is_plain = name == PLAIN
        rows.append((
            _name(name), "" if is_plain else found["tools"][name]["integration"],
            NONE if is_plain else spread(mine["added_ms"]) + mark,
            NONE if is_plain else ratio(mine["added_ms"], ours["added_ms"]) + mark,
            NONE if is_plain else spread(mine["again_ms"]) + mark,
            NONE if is_plain else number(mine["more_mb"]) + mark,
            *(_more_kb(mine, plain, key) for key in ("loaded_bytes", "loaded_gzip_bytes")),
            spread(mine["seen_ms"]), ratio(mine["seen_ms"], plain["seen_ms"]),
        ))  # fmt: skip
    return table([head, *rows])


def ahead(found: Found) -> str:
    """Where other tools are ahead of ours, in everything that is measured."""
    if OURS not in found["figures"] or OURS not in found["pages"]:
        return NOTHING
    return "\n".join(_ahead(what, found[group], key) for what, group, key in COMPARED)


def _ahead(what: str, group: Found, key: str) -> str:
    """Who is ahead in one thing, from the best: clearly, or by less than rounds differ."""
    better = []
    for name, mine in group.items():
        values, ours = _values(mine, group, key), _values(beside(mine, group[OURS]), group, key)
        if name != PLAIN and values and median(values) < median(ours):
            mark = FEW if "ours" in mine and key in mine["ours"] else ""
            told = f"{name} ({number(median(values))} against {number(median(ours))}{mark})"
            better.append((median(values), told, _quartiles(values)[1] < _quartiles(ours)[0]))
    clearly, hardly = ([told for _, told, is_clear in sorted(better) if is_clear == asked] for asked in (True, False))
    also = f"; about the same: {', '.join(hardly)}" if hardly else ""
    return f"- {what}: {', '.join(clearly) or 'nobody'}{also}"


def _values(mine: Found, group: Found, key: str) -> Sequence[float]:
    """What was measured in all rounds; of bytes that are loaded, those that plain fences do not have."""
    found = mine[key]
    if key == "loaded_gzip_bytes":
        found = (found - group[PLAIN][key]) / 1000
    return () if found is None else found if isinstance(found, Sequence) else (found,)


def _quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The first and the third; of a thing that is the same in every round, that."""
    if len(values) == 1:
        return values[0], values[0]
    first, _, third = quantiles(values, n=4)
    return first, third


COMPARED = (
    ("the first figure of a process, ms", "figures", "first_ms"),
    ("the next figure in the same process, ms", "figures", "next_ms"),
    ("memory for one figure, MB", "figures", "memory_mb"),
    ("bytes of the SVG", "figures", "bytes"),
    ("bytes of the SVG, gzip", "figures", "gzip_bytes"),
    ("a new build of the page, ms per figure", "pages", "added_ms"),
    ("a build with nothing changed, ms per figure", "pages", "again_ms"),
    ("memory of a new build of the page, MB", "pages", "more_mb"),
    ("what a reader loads more than with plain fences, kB, gzip", "pages", "loaded_gzip_bytes"),
    ("time until all figures are seen, ms", "pages", "seen_ms"),
)
"""What tools are compared by: what it is, where results have it, and its name there."""


def missing_table(found: Found) -> str:
    """Tools that were not measured."""
    if not found["missing"]:
        return "Every tool of the list was there."
    rows = [(name, reason, packages) for name, (reason, packages) in sorted(found["missing"].items())]
    return table([("not measured", "why", "what it needs"), *rows])


def spread(values: Sequence[float] | None) -> str:
    """The median, and the quartiles around it."""
    if not values:
        return NONE
    first, third = _quartiles(values)
    return f"{number(median(values))} ({number(first)} to {number(third)})"


def ratio(values: Sequence[float] | None, others: Sequence[float] | None) -> str:
    """How many times as much as the others: median and quartiles of all rounds; none where they are hardly anything."""
    if not values or not others or min(others) < _LEAST_MS:
        return NONE
    return spread([mine / theirs for mine, theirs in zip(values, others, strict=True)])


_LEAST_MS = 0.1
"""A time that is less is noise, and no measure for others."""


def beside(mine: Found, ours: Found) -> Found:
    """What was measured of ours, in the same builds."""
    return {**ours, **mine.get("ours", {})}


def _more_kb(mine: Found, plain: Found, key: str) -> str:
    return NONE if mine is plain else number((mine[key] - plain[key]) / 1000)


def _name(name: str) -> str:
    return f"**{name}**" if name == OURS else name


PEER_PARTS: Mapping[str, Callable[[Found], str]] = {
    "lead": lead,
    "figures": figures_table,
    "pages": pages_table,
    "ahead": ahead,
    "missing": missing_table,
}
"""What a page can show of the results, by name."""
