"""An audit of our own pages by axe-core: figures, the bar below them, panels and tables, in light and dark."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive, few
from own_site import own_site

from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

PAGES = (
    "",
    "specs/React2",
    "get-started",
    "404.html",
    "compare",
    "editors",
    "examples",
    "guides",
    "learn/ten-minutes",
    "learn/tutorial",
    "playbook",
    "playbooks/acdl/changes",
    "pml",
    "reference/cheat-sheet",
    "reference/cli",
    "reference/cli/check",
    "reference/language",
    "reference/rules",
    "reference/rules/nested-role",
    "runs",
    "specs",
    "tools/mkdocs",
    "write/errors",
    "reference/rules/answer-before-call",
    "write/fences",
    "write/reading",
    "write/themes",
)
THEIRS = [[".md-search"], [".md-header"]]
"""Parts of the theme that no site can change."""


CONTRAST = {"type": "rule", "values": ["color-contrast"]}
"""The only rule whose findings depend on the colour scheme."""
OF_PHONES = {"type": "rule", "values": ["color-contrast", "scrollable-region-focusable", "target-size"]}
"""The rules whose findings depend on the width."""
WIDTHS = (360, 390, 768, 1280, 1680)
UNFOLD = "document.querySelectorAll('.md-content details').forEach((each) => { each.open = true; })"
"""Shows what a page shows only to readers who want to know more."""


def serious(page: "Page", *, within: str = "", run_only: object = None) -> list[str]:
    """Findings that keep people from using a page, or one part of it.

    Parameters:
        within: A selector of the part.
        run_only: The rules as axe-core wants them; all unless it is given.
    """
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    context = {"exclude": THEIRS, **({"include": [[within]]} if within else {})}
    options = {"resultTypes": ["violations"], **({"runOnly": run_only} if run_only else {})}
    found = Axe().run(page, context=context, options=options).response
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def resize(page: "Page", width: int) -> None:
    """Set the width and wait until observers have made what scrolls now a stop of the tab key."""
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


RENDER_ALL = "* { content-visibility: visible !important } .acdl-stepper { position: static !important }"
"""For an audit: what is not rendered yet has no place, so that axe-core looks for its colours elsewhere on the page;
and what stays in view covers what a reader would scroll."""


@pytest.fixture(params=few(["light", "dark"]))
def page(browser: "Browser", request: pytest.FixtureRequest) -> Iterator["Page"]:
    """A page in a colour scheme."""
    context = browser.new_context(color_scheme=request.param, viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", few(PAGES, 3))
def test_pages(browser: "Browser", address: str, name: str) -> None:
    """Nothing on a page keeps anybody out, on a desk or on a phone, and its colours do not in the dark."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce")
    page.goto(f"{address}/{name}")
    page.add_style_tag(content=RENDER_ALL)
    assert serious(page) == []
    resize(page, 360)
    assert serious(page) == []
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")  # as the theme's switch does
    assert serious(page, run_only=CONTRAST) == []
    page.close()


@exhaustive
def test_every_page(browser: "Browser", address: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nor does anything on any page; none scrolls sideways. The playground has tests of its own."""
    site, _ = own_site(tmp_path_factory)
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    page = browser.new_page(color_scheme="light", reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for name in names:
        if name.startswith("playground/"):
            continue
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(f"{address}/{name}")
        page.add_style_tag(content=RENDER_ALL)
        page.evaluate(UNFOLD)
        problems = serious(page)
        resize(page, 360)
        problems += serious(page, run_only=OF_PHONES)
        page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
        problems += serious(page, run_only=CONTRAST)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if page.evaluate("document.documentElement.scrollWidth") > width:
                problems.append(f"wider than {width} px")
        if problems:
            found[name] = problems
    page.close()
    assert len(names) > 300
    assert found == {}


def test_wide_tables_scroll_by_keyboard(browser: "Browser", address: str) -> None:
    """A table that is wider than the page is a stop of the tab key, also after navigation without a page load."""
    page = browser.new_page(viewport={"width": 800, "height": 800})
    page.goto(f"{address}/pml/tokens/")
    page.evaluate(UNFOLD)
    page.wait_for_selector(".md-typeset__scrollwrap[tabindex='0'][aria-label]")
    assert serious(page, run_only=OF_PHONES) == []
    heading = page.locator("h1").inner_text()
    page.evaluate("document.querySelector('.md-footer__link--prev, .md-footer__link--next').click()")
    # The address is new before the page is.
    page.wait_for_function("heading => document.querySelector('h1').innerText !== heading", arg=heading)
    page.go_back()
    page.wait_for_function("heading => document.querySelector('h1')?.innerText === heading", arg=heading)
    page.evaluate(UNFOLD)
    page.wait_for_selector(".md-typeset__scrollwrap[tabindex='0'][aria-label]")
    page.close()


@pytest.mark.parametrize("view", few(["Source", "Text"]))
def test_other_views(page: "Page", address: str, view: str) -> None:
    """Nor does what a figure shows in place of its drawing."""
    page.goto(f"{address}/write/fences/")
    load_actions(page)
    page.get_by_role("tab", name=view).first.click()
    page.locator("figure.acdl").first.evaluate("figure => figure.setAttribute('data-audited', '')")
    assert serious(page, within="[data-audited]") == []


def test_enlarged_view(page: "Page", address: str) -> None:
    """Nor does the enlarged view."""
    page.goto(f"{address}/write/fences/")
    load_actions(page)
    page.locator(".acdl-enlarge").first.click()
    assert page.locator("dialog[open]").count() == 1
    assert serious(page, within="dialog[open]") == []
