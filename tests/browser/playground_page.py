"""The playground as a visitor has it: opened once, written in by keys, and silent on the console."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

ENGINE_MS = 600_000
"""How long Python may take to come on a busy machine."""
SPEC = """Helper[@T]: {
    S: RULES
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}
"""
STATE = """acdl_state: 1
at: "*"
templates: {RULES: Be brief.}
steps:
  1:
    env: {question: first question}
    resp: {answer: first answer}
  2:
    env: {question: second question}
"""


_BLOCKED = "Service Worker registration blocked by Playwright"
"""Said by a context that was told to have none."""


_VISITORS: WeakKeyDictionary["Browser", "BrowserContext"] = WeakKeyDictionary()


def _visitor(browser: "Browser", url: str) -> "BrowserContext":
    """Somebody who has been there before, so that Python comes from memory, and who has written nothing."""
    context = _VISITORS.get(browser)
    if context is None:
        context = _VISITORS[browser] = browser.new_context(viewport={"width": 1280, "height": 900})
    for page in context.pages:
        page.close()
    page = context.new_page()
    page.goto(f"{url}manifest.json")
    page.evaluate("localStorage.clear()")
    page.close()
    return context


@contextmanager
def playground(browser: "Browser", url: str, name: str = "", **options: Any) -> Iterator["Page"]:
    """The page with its first figure; in the end it asked nobody else and said nothing.

    With options it is in a context of its own, whose first visit this is.
    """
    size = {"width": 1280, "height": 900}
    context = browser.new_context(**{"viewport": size, **options}) if options else _visitor(browser, url)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.extend({message.text} - {_BLOCKED}))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url + name)
    drawn(page)
    yield page
    context.close() if options else page.close()
    assert said == [], said
    ours = urlsplit(url).netloc
    assert [
        each for each in asked if urlsplit(each).scheme in ("http", "https") and urlsplit(each).netloc != ours
    ] == []


def drawn(page: "Page") -> None:
    """Wait for the figure of the engine, which takes the place of the one that the site was built with."""
    page.locator("#figure:not([data-preview]) svg:not(.acdl-narrow)").wait_for(timeout=ENGINE_MS, state="attached")
    page.get_by_text("Ready", exact=True).wait_for(timeout=ENGINE_MS)


def editor(page: "Page", name: str = "spec") -> "Locator":
    """Where one writes."""
    return page.locator(f"#panel-{name} .cm-content")


def write(page: "Page", text: str, name: str = "spec") -> None:
    """Put a text in place of another, by keys."""
    page.locator(f"#tab-{name}").click()
    editor(page, name).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def lines(page: "Page", name: str = "spec") -> str:
    """The text, as far as it is on the screen."""
    return "\n".join(editor(page, name).locator(".cm-line").all_text_contents())
