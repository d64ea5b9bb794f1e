"""The playground in a browser: how long until a figure is seen, the engine is ready, and a key is drawn.

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
from acdl_mkdocs.frontends.playground.own_files import examples_of
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
_WATCH_FIRST = """
const look = () => {
  if (document.querySelector("#figure svg")?.checkVisibility()) setTimeout(() => { window.seen = performance.now(); });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Notes when the frame that has a figure has been painted."""
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


def visit(page: Page, address: str) -> tuple[float, float]:
    """Milliseconds from the navigation until a figure is painted, and until the engine has drawn it."""
    began = perf_counter()
    page.goto(address, wait_until="commit")
    page.locator("#figure:not([data-preview]) svg").first.wait_for(state="attached", timeout=60_000)
    ready_ms = (perf_counter() - began) * 1000
    return float(page.evaluate("window.seen")), ready_ms


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
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        print("chromium is missing", file=sys.stderr)
        return 2
    circumstances = where()
    built = build_bundle(ROOT)
    version = ""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        examples = tuple(examples_of((ROOT / "examples" / "react.acdl",)))
        write_site(Path(folder), site_files(built, SiteFacts(), examples))
        asked = f"#example={examples[0].example.key}"
        cold: list[tuple[float, float]] = []
        warm: list[tuple[float, float]] = []
        cold_asked: list[tuple[float, float]] = []
        typed: list[float] = []
        with served(Path(folder)) as address:
            for _ in range(N_VISITS):
                browser = running.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
                version = browser.version
                context = browser.new_context()
                context.add_init_script(_WATCH_FIRST)
                page = context.new_page()
                cold.append(visit(page, address))
                wait_for_memory(page)
                page.close()
                page = context.new_page()
                warm.append(visit(page, address))
                typed = typed or keys(page)
                context.close()
                context = browser.new_context()
                context.add_init_script(_WATCH_FIRST)
                cold_asked.append(visit(context.new_page(), address + asked))
                browser.close()
    n_mb = built.transfer_bytes / 1e6
    rows = [
        *rows_of("a figure is seen, first visit", [seen for seen, _ in cold], 300),
        *rows_of("a figure is seen, first visit to an example", [seen for seen, _ in cold_asked], 300),
        *rows_of("a figure is seen, later visits", [seen for seen, _ in warm], 300),
        *rows_of("engine ready, first visit", [ready for _, ready in cold], 4000),
        *rows_of("engine ready, later visits", [ready for _, ready in warm], 1000),
        *rows_of(f"from a key to the figure, {SPEC_LINES} lines", typed, 80),
        Row("bytes of a first visit, compressed", n_mb, "MB", bar="<= 12 MB", is_met=n_mb <= 12),
    ]
    keep_rows("playground", load_around(circumstances) | {"Chromium": version}, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
