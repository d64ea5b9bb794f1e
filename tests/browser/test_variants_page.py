"""What a reader sees of variants: columns and results in light and dark, on a phone, by keyboard, on paper.

The page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.docs.blocks.variants_block import from_fence
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.fences import fences_of
from browser.strict_server import opened, page_of, serving
from browser.test_accessibility import serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

ROOT = Path(__file__).parents[2]
FILE = "examples/mint-variations.acdl"
DRAWN = "(all => all.map(each => each.getBoundingClientRect()).filter(box => box.width > 1))"
"""Where the drawings on the screen are: of two, one is hidden."""
BLOCKS = f"""```acdl-variants id=v title="Variants"
specs: [{FILE}#Var1, {FILE}#Var2, {FILE}#Var3]
base: Var1
results:
  Success, %: {{Var1: 74.68, Var2: 77.53, Var3: 72.78}}
source: the paper, https://example.org/p
```

```acdl-variants
specs: [{FILE}#Var9]
```
"""


def page_html() -> str:
    """A page with variants."""
    page = SitePage(name="a.md", text=BLOCKS, root=ROOT)
    body = "".join(from_fence(fence, page).html for fence in fences_of(BLOCKS))
    return page_of(body)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the page is."""
    with serving({"/": page_html()}) as address:
        yield address


@exhaustive
@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_audit(browser: "Browser", server: str, scheme: str) -> None:
    """An audit by axe-core finds nothing, in light and dark."""
    page = opened(browser, server, color_scheme=scheme, bypass_csp=True)
    page.add_style_tag(content="body { background: Canvas }")  # the audit takes a page without one for white
    assert serious(page) == []
    page.context.close()


def test_phone(browser: "Browser", server: str) -> None:
    """On a narrow screen the columns and the table scroll within themselves, the page does not."""
    page = opened(browser, server, viewport={"width": 360, "height": 800}, java_script_enabled=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    wider = "element => element.scrollWidth > element.clientWidth"
    assert page.eval_on_selector(".acdl-columns", wider)
    scales = page.eval_on_selector_all(
        ".acdl-column > svg",
        f"all => all.filter(each => {DRAWN}([each]).length)"
        ".map(each => each.getBoundingClientRect().width / each.viewBox.baseVal.width)",
    )
    assert min(scales) > 0.95
    page.context.close()


def test_columns_do_not_overlap_and_heads_stay(browser: "Browser", server: str) -> None:
    """Every figure ends before the next column; the head of a column stays where its figure is scrolled."""
    page = opened(browser, server, viewport={"width": 1280, "height": 500})
    boxes = page.eval_on_selector_all(".acdl-column > svg", f"all => {DRAWN}(all).map(box => [box.x, box.right])")
    assert all(left[1] <= right[0] for left, right in pairwise(boxes))
    page.focus(".acdl-columns")
    before = page.eval_on_selector("#v-Var2 .acdl-column-head", "each => each.getBoundingClientRect().y")
    page.eval_on_selector(".acdl-columns", "each => each.scrollTop = 200")
    after = page.eval_on_selector("#v-Var2 .acdl-column-head", "each => each.getBoundingClientRect().y")
    assert abs(before - after) < 4
    page.context.close()


def test_paper_shows_all_columns(browser: "Browser", server: str) -> None:
    """On paper nothing is hidden behind a scroll bar."""
    page = opened(browser, server, viewport={"width": 700, "height": 900})
    page.emulate_media(media="print")
    assert page.eval_on_selector(".acdl-columns", "each => each.scrollWidth <= each.clientWidth + 1")
    assert page.eval_on_selector(".acdl-columns", "each => each.scrollHeight <= each.clientHeight + 1")
    page.context.close()
