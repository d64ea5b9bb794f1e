"""What a reader sees of tools and calls: a table where there is room, blocks where there is not, links, paper.

The page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.docs.blocks.laic_block import from_fence
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.fences import fences_of
from browser.strict_server import opened, page_of, serving
from browser.test_accessibility import serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

LONG = "a_word_without_any_place_to_break_" * 4
TOOLS = f"""```laic title="Weather"
<tools>
  <tool name="W" alias="get_weather" desc="Weather at a place." trigger="1">
    <param key="loc" alias="location" req="1" desc="a city"/>
    <param key="unit" enum="metric|imperial|{LONG}" default='"metric"'/>
    <param key="area" type="object"><param key="box" type="number[]" req="1"/></param>
    <param key="extra"><schema>{{"anyOf": [{{"type": "string"}}, {{"minimum": 3}}]}}</schema></param>
  </tool>
  <tool name="{LONG}"/>
</tools>
```
"""
CALLS = f'```laic\n<call name="W" id="c" loc="{LONG}"/>\n<call name="{LONG}"/>\n```\n'


def page_html() -> str:
    """A page with tools and calls."""
    text = f"{TOOLS}\n{CALLS}"
    page = SitePage(name="a.md", text=text)
    body = "".join(from_fence(fence, page).html for fence in fences_of(text))
    return page_of(body)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the page is."""
    with serving({"/": page_html()}) as address:
        yield address


@pytest.mark.parametrize("is_scripted", few([True, False]), ids=["scripts", "no-scripts"])
def test_narrow(browser: "Browser", server: str, *, is_scripted: bool) -> None:
    """On a small page every parameter is a block, in which the name of the column stands before its words."""
    page = opened(browser, server, viewport={"width": 360, "height": 700}, java_script_enabled=is_scripted)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    rows = page.locator(".acdl-tool-params tbody tr").all()
    boxes = [each.bounding_box() for row in rows for each in row.locator("th, td:not(:empty)").all()]
    assert len({round(box["y"]) for box in boxes if box}) == len(boxes)  # below each other
    assert all(box and box["x"] + box["width"] <= 360 for box in boxes)
    label = "each => getComputedStyle(each, '::before').content"
    assert page.locator("td[data-label=Default]:not(:empty)").first.evaluate(label) == '"Default: "'
    assert not page.locator("td:empty").first.is_visible()
    page.context.close()


def test_wide(browser: "Browser", server: str) -> None:
    """Where there is room it is a table; one that is wider than the page scrolls in its own box."""
    page = opened(browser, server)
    cells = page.locator(".acdl-tool-params tbody tr").first.locator("th, td").all()
    boxes = [each.bounding_box() for each in cells]
    assert len({round(box["y"]) for box in boxes if box}) == 1
    page.set_viewport_size({"width": 900, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 900
    page.context.close()


def test_roles(browser: "Browser", server: str) -> None:
    """Readers of a screen find a named table with named rows and columns, also where rows are blocks."""
    for width in (1280, 360):
        page = opened(browser, server, viewport={"width": width, "height": 700})
        table = page.get_by_role("table", name="Parameters of W")
        assert table.get_by_role("rowheader", name="loc location").count() == 1
        heads = table.get_by_role("columnheader").all_inner_texts()
        assert heads == ["Parameter", "Type", "Required", "Values", "Default", "Description"]
        page.context.close()


def test_links(browser: "Browser", server: str) -> None:
    """A call leads to its tool."""
    page = opened(browser, server)
    page.locator(".acdl-call a").first.click()
    assert page.url.endswith("#laic-tool-W")
    assert page.locator("#laic-tool-W").evaluate("each => each.matches(':target')")
    page.context.close()


@exhaustive
@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_nothing_keeps_anybody_out(scheme: Any, browser: "Browser", server: str) -> None:
    """Nothing serious is found, folded or not."""
    page = opened(browser, server, color_scheme=scheme)
    page.evaluate("dark => { document.body.style.background = dark ? '#1e2129' : '#fff'; }", scheme == "dark")
    assert serious(page) == []
    for summary in page.locator(".acdl-tool-schema summary, .acdl-call-long summary").all():
        summary.click()
    assert page.locator(".acdl-tool-schema code").is_visible()
    assert serious(page) == []
    page.context.close()


def test_paper(browser: "Browser", server: str) -> None:
    """On paper there is the table with what is folded on screens, and no source."""
    page = opened(browser, server)
    page.emulate_media(media="print")
    assert page.get_by_role("table", name="Parameters of W").is_visible()
    for folded in page.locator(".acdl-tool-schema pre, .acdl-call-long pre").all():
        assert folded.evaluate("each => each.getBoundingClientRect().height") > 0
        assert folded.evaluate("each => each.checkVisibility({contentVisibilityAuto: true})")
    assert not page.locator(".acdl-source").first.is_visible()
    assert not page.locator(".acdl-bar").first.is_visible()
    page.context.close()
