"""What someone who writes on the playground meets: figure, squiggles, cures, completion, hover, keys."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive

from browser.playground_page import SPEC, drawn, editor, lines, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True, scope="module")

BROKEN = SPEC.replace("    S: RULES\n", "    RULES\n")
DRAWING = "Chat[@T]:\n  ROLE: SYSTEM\n    RULES\n  ROLE: USER\n    env.question[@T]\n"


@pytest.fixture(scope="module")
def page(browser: "Browser", playground_url: str) -> Iterator["Page"]:
    """One page for all tests: each writes a text of its own."""
    with playground(browser, playground_url, permissions=["clipboard-read", "clipboard-write"]) as opened:
        yield opened


def expect(page: "Page", selector: str, text: str) -> None:
    """Wait until an element has that text somewhere in it."""
    page.locator(selector, has_text=text).first.wait_for()


def test_figure_follows(page: "Page") -> None:
    """What is typed is drawn."""
    write(page, SPEC)
    expect(page, "#figure svg:not(.acdl-narrow)", "resp.answer")
    editor(page).press("Control+End")
    page.keyboard.type("Other[@T]: {\nU: env.typed_by_hand[@T]")
    expect(page, "#figure svg:not(.acdl-narrow)", "env.typed_by_hand")
    assert lines(page).endswith("Other[@T]: {\n    U: env.typed_by_hand[@T]\n}"), "indented, and brackets closed"


def test_other_letters(page: "Page") -> None:
    """Letters of all scripts and signs of two units: drawn, and places in the text stay right."""
    write(page, "// 😀 été\n" + SPEC.replace("answer", "réponse"))
    expect(page, "#figure svg:not(.acdl-narrow)", "réponse")
    page.locator("#figure svg:not(.acdl-narrow) text", has_text="réponse").click()
    expect(page, "#position", "6:28")


def test_colours_are_of_the_figure(page: "Page") -> None:
    """Keywords, templates and variables have the classes that they have in a figure."""
    write(page, SPEC)
    for letter, word in (("k", "ForEach"), ("f", "RULES"), ("v", "question")):
        page.locator(f"#panel-spec .cm-line .acdl-{letter}", has_text=word).first.wait_for()


def test_squiggle_and_cure(page: "Page") -> None:
    """A problem is under its words, in the list with its rule, and is mended by its button."""
    write(page, BROKEN)
    page.locator(".cm-lintRange-error").first.wait_for()
    expect(page, "#problems-list", "content-outside-role")
    expect(page, "#problems-fold", "1 error")
    expect(page, "#counts", "1 error")
    page.locator(".cm-lintRange-error").first.hover()
    expect(page, ".cm-tooltip-lint", "content stands outside any message")
    page.locator("#problems-list .fix").first.click()
    expect(page, "#problems-fold", "No problems")
    assert lines(page) == SPEC


def test_cure_by_keys(page: "Page") -> None:
    """The same without a pointer: to the problem, to its cure, and undone."""
    write(page, BROKEN)
    page.locator(".cm-lintRange-error").first.wait_for()
    editor(page).press("Control+Home")
    page.keyboard.press("F8")
    page.keyboard.press("Control+.")
    page.keyboard.press("Enter")
    expect(page, "#problems-fold", "No problems")
    editor(page).press("Control+z")
    expect(page, "#problems-fold", "1 error")


def test_completion(page: "Page") -> None:
    """What could follow is offered, while one types and by a key, and taken by a key."""
    write(page, SPEC)
    editor(page).press("Control+Home")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.type("\nA: resp.an")
    expect(page, ".cm-tooltip-autocomplete", "answer")
    page.keyboard.press("Escape")
    page.locator(".cm-tooltip-autocomplete").wait_for(state="detached")
    page.keyboard.press(
        "Control+Space"
    )  # of two requests at a time, the later answer would replace the list under the key
    expect(page, ".cm-tooltip-autocomplete", "answer")
    page.wait_for_timeout(150)  # a key at the very moment when the list comes up is not meant for it
    page.keyboard.press("Enter")
    expect(page, "#panel-spec .cm-activeLine", "resp.answer")


def test_hover(page: "Page") -> None:
    """A word says what it is."""
    write(page, SPEC)
    page.locator("#panel-spec .cm-line .acdl-f", has_text="RULES").first.hover()
    expect(page, ".cm-tooltip-hover", "RULES")


@pytest.mark.parametrize("how", ["button", "Shift+Alt+f", "Control+s"])
def test_format(page: "Page", how: str) -> None:
    """The text is put into its normal form."""
    write(page, SPEC.replace("    ", " "))
    expect(page, "#figure svg:not(.acdl-narrow)", "resp.answer")
    if how == "button":
        page.get_by_role("button", name="Format").click()
    else:
        editor(page).press(how)
    page.locator("#panel-spec .cm-line", has_text=re.compile("^ {8}U: env")).wait_for()  # notices may be older
    assert lines(page) == SPEC
    expect(page, "#notices", "Formatted")


def test_figure_selects_text(page: "Page") -> None:
    """A part of the figure that is clicked is selected in the text; the part where the cursor is, is marked."""
    write(page, SPEC)
    part = page.locator("#figure svg:not(.acdl-narrow) text", has_text="resp.answer")
    part.click()
    expect(page, "#position", "5:")
    page.locator("#figure .here", has_text="resp.answer").wait_for()


def test_zoom(page: "Page") -> None:
    """The figure becomes larger and smaller by buttons and keys."""
    write(page, SPEC)
    stage = page.locator("#figure")
    stage.press("1")
    expect(page, "#zoom", "100 %")
    stage.press("+")
    expect(page, "#zoom", "125 %")
    page.get_by_role("button", name="Fit").click()
    assert page.locator("#zoom").inner_text() != "125 %"


def test_choice_of_spec(page: "Page") -> None:
    """Of several specs one can be shown."""
    write(page, SPEC + "Other[@T]: { U: env.other[@T] }\n")
    page.locator("#spec").select_option("Other")
    page.locator("#figure svg:not(.acdl-narrow)", has_text="resp.answer").wait_for(state="detached")
    expect(page, "#figure svg:not(.acdl-narrow)", "env.other")
    page.locator("#spec").select_option("")
    expect(page, "#figure svg:not(.acdl-narrow)", "resp.answer")


def test_broken_text_keeps_the_figure(page: "Page") -> None:
    """While nothing can be understood, the figure before stays and says so."""
    write(page, SPEC)
    expect(page, "#figure svg:not(.acdl-narrow)", "resp.answer")
    write(page, "((((")
    page.locator("#stale").wait_for()
    expect(page, "#figure svg:not(.acdl-narrow)", "resp.answer")


def test_pasted_drawing(page: "Page") -> None:
    """A drawing that is pasted can be made into ACDL."""
    write(page, DRAWING)
    editor(page).press("Control+a")
    page.keyboard.press("Control+x")
    page.keyboard.press("Control+v")
    page.get_by_role("button", name="Convert it to ACDL").click()
    expect(page, "#problems-fold", "No problems")
    assert "S: RULES" in lines(page)


def test_comments_and_search(page: "Page") -> None:
    """Keys that people know from editors."""
    write(page, SPEC)
    editor(page).press("Control+Home")
    page.keyboard.press("Control+/")
    assert lines(page).startswith("// Helper")
    page.keyboard.press("Control+f")
    page.locator(".cm-search [name=search]").fill("answer")
    page.keyboard.press("Escape")
    page.locator(".cm-search").wait_for(state="detached")


@exhaustive
def test_reload_keeps_what_was_typed(page: "Page") -> None:
    """The draft is in the browser, not in the address."""
    write(page, SPEC.replace("RULES", "KEPT_RULES"))
    page.reload()
    drawn(page)
    assert "KEPT_RULES" in lines(page)
