"""Texts are not mixed: late answers, what is undone and what is opened belong to the words that they are of."""

from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive, few

from browser.playground_page import drawn, editor, lines, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True, scope="module")

BROKEN = "Chat[@T]: {\n    RULES\n    U: env.question[@T]\n}\n"
HELD = """(() => {
  const Before = window.Worker;
  window.held = null;
  window.Worker = class extends Before {
    set onmessage(hear) { super.onmessage = event => window.held ? window.held.push(() => hear(event)) : hear(event); }
  };
})()"""
"""Answers wait while `held` is a list."""
USES = '// acdl: use "parts.acdl"\nChat[@T]: {\n    S: { Frag Part[@T] }\n}\n'
PART = "StrFrag Part[@T]: { HELLO }\n"


def opened(page: "Page", files: dict[str, bytes]) -> None:
    """Choose files in the dialog."""
    chosen: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files.items()
    ]
    page.locator("#opened").set_input_files(chosen)


def test_cures_of_an_older_text(browser: "Browser", playground_url: str) -> None:
    """What mends a text is not done to another one, though that one has been drawn."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(HELD)
    page = context.new_page()
    page.goto(playground_url)
    drawn(page)
    write(page, BROKEN)
    page.locator("#problems-list .fix").first.wait_for()
    page.evaluate("held = []")
    editor(page).press("Control+Home")
    page.keyboard.insert_text("// a longer line before\n")
    page.wait_for_timeout(700)  # undone by itself, not with what comes next
    page.keyboard.insert_text("// more\n")
    page.wait_for_timeout(100)
    page.evaluate("held.splice(0).forEach(hear => hear())")
    editor(page).press("Control+z")
    once = lines(page)
    assert once == "// a longer line before\n" + BROKEN
    page.evaluate("document.querySelector('#problems-list .fix').click()")
    assert lines(page) == once
    page.evaluate("held.splice(0).forEach(hear => hear()); held = null")
    page.locator("#problems-list", has_text="Line 3").wait_for()
    page.locator("#problems-list .fix").first.click()
    page.locator("#problems-fold", has_text="No problems").wait_for()
    assert lines(page).startswith("// a longer line before\nChat[@T]: {\n")
    context.close()


@exhaustive
def test_undoing_does_not_leave_what_is_open(browser: "Browser", playground_url: str) -> None:
    """The words before an example do not come back beside its files, state and ranges, but whole."""
    with playground(browser, playground_url) as page:
        write(page, BROKEN)
        key = page.locator("#examples option").nth(1).get_attribute("value") or ""
        page.locator("#examples").select_option(key)
        page.locator("#notices", has_text="Your previous text was saved").wait_for()
        example = lines(page)
        editor(page).press("Control+z")
        assert lines(page) == example
        assert page.locator("#examples").input_value() == key
        page.get_by_role("button", name="Restore it").click()
        page.locator("#problems-list .fix").first.wait_for()
        assert lines(page) == BROKEN
        assert page.locator("#examples").input_value() == "", "so that it can be chosen again"
        editor(page).press("Control+End")
        page.keyboard.type("// x")
        editor(page).press("Shift+Alt+F")
        editor(page).press("Control+z")
        page.locator("#notices", has_text="is open").wait_for(state="detached")


@exhaustive
def test_a_file_with_those_that_it_uses(browser: "Browser", playground_url: str) -> None:
    """Files that a text names are read with it, opened together or later; of another text they are not."""
    with playground(browser, playground_url) as page:
        opened(page, {"parts.acdl": PART.encode(), "chat.acdl": USES.encode()})
        page.locator("#notices", has_text="Loaded parts.acdl").wait_for()
        page.locator("#problems-fold", has_text="No problems").wait_for()
        assert lines(page) == USES
        opened(page, {"chat.acdl": USES.encode()})
        page.locator("#problems-list", has_text="open that file too").wait_for()
        opened(page, {"parts.acdl": PART.encode()})
        page.locator("#problems-fold", has_text="No problems").wait_for()
        assert lines(page) == USES


@pytest.mark.parametrize(
    ("content", "why"),
    few(
        [(b"A: { // caf\xe9\n}", "a.acdl is not UTF-8"), (b"A\0B", "a.acdl is a binary file, not text")],
    ),
)
def test_files_that_are_no_text(browser: "Browser", playground_url: str, content: bytes, why: str) -> None:
    """They are refused, as by the command line, and the text stays."""
    with playground(browser, playground_url) as page:
        before = lines(page)
        opened(page, {"a.acdl": content})
        page.locator("#notices", has_text=why).wait_for()
        assert lines(page) == before
