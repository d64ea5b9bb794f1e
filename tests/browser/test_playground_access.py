"""The playground for everybody: by keys alone, with a screen reader, on a phone, enlarged, light and dark."""

from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import exhaustive, few

from browser.playground_page import SPEC, STATE, drawn, editor, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

VIEWS = ("figure", "sent", "changes", "words", "outline")


def audited(page: "Page") -> list[str]:
    """Everything that axe-core finds."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    found: dict[str, Any] = Axe().run(page, options={"resultTypes": ["violations"]}).response
    return [f"{each['id']}: {node['html'][:200]}" for each in found["violations"] for node in each["nodes"]]


def part(page: "Page", name: str) -> None:
    """Go to a part of the page where only one is seen."""
    if page.locator(f"#to-{name}").is_visible():
        page.locator(f"#to-{name}").click()


@pytest.mark.parametrize("scheme", few(["light", "dark"]))
@pytest.mark.parametrize("width", few([1280, 360]))
def test_audit(browser: "Browser", playground_url: str, scheme: Any, width: int) -> None:
    """Nothing keeps anybody out: views, problems and dialogs, on a wide window and on a phone."""
    context = browser.new_context(color_scheme=scheme, bypass_csp=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(playground_url)
    drawn(page)
    write(page, STATE, "state")
    write(page, SPEC.replace("S: RULES", "RULES"))
    page.locator("#problems-list .fix").first.wait_for()
    page.set_viewport_size({"width": width, "height": 800})
    part(page, "write")
    assert audited(page) == []
    part(page, "see")
    for view in VIEWS if width > 360 else ("figure", "sent"):
        page.locator(f"#tab-{view}").click()
        if view == "sent":
            page.locator(".acdl-now .acdl-sent-message").first.wait_for()
        assert audited(page) == [], (width, view)
    for button in ("Share", "Keys", "File"):
        page.get_by_role("button", name=button, exact=button != "File").click()
        assert audited(page) == [], (width, button)
        page.keyboard.press("Escape")
    context.close()


def test_keys_alone(browser: "Browser", playground_url: str) -> None:
    """From the top of the page to the text, out of it, through the views and the bar between the panes."""
    with playground(browser, playground_url) as page:
        page.keyboard.press("Tab")
        assert focused(page, "a.skip[data-to=write]")
        page.keyboard.press("Enter")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(SPEC)
        page.locator("#figure svg:not(.acdl-narrow)", has_text="resp.answer").wait_for()
        page.keyboard.press("Control+End")
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert not focused(page, ".cm-content"), "Escape, then Tab, leaves the text"
        editor(page).focus()
        page.keyboard.press("F6")
        assert focused(page, "#tab-figure")
        page.keyboard.press("ArrowRight")
        assert focused(page, "#tab-sent")
        page.keyboard.press("End")
        page.locator("#outline .go", has_text="Helper").first.wait_for()
        page.keyboard.press("?")
        page.locator("#keys-dialog[open]").wait_for()
        page.keyboard.press("Escape")
        bar = page.get_by_role("separator")
        bar.focus()
        page.keyboard.press("ArrowRight")
        assert bar.get_attribute("aria-valuenow") == "47"
        page.keyboard.press("F6")
        assert focused(page, ".cm-content")


def focused(page: "Page", selector: str) -> bool:
    """Whether the keys go there."""
    return page.locator(f"{selector}:focus").count() > 0


@exhaustive
def test_narrow(browser: "Browser", playground_url: str) -> None:
    """One part at a time, and nothing that scrolls sideways; 640 px is also 1280 px at 200 %."""
    with playground(browser, playground_url) as page:
        for width in (640, 360):
            page.set_viewport_size({"width": width, "height": 740})
            assert not page.locator("#see").is_visible()
            assert fits(page, width)
            page.get_by_role("tab", name="See").click()
            page.locator("#figure svg:visible").wait_for()
            assert page.locator("#figure").evaluate("stage => stage.scrollWidth <= stage.clientWidth")
            assert fits(page, width)
            page.locator("#figure svg:visible text", has_text="resp.answer").first.click()
            assert page.locator("#write").is_visible(), "a part of the figure leads to the text"


def fits(page: "Page", width: int) -> bool:
    """Whether nothing of the page's frame is wider than the window."""
    boxes = [page.locator(each).bounding_box() for each in ("header", "main", "footer", ".tools")]
    return all(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)


def test_theme_is_kept(browser: "Browser", playground_url: str) -> None:
    """Light and dark by choice, also after a reload."""
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(playground_url)
    page.get_by_label("Colours").select_option("dark")
    page.locator("html[data-theme=dark]").wait_for()
    page.reload()
    page.locator("html[data-theme=dark]").wait_for()
    context.close()


_WHEN = """() => {
  window.said = {};
  for (const name of ["problems-fold", "counts"]) {
    const seen = () => { window.said[name] = performance.now(); };
    const all = { childList: true, characterData: true, subtree: true };
    new MutationObserver(seen).observe(document.getElementById(name), all);
  }
}"""


@exhaustive
def test_problems_are_read_out_when_the_fingers_rest(browser: "Browser", playground_url: str) -> None:
    """Their number is seen at once, and said a second after it last changed; the zoom of the figure is not said."""
    with playground(browser, playground_url) as page:
        page.evaluate(_WHEN)
        write(page, SPEC.replace("S: RULES", "RULES"))
        page.locator("#problems-fold", has_text="1 error").wait_for()
        write(page, SPEC.replace("S: RULES", "RULES") + "P[@T]: {\n    A\n    U: B\n}\n")
        page.locator("#problems-fold", has_text="2 errors").wait_for()
        page.locator("#counts", has_text="2 errors").wait_for(state="attached")
        said = page.evaluate("window.said")
        assert said["counts"] - said["problems-fold"] > 900
        assert page.locator("#zoom").get_attribute("aria-live") == "off"


@exhaustive
def test_forced_colours(browser: "Browser", playground_url: str) -> None:
    """The tab that is chosen is the only one with a line below it."""
    with playground(browser, playground_url, forced_colors="active", reduced_motion="reduce") as page:
        colour = "each => getComputedStyle(each).borderBlockEndColor"
        chosen, other = (page.locator(each).evaluate(colour) for each in ("#tab-spec", "#tab-old"))
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (other, chosen != other) == (ground, True)
