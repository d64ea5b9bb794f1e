"""Our own pages in a reader's browser: figures beside their source, nothing wider than a phone, one sheet of paper."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
PAGES = ("learn/tutorial", "learn/ten-minutes", "learn/writing-well", "reference/language", "reference/cheat-sheet")
PHONE, DESK = {"width": 360, "height": 800}, {"width": 1280, "height": 900}
A4_LANDSCAPE_PT = (842, 595)


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the project's site is served."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "ACDL_NO_CACHE": "1", "NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def opened(browser: "Browser", address: str, viewport: dict[str, int]) -> "Page":
    """A page of the site in a window of a size."""
    page = browser.new_page(viewport={"width": viewport["width"], "height": viewport["height"]})
    page.goto(address)
    return page


@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_a_phone(browser: "Browser", address: str, name: str) -> None:
    """Nothing makes the page itself scroll sideways; the source stands above its figure."""
    page = opened(browser, f"{address}/{name}/", PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    places = page.evaluate(
        """[...document.querySelectorAll("figure.acdl.side")].map(figure => ["pre", "svg"].map(name => {
            const box = figure.querySelector(name).getBoundingClientRect();
            return [box.top, box.bottom, box.height];
        }))"""
    )
    assert places
    assert all(source[2] > 0 and drawing[2] > 0 and source[1] <= drawing[0] for source, drawing in places)
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_source_and_figure_stand_side_by_side(browser: "Browser", address: str, name: str) -> None:
    """On a desk each figure is to the right of its source, and begins at the same height."""
    page = opened(browser, f"{address}/{name}/", DESK)
    places = page.evaluate(
        """[...document.querySelectorAll("figure.acdl.side")].map(figure => ["pre", ".acdl-figure"].map(name => {
            const box = figure.querySelector(name).getBoundingClientRect();
            return [box.left, box.right, box.top];
        }))"""
    )
    assert places
    assert all(source[1] <= drawing[0] and abs(source[2] - drawing[2]) < 9 for source, drawing in places)
    page.close()


def test_cheat_sheet_is_one_sheet(browser: "Browser", address: str) -> None:
    """Printed, it is one page of A4 with every card on it."""
    page = opened(browser, f"{address}/reference/cheat-sheet/", DESK)
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", printed)
    assert box
    assert (round(float(box[1])), round(float(box[2]))) == A4_LANDSCAPE_PT
    assert page.locator(".cheat-cards section").count() > 9
    page.close()
