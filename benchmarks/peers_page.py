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
        "tool", "drawn by", "added to a new build, ms per figure", "× ours", "nothing changed", "memory more, MB",
        "loaded more, kB", "gzip", f"all {N_FIGURES} seen after, ms", "× plain",
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
    lines = []
    if OURS not in found["figures"] or OURS not in found["pages"]:
        return NOTHING
    for what, group, key in (
        ("the first figure of a process", "figures", "first_ms"),
        ("the next figure in the same process", "figures", "next_ms"),
        ("memory for one figure", "figures", "memory_mb"),
        ("bytes of the SVG", "figures", "bytes"),
        ("bytes of the SVG, gzip", "figures", "gzip_bytes"),
        ("a new build of the page", "pages", "added_ms"),
        ("a build with nothing changed", "pages", "again_ms"),
        ("memory of a new build of the page", "pages", "more_mb"),
        ("bytes that a reader loads, gzip", "pages", "loaded_gzip_bytes"),
        ("time until all figures are seen", "pages", "seen_ms"),
    ):
        pairs = {
            each: (_middle(mine[key]), _middle(beside(mine, found[group][OURS])[key]))
            for each, mine in found[group].items()
            if mine[key] is not None and each != PLAIN
        }
        better = sorted((each for each, (mine, ours) in pairs.items() if mine < ours), key=lambda each: pairs[each][0])
        told = ", ".join(f"{each} ({number(pairs[each][0])} against {number(pairs[each][1])})" for each in better)
        lines.append(f"- {what}: {told or 'nobody'}")
    return "\n".join(lines)


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
    first, _, third = quantiles(values, n=4)
    return f"{number(median(values))} ({number(first)} to {number(third)})"


def ratio(values: Sequence[float] | None, others: Sequence[float] | None) -> str:
    """How many times as much as the others, with the quartiles of all rounds; none where they are hardly anything."""
    if not values or not others or min(others) < _LEAST_MS:
        return NONE
    first, _, third = quantiles([mine / theirs for mine, theirs in zip(values, others, strict=True)], n=4)
    return f"{number(median(values) / median(others))} ({number(first)} to {number(third)})"


_LEAST_MS = 0.1
"""A time that is less is noise, and no measure for others."""


def beside(mine: Found, ours: Found) -> Found:
    """What was measured of ours, in the same builds."""
    return {**ours, **mine.get("ours", {})}


def _middle(value: float | Sequence[float]) -> float:
    return median(value) if isinstance(value, Sequence) else value


def _more_kb(mine: Found, plain: Found, key: str) -> str:
    return NONE if mine is plain else number((mine[key] - plain[key]) / 1000)


def _name(name: str) -> str:
    return f"**{name}**" if name == OURS else name


PEER_PARTS: Mapping[str, Callable[[Found], str]] = {
    "figures": figures_table,
    "pages": pages_table,
    "ahead": ahead,
    "missing": missing_table,
}
"""What a page can show of the results, by name."""
