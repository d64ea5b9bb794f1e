"""Figures in columns of any width: wide ones scroll and show that they do, small ones keep their size."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from browser.strict_server import serving
from browser.test_reader import HIDDEN, LONG, REACT, TALL, page_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

PAGES = {"/": page_html(REACT, LONG, TALL, HIDDEN), "/rtl": page_html(REACT, direction="rtl")}
STYLE = "getComputedStyle(document.querySelector('#React .acdl-figure'))"
MASK = f"new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({STYLE}.maskImage))))"
SCALES = """() => [...document.querySelectorAll("figure svg")]
    .filter((svg) => svg.checkVisibility({ checkVisibilityCSS: true }))
    .map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the pages are."""
    with serving(PAGES) as address:
        yield address


@pytest.fixture
def page(browser: "Browser", server: str) -> Iterator["Page"]:
    """A page of four figures."""
    page = browser.new_page()
    page.goto(server)
    yield page
    page.close()


def test_what_scrolls_shows_that_it_does(page: "Page") -> None:
    """There is a shadow at the sides of a figure that is wider than its place, below what scrolls with the figure."""
    assert page.evaluate(f"{STYLE}.backgroundAttachment") == "local, local, scroll, scroll"
    assert page.evaluate(f"{STYLE}.backgroundImage").count("linear-gradient") == 4
    page.emulate_media(media="print")
    assert page.evaluate(f"{STYLE}.backgroundImage") == "none"


@pytest.mark.parametrize(("path", "sides"), [("/", ("left", "right")), ("/rtl", ("right", "left"))])
def test_rows_fade_where_they_scroll(page: "Page", server: str, path: str, sides: tuple[str, str]) -> None:
    """A tinted row covers the shadow, so it fades at the side with more of it; not where all of it is seen."""
    page.goto(f"{server}{path}")
    assert page.evaluate(MASK) == "none"
    page.set_viewport_size({"width": 180, "height": 600})
    assert page.evaluate(MASK).startswith(f"linear-gradient(to {sides[0]}, rgba(0, 0, 0, 0), rgb(0, 0, 0) 28px)")
    end = 1000 if path == "/" else -1000
    page.evaluate("(end) => document.querySelector('#React .acdl-figure').scrollTo(end, 0)", end)
    assert page.evaluate(MASK).startswith(f"linear-gradient(to {sides[1]}, rgba(0, 0, 0, 0), rgb(0, 0, 0) 28px)")
    page.locator("#React .acdl-figure").focus()
    page.keyboard.press("Shift")
    assert page.evaluate(MASK) == "none"


@pytest.mark.parametrize("width", [1280, 360, 200])
def test_nothing_is_enlarged(page: "Page", width: int) -> None:
    """A drawing has at most its own size, however wide its column is."""
    page.set_viewport_size({"width": width, "height": 800})
    assert 0 < max(page.evaluate(SCALES)) <= 1.001


BROKEN = """(codes) => [...document.querySelectorAll(codes)]
    .filter((code) => code.textContent.length <= 24 && code.getClientRects().length > 1)
    .map((code) => code.textContent)"""
CUT = """() => [...document.querySelectorAll("td, td :is(code, a)")]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
    .map((each) => each.textContent)"""
OVERLAPPING = """() => [...document.querySelectorAll("tr")].filter((row) => row.checkVisibility()).filter((row) => {
    const boxes = (selector) => [...row.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
    const [names, links] = [boxes("td > code"), boxes("td > a")];
    return names.some((name) => links.some((link) =>
        name.left < link.right && link.left < name.right && name.top < link.bottom && link.top < name.bottom));
}).map((row) => row.textContent)"""


@pytest.mark.parametrize(
    "name", ["specs/ReactToolsLast", "specs/ChatAgent", "editors/language-server", "develop/add-an-output"]
)
def test_tables_fit_a_phone(browser: "Browser", address: str, name: str) -> None:
    """What a table has is seen without scrolling to the side; names are whole, and beside each other."""
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.goto(f"{address}/{name}/")
    page.wait_for_selector(".md-typeset__scrollwrap", state="attached")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(CUT) == []
    assert page.evaluate(OVERLAPPING) == []
    assert page.evaluate(BROKEN, "td code") == []
    page.close()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["compare/pull-requests", "compare/sent", "playbook/learn", "write/pictures"])
def test_short_code_is_whole(browser: "Browser", address: str, name: str, width: int) -> None:
    """An option or the name of a package is not broken at a hyphen."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(f"{address}/{name}/")
    assert page.evaluate(BROKEN, ":not(pre) > code") == []
    page.close()
