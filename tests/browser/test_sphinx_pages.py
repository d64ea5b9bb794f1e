"""Pages that Sphinx has made, in a reader's browser: they fit a phone, follow the theme, and report no errors."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Literal

import pytest
from chromium import FONTS
from exhaustive import few
from integrations.sphinx_project import sphinx_build

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EXAMPLE = Path(__file__).parents[2] / "examples" / "sphinx-project"
THEMES = ("alabaster", "furo")
PAGES = ("index", "fragments", "agents", "gallery")
LIGHT, DARK = "rgb(31, 35, 40)", "rgb(230, 237, 243)"


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the example is served, a folder for each theme."""
    folder = tmp_path_factory.mktemp("sphinx")
    for theme in THEMES:
        built = sphinx_build(EXAMPLE, folder / theme, "-b", "html", "-q", "-D", f"html_theme={theme}")
        assert built.code == 0, built.warned
    (folder / "favicon.ico").touch()  # browsers ask for it
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("browser", "theme", "width_px"), few(product(FONTS, THEMES, [1280, 360])), indirect=["browser"]
)
def test_pages(browser: "Browser", address: str, theme: str, width_px: int) -> None:
    """Nothing makes a page scroll sideways, every figure can be seen, and the console stays empty."""
    page = browser.new_page(viewport={"width": width_px, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for name in PAGES:
        page.goto(f"{address}/{theme}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width_px
        heights = page.evaluate(
            "[...document.querySelectorAll('figure.acdl:has(svg), .acdl-card:has(svg)')].map(each => Math.max("
            "...[...each.querySelectorAll('svg')].map(drawing => drawing.getBoundingClientRect().height)))"
        )
        assert heights
        assert min(heights) > 10  # one of its drawings, for this width or a narrower one
    assert said == []
    page.close()


@pytest.mark.parametrize("browser", few(FONTS), indirect=True)
@pytest.mark.parametrize(
    ("system", "chosen", "color"),
    few(
        [
            ("light", "auto", LIGHT),
            ("light", "dark", DARK),
            ("dark", "auto", DARK),
            ("dark", "light", LIGHT),
        ],
        2,
    ),
)
def test_theme(browser: "Browser", address: str, system: Literal["light", "dark"], chosen: str, color: str) -> None:
    """Figures follow the theme that the reader has chosen, and the system where none is."""
    page = browser.new_page(color_scheme=system)
    page.goto(f"{address}/furo/index.html")
    page.evaluate("chosen => { document.body.dataset.theme = chosen; }", chosen)
    assert page.evaluate("getComputedStyle(document.querySelector('.acdl-svg .acdl-k')).fill") == color
    page.close()


@pytest.mark.parametrize("browser", few(FONTS), indirect=True)
def test_links_are_followed(browser: "Browser", address: str) -> None:
    """A name in a figure and a role in the text lead to the figure on another page."""
    page = browser.new_page()
    page.goto(f"{address}/alabaster/index.html")
    page.locator("figure.acdl svg a").first.click()
    page.wait_for_url("**/fragments.html#manners")
    assert page.locator("figure#manners svg").is_visible()
    page.get_by_role("link", name="LastStep").first.click()
    page.wait_for_url("**/agents.html#LastStep")
    page.close()


@pytest.mark.parametrize(("browser", "theme"), few(product(FONTS, THEMES)), indirect=["browser"])
def test_gallery(browser: "Browser", address: str, theme: str) -> None:
    """Cards are filtered in their place, and lead to figures on other pages."""
    page = browser.new_page()
    page.goto(f"{address}/{theme}/gallery.html")
    shown = page.locator(".acdl-card:visible")
    assert shown.count() == 4
    page.locator(".acdl-gallery > .acdl-tags").get_by_role("link", name="chat").click()
    assert shown.count() == 2
    page.get_by_role("searchbox", name="Words").last.fill("conversation")
    assert shown.count() == 1
    shown.get_by_role("link", name="SupportChat").click()
    page.wait_for_url("**/index.html#chat-figure")
    assert page.locator("figure#chat-figure svg").is_visible()
    page.close()
