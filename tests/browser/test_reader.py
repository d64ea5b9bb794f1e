"""What a reader does with figures: switch views, enlarge, follow links, print; with and without the script.

Every page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import few

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import to_html
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText
from browser.strict_server import serving
from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

REACT = """\
React[@T]: {
  Name docs := retrieve(env.question[@T])
  S: { INSTRUCTIONS($docs) Frag Manners[@T] }
  Mark 2 {
    U: env.question[@T] // the newest one
  }
}
StrFrag Manners[@t]: { BE_BRIEF(sys.locale[@t]) }
"""
LONG = (
    "Long[@T]: {\n" + "".join(f"  U: env.question_{number}[@T] // comment {number}\n" for number in range(40)) + "}\n"
)

TALL = "Tall[@T]: {\n" + "".join(f"  U: env.question_{number}[@T]\n" for number in range(16)) + "}\n"
HIDDEN = "Hidden[@T]: { U: env.question[@T] // \u202e what follows\n}\n"

Opened = Callable[..., "Page"]


def page_html(*texts: str, direction: str = "ltr", options: BlockOptions | None = None, head: str = "") -> str:
    """A page of figures that loads style sheet and script from its own server."""
    site_page = SitePage()
    blocks = [to_html(BlockText(Source(text, "a.md"), options or BlockOptions()), site_page).html for text in texts]
    return (
        f'<!doctype html><html lang="en" dir="{direction}"><head><meta charset="utf-8"><title>T</title>{head}'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.png">'
        '<link rel="stylesheet" href="/acdl.css"></head><body><h1>T</h1>'
        + "<p>Between.</p>".join(blocks)
        + '<script src="/acdl.js"></script></body></html>'
    )


PAGES = {
    "/": page_html(REACT, LONG),
    "/head": page_html(REACT, head='<script src="/acdl.js"></script>'),
    "/figure": page_html(REACT, options=BlockOptions(show="figure")),
    "/dark": page_html(REACT, options=BlockOptions(theme="dark")),
    "/text": page_html(REACT, options=BlockOptions(show="text")),
    "/open": page_html(REACT).replace("data-search-exclude>", "data-search-exclude open>", 1),
    "/tall": page_html(TALL).replace("</h1>", "</h1>" + "<p>Words before it.</p>" * 8),
    "/hidden": page_html(HIDDEN),
    "/rtl": page_html(REACT, LONG, direction="rtl"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the pages are."""
    with serving(PAGES) as address:
        yield address


@pytest.fixture
def opened(browser: "Browser", server: str) -> Iterator[Opened]:
    """Open pages in contexts of their own; in the end, none of them has complained."""
    said: list[str] = []
    contexts = []

    def open_page(path: str = "/", init: str = "", **options: Any) -> "Page":
        context = browser.new_context(viewport={"width": 900, "height": 700}, **options)
        contexts.append(context)
        if init:
            context.add_init_script(init)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(server + path)
        if options.get("java_script_enabled", True):
            load_actions(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


def shown(page: "Page", figure: str = "React") -> list[str]:
    """The views of a figure that can be seen."""
    parts = {"figure": ".acdl-figure", "source": ".acdl-source pre", "text": ".acdl-words pre"}
    return [name for name, part in parts.items() if page.locator(f"#{figure} > {part}").is_visible()]


def menu(page: "Page", figure: str = "React") -> "Locator":
    """What the menu of a figure holds, unfolded."""
    dots = page.locator(f"#{figure} .acdl-dots")
    if dots.get_attribute("aria-expanded") == "false":
        dots.click()
    return page.locator(f"#{figure} .acdl-items")


def tab(page: "Page", name: str, figure: str = "React") -> "Locator":
    """A tab of the switch."""
    return page.locator(f"#{figure}").get_by_role("tab", name=name)


@pytest.mark.parametrize("path", few(["/", "/head", "/rtl"]))
def test_switch(opened: Opened, path: str) -> None:
    """One view is shown at a time; the tabs say which."""
    page = opened(path)
    assert shown(page) == ["figure"]
    assert page.locator("#React summary").first.is_hidden()
    for name in ("Source", "Text", "Figure"):
        tab(page, name).click()
        assert shown(page) == [name.lower()]
        selected = page.locator('#React [role=tab][aria-selected="true"]')
        assert selected.all_inner_texts() == [name]
        assert page.locator("#React [role=tabpanel]:visible").count() == 1
    assert page.locator("#React .acdl-bar").count() == 1


def test_choice_is_kept(opened: Opened) -> None:
    """All figures follow the choice without moving what the reader looks at, and the next page begins with it."""
    page = opened()
    switch = tab(page, "Text", "Long")
    switch.scroll_into_view_if_needed()
    before = switch.bounding_box()
    switch.click()
    after = switch.bounding_box()
    assert before
    assert after
    assert abs(before["y"] - after["y"]) < 2
    assert (shown(page), shown(page, "Long")) == (["text"], ["text"])
    page.reload()
    assert (shown(page), shown(page, "Long")) == (["text"], ["text"])
    load_actions(page)
    tab(page, "Figure").click()
    page.reload()
    assert shown(page) == ["figure"]


def test_switch_without_storage(opened: Opened) -> None:
    """Where a page may not remember anything, the switch works all the same."""
    page = opened(init='Object.defineProperty(window, "localStorage", { get() { throw new Error("refused"); } });')
    tab(page, "Source").click()
    assert shown(page) == ["source"]
    page.reload()
    assert shown(page) == ["figure"]


@pytest.mark.parametrize(("path", "forward", "back"), [("/", "Right", "Left"), ("/rtl", "Left", "Right")])
def test_switch_by_keyboard(opened: Opened, path: str, forward: str, back: str) -> None:
    """The tabs are one stop of the tab key; arrows follow the direction of the page and go round."""
    page = opened(path)
    tab(page, "Figure").focus()
    seen = []
    for key in (f"Arrow{forward}", f"Arrow{forward}", f"Arrow{forward}", f"Arrow{back}", "Home", "End"):
        page.keyboard.press(key)
        seen += shown(page)
    assert seen == ["source", "text", "figure", "text", "figure", "text"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "acdl-dots"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.textContent") == "Text"


@pytest.mark.parametrize(
    ("name", "begins"), few([("Figure", "React[@T]: {"), ("Source", "React[@T]: {"), ("Text", "React[")])
)
def test_copy(opened: Opened, name: str, begins: str) -> None:
    """The button copies the source, or the text while it is shown, and says so."""
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    tab(page, name).click()
    menu(page).locator(".acdl-copy").click()
    page.locator("#React [role=status]", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(begins)
    assert ("Mark 2 {" in copied) is (name != "Text")
    assert ("Role: System" in copied) is (name == "Text")


def test_copy_without_clipboard(opened: Opened) -> None:
    """Without access to the clipboard the text is selected, and the reader is told which keys to press."""
    page = opened(init='Object.defineProperty(navigator, "clipboard", { value: undefined });')
    tab(page, "Source").click()
    menu(page).locator(".acdl-copy").click()
    page.locator("#React [role=status]", has_text="Press Ctrl+C").wait_for()
    assert page.evaluate("getSelection().toString()").startswith("React[@T]: {")


def test_without_script(opened: Opened) -> None:
    """Source and text unfold below the figure, by mouse and by keyboard; nothing that needs the script is there."""
    page = opened(java_script_enabled=False)
    assert shown(page) == ["figure"]
    assert page.locator("button").count() == 0
    source, text = page.locator("#React summary").all()
    assert abs(source.bounding_box()["y"] - text.bounding_box()["y"]) < 2  # type: ignore[index]
    source.click()
    text.focus()
    page.keyboard.press("Enter")
    assert shown(page) == ["figure", "source", "text"]


@pytest.mark.parametrize(
    ("path", "tabs", "buttons"),
    [
        ("/figure", 0, ["Enlarge", "\u22ef", "Comments", "Save SVG", "Save PNG"]),
        ("/text", 0, ["Copy"]),
        ("/open", 0, ["Enlarge", "\u22ef", "Copy", "Comments", "Save SVG", "Save PNG"]),
    ],
)
def test_bar_offers_what_there_is(opened: Opened, path: str, tabs: int, buttons: list[str]) -> None:
    """A figure with one view has no switch, nor has one whose source the page shows at once."""
    page = opened(path)
    assert page.locator("[role=tab]").count() == tabs
    page.locator(".acdl-dots").evaluate_all("found => found.forEach((dots) => dots.click())")
    assert page.locator(".acdl-bar button").all_text_contents() == buttons
    assert (page.locator(".acdl-source pre").is_visible()) is (path == "/open")


def test_figures_that_come_later(opened: Opened) -> None:
    """Figures that navigation without page loads puts into the page get their bar, each once."""
    page = opened("/figure")
    page.evaluate(
        """(html) => { document.querySelector("figure").remove();
        document.body.append(new DOMParser().parseFromString(html, "text/html").querySelector("#React")); }""",
        PAGES["/"],
    )
    tab(page, "Text").click()
    assert shown(page) == ["text"]
    assert page.locator(".acdl-bar").count() == 1


def lit(page: "Page") -> list[str]:
    """The words that are lit up, in the drawing that has room and in the source."""
    return page.locator(".acdl-lit:not(.acdl-narrow *)").all_text_contents()


def test_names_light_up_by_finger_and_keyboard(opened: Opened) -> None:
    """A touch or the focus lights up all uses of a name, as the mouse does, in the figure and in its source."""
    page = opened(has_touch=True)
    page.locator("#React svg .acdl-r", has_text="docs").first.tap()
    assert lit(page) == ["docs", "docs", "docs", "$docs"]
    page.locator("#React svg a").first.focus()
    assert any("Manners" in each for each in lit(page))


def test_variables_light_up(opened: Opened) -> None:
    """All uses of a variable light up with it, at whatever time; pointing at the time lights up the time."""
    page = opened()
    page.locator("#React svg .acdl-v", has_text="env.question").first.hover(position={"x": 20, "y": 8})
    assert lit(page) == ["env.question[@T]", "env.question[@T]", "env.question", "env.question"]
    page.locator("#React svg .acdl-v .acdl-i").first.hover()
    assert "@T" in lit(page)
    assert not any("question" in each for each in lit(page))


def test_names_light_up_with_a_background(opened: Opened) -> None:
    """Behind each use of a name, and of nothing beside it, is a background: in the drawing and in the source."""
    page = opened()
    menu(page).get_by_label("Highlight a name").select_option("env.question")
    uses = page.locator("#React svg:not(.acdl-narrow) .acdl-v.acdl-lit")
    behind = page.locator("#React svg:not(.acdl-narrow) .acdl-lit-behind")
    assert uses.count() == (behind.get_attribute("d") or "").count("M") == 2
    assert behind.evaluate("node => getComputedStyle(node).fill") == "rgb(255, 238, 153)"
    ground, left, index = (each.bounding_box() for each in (behind, uses.last, uses.first.locator(".acdl-i").first))
    assert ground
    assert left
    assert index
    assert abs(ground["x"] - left["x"]) < 3
    assert abs(ground["x"] + ground["width"] - index["x"]) < 3  # the index is not part of the name
    tab(page, "Source").click()
    source = page.locator("#React .acdl-code .acdl-lit").first
    assert source.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(255, 238, 153)"
    menu(page).get_by_label("Highlight a name").select_option("", force=True)
    assert behind.get_attribute("d") == ""


def test_names_light_up_without_a_pointer(opened: Opened) -> None:
    """A list of the names that are used more than once is one stop of the tab key; what is chosen stays lit."""
    page = opened()
    names = menu(page).get_by_label("Highlight a name")
    assert names.locator("option").all_inner_texts() == [
        "Names",
        "@T (4)",
        "@t (2)",
        "Manners (2)",
        "docs (2)",
        "env.question (2)",
    ]
    page.locator("#React .acdl-fold").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("env")
    chosen = ["env.question[@T]", "env.question[@T]", "env.question", "env.question"]
    assert lit(page) == chosen
    page.locator("#React svg .acdl-r", has_text="docs").first.hover()
    assert lit(page) != chosen
    page.mouse.move(1, 1)
    assert lit(page) == chosen
    names.select_option("")
    assert lit(page) == []


def test_comments_can_be_hidden(opened: Opened) -> None:
    """The button hides the comments of its figure and shows them again."""
    page = opened()
    button = menu(page).locator(".acdl-fold")
    comment = page.locator("#React svg .acdl-c").first
    for is_pressed in (True, False):
        button.click()
        assert button.get_attribute("aria-pressed") == str(is_pressed).lower()
        assert comment.is_hidden() is is_pressed
    assert page.locator("#Long svg .acdl-c").first.is_visible()


def test_menu_closes(opened: Opened) -> None:
    """Escape, a press elsewhere and a choice close the menu; the focus goes back to its button."""
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    items = menu(page)
    items.locator(".acdl-fold").focus()
    page.keyboard.press("Escape")
    assert items.is_hidden()
    assert "acdl-dots" in page.evaluate("document.activeElement.className")
    menu(page)
    page.locator("h1").click()
    assert items.is_hidden()
    menu(page).locator(".acdl-copy").click()
    assert items.is_hidden()
    assert menu(page).is_visible()


def place(page: "Page") -> dict[str, float]:
    """Where the enlarged drawing is, and how large."""
    found: dict[str, float] = page.evaluate(
        """() => { const box = document.querySelector("dialog svg").getBoundingClientRect();
        return { x: box.x, y: box.y, width: box.width, height: box.height }; }"""
    )
    return found


def enlarged(page: "Page", figure: str = "Long") -> "Locator":
    """The enlarged view, opened by its button."""
    page.locator(f"#{figure} .acdl-enlarge").click()
    return page.locator("dialog[open]")


def test_enlarged_view_by_keyboard(opened: Opened) -> None:
    """Keys zoom and move; escape closes and the focus is where it was."""
    page = opened(reduced_motion="reduce")
    page.locator("#Long .acdl-enlarge").focus()
    page.keyboard.press("Enter")
    start = place(page)
    page.keyboard.press("+")
    larger = place(page)
    assert larger["width"] == pytest.approx(start["width"] * 1.25, rel=0.01)
    page.keyboard.press("ArrowDown")
    assert place(page)["y"] == pytest.approx(larger["y"] - 60, abs=1)
    page.keyboard.press("ArrowUp")
    assert place(page)["y"] == pytest.approx(larger["y"], abs=1)
    page.keyboard.press("-")
    assert place(page)["width"] == pytest.approx(start["width"], rel=0.01)
    page.keyboard.press("0")
    whole = place(page)
    assert whole["y"] >= 0
    assert whole["y"] + whole["height"] <= 700
    for _ in range(30):
        page.keyboard.press("+")
    assert page.locator("dialog output").inner_text() == "800 %"
    page.keyboard.press("Escape")
    closed(page)
    assert page.evaluate("document.activeElement.className") == "acdl-enlarge"


def closed(page: "Page") -> None:
    """Wait until the enlarged view is gone: a browser says that a dialog was closed in a task of its own."""
    page.locator("dialog").wait_for(state="detached")


def test_enlarged_view_by_mouse(opened: Opened) -> None:
    """The wheel zooms around the pointer, dragging moves, buttons do what they say."""
    page = opened()
    dialog = enlarged(page)
    before = place(page)
    x, y = before["x"] + 100, 300.0
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    page.wait_for_function(
        f"document.querySelector('dialog svg').getBoundingClientRect().width > {before['width']} + 9"
    )
    after = place(page)
    scale = after["width"] / before["width"]
    assert after["y"] == pytest.approx(y - (y - before["y"]) * scale, abs=2)
    page.mouse.down()
    page.mouse.move(x - 50, y - 120, steps=4)
    page.mouse.up()
    assert place(page)["y"] == pytest.approx(after["y"] - 120, abs=2)
    dialog.get_by_role("button", name="Fit to window (0)").click()
    assert place(page)["height"] <= 700
    dialog.get_by_role("button", name="Zoom in (+)").click()
    dialog.get_by_role("button", name="Close (Esc)").click()
    closed(page)
    assert page.evaluate("document.activeElement.className") == "acdl-enlarge"


def test_enlarged_view_by_finger(opened: Opened) -> None:
    """One finger moves, two fingers zoom."""
    page = opened(has_touch=True)
    enlarged(page)
    touches = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        listed = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": listed})

    before = place(page)
    touch("touchStart", (400, 500))
    touch("touchMove", (400, 450))
    touch("touchMove", (400, 300))
    touch("touchEnd")
    assert place(page)["y"] == pytest.approx(before["y"] - 200, abs=6)
    touch("touchStart", (300, 300), (500, 300))
    touch("touchMove", (250, 300), (550, 300))
    touch("touchMove", (200, 300), (600, 300))
    touch("touchEnd")
    assert place(page)["width"] == pytest.approx(before["width"] * 2, rel=0.1)


def test_enlarged_view_fits_the_width(opened: Opened) -> None:
    """It begins as wide as the window or twice its size, and never smaller than on the page; a key shows it whole."""
    page = opened("/tall")
    scale = "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
    for width, height in ((360, 640), (1280, 300)):
        page.set_viewport_size({"width": width, "height": height})
        on_page = page.locator("#Tall .acdl-figure svg").evaluate(scale)
        enlarged(page, "Tall")
        assert page.locator(".acdl-stage").evaluate("node => node.scrollWidth <= node.clientWidth")
        assert on_page <= page.locator("dialog svg").evaluate(scale) <= 2
        page.keyboard.press("0")
        whole = place(page)
        assert whole["y"] + whole["height"] <= height
        page.keyboard.press("Escape")
        closed(page)


def test_enlarged_view_is_a_copy(opened: Opened) -> None:
    """It adds no id to the page, has a name, and a link in it closes it and leads to its place."""
    page = opened()
    page.locator("#React .acdl-figure").focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog[open]").get_attribute("aria-label") == "React, enlarged"
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
    page.locator("dialog svg a").click()
    closed(page)
    assert page.url.endswith("#Manners")


def test_enlarged_view_closes_on_the_way_back(opened: Opened) -> None:
    """Going back in the history does not leave the enlarged view over another place."""
    page = opened()
    page.evaluate("location.hash = 'Long'")
    enlarged(page)
    page.go_back()
    page.locator("dialog").wait_for(state="detached")


@pytest.mark.parametrize("name", ["React-mark-2", "React-line-5"])
def test_places_in_a_figure(opened: Opened, name: str) -> None:
    """An address may name a mark or a line; its words are framed, and the figure is shown for it."""
    page = opened()
    tab(page, "Source").click()
    page.evaluate("(name) => { location.hash = name; }", name)
    page.locator("#React .acdl-figure").wait_for()
    assert page.locator(":target").get_attribute("id") == name
    framed = page.evaluate(
        """[...document.querySelectorAll("svg *")].filter((node) => getComputedStyle(node).outlineStyle === "solid")
        .map((node) => node.textContent.replace(/\\s+/g, " ").trim())"""
    )
    assert len(framed) == 1
    assert framed[0].startswith("ROLE: USER env.question[@T]")
    assert shown(page, "Long") == ["source"]
    page.reload()
    assert shown(page) == ["figure"]


def test_same_place_again(opened: Opened) -> None:
    """A link to a place in a figure shows the figure each time, though the address is the same the second time."""
    page = opened()
    page.evaluate("""() => document.querySelector("h1").innerHTML = '<a href="#React-mark-2">mark 2</a>'""")
    for _ in range(2):
        tab(page, "Source").click()
        page.locator("h1 a").click()
        page.locator("#React .acdl-figure").wait_for()
        assert shown(page) == ["figure"]


def test_hidden_characters_in_the_source(opened: Opened) -> None:
    """They are shown by their numbers, and what is written after them stays where it is."""
    page = opened("/hidden", permissions=["clipboard-read", "clipboard-write"])
    tab(page, "Source", "Hidden").click()
    control = page.locator("#Hidden .acdl-control")
    assert control.evaluate("(node) => getComputedStyle(node, '::before').content") == '"<U+202E>"'
    assert control.evaluate("(node) => getComputedStyle(node).unicodeBidi") == "isolate"
    menu(page, "Hidden").locator(".acdl-copy").click()
    page.locator("#Hidden [role=status]", has_text="Copied").wait_for()
    assert "\u202e" in page.evaluate("navigator.clipboard.readText()")


def test_paper_is_not_left_empty(opened: Opened) -> None:
    """A figure nearly as high as a sheet shrinks to stand below the text before it; a long one stays legible."""
    from io import BytesIO

    from pypdf import PdfReader

    page = opened("/tall")
    sheets = [sheet.extract_text() for sheet in PdfReader(BytesIO(page.pdf(format="A4"))).pages]
    assert len(sheets) == 1
    assert "env.question_0" in sheets[0]
    page.goto(page.url.replace("/tall", "/"))
    page.emulate_media(media="print")
    scale = "document.querySelector('#Long svg').getBoundingClientRect().height / Number(%s)"
    assert page.evaluate(scale % "document.querySelector('#Long svg').getAttribute('height')") == 1


@pytest.mark.parametrize("view", few(["Figure", "Source", "Text"]))
def test_paper(opened: Opened, view: str) -> None:
    """Printed, there is the figure in light colours, whichever view was on the screen, and nothing to press."""
    page = opened(color_scheme="dark")
    tab(page, view).click()
    page.emulate_media(media="print", color_scheme="dark")
    assert shown(page) == ["figure"]
    assert page.locator(".acdl-bar:visible, .acdl-permalink:visible, summary:visible").count() == 0
    fill = "getComputedStyle(document.querySelector('path.acdl-zv')).fill"
    assert page.evaluate(fill) == "rgb(224, 255, 221)"


def test_paper_of_a_dark_figure(opened: Opened) -> None:
    """A figure that is always dark on the screen is light on paper, which has no dark ground."""
    page = opened("/dark")
    fill = "getComputedStyle(document.querySelector('path.acdl-zv')).fill"
    assert page.evaluate(fill) == "rgb(20, 53, 42)"
    page.emulate_media(media="print")
    assert page.evaluate(fill) == "rgb(224, 255, 221)"


def test_paper_without_script(opened: Opened) -> None:
    """Folded or not, source and text are not printed beside the figure."""
    page = opened(java_script_enabled=False)
    page.locator("#React summary").first.click()
    page.emulate_media(media="print")
    assert shown(page) == ["figure"]


def test_colours_of_the_system(opened: Opened) -> None:
    """Where the system sets the colours, words have its text colour on its background, whatever lies behind them."""
    page = opened(forced_colors="active", color_scheme="dark")
    canvas, words = page.evaluate(
        """() => { const probe = document.createElement("p"); probe.className = "probe"; document.body.append(probe);
        const sheet = new CSSStyleSheet(); sheet.replaceSync(".probe { background: Canvas; color: CanvasText }");
        document.adoptedStyleSheets = [sheet];
        const style = getComputedStyle(probe); return [style.backgroundColor, style.color]; }"""
    )
    assert canvas != words
    fills = "(selector) => [...new Set([...document.querySelectorAll(selector)].map((e) => getComputedStyle(e).fill))]"
    assert page.evaluate(fills, "svg text:not(:has(a)), svg text > tspan") == [words]
    assert page.evaluate(fills, "svg :is(.acdl-zs, .acdl-zu, .acdl-zv, .acdl-zp, .acdl-zt)") == [canvas]
    assert page.evaluate(fills, "svg a tspan") != [words]


def test_page_from_right_to_left(opened: Opened) -> None:
    """Figures and code keep their direction; the page does not scroll sideways; the bar begins at the right."""
    page = opened("/rtl")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab(page, "Source").click()
    assert page.locator("#React .acdl-code").evaluate("(node) => getComputedStyle(node).direction") == "ltr"
    first, last = tab(page, "Figure").bounding_box(), page.locator("#React .acdl-dots").bounding_box()
    assert first
    assert last
    assert first["x"] > last["x"]
