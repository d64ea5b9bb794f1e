"""What a reader sees of recorded runs beside a figure: with and without scripts, narrow, dark, and whatever they say.

Every page is served with the policy `default-src 'self'` and may not say anything on the console.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.docs.blocks.block import from_fence
from acdl_mkdocs.frontends.docs.page import Page as SitePage
from acdl_mkdocs.workspace.fences import fences_of
from browser.strict_server import serving
from browser.test_accessibility import serious
from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

EVIL = "</code></li></div><script>document.title='x'</script><img src=x onerror=\"document.title='y'\">"
SPEC = (
    "Chat[@T]: {\n    S: INSTRUCTIONS\n    ForEach(t: range(1, @T)) {\n        U: env.question[@t]\n"
    "        A: resp.answer[@t]\n    }\n    If env.is_late[@T] == true {\n        S: HURRY\n    }\n"
    "    U: env.a_question_with_a_name_that_is_far_too_long_for_a_telephone[@T]\n}\n"
)
Opened = Callable[..., "Page"]


def page_html(folder: Path) -> str:
    """A page with a spec that a run refutes, and beside its source."""
    messages = [("system", "be kind"), ("user", EVIL), ("user", "word " * 200), ("user", "q2")]
    first, second = (
        {"model": EVIL, "messages": [{"role": role, "content": words} for role, words in part]}
        for part in (messages[:2], messages)
    )
    (folder / "run.jsonl").write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    text = "".join(f'```acdl runs="run.jsonl" show={show} id={show}\n{SPEC}```\n\n' for show in ("both", "side"))
    page = SitePage(name="a.md", text=text, root=folder)
    body = "".join(from_fence(fence, page).html for fence in fences_of(text))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.png">'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/acdl.css"></head>'
        f'<body><main><h1>T</h1>{body}</main><script src="/acdl.js"></script></body></html>'
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is."""
    with serving({"/": page_html(tmp_path_factory.mktemp("runs"))}) as address:
        yield address


@pytest.fixture
def opened(browser: "Browser", server: str) -> Iterator[Opened]:
    """Open the page in contexts of their own; in the end, none of them has complained."""
    said: list[str] = []
    contexts = []

    def open_page(**options: Any) -> "Page":
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(server)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


@pytest.mark.parametrize("is_scripted", [True, False], ids=["scripts", "no-scripts"])
def test_narrow(opened: Opened, is_scripted: bool) -> None:
    """Nothing is wider than a small page; the table scrolls by itself, and verdicts are in view before it does."""
    page = opened(viewport={"width": 360, "height": 700}, java_script_enabled=is_scripted)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    table = page.locator("#both .acdl-verified-table").first
    assert table.evaluate("each => each.scrollWidth > each.clientWidth")
    refuted = page.locator("#both tr.acdl-is-refuted td").first
    assert refuted.is_visible()
    assert refuted.evaluate("each => each.getBoundingClientRect().right") <= 360


@exhaustive
@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_anybody_can_read_it(opened: Opened, scheme: str) -> None:
    """Contrast, names and order of what is said."""
    page = opened(color_scheme=scheme)
    page.evaluate("dark => { document.body.style.background = dark ? '#1e2129' : '#fff'; }", scheme == "dark")
    assert page.locator(".acdl-verified-table").first.is_visible()
    assert serious(page) == []


def test_signs_beside_the_source(opened: Opened) -> None:
    """Each stands at the height of its line, and is not part of what is copied."""
    page = opened(java_script_enabled=False)
    code = page.locator("#side code[data-acdl-margin]")
    signs = (code.get_attribute("data-acdl-margin") or "").split("\n")
    assert signs[4] == "✗"
    assert len(signs) == SPEC.count("\n")
    assert "✗" not in code.inner_text()
    left = code.evaluate("each => parseFloat(getComputedStyle(each, '::before').marginInlineStart)")
    padding = code.evaluate("each => parseFloat(getComputedStyle(each).paddingInlineStart)")
    assert 0 < -left < padding
    heights = code.evaluate(
        "each => [getComputedStyle(each, '::before').lineHeight, getComputedStyle(each).lineHeight]"
    )
    assert heights[0] == heights[1]


def test_what_is_recorded_does_nothing(opened: Opened) -> None:
    """Messages and models are words."""
    page = opened()
    assert page.title() == "T"
    assert page.locator(".acdl-refuting li", has_text="<script>").first.is_visible()


def test_views(opened: Opened) -> None:
    """The section stays whichever view of the figure is chosen; the text has the signs too."""
    page = opened()
    load_actions(page)
    page.locator("#both").get_by_role("tab", name="Text").click()
    assert "✗" in page.locator("#both pre.acdl-text").inner_text()
    assert page.locator("#both .acdl-verified-head").is_visible()
