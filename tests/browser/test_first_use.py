"""What readers do with figures is in a script that comes at first use; what they did until it came is done then."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import to_html
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText
from browser.strict_server import opened, page_of, serving
from browser.waiting import becomes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

TEXT = "Chat[@T]: {\n  U: env.question[@T] // asked\n  A: f(env.question[@T])\n}\n"
LINKS = '<p><a id="in" href="#Chat-line-2">the question</a> <a id="out" href="#end">more</a></p><p id="end">End.</p>'
SCRIPT = "script[src*=acdl-actions]"


def act_on(kind: str) -> "Callable[[Page], None]":
    """Return what a reader does to a figure that has not been used."""
    return {
        "enlarge": lambda page: page.locator(".acdl-enlarge").click(),
        "enter": lambda page: page.locator(".acdl-figure").press("Enter"),
        "menu": lambda page: page.locator(".acdl-dots").click(),
        "tab": lambda page: page.get_by_role("tab", name="Source").click(),
        "name": lambda page: page.locator("svg .acdl-v").first.hover(),
        "link": lambda page: page.locator("#in").hover(),
    }[kind]


RESULTS = {
    "enlarge": "dialog[open] svg",
    "enter": "dialog[open] svg",
    "menu": ".acdl-items:not([hidden]) .acdl-save",
    "tab": ".acdl-source pre",
    "name": "svg .acdl-lit",
    "link": "svg .acdl-about",
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the page is."""
    figure = to_html(BlockText(Source(TEXT, "a.md"), BlockOptions()), SitePage()).html
    with serving({"/": page_of(LINKS + figure)}) as address:
        yield address


def test_not_before(browser: "Browser", server: str) -> None:
    """The bar is there at once; the script is not, nor for what has nothing to do with a figure."""
    page = opened(browser, server)
    assert page.locator(".acdl-bar").is_visible()
    page.locator("#out").hover()
    page.locator("#out").click()
    page.locator("h1").click()
    assert page.locator(SCRIPT).count() == 0
    page.context.close()


@pytest.mark.parametrize("kind", RESULTS)
def test_first_use_is_not_lost(browser: "Browser", server: str, kind: str) -> None:
    """Whatever comes first waits for the script, which is loaded once."""
    page = opened(browser, server)
    held: list[Route] = []
    page.route("**/acdl-actions.js", lambda route: held.append(route))
    act_on(kind)(page)
    becomes(page, lambda: len(held), 1)
    assert page.locator(RESULTS[kind]).count() == 0 or page.locator(RESULTS[kind]).is_hidden()
    held[0].continue_()
    page.locator(RESULTS[kind]).first.wait_for()
    assert page.locator(SCRIPT).count() == 1
    page.context.close()


def test_address_of_a_part(browser: "Browser", server: str) -> None:
    """An address that leads into a drawing needs the script at once: the drawing may be hidden."""
    page = opened(browser, server)
    page.get_by_role("tab", name="Source").click()
    page.locator(".acdl-source pre").wait_for()
    page.goto("about:blank")
    page.goto(f"{server}/#Chat-line-2")
    page.locator(".acdl-figure").wait_for()
    page.context.close()
