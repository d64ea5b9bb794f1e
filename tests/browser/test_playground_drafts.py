"""No text is lost in silence: tabs beside each other, texts that take the place of others, and earlier ones."""

from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive

from browser.playground_page import STATE, drawn, lines, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

TEXT = "{}[@T]: {{\n    U: env.x[@T]\n}}\n"


def shows(page: "Page", name: str) -> None:
    """Wait until the text is that of the spec with that name."""
    page.locator("#panel-spec .cm-line", has_text=f"{name}[").wait_for()


def tab(context: "BrowserContext", url: str) -> "Page":
    """One more tab of the same browser."""
    page = context.new_page()
    page.goto(url)
    drawn(page)
    return page


def earlier(page: "Page") -> list[str]:
    """The texts that the menu offers beside the one that is shown."""
    page.locator("#file").click()
    names = [each.split(",")[0] for each in page.locator("#drafts button").all_text_contents()]
    page.keyboard.press("Escape")
    return names


@exhaustive
def test_tabs_beside_each_other(browser: "Browser", playground_url: str) -> None:
    """Each keeps its own text over a reload; whoever comes later has the newest, and can open the other."""
    with playground(browser, playground_url) as one:
        write(one, TEXT.format("One"))
        one.locator("#figure svg:not(.acdl-narrow)", has_text="One").wait_for()
        one.wait_for_timeout(400)  # what rests for a moment is kept
        two = tab(one.context, playground_url)
        shows(two, "One")
        assert earlier(two) == []
        write(two, TEXT.format("Two"))
        two.locator("#figure svg:not(.acdl-narrow)", has_text="Two").wait_for()
        for page, name in ((one, "One"), (two, "Two"), (one, "One")):
            page.reload()
            drawn(page)
            shows(page, name)
        assert earlier(one) == ["Two"]
        two.close(run_before_unload=True)
        three = tab(one.context, playground_url)
        shows(three, "Two")
        assert earlier(three) == ["One"]
        three.locator("#file").click()
        three.locator("#drafts button", has_text="One").click()
        shows(three, "One")
        assert earlier(three) == ["Two"]
        write(three, TEXT.format("Three"))
        one.reload()
        drawn(one)
        shows(one, "One")
        assert sorted(earlier(one)) == ["Three", "Two"]


def test_what_takes_the_place_of_a_state(browser: "Browser", playground_url: str) -> None:
    """A state file, one that is made anew, or an example of the same text: the state that was written comes back."""
    with playground(browser, playground_url) as page:
        write(page, TEXT.format("Mine"))
        write(page, STATE.replace("Be brief", "My own words"), "state")
        page.get_by_role("button", name="Generate a sample state").click()
        page.locator("#panel-state .cm-line", has_text="My own words").wait_for(state="detached")
        page.get_by_role("button", name="Restore it").click()
        page.locator("#panel-state .cm-line", has_text="My own words").wait_for()
        page.locator("#opened").set_input_files(
            {"name": "a.state.yaml", "mimeType": "text/plain", "buffer": b"acdl_state: 1\n# theirs\n"}
        )
        page.locator("#panel-state .cm-line", has_text="# theirs").wait_for()
        assert lines(page) == TEXT.format("Mine")
        page.get_by_role("button", name="Restore it").click()
        page.locator("#panel-state .cm-line", has_text="My own words").wait_for()


_DROP = """files => {
  const data = new DataTransfer();
  for (const [name, text] of Object.entries(files)) data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@exhaustive
def test_files_that_are_dropped(browser: "Browser", playground_url: str) -> None:
    """A spec and its state together; what was written before comes back, and another text is read from its start."""
    with playground(browser, playground_url) as page:
        write(page, TEXT.format("Mine"))
        page.keyboard.press("Control+End")
        page.evaluate(_DROP, {"a.acdl": TEXT.format("Dropped") * 3, "a.state.yaml": "acdl_state: 1\n# dropped\n"})
        page.locator("#panel-state .cm-line", has_text="# dropped").wait_for()
        page.locator("#tab-spec").click()
        page.locator("#position", has_text="1:1").wait_for()
        assert lines(page) == TEXT.format("Dropped") * 3
        page.get_by_role("button", name="Restore it").click()
        shows(page, "Mine")
        page.evaluate(_DROP, {"page.md": "# No block\n"})
        page.locator("#notices", has_text="page.md has no ACDL block").wait_for()


@exhaustive
def test_without_storage(browser: "Browser", playground_url: str) -> None:
    """Where a browser lets nothing be remembered, the page works and says once that it cannot save drafts."""
    context = browser.new_context()
    context.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError'); } });"
    )
    page = tab(context, playground_url)
    write(page, TEXT.format("Mine"))
    page.locator("#notices", has_text="cannot save drafts").wait_for()
    write(page, TEXT.format("Other"))
    page.locator("#figure svg:not(.acdl-narrow)", has_text="Other").wait_for()
    assert page.locator(".notice").count() == 1
    context.close()
