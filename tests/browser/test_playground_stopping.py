"""What takes too long is stopped, and the page goes on."""

from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive

from browser.playground_page import ENGINE_MS, drawn, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_ENDLESS = """P[@T]: {
    ForEach(a: range(1, 1000)) { ForEach(b: range(1, 1000)) { ForEach(c: range(1, 1000)) {
        If(env.x[@T] = "no") { U: A }
    } } }
}
"""
_MANY_POINTS = 'acdl_state: 1\nat: "*"\nsteps:\n' + "".join(f"  {step}: {{env: {{x: a}}}}\n" for step in range(1, 40))


@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_an_endless_evaluation_is_stopped(browser: "Browser", playground_url: str) -> None:
    """The button comes by itself; the texts are kept, the engine starts anew and draws what is written next."""
    with playground(browser, playground_url) as page:
        write(page, _MANY_POINTS, "state")
        write(page, _ENDLESS)
        page.locator("#tab-sent").click()
        page.locator("#stop").click(timeout=ENGINE_MS)
        page.get_by_text("Stopped. The engine is restarting.").wait_for(timeout=ENGINE_MS)
        page.locator("#tab-figure").click()
        write(page, "Other[@T]: {\n    U: A\n}\n")
        page.locator("#figure svg:not(.acdl-narrow)").get_by_text("Other").first.wait_for(
            timeout=ENGINE_MS, state="attached"
        )
        drawn(page)
        page.locator("#tab-state").click()
        assert "env: {x: a}" in page.locator("#panel-state .cm-content").inner_text()


@exhaustive
@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_what_was_stopped_is_not_asked_again(browser: "Browser", playground_url: str) -> None:
    """A text that takes too long to be drawn or compared: said once, and the engine rests until it changes."""
    long = "".join(f"P{number}[@T]: {{\n    U: env.x[@T]\n    A: resp.y[@T-1]\n}}\n" for number in range(4000))
    with playground(browser, playground_url) as page:
        write(page, long)
        page.locator("#stop").click(timeout=ENGINE_MS)
        page.locator("#notices", has_text="took too long and was stopped").wait_for(timeout=ENGINE_MS)
        page.get_by_text("Ready", exact=True).wait_for(timeout=ENGINE_MS)
        page.wait_for_timeout(2500)  # a question that is slow shows the button after 1.5 s
        assert not page.locator("#stop").is_visible()
        write(page, "Old[@T]: {\n    U: A\n}\n", "old")
        page.locator("#tab-changes").click()
        page.locator("#stop").click(timeout=ENGINE_MS)
        page.get_by_text("Ready", exact=True).wait_for(timeout=ENGINE_MS)
        write(page, "Other[@T]: {\n    U: A\n}\n")
        page.locator("#changes .verdict", has_text="change").wait_for(timeout=ENGINE_MS)
