"""The point in time that the playground shows: one for the stepper and for requests, begun where a link says."""

import base64
import json
import zlib
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive

from browser.playground_page import SPEC, STATE, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

THIRD = STATE + "    resp: {answer: second answer}\n  3:\n    env: {question: third question}\n"
EARLY = """Early[@T]: {
    ForEach(t: range(1, @T + 1)) {
        A: resp.answer[@t]
    }
    U: env.question[@T]
}
"""
ANSWERS = (
    STATE + "    resp: {answer: second answer}\n  3:\n    env: {question: third}\n    resp: {answer: third answer}\n"
)


def stands_at(page: "Page", question: str) -> None:
    """Wait until the stepper shows the point with that question."""
    page.locator(".acdl-now .acdl-sent-message", has_text=f"{question} question").last.wait_for()


def link(**shared: object) -> str:
    """A link as the page and sites write it."""
    packed = zlib.compress(json.dumps({"v": 1, **shared}).encode(), wbits=-15)
    return "#code=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


@exhaustive
def test_one_point(browser: "Browser", playground_url: str) -> None:
    """Stepping and choosing move the same point; the next text begins at its last."""
    with playground(browser, playground_url) as page:
        write(page, THIRD, "state")
        write(page, SPEC)
        page.locator("#tab-sent").click()
        stands_at(page, "third")
        assert page.locator("#tokens").inner_text() == "", "the stepper says it of its point"
        page.get_by_role("button", name="Previous step").click()
        stands_at(page, "second")
        page.locator("#provider").select_option("openai")
        page.locator("#sent .body", has_text="second question").wait_for()
        assert page.locator("#at").input_value() == "2"
        assert "third question" not in page.locator("#sent .body").inner_text()
        page.locator("#at").select_option("3")
        page.locator("#sent .body", has_text="third question").wait_for()
        page.locator("#provider").select_option("")
        stands_at(page, "third")
        write(page, SPEC + "// typed\n")
        stands_at(page, "third")
        page.locator("#file").click()
        page.get_by_role("button", name="New text").click()
        write(page, THIRD, "state")
        write(page, SPEC)
        stands_at(page, "third")


def test_a_link_says_the_point(browser: "Browser", playground_url: str) -> None:
    """Messages and requests begin there; what is compared opens the changes."""
    with playground(browser, playground_url, link(text=SPEC, state=THIRD, at="2-3")) as page:
        page.locator("#tab-sent").click()
        stands_at(page, "second")
        page.locator("#provider").select_option("anthropic")
        page.locator("#sent .body", has_text="second question").wait_for()
    with playground(browser, playground_url, link(text=SPEC, old=SPEC.replace("RULES", "OLD_RULES"))) as page:
        page.locator("#changes svg", has_text="OLD_RULES").wait_for()


@exhaustive
def test_one_of_several(browser: "Browser", playground_url: str) -> None:
    """Of several specs one is evaluated, and the page says so."""
    with playground(browser, playground_url) as page:
        write(page, STATE, "state")
        write(page, SPEC + "Other[@T]: { U: env.question[@T] }\n")
        page.locator("#tab-sent").click()
        page.locator("#one-of", has_text="1 of 2 specs").wait_for()
        page.locator("#spec").select_option("Other")
        page.locator("#sent", has_text="What Other sends").wait_for()
        page.locator("#one-of").wait_for(state="hidden")


@exhaustive
def test_notes_of_one_kind_are_one(browser: "Browser", playground_url: str) -> None:
    """What a loop does at each point is told once, with the others folded."""
    with playground(browser, playground_url) as page:
        write(page, ANSWERS, "state")
        write(page, EARLY)
        page.locator("#tab-sent").click()
        notes = page.locator("#problems-list li", has_text="before the model has answered")
        notes.locator("summary", has_text="2 more like this").wait_for()
        assert notes.count() == 1
        notes.locator("summary").click()
        notes.get_by_text("@3").wait_for()
