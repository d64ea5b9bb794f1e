"""Our own pages in a reader's browser: figures beside their source, nothing wider than a phone, one sheet of paper."""

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest
from chromium import FONTS
from exhaustive import few

from browser.waiting import becomes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = ("learn/tutorial", "learn/ten-minutes", "learn/writing-well", "reference/language", "reference/cheat-sheet")
PHONE, DESK = {"width": 360, "height": 800}, {"width": 1280, "height": 900}
A4_LANDSCAPE_PT = (842, 595)


def opened(browser: "Browser", address: str, viewport: dict[str, int]) -> "Page":
    """A page of the site in a window of a size."""
    page = browser.new_page(viewport={"width": viewport["width"], "height": viewport["height"]})
    page.goto(address)
    return page


@pytest.mark.parametrize(("browser", "name"), few(product(FONTS, PAGES)), indirect=["browser"])
def test_pages_fit_a_phone(browser: "Browser", address: str, name: str) -> None:
    """Nothing makes the page itself scroll sideways; the source stands above its figure."""
    page = opened(browser, f"{address}/{name}/", PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    places = page.evaluate(
        """[...document.querySelectorAll("figure.acdl-side")].map(figure => ["pre", ".acdl-figure"].map(name => {
            const box = figure.querySelector(name).getBoundingClientRect();
            return [box.top, box.bottom, box.height];
        }))"""
    )
    assert places
    assert all(source[2] > 0 and drawing[2] > 0 and source[1] <= drawing[0] for source, drawing in places)
    page.close()


@pytest.mark.parametrize(("browser", "name"), few(product(FONTS, PAGES)), indirect=["browser"])
def test_source_and_figure_stand_side_by_side(browser: "Browser", address: str, name: str) -> None:
    """On a desk each figure is to the right of its source, and begins at the same height."""
    page = opened(browser, f"{address}/{name}/", DESK)
    places = page.evaluate(
        """[...document.querySelectorAll("figure.acdl-side")].map(figure => ["pre", ".acdl-figure"].map(name => {
            const box = figure.querySelector(name).getBoundingClientRect();
            return [box.left, box.right, box.top];
        }))"""
    )
    assert places
    assert all(source[1] <= drawing[0] and abs(source[2] - drawing[2]) < 9 for source, drawing in places)
    page.close()


@pytest.mark.parametrize("browser", few(FONTS), indirect=True)
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


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_home_leads_everywhere(browser: "Browser", address: str) -> None:
    """The first page leads to the gallery from above and from below; its first figure is seen without scrolling."""
    page = opened(browser, f"{address}/", DESK)
    assert page.locator(".md-tabs__link:visible", has_text="Gallery").count() == 1
    page.get_by_role("link", name="See the prompts of published agents").click()
    page.wait_for_function("document.querySelector('h1').textContent.startsWith('Gallery')")
    page.go_back()
    page.locator(".hero").wait_for()
    figure = "document.querySelector('figure.acdl svg').getBoundingClientRect()"
    assert page.evaluate(f"{figure}.bottom") < DESK["height"]
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    assert page.evaluate(f"{figure}.top") < PHONE["height"] - 200
    page.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_spec_page_on_paper(browser: "Browser", address: str) -> None:
    """The figure is on the first sheet, tables are whole, lessons come behind; what is not printed has no heading."""
    from io import BytesIO

    from pypdf import PdfReader

    page = opened(browser, f"{address}/specs/OpenCodeMain/", DESK)
    sheets = [sheet.extract_text() for sheet in PdfReader(BytesIO(page.pdf(format="A4"))).pages]
    assert len(sheets) <= 3
    assert "PLAN_MODE_REMINDER" in sheets[0]
    assert all("Lessons for this spec" not in sheet for sheet in sheets[:1])
    assert "Files to download" not in "".join(sheets)
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    reach = "[...document.querySelectorAll('.md-typeset td')].map((each) => each.getBoundingClientRect().right)"
    assert max(page.evaluate(reach)) <= 718
    page.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_links_of_figures_load_no_page(browser: "Browser", address: str) -> None:
    """A link in a figure to another page is followed as any other link of the site, in the enlarged view too."""
    page = opened(browser, f"{address}/specs/ChatAgent/", DESK)
    page.evaluate("window.isStillThere = true")
    link = page.locator("svg.acdl-svg a", has_text="ConversationTurn").first
    target = page.evaluate("(node) => new URL(node.href.baseVal, location).href", link.element_handle())
    assert "/specs/ChatAgent/" not in target
    page.locator(".acdl-enlarge").click()
    page.locator("dialog svg a", has_text="ConversationTurn").first.click()
    page.wait_for_function("document.querySelector('h1').textContent.includes('ConversationTurn')")
    assert page.url == target
    assert page.evaluate("window.isStillThere")
    assert page.locator("dialog").count() == 0
    page.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_search_shows_the_statement(browser: "Browser", address: str) -> None:
    """A name inside of a longer one is found; what is shown of the page begins with the statement that has it."""
    page = opened(browser, f"{address}/", DESK)
    page.keyboard.press("/")
    page.keyboard.type("is_plan_mode")
    found = page.locator(".md-search-result__item")
    found.first.wait_for()
    title, shown = found.first.inner_text().split("\n\n")
    assert title == "OpenCodeMain"
    assert shown.startswith("If sys.is_plan_mode[@t] PLAN_MODE_REMINDER ")
    assert len(shown) <= 100
    page.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_navigation_without_page_loads(browser: "Browser", address: str) -> None:
    """Pages replace one another with links in their figures; every figure gets its bar, and nothing complains."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{address}/write/fences/")
    page.evaluate("window.isStillThere = true")
    for title in ("Figures in tabs", "Fences", "Themes"):
        page.locator(".md-nav__link", has_text=title).first.click()
        page.wait_for_function("(title) => document.querySelector('h1').textContent.startsWith(title)", arg=title)
        drawn = page.locator("figure.acdl:has(.acdl-figure)").count()
        assert drawn > 0
        becomes(page, page.locator("figure.acdl > .acdl-bar").count, drawn)
        page.locator("[role=tab]:visible", has_text="Source").first.click()
        page.locator("figure.acdl .acdl-source pre:visible").first.wait_for()
        page.locator("[role=tab]:visible", has_text="Figure").first.click()
    page.locator(".md-nav__link", has_text="Fences").first.click()
    page.locator("svg.acdl-svg a", has_text="Manners").first.click()
    assert page.url.endswith("/write/fences/#Manners")
    assert page.evaluate("window.isStillThere")
    assert said == []
    page.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_figures_of_the_home_page_are_edited_in_place(browser: "Browser", address: str) -> None:
    """The link to the playground opens it where the figure is; a button brings the figure back."""
    page = opened(browser, f"{address}/", DESK)
    figure, link = page.locator("#support-agent"), page.locator("#support-agent .acdl-open")
    link.click()
    becomes(page, figure.is_visible, expected=False)
    inside = page.frame_locator(".edit-frame")
    inside.locator("#panel-spec").get_by_text("SupportAgent").first.wait_for()
    inside.locator("#see svg").first.wait_for()
    page.get_by_role("button", name="Back to the figure").click()
    assert figure.is_visible()
    assert page.locator(".edit-frame").count() == 0
    page.close()
