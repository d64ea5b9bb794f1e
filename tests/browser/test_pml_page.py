"""What a reader sees of a conversation: with and without scripts, narrow, dark, printed, and whatever it says.

Every page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import few

from acdl_mkdocs.frontends.docs.blocks.pml_block import from_fence
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Attachment, Call, Memory, Message, Output, Prompt, Text, Thinking, Tool
from acdl_mkdocs.workspace.fences import fences_of
from browser.strict_server import page_of, serving
from browser.test_accessibility import serious
from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

LONG = "a_word_without_any_place_to_break_" * 8
EVIL = "</text></details></div><script>document.title='x'</script><img src=x onerror=\"document.title='y'\">"
TALK = Prompt(
    (
        Message("system", (Text("Be brief. " * 90),)),
        Message(
            "user", (Text("Oslo?"), Attachment("file", LONG, mime="text/plain", text=f"{LONG}\n\tx")), "Ada", "m1", 1
        ),
        Message("assistant", (Thinking("Ask."), Call("weather", {"loc": LONG, "note": LONG}, "a")), turn=1),
        Message("tool", (Output((Text("no such place"),), "a", is_error=True),), turn=1),
        Message("user", (Text("Thanks"),), turn=2),
    ),
    (Tool("weather", "Weather", {"type": "object", "properties": {"loc": {"type": "string"}}}),),
    (Memory(LONG, key="k"),),
)
HOSTILE = Prompt(
    (
        Message(
            "user",
            (Text(EVIL), Attachment("doc", EVIL, href="javascript:document.title='z'"), Attachment("doc", text=EVIL)),
            EVIL,
            EVIL,
        ),
        Message("assistant", (Call(EVIL, {EVIL: EVIL}, EVIL),)),
    ),
    (Tool(EVIL, EVIL),),
    (Memory(EVIL, key=EVIL),),
    topic=EVIL,
)
MANY = Prompt(
    tuple(
        message
        for number in range(1, 501)
        for message in (
            Message("user", (Text("word " * (number * 37 % 120 + 1)),), turn=number),
            Message("assistant", (Text("Yes."),), turn=number),
        )
    )
)
Opened = Callable[..., "Page"]


def page_html(prompt: Prompt) -> str:
    """A page with a conversation, with style sheet and script from its own server."""
    text = f"```pml\n{write(prompt)}```\n"
    page = SitePage(name="a.md", text=text)
    body = "".join(from_fence(fence, page).html for fence in fences_of(text))
    return page_of(body)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where the pages are."""
    with serving({"/": page_html(TALK), "/hostile": page_html(HOSTILE), "/many": page_html(MANY)}) as address:
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
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


@pytest.mark.parametrize("is_scripted", [True, False], ids=["scripts", "no-scripts"])
def test_narrow(opened: Opened, is_scripted: bool) -> None:
    """Nothing is wider than a small page, folded or not; all of it can be unfolded without scripts."""
    page = opened(viewport={"width": 360, "height": 700}, java_script_enabled=is_scripted)
    for summary in page.locator(".acdl-pml-conversation summary").all():
        if summary.is_visible() and summary.evaluate("each => !each.parentElement.open"):
            summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    wide = "all => all.filter(each => each.getBoundingClientRect().right > 361).map(each => each.className)"
    assert page.locator(".acdl-sent-messages *:not(pre, pre *)").evaluate_all(wide) == []
    assert page.get_by_text("Ask.", exact=True).is_visible()


def test_links(opened: Opened) -> None:
    """From a call to its result, back, and to its tool, which unfolds."""
    page = opened()
    page.get_by_text("result ↓").click()
    assert page.url.endswith("#pml-result-1")
    assert page.locator(":target").inner_text().split() == ["✗", "failed", "weather", "↑", "no", "such", "place"]
    page.get_by_text("weather ↑").click()
    assert page.url.endswith("#pml-call-1")
    assert not page.locator("#pml-tool-weather").is_visible()
    page.locator("#pml-call-1 .acdl-call a").click()
    assert page.locator("#pml-tool-weather").is_visible()


@pytest.mark.parametrize("turn", few([400, 37, 250]))
def test_jump_to_a_turn(opened: Opened, turn: int) -> None:
    """Of many turns, the one that a link names is on the screen, at its top, on opening and on following a link."""
    place = f"document.querySelector('#pml-turn-{turn}').getBoundingClientRect().top"
    page = opened(f"/many#pml-turn-{turn}")
    page.wait_for_timeout(200)
    assert 0 <= page.evaluate(place) < 120
    page = opened("/many")
    page.evaluate(f"location.hash = 'pml-turn-{turn}'")
    page.wait_for_timeout(200)
    assert 0 <= page.evaluate(place) < 120


def test_source(opened: Opened) -> None:
    """The switch shows the text; an address of a turn shows the conversation again."""
    page = opened()
    load_actions(page)
    page.get_by_role("tab", name="Source").click()
    assert page.locator(".acdl-source pre").is_visible()
    assert not page.locator(".acdl-turn").first.is_visible()
    page.evaluate("location.hash = '#pml-turn-2'")
    page.locator("#pml-turn-2").wait_for(state="visible")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours(opened: Opened, scheme: str) -> None:
    """Roles have the colours of the scheme, and words stand out from the page."""
    page = opened(color_scheme=scheme)
    colours = page.locator(".acdl-sent-role").evaluate_all(
        "all => all.map(each => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(colours)) == 4
    colour = page.locator(".acdl-sent-text").first.evaluate("each => getComputedStyle(each).color")
    lightness = sum(int(each) for each in colour.removeprefix("rgb(").rstrip(")").split(",")[:3]) / 3
    assert (lightness > 128) == (scheme == "dark")


def test_printed(opened: Opened) -> None:
    """On paper, what is folded is there too."""
    page = opened()
    thought = page.locator(".acdl-sent-thinking > .acdl-sent-text")
    assert not thought.is_visible()
    page.emulate_media(media="print")
    assert thought.evaluate("each => each.getBoundingClientRect().height") > 0
    assert thought.evaluate("each => each.checkVisibility({contentVisibilityAuto: true})")


def test_hostile(opened: Opened) -> None:
    """Nothing that a document says runs, loads or leads anywhere."""
    page = opened("/hostile")
    for details in page.locator(".acdl-pml-conversation details").all():
        details.evaluate("each => { each.open = true; }")
    assert page.title() == "T"
    assert page.locator(".acdl-pml :is(script, img, iframe)").count() == 0
    links = page.locator(".acdl-pml a").evaluate_all("all => all.map(each => each.getAttribute('href')[0])")
    assert set(links) == {"#"}
    page.get_by_text("javascript:document.title", exact=False).first.click()
    assert page.title() == "T"


@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_accessible(opened: Opened, scheme: str) -> None:
    """Nothing keeps anybody out, with all unfolded."""
    page = opened(color_scheme=scheme)
    for details in page.locator(".acdl-pml-conversation details").all():
        details.evaluate("each => { each.open = true; }")
    page.evaluate("dark => { document.body.style.background = dark ? '#1e2129' : '#fff'; }", scheme == "dark")
    assert serious(page) == []
