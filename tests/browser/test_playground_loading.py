"""The playground loads by itself, again from the memory of the first visit, and without a network."""

import time
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive

from browser.playground_page import ENGINE_MS, drawn, lines, write
from browser.waiting import becomes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

_HAS_MEMORY = """async () => {
  for (const name of await caches.keys()) {
    for (const each of await (await caches.open(name)).keys()) if (each.url.endsWith("/memory")) return true;
  }
  return false;
}"""
_SPOIL = """async () => {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const each of await cache.keys()) {
      if (each.url.endsWith("/memory")) await cache.put(each, new Response("no memory"));
    }
  }
}"""
_MISSING_OF_REST = """async () => {
  const text = async (name) => (await fetch(name)).json();
  const { later } = await text("manifest.json");
  const { groups } = await text("examples.json");
  const keys = groups.flatMap(({ examples }) => examples.map(({ key }) => `examples/${key}.json`));
  const found = await Promise.all([...keys, ...later].map((name) => caches.match(new URL(name, document.baseURI))));
  return keys.length ? found.filter((each) => !each).length : -1;
}"""
_EXPORT = """() => new Promise((resolve) => {
  const script = new URL("worker.js", document.querySelector("script[src]").src);
  const worker = new Worker(script, { type: "module" });
  worker.onmessage = ({ data }) => {
    const params = { text: "P[@T]: { U: A }", format: "html" };
    if (data.stage === "ready") worker.postMessage({ seq: 1, method: "export", params });
    if (data.seq) {
      worker.terminate();
      resolve(JSON.stringify(data));
    }
  };
})"""
_WATCH_SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) window.shift += each.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""
_LEAST_SEEN = 0.02
"""A layout shift that nobody notices: a fifth of what counts as good."""
MEMORY_S = 300
"""How long a busy machine may take to keep it."""


def wait_for_memory(page: "Page") -> None:
    """Wait until the memory is kept."""
    becomes(page, lambda: page.evaluate(_HAS_MEMORY) is True, expected=True, most_s=MEMORY_S)


def visit(context: "BrowserContext", url: str) -> "Page":
    """The page with its first figure."""
    page = context.new_page()
    page.goto(url)
    drawn(page)
    return page


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_it_loads_cold_and_without_a_network(browser: "Browser", playground_url: str) -> None:
    """Nobody else is asked, and after the first visit nobody at all."""
    context = browser.new_context()
    asked: list[str] = []
    said: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("console", lambda message: said.append(message.text))
    page = visit(context, playground_url)
    wait_for_memory(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.close()
    context.set_offline(True)
    alone = visit(context, playground_url)
    write(alone, "P[@T]: {\n    U: { Frag Missing[@T] }\n}\n")
    alone.locator("#problems").get_by_text("Missing").first.wait_for(timeout=ENGINE_MS)
    assert said == []
    assert [each for each in asked if not each.startswith((playground_url, "blob:", "data:"))] == []
    context.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_figures_are_there_before_the_engine(browser: "Browser", playground_url: str) -> None:
    """Text and figure of what the address asks for are shown at once, and stay in place when the engine has come."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, service_workers="block")
    context.route("**/*.wasm", lambda _: None)  # never answered
    context.add_init_script(f"({_WATCH_SHIFTS})()")
    page = context.new_page()
    page.goto(playground_url)
    page.locator("#figure[data-preview] svg:not(.acdl-narrow)", has_text="sys.tool_call").wait_for()
    page.locator("#panel-spec", has_text="Helper").wait_for()
    page.goto("about:blank")
    keys = context.request.get(f"{playground_url}examples.json").json()["groups"][0]["examples"]
    key = next(each["key"] for each in keys if each["key"].startswith("rag-"))
    page.goto(f"{playground_url}#example={key}")
    preview = page.locator("#figure[data-preview] svg:not(.acdl-narrow)")
    preview.filter(has_not_text="sys.tool_call").wait_for()
    page.locator("#first").wait_for(state="detached")
    page.locator("#panel-spec .cm-line").first.wait_for()
    assert "Helper" not in lines(page)
    before = preview.bounding_box()
    context.unroute("**/*.wasm")
    page.reload()
    drawn(page)
    assert page.locator("#figure svg:not(.acdl-narrow)").bounding_box() == before
    assert page.evaluate("window.shift") < _LEAST_SEEN
    context.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_what_was_written_last_is_shown_first(browser: "Browser", playground_url: str) -> None:
    """Not the text of a first visitor, which would be replaced."""
    context = browser.new_context(service_workers="block")
    context.route("**/*.wasm", lambda _: None)
    page = context.new_page()
    page.goto(playground_url)
    page.locator("#first").wait_for(state="detached")
    write(page, "Mine[@T]: {\n    U: A\n}\n")
    context.route("**/page.js", lambda route: route.abort())
    page.reload()
    page.locator("#first", has_text="Mine").wait_for()
    assert page.locator("#figure svg").count() == 0
    context.close()


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_the_editor_is_shown_if_the_manifest_is_damaged(browser: "Browser", playground_url: str) -> None:
    """It has its text, and the focus, if a skip link was used before."""
    context = browser.new_context(service_workers="block")
    context.route("**/*.wasm", lambda _: None)
    answers: list[Route] = []
    context.route("**/manifest.json", lambda route: answers.append(route))
    page = context.new_page()
    with page.expect_request("**/manifest.json"):
        page.goto(playground_url)
    page.locator("a.skip[data-to=write]").focus()
    page.keyboard.press("Enter")
    assert page.locator("#panel-spec .cm-content").is_hidden()
    becomes(page, lambda: len(answers), 1)
    answers[0].fulfill(json={"words": None})
    page.locator("#panel-spec .cm-content:focus").wait_for()
    assert page.locator("#first").count() == 0
    assert "Helper" in lines(page)
    page.keyboard.type("B")
    page.locator("#panel-spec .cm-line", has_text="B").first.wait_for()
    page.reload()
    becomes(page, lambda: len(answers), 2)
    answers[1].fulfill(json={"words": None})
    page.locator("#panel-spec .cm-line", has_text="B").first.wait_for()
    assert "Helper" in lines(page)
    context.close()


@exhaustive
@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_everything_works_without_a_network(browser: "Browser", playground_url: str) -> None:
    """Examples that nobody has opened, and pictures with their fonts: once the page has rested, they are there."""
    context = browser.new_context()
    page = visit(context, playground_url)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    becomes(page, lambda: page.evaluate(_MISSING_OF_REST), 0, most_s=MEMORY_S)
    page.close()
    context.set_offline(True)
    said: list[str] = []
    context.on("console", lambda message: said.append(message.text))
    alone = visit(context, playground_url)
    options = alone.locator("#examples option[value]:not([value=''])")
    options.first.wait_for(state="attached")
    for value in [each.get_attribute("value") for each in options.all()][:3]:
        before = lines(alone)
        alone.locator("#examples").select_option(value)
        until = time.monotonic() + MEMORY_S
        while lines(alone) in ("", before):
            assert time.monotonic() < until, f"{value} was not opened"
            alone.wait_for_timeout(100)
    with alone.expect_download() as download:
        alone.locator("#file").click()
        alone.locator("[data-do=png]").click()
    assert download.value.suggested_filename.endswith(".png")
    assert alone.locator("#notices").get_by_text("cannot be loaded").count() == 0
    assert said == []
    context.close()


@exhaustive
@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_a_file_that_does_not_come(browser: "Browser", playground_url: str) -> None:
    """The page says which, and why; started again, it goes on."""
    context = browser.new_context(service_workers="block")
    context.route("**/stdlib.zip", lambda route: route.fulfill(status=503))
    page = context.new_page()
    page.goto(playground_url)
    page.get_by_text("stdlib.zip cannot be fetched: the site says 503").wait_for(timeout=ENGINE_MS)
    context.unroute("**/stdlib.zip")
    context.route("**/engine.zip", lambda route: route.abort())
    page.get_by_role("button", name="Start again").click()
    page.get_by_text("engine.zip cannot be fetched: the network is gone").wait_for(timeout=ENGINE_MS)
    context.unroute("**/engine.zip")
    page.get_by_role("button", name="Start again").click()
    drawn(page)
    context.close()


@exhaustive
@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_later_visits_load_from_memory(browser: "Browser", playground_url: str) -> None:
    """The first figure needs no archive; a question that does waits for it; a memory that is spoiled is made anew."""
    context = browser.new_context(service_workers="block")  # it would give the archive
    said: list[str] = []
    context.on("console", lambda message: said.append(message.text))
    page = visit(context, playground_url)
    wait_for_memory(page)
    page.close()

    context.route("**/engine.zip", lambda route: route.abort())
    again = visit(context, playground_url)
    write(again, "Other[@T]: {\n    U: caf\u00e9 \u2026\n}\n")
    again.locator("#figure svg:not(.acdl-narrow)").get_by_text("Other").first.wait_for(
        timeout=ENGINE_MS, state="attached"
    )
    assert "a part of the engine cannot be fetched" in again.evaluate(_EXPORT)
    context.unroute("**/engine.zip")
    assert "text/html" in again.evaluate(_EXPORT)
    assert not [each for each in said if "memory" in each]

    again.evaluate(_SPOIL)
    again.close()
    anew = visit(context, playground_url)
    assert [each for each in said if "memory" in each]
    wait_for_memory(anew)
    context.close()
