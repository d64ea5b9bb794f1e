"""What a reader sees of a difference, in light and dark, on a phone, on paper, without a script.

The page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.docs.blocks.diff_block import from_fence
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.fences import fences_of
from browser.strict_server import opened, page_of, serving
from browser.test_accessibility import serious
from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

ROOT = Path(__file__).parents[2]
EXAMPLES = "examples/mint-variations.acdl"
STATE = "examples/mint-variations.state.yaml"
BLOCKS = f"""```acdl-diff old={EXAMPLES}#Var1 new={EXAMPLES}#Var2 title="Unified"
```

```acdl-diff old={EXAMPLES}#Var1 new={EXAMPLES}#Var3 show=side-by-side caption="Side by side."
```

```acdl-diff old={EXAMPLES}#Var1 new={EXAMPLES}#Var2 show=all state={STATE} at=1..2
```

```acdl-diff old={EXAMPLES}#Var1 new={EXAMPLES}#Var1
```

```acdl-diff old=Nobody
```
"""


def page_html() -> str:
    """A page with differences."""
    page = SitePage(name="a.md", text=BLOCKS, root=ROOT)
    body = "".join(from_fence(fence, page).html for fence in fences_of(BLOCKS))
    return page_of(body)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the page is."""
    with serving({"/": page_html()}) as address:
        yield address


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_overflows(browser: "Browser", server: str, width: int) -> None:
    """The page never scrolls sideways; what is wider scrolls in a box of its own that a keyboard reaches."""
    page = opened(browser, server, viewport={"width": width, "height": 800})
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = (
        "[...document.querySelectorAll('figure :not(.acdl-excerpt)')].filter(e => e.scrollWidth > e.clientWidth + 1 &&"
    )
    wide += " ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0).length"
    assert page.evaluate(wide) == 0


def test_side_by_side(browser: "Browser", server: str) -> None:
    """Two figures stand beside each other where there is room, below each other on a phone."""
    for width, is_beside in ((1280, True), (360, False)):
        page = opened(browser, server, viewport={"width": width, "height": 800})
        boxes = [page.locator("#acdl-diff-2 .acdl-half").nth(number).bounding_box() for number in (0, 1)]
        assert boxes[0]
        assert boxes[1]
        assert (boxes[1]["y"] < boxes[0]["y"] + boxes[0]["height"]) == is_beside
        assert boxes[0]["width"] <= width


@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_accessible(browser: "Browser", server: str, scheme: str) -> None:
    """Nothing that a program finds keeps people out, everything unfolded."""
    page = opened(browser, server, color_scheme=scheme)
    page.evaluate("dark => { document.body.style.background = dark ? '#1e2129' : '#fff'; }", scheme == "dark")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert serious(page) == []


def test_edits_lead_to_the_figure(browser: "Browser", server: str) -> None:
    """A word of the list leads to the place in the drawing, also when the text is shown in its place."""
    page = opened(browser, server)
    load_actions(page)
    figure = page.locator("#acdl-diff")
    figure.get_by_role("tab", name="Text").click()
    assert not figure.locator(".acdl-figure").is_visible()
    figure.locator(".acdl-edits summary").click()
    figure.locator(".acdl-edits").get_by_role("link", name="added").first.click()
    figure.locator(".acdl-figure").wait_for(state="visible")
    assert page.evaluate("document.querySelector(':target').closest('svg') !== null")


def test_without_scripts(browser: "Browser", server: str) -> None:
    """Verdict and figure are there; text and edits unfold."""
    page = opened(browser, server, java_script_enabled=False)
    figure = page.locator("#acdl-diff")
    assert figure.locator(".acdl-verdict").is_visible()
    assert figure.locator("svg").first.is_visible()
    for selector in (".acdl-words", ".acdl-edits > details"):
        figure.locator(f"{selector} > summary").click()
    assert figure.locator("pre.acdl-text").is_visible()
    assert figure.locator(".acdl-edits ol").is_visible()


@exhaustive
def test_on_paper(browser: "Browser", server: str) -> None:
    """The figure is printed in light colours, with nothing to press."""
    page = opened(browser, server, color_scheme="dark")
    page.emulate_media(media="print")
    figure = page.locator("#acdl-diff")
    assert figure.locator("svg").first.is_visible()
    assert not figure.locator(".acdl-bar").is_visible()
    assert not figure.locator(".acdl-edits summary").is_visible()


def test_words_have_one_size_on_both_sides(browser: "Browser") -> None:
    """A figure that is smaller than the other is not drawn larger than it is."""
    text = "```acdl-diff show=side-by-side\nP[@T]: { U: X }\n---\nP[@T]: { S: LONGER_RULES\n    U: X }\n```\n"
    body = "".join(from_fence(fence, SitePage(name="a.md", text=text)).html for fence in fences_of(text))
    with serving({"/": page_of(body)}) as address:
        page = opened(browser, address)
        sizes = page.locator(".acdl-half svg").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().width / each.getAttribute('width'))"
        )
    assert sizes == [1, 1]
