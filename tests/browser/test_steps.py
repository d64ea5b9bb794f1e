"""What a reader does with the messages beside a figure: steps by mouse, keys and address, and lines that light up.

Every page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import exhaustive

from acdl_mkdocs.frontends.docs.blocks.block import from_fence
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.fences import fences_of
from browser.strict_server import serving
from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

CASES = Path(__file__).parents[1] / "golden" / "sent"
FENCE = '```acdl src="support.acdl" state="support.state.yaml"\n```\n'
USED = '```acdl src="used.acdl" state="used.state.yaml"\n```\n'
FIRST, LAST = "Support-at-1.0", "Support-at-2.0"
Opened = Callable[..., "Page"]


def page_html(text: str, root: Path = CASES) -> str:
    """A page of blocks that loads style sheet and script from its own server."""
    page = SitePage(name="a.md", text=text, root=root)
    fences = fences_of(text)
    page.expect_fences(fences)
    body = "<p>Between.</p>".join(from_fence(fence, page).html for fence in fences)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.png">'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/acdl.css"></head>'
        f'<body><main><h1>T</h1>{body}<p id="after">After.</p></main><script src="/acdl.js"></script></body></html>'
    )


PAGES: dict[str, Callable[[], str]] = {
    "/": lambda: page_html(FENCE + "\n" + FENCE),
    "/used": lambda: page_html(USED),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the pages are."""
    with serving({name: make() for name, make in PAGES.items()}) as address:
        yield address


@pytest.fixture
def opened(browser: "Browser", server: str) -> Iterator[Opened]:
    """Open pages in contexts of their own; in the end, none of them has complained."""
    said: list[str] = []
    contexts = []

    def open_page(path: str = "/", **options: Any) -> "Page":
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(server + path)
        if options.get("java_script_enabled", True):
            page.wait_for_selector(".acdl-stepping")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


def seen(page: "Page") -> list[str]:
    """The points that can be seen."""
    return [str(each.get_attribute("id")) for each in page.locator(".acdl-sent-point").all() if each.is_visible()]


def part(page: "Page", selector: str) -> "Locator":
    """An element of the first block."""
    return page.locator(".acdl-evaluated").first.locator(selector)


def veiled(page: "Page") -> int:
    """How many parts of the figure are dimmed."""
    return part(page, ".acdl-veil").count()


def lit(page: "Page") -> list[str]:
    """The messages and pieces that are lit."""
    return [each.inner_text() for each in part(page, ".acdl-sent-lit").all()]


def test_begins_at_the_last_point(opened: Opened) -> None:
    """Where the address names no point, the last one is shown, in which most has happened; the page is not scrolled."""
    page = opened()
    assert seen(page) == [LAST, "Support-2-at-2.0"]
    assert part(page, ".acdl-position").inner_text() == "3 of 3"
    assert page.evaluate("scrollY") == 0


def test_controls_stay_in_view_on_a_phone(opened: Opened) -> None:
    """Where the messages are below the figure, the controls are seen beside both; a step is seen in the figure."""
    page = opened(viewport={"width": 390, "height": 700})
    controls = part(page, ".acdl-stepper")
    for place in (".acdl-figure", ".acdl-sent-points"):
        part(page, place).evaluate("element => element.scrollIntoView({ block: 'end' })")
        box = controls.bounding_box()
        assert box
        assert 0 < box["y"] < box["y"] + box["height"] <= 700
    part(page, ".acdl-figure").evaluate("element => element.scrollIntoView()")
    page.evaluate("window.before = scrollY")
    controls.locator(".acdl-back").click()
    assert seen(page)[0] == "Support-at-1.1"
    assert page.evaluate("scrollY === window.before")
    page.set_viewport_size({"width": 1100, "height": 700})
    part(page, ".acdl-sent > .acdl-stepper").wait_for()


def test_steps_by_mouse(opened: Opened) -> None:
    """Buttons and bars show one point, in this block only; nothing below moves."""
    page = opened()
    part(page, ".acdl-growth a").first.click()
    assert seen(page) == [FIRST, "Support-2-at-2.0"]
    below = page.locator("#after").bounding_box()
    part(page, ".acdl-next").click()
    assert seen(page) == ["Support-at-1.1", "Support-2-at-2.0"]
    part(page, ".acdl-growth a").nth(2).click()
    assert seen(page) == ["Support-at-2.0", "Support-2-at-2.0"]
    assert part(page, ".acdl-growth a[aria-current=step]").inner_text().strip() == "2.0"
    assert part(page, ".acdl-next").is_disabled()
    assert part(page, ".acdl-position").inner_text() == "3 of 3"
    part(page, ".acdl-back").click()
    assert seen(page)[0] == "Support-at-1.1"
    assert page.locator("#after").bounding_box() == below


@pytest.mark.parametrize("width", [390, 1100])
def test_enlarged_view_carries_the_steps(opened: Opened, width: int) -> None:
    """The enlarged figure has the controls and shows what a step did; afterwards they are back in the page."""
    page = opened(viewport={"width": width, "height": 800})
    load_actions(page)
    part(page, ".acdl-enlarge").click()
    dialog = part(page, "dialog")
    assert dialog.locator(".acdl-veil").count() == 0
    dialog.locator(".acdl-slider").focus()
    page.keyboard.press("Home")
    assert dialog.locator(".acdl-position").inner_text() == "1 of 3"
    assert dialog.locator(".acdl-veil").count() == 4
    dialog.get_by_role("button", name="Close (Esc)").click()
    dialog.wait_for(state="detached")
    assert seen(page)[0] == FIRST
    assert part(page, ".acdl-figure .acdl-veil").count() == 4
    assert part(page, ".acdl-stepper").is_visible()


def test_steps_by_keys(opened: Opened) -> None:
    """Arrow keys move the slider, go through bars, and through messages up and down."""
    page = opened(f"/#{FIRST}")
    slider = part(page, ".acdl-slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert seen(page)[0] == "Support-at-1.1"
    assert slider.get_attribute("aria-valuetext") == "@1.1"
    assert "@1.1: 4 messages" in part(page, "[role=status].acdl-hidden").inner_text()
    page.keyboard.press("End")
    assert seen(page)[0] == "Support-at-2.0"
    page.keyboard.press("Home")
    part(page, ".acdl-now .acdl-sent-message").first.focus()
    page.keyboard.press("ArrowDown")
    assert "My order is late." in lit(page)[0]
    page.keyboard.press("ArrowRight")
    assert seen(page)[0] == "Support-at-1.1"
    assert page.evaluate("document.activeElement.className").startswith("acdl-sent-message")
    assert part(page, ".acdl-now .acdl-sent-message[tabindex='0']").count() == 1


def test_address(opened: Opened, server: str) -> None:
    """The address names the point; the back button goes back, and an address that names one shows it."""
    page = opened()
    part(page, ".acdl-growth a").nth(1).click()
    assert page.url.endswith("#Support-at-1.1")
    page.wait_for_timeout(1100)  # else it is one run through several points
    part(page, ".acdl-growth a").nth(2).click()
    assert page.url.endswith("#Support-at-2.0")
    page.go_back()
    page.locator('.acdl-now[id="Support-at-1.1"]').wait_for()
    page.go_back()
    page.locator(f'.acdl-now[id="{LAST}"]').wait_for()
    inside = opened("/#Support-at-2.0-call-1")
    assert "Support-at-2.0" in seen(inside)
    other = opened("/#Support-2-at-1.0")
    assert seen(other) == [LAST, "Support-2-at-1.0"]
    assert server in other.url


def test_what_the_point_did_to_the_figure(opened: Opened) -> None:
    """Lines that were not reached are dimmed, loops say how often they ran."""
    page = opened(f"/#{FIRST}")
    assert veiled(page) == 4
    assert part(page, ".acdl-rounds text").all_text_contents() == ["×1"]
    part(page, ".acdl-growth a").nth(2).click()
    assert veiled(page) == 0
    assert part(page, ".acdl-rounds text").all_text_contents() == ["×2", "×1"]
    assert part(page, ".acdl-ended").count() == 1


def test_effects_come_back_with_the_figure(opened: Opened) -> None:
    """A step that is made while the source is shown is seen in the figure afterwards."""
    page = opened(f"/#{FIRST}")
    page.locator("#Support").get_by_role("tab", name="Source").click()
    part(page, ".acdl-growth a").nth(2).click()
    page.locator("#Support").get_by_role("tab", name="Figure").click()
    part(page, ".acdl-rounds").nth(1).wait_for()


def line(page: "Page", words: str) -> "Locator":
    """A line of the figure."""
    return part(page, "svg.acdl-svg text").filter(has_text=words).first


def overlaps(page: "Page", words: str) -> bool:
    """Whether the band in the figure lies on the line with these words."""
    band = part(page, ".acdl-band").bounding_box()
    words_box = line(page, words).bounding_box()
    assert band
    assert words_box
    return band["y"] <= words_box["y"] and words_box["y"] + words_box["height"] <= band["y"] + band["height"]


def test_lights_both_ways(opened: Opened) -> None:
    """A piece lights its line; a line lights all that came from it; a click keeps it so."""
    page = opened()
    part(page, ".acdl-growth a").nth(2).click()
    part(page, ".acdl-now").get_by_text("on a ship").hover()
    assert part(page, ".acdl-band").count() == 1
    assert overlaps(page, "sys.call[@t.i].result")
    line(page, "env.question").hover()
    assert [words.split("\n")[-1] for words in lit(page)] == ["My order is late.", "Can it be faster?"]
    line(page, "env.question").click()
    page.locator("#after").hover()
    assert len(lit(page)) == 2
    page.locator("#Support .acdl-figure").focus()
    page.keyboard.press("Escape")
    assert lit(page) == []


def test_lights_through_fragments(opened: Opened) -> None:
    """A line that uses a fragment lights the messages of the fragment, which light it."""
    page = opened("/used")
    line(page, "Frag Start").hover()
    assert any("RULES" in words for words in lit(page))
    part(page, ".acdl-now .acdl-sent-system .acdl-sent-role").hover()
    assert part(page, ".acdl-band").count() == 2


def test_no_script(opened: Opened) -> None:
    """Without it, all points stand below each other, and the bars lead to them."""
    page = opened(java_script_enabled=False)
    assert len(seen(page)) == 6
    assert page.locator(".acdl-stepper").count() == 0
    page.locator(".acdl-growth a").nth(2).click()
    assert page.url.endswith("#Support-at-2.0")
    assert page.locator("#Support-at-2\\.0").is_visible()


def test_print(opened: Opened) -> None:
    """On paper is the point that is shown, whole, and nothing to press; without the script all points are."""
    page = opened()
    part(page, ".acdl-growth a").nth(1).click()
    chosen = seen(page)
    assert chosen[0] != LAST
    page.emulate_media(media="print")
    assert seen(page) == chosen
    assert part(page, ".acdl-now .acdl-sent-list").evaluate("node => node.scrollHeight <= node.clientHeight + 1")
    assert part(page, ".acdl-stepper").is_hidden()
    assert part(page, ".acdl-growth").is_hidden()
    complete = opened(java_script_enabled=False)
    complete.emulate_media(media="print")
    assert len(seen(complete)) == 6


@exhaustive
@pytest.mark.parametrize(("width", "is_beside"), [(360, False), (768, True), (1280, True)])
def test_room(opened: Opened, width: int, is_beside: bool) -> None:
    """Beside the figure where there is room, else below it; the page never scrolls sideways."""
    page = opened(viewport={"width": width, "height": 800})
    figure, messages = page.locator("#Support").bounding_box(), part(page, ".acdl-sent").bounding_box()
    assert figure
    assert messages
    assert (messages["x"] >= figure["x"] + figure["width"]) is is_beside
    assert page.evaluate("document.documentElement.scrollWidth") == width


@exhaustive
def test_accessibility(opened: Opened) -> None:
    """An audit by axe-core finds nothing; pages of our site are looked at in the dark too."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    page = opened(bypass_csp=True, reduced_motion="reduce")
    part(page, ".acdl-growth a").nth(2).click()
    part(page, ".acdl-now").get_by_text("on a ship").hover()
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]] == []
