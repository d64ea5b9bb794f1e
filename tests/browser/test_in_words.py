"""The view of a figure in words: sentences and parts of the figure frame each other, and so do links into it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

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

CHAT = """\
Chat[@T]: {
  S: { RULES Frag Manners[@T] }
  Mark 2 {
    U: { env.question[@T] env.a_document_with_a_very_long_name_that_needs_some_room[@T] } // the newest one
  }
}
StrFrag Manners[@t]: { BE_BRIEF(sys.locale[@t]) }
"""
LEGEND = (
    '<div class="acdl-figure" id="legend">'
    '<svg class="acdl-svg" viewBox="0 0 99 20"><text y="15" data-acdl="0-4">Role</text></svg></div>'
)


def page_html(head: str = "", script: str = '<script src="/acdl.js"></script>') -> str:
    """A page with an explained figure, one that is not, and links into the first."""
    site_page = SitePage()
    blocks = [
        to_html(BlockText(Source(text, "a.md"), options), site_page).html
        for text, options in (
            (CHAT, BlockOptions(explain=True, caption="C")),
            ("Bare[@T]: { U: env.q[@T] }\n", BlockOptions()),
        )
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>{head}'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.png">'
        '<link rel="stylesheet" href="/acdl.css"></head><body><main class="md-typeset"><h1>T</h1>'
        '<p><a id="to-mark" href="#Chat-mark-2">the question</a> <a id="to-line" href="#Chat-line-7">manners</a> '
        '<a id="away" href="/other#Chat-mark-2">elsewhere</a></p>'
        + "".join([*blocks, LEGEND])
        + f"</main>{script}</body></html>"
    )


PAGES = {"/": page_html(), "/bare": page_html(script="")}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the pages are."""
    with serving(PAGES) as address:
        yield address


@pytest.fixture(params=[1200, 400], ids=["wide", "narrow"])
def page(browser: "Browser", server: str, request: pytest.FixtureRequest) -> Iterator["Page"]:
    """The page, with room for figure and words side by side, or with the narrow drawing; it complains about nothing."""
    said: list[str] = []
    opened = browser.new_page(viewport={"width": request.param, "height": 900})
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.set_default_timeout(5000)
    opened.goto(server)
    load_actions(opened)
    yield opened
    opened.close()
    assert said == []


def in_words(page: "Page") -> None:
    """Choose the view."""
    page.locator("#Chat").get_by_role("tab", name="In words").click()


def drawn(page: "Page", words: str) -> "Locator":
    """The words in the drawing that is seen."""
    return page.locator("#Chat .acdl-figure svg:visible text", has_text=words).locator("visible=true").first


def framed(page: "Page") -> list[str]:
    """What has a frame and can be seen."""
    words: list[str] = page.evaluate(
        """[...document.querySelectorAll("main *")]
        .filter((each) => getComputedStyle(each).outlineStyle === "solid")
        .filter((each) => each.checkVisibility({ visibilityProperty: true }))
        .map((each) => each.textContent.replace(/\\s+/g, " ").trim())"""
    )
    return words


def test_view(page: "Page") -> None:
    """The view shows the figure too; one without words shows itself; the figure names its details."""
    figure, words = page.locator("#Chat > .acdl-figure"), page.locator("#Chat > .acdl-explained > div")
    assert words.is_hidden()
    assert figure.get_attribute("aria-details") == "Chat-in-words-tab"
    assert page.locator("#Chat-in-words-tab").text_content() == "In words"
    in_words(page)
    assert words.is_visible()
    assert figure.is_visible()
    assert page.locator("#Chat .acdl-enlarge").is_visible()
    assert page.locator("#Bare > .acdl-figure").is_visible()
    assert figure.get_attribute("aria-details") == "Chat-in-words"
    beside = figure.bounding_box(), words.bounding_box()
    assert beside[0] is not None
    assert beside[1] is not None
    is_wide = page.evaluate("innerWidth") > 1000
    assert (beside[1]["x"] >= beside[0]["x"] + beside[0]["width"]) is is_wide
    assert (beside[1]["y"] >= beside[0]["y"] + beside[0]["height"]) is not is_wide
    page.emulate_media(media="print")
    assert words.is_hidden()
    assert figure.is_visible()


def test_sentences_and_parts(page: "Page") -> None:
    """A sentence frames its part; a part frames its sentence, not that of what is around it, and links to what is."""
    in_words(page)
    sentence = page.locator(".acdl-explained [data-acdl]", has_text="BE_BRIEF")
    sentence.hover()
    assert framed(page) == ["BE_BRIEF(sys.locale[@t])"]
    page.get_by_role("heading").hover()
    assert framed(page) == []
    drawn(page, "env.question").hover()
    assert framed(page) == ["the question", "env.question of the current turn line 4"]
    drawn(page, "ROLE: USER").hover()
    assert framed(page) == ["the question", "a User message: line 4"]


def test_by_keyboard(page: "Page") -> None:
    """The focus does what the pointer does: on a link of a sentence, and on one of the page; it leads there."""
    in_words(page)
    page.locator(".acdl-explained [data-acdl]", has_text="RULES").locator("a").focus()
    assert "RULES" in framed(page)
    page.keyboard.press("Enter")
    assert page.url.endswith("#Chat-line-2")
    assert page.locator("#Chat > .acdl-figure").is_visible()
    page.locator("#to-line").focus()
    assert any(each.startswith(("Manners", "StrFrag")) for each in framed(page))


def test_links_of_the_page(page: "Page") -> None:
    """A link into the figure frames its part, also while another view is chosen; the part frames the link."""
    page.locator("#to-mark").hover()
    (part,) = framed(page)
    assert "env.question[@T]" in part
    for elsewhere in ("#away", "#legend text"):
        page.locator(elsewhere).hover()
        assert framed(page) == []
    drawn(page, "env.question").hover()
    assert framed(page) == ["the question"]


def test_without_script(browser: "Browser", server: str) -> None:
    """Without the script the words unfold below the figure, and their links lead into it."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 900, "height": 700})
    page = context.new_page()
    page.goto(f"{server}/bare")
    words = page.locator("#Chat > .acdl-explained > div")
    assert words.is_hidden()
    page.locator("#Chat-in-words > summary").click()
    assert words.is_visible()
    words.locator("a").last.click()
    assert page.url.endswith("#Chat-line-4")
    context.close()


def test_audit(page: "Page") -> None:
    """An audit by axe-core finds nothing."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    in_words(page)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_controls_are_legible_in_small_text(page: "Page") -> None:
    """In a note of Material, whose text is small, the words around a figure have a least size."""
    page.evaluate("() => { document.querySelector('main').style.fontSize = '10px'; }")
    sizes = "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    assert min(page.locator(".acdl-bar button").evaluate_all(sizes)) > 11


def test_words_are_beside_a_figure_with_messages(browser: "Browser", address: str) -> None:
    """Words and figure are read together, so the messages make room for them."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/specs/React2/")
    load_actions(page)
    page.get_by_role("tab", name="In words").click()
    figure, words, sent = (
        page.locator(f".acdl-evaluated {part}").first.evaluate("node => node.getBoundingClientRect().toJSON()")
        for part in (".acdl-figure", ".acdl-explanation", ".acdl-sent")
    )
    assert words["left"] >= figure["right"]
    assert words["top"] < figure["top"] + 100
    assert sent["top"] >= figure["bottom"]
    page.close()
