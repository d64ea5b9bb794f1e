"""The playground in a browser: how long until the first figure, cold and warm, and from a key to the figure.

`make bench-playground` prints a table and puts it on the page of benchmarks. Needs Chromium, as the tests do.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import quantiles
from threading import Thread
from time import perf_counter

from circumstances import load_around, where
from measure import Row, Series, timed_row
from pages import keep_rows
from playwright.sync_api import Page, sync_playwright

from acdl_mkdocs.frontends.playground.bundle import build_bundle
from acdl_mkdocs.frontends.playground.site import SiteFacts, site_files, write_site

ROOT = Path(__file__).parent.parent
N_VISITS, N_KEYS = 5, 40
SPEC_LINES = 60
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_HAS_MEMORY = """async () => {
  for (const name of await caches.keys()) {
    for (const each of await (await caches.open(name)).keys()) if (each.url.endsWith("/memory")) return true;
  }
  return false;
}"""
_WATCH = """() => {
  window.times = [];
  let began = 0;
  document.addEventListener("beforeinput", () => { began = performance.now(); }, true);
  document.addEventListener("keydown", () => { began = performance.now(); }, true);
  new MutationObserver(() => {
    const from = began;
    began = 0;
    if (from) requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - from)));
  }).observe(document.querySelector("#figure"), { childList: true, subtree: true });
}"""


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def wait_for_memory(page: Page) -> None:
    """Wait until what later visits load from is kept."""
    until = perf_counter() + 90
    while not page.evaluate(_HAS_MEMORY):
        if perf_counter() > until:
            raise SystemExit("no memory was kept")
        page.wait_for_timeout(300)
    page.wait_for_timeout(1000)


def first_figure(page: Page, address: str) -> float:
    """Milliseconds from the navigation to the figure."""
    began = perf_counter()
    page.goto(address, wait_until="commit")
    page.locator("#figure svg").wait_for(state="attached", timeout=60_000)
    return (perf_counter() - began) * 1000


def keys(page: Page) -> list[float]:
    """Milliseconds from each key to its figure, in a spec of 60 lines."""
    body = "\n".join(f"    U: env.question_{number}[@T]" for number in range(SPEC_LINES - 3))
    page.locator("#panel-spec .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f"Long[@T]: {{\n    S: RULES\n{body}\n}}\n")
    page.wait_for_timeout(2000)
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.evaluate(_WATCH)
    for _ in range(N_KEYS):
        page.keyboard.type("S")
        page.wait_for_timeout(400)
    found: list[float] = page.evaluate("window.times")
    return found


def rows_of(what: str, times: list[float], bar_ms: float) -> list[Row]:
    """The lines of the table: the middle one of several times, and one that few or none are longer than."""
    is_many = len(times) >= 20  # of fewer, nobody knows what one in twenty is
    most = quantiles(times, n=20)[-1] if is_many else max(times)
    row = timed_row(what, Series(tuple(each / 1000 for each in times)), at_most_ms=bar_ms)
    return [row, Row(f"{what}, {'p95' if is_many else f'longest of {len(times)}'}", most, "ms")]


def main() -> int:
    """Measure and print."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is missing", file=sys.stderr)
        return 2
    circumstances = where()
    built = build_bundle(ROOT)
    version = ""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        write_site(Path(folder), site_files(built, SiteFacts(), ()))
        cold: list[float] = []
        warm: list[float] = []
        typed: list[float] = []
        with served(Path(folder)) as address:
            for _ in range(N_VISITS):
                browser = running.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
                version = browser.version
                context = browser.new_context()
                page = context.new_page()
                cold.append(first_figure(page, address))
                wait_for_memory(page)
                warm.append(first_figure(page, address))
                typed = typed or keys(page)
                browser.close()
    n_mb = built.transfer_bytes / 1e6
    rows = [
        *rows_of("first figure, first visit", cold, 6000),
        *rows_of("first figure, later visits", warm, 1500),
        *rows_of(f"from a key to the figure, {SPEC_LINES} lines", typed, 120),
        Row("bytes of a first visit, compressed", n_mb, "MB", bar="<= 12 MB", is_met=n_mb <= 12),
    ]
    keep_rows("playground", load_around(circumstances) | {"Chromium": version}, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
