"""What figures cost the reader of a page: transfer, largest paint, blocked time and moves of the layout in a browser.

The same pages as sites of Material, with the plugin and with `text` fences, are opened in turn on a processor that is
slowed down to that of a phone. Needs Chromium, as the tests do; where it is missing there are no rows.
"""

import gzip
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from galleries import SETTINGS
from measure import Row, Series, run
from playground_speed import served
from playwright.sync_api import Browser, Response, sync_playwright
from specs import renamed

N_SPECS, N_FENCES, N_VISITS = 50, 10, 5
SLOWDOWN = 4
"""As Lighthouse slows a processor down for its numbers of phones."""
MOST_RATIO, MOST_SHIFT = 1.1, 0.1
_QUIET_MS = 1000
"""How long a page is watched after it has loaded."""
_PAGES = {
    "page with 1 figure": ("", ""),
    f"page with {N_FENCES} figures": ("fences/", "fences/"),
    "page of a spec": ("specs/Agent7/", "specs/agent-007/"),
    f"gallery of {N_SPECS} specs": ("specs/", "specs/"),
}
"""The address of each page on both sites."""
_WATCH = """() => {
  window.seen = { paint: 0, blocked: 0, shift: 0 };
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch("largest-contentful-paint", (entry) => { window.seen.paint = entry.startTime; });
  watch("longtask", (entry) => { window.seen.blocked += entry.duration - 50; });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) window.seen.shift += entry.value; });
}"""


@dataclass(frozen=True, slots=True)
class _Visits:
    """What was measured of one page of one site."""

    kb: list[float] = field(default_factory=list)
    """Compressed, with everything that the page loads."""
    paint_ms: list[float] = field(default_factory=list)
    blocked_ms: list[float] = field(default_factory=list)
    shift: list[float] = field(default_factory=list)


def measure() -> list[Row]:
    """All rows of this part."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        print("chromium is missing", file=sys.stderr)
        return []
    with TemporaryDirectory() as folder, sync_playwright() as running:
        figures, plain = Path(folder, "figures"), Path(folder, "plain")
        write_site(figures, has_figures=True)
        write_site(plain, has_figures=False)
        for each in (figures, plain):
            run(sys.executable, "-m", "mkdocs", "build", "--quiet", cwd=str(each))
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with served(figures / "site") as mine, served(plain / "site") as theirs:
            rows = [
                row
                for what, (ours, plain_path) in _PAGES.items()
                for row in _compare(browser, what, mine + ours, theirs + plain_path)
            ]
        browser.close()
    return rows


def write_site(folder: Path, *, has_figures: bool) -> None:
    """Write a site of pages with figures, or of the same pages with the sources alone."""
    docs, specs = folder / "docs", folder / ("specs" if has_figures else "docs/specs")
    docs.mkdir(parents=True)
    specs.mkdir()
    settings = SETTINGS % "{acdl: {specs: [specs]}}" if has_figures else SETTINGS.replace("search, %s", "search")
    (folder / "mkdocs.yml").write_text(settings, "utf-8")
    language = "acdl" if has_figures else "text"
    fences = [
        f"## Agent {number}\n\nSome words.\n\n```{language}\n{renamed(number)}```\n" for number in range(N_FENCES)
    ]
    (docs / "index.md").write_text(f"# Home\n\n{fences[0]}", "utf-8")
    (docs / "fences.md").write_text("# Figures\n\n" + "\n".join(fences), "utf-8")
    links = "".join(f"- [Agent {number}](agent-{number:03}.md), an agent\n" for number in range(N_SPECS))
    if not has_figures:
        (specs / "index.md").write_text(f"# Specs\n\n{links}", "utf-8")
    for number in range(N_SPECS):
        name, text = f"agent-{number:03}", renamed(number)
        if has_figures:
            (specs / f"{name}.acdl").write_text(f"// title: Agent {number}\n// tags: agent\n{text}", "utf-8")
        else:
            (specs / f"{name}.md").write_text(f"# Agent {number}\n\n```text\n{text}```\n", "utf-8")


def _compare(browser: Browser, what: str, mine: str, theirs: str) -> list[Row]:
    """Open both pages in turn, each once unmeasured first."""
    seen = _Visits(), _Visits()
    for visit in range(N_VISITS + 1):
        for address, visits in zip((mine, theirs), seen, strict=True):
            _visit(browser, address, visits if visit else _Visits())
    ours, plain = seen
    return [
        _ratio_row(f"{what}: transfer", "kB", ours.kb, plain.kb),
        _ratio_row(f"{what}: largest paint", "ms", ours.paint_ms, plain.paint_ms),
        _ratio_row(f"{what}: blocked time", "ms", ours.blocked_ms, plain.blocked_ms),
        _shift_row(f"{what}: layout shift", ours.shift, plain.shift),
    ]


def _visit(browser: Browser, address: str, visits: _Visits) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))
    page.add_init_script(f"({_WATCH})()")
    answer = page.goto(address, wait_until="load")
    if answer is None or not answer.ok:
        raise SystemExit(f"{address} is missing")
    page.wait_for_timeout(_QUIET_MS)
    found = page.evaluate("window.seen")
    visits.kb.append(sum(len(gzip.compress(each.body(), 6)) for each in responses if each.ok) / 1000)
    visits.paint_ms.append(found["paint"])
    visits.blocked_ms.append(found["blocked"])
    visits.shift.append(found["shift"])
    context.close()


def _ratio_row(what: str, unit: str, ours: list[float], plain: list[float]) -> Row:
    """A row for a quantity that may be a tenth more than that of the plain page."""
    value, other = median(ours), median(plain)
    low, high = Series(tuple(ours)).quartiles_s
    against = f"`text` fences: {other:.0f} {unit}"
    ratio = value / other if other else None
    return Row(what, value, unit, low, high, against, ratio, f"<= {MOST_RATIO:g} x", value <= other * MOST_RATIO)


def _shift_row(what: str, ours: list[float], plain: list[float]) -> Row:
    """A row for the sum of the moves of a page, of which a tenth is good by the usual scale."""
    value = max(ours)
    against = f"`text` fences: {max(plain):.3f}"
    return Row(what, value, "", against=against, bar=f"<= {MOST_SHIFT:g}", is_met=value <= MOST_SHIFT)
