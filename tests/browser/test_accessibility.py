"""An audit of our own pages by axe-core: figures, the bar below them, panels and tables, in light and dark."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

PAGES = (
    "",
    "examples",
    "get-started",
    "learn/tutorial",
    "reference/cheat-sheet",
    "reference/language",
    "reference/rules",
    "reference/rules/nested-role",
    "specs/React2",
    "write/errors",
    "write/fences",
    "write/reading",
    "write/themes",
)
THEIRS = [[".md-search"], [".md-header"]]
"""Parts of the theme that no site can change."""


def serious(page: "Page") -> list[str]:
    """Findings that keep people from using a page."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    found = Axe().run(page, context={"exclude": THEIRS}, options={"resultTypes": ["violations"]}).response
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


@pytest.fixture(params=["light", "dark"])
def page(browser: "Browser", request: pytest.FixtureRequest) -> "Page":
    """A page in a colour scheme; closed with the browser."""
    return browser.new_context(color_scheme=request.param, viewport={"width": 1280, "height": 900}).new_page()


@pytest.mark.parametrize("name", PAGES)
def test_pages(page: "Page", address: str, name: str) -> None:
    """Nothing on a page keeps anybody out."""
    page.goto(f"{address}/{name}")
    assert serious(page) == []
    page.context.close()


@pytest.mark.parametrize("view", ["Source", "Text"])
def test_other_views(page: "Page", address: str, view: str) -> None:
    """Nor does what a figure shows in place of its drawing."""
    page.goto(f"{address}/examples/")
    page.get_by_role("tab", name=view).first.click()
    assert serious(page) == []
    page.context.close()


def test_enlarged_view(page: "Page", address: str) -> None:
    """Nor does the enlarged view."""
    page.goto(f"{address}/examples/")
    page.locator(".acdl-enlarge").first.click()
    assert page.locator("dialog[open]").count() == 1
    assert serious(page) == []
    page.context.close()
