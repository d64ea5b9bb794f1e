"""What the playground shows beside the figure, and the files that it gives and takes."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from exhaustive import few

from browser.playground_page import SPEC, STATE, lines, playground, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def shared(browser: "Browser", playground_url: str) -> Iterator["Page"]:
    """One page for all tests."""
    with playground(browser, playground_url) as opened:
        yield opened


@pytest.fixture
def page(shared: "Page") -> "Page":
    """The page with a spec and a state."""
    write(shared, STATE, "state")
    write(shared, SPEC)
    shared.locator("#tab-figure").click()
    shared.locator("#figure svg:not(.acdl-narrow)", has_text="resp.answer").wait_for()
    return shared


def saved(page: "Page", action: str) -> tuple[str, bytes]:
    """Name and content of a file that the menu gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name="File").click()
        page.locator(f"#file-menu [data-do={action}]").click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_messages_and_steps(page: "Page") -> None:
    """The messages at each point, at first the last; stepping leaves the address alone; the state can be edited."""
    page.locator("#tab-sent").click()
    second = page.locator(".acdl-now .acdl-sent-message", has_text="second question")
    second.wait_for()
    page.get_by_role("button", name="Previous step").click()
    second.wait_for(state="detached")
    page.locator(".acdl-now .acdl-sent-message", has_text="first question").wait_for()
    page.get_by_role("button", name="Next step").click()
    second.wait_for()
    assert "#" not in page.url
    write(page, STATE.replace("second question", "another question"), "state")
    page.locator(".acdl-now .acdl-sent-message", has_text="another question").wait_for()


def test_state_that_cannot_be_read(page: "Page") -> None:
    """Problems of the state are under its words and in the list."""
    page.locator("#tab-sent").click()
    write(page, "acdl_state: 1\nstepz: {}\n", "state")
    page.locator("#panel-state .cm-lintRange").first.wait_for()
    page.locator("#problems-list", has_text="State, line 2").wait_for()


def test_first_state(page: "Page") -> None:
    """A state with a place for everything that the spec reads."""
    page.locator("#tab-state").click()
    page.get_by_role("button", name="Generate a sample state").click()
    page.locator("#panel-state .cm-line", has_text="RULES").first.wait_for()
    assert "question" in lines(page, "state")


@pytest.mark.parametrize(
    ("provider", "key"),
    few(
        [("openai", "messages"), ("anthropic", "system"), ("gemini", "contents")],
    ),
)
def test_requests(page: "Page", provider: str, key: str) -> None:
    """The messages as bodies of requests."""
    page.locator("#tab-sent").click()
    page.locator("#provider").select_option(provider)
    body = page.locator("#sent .body", has_text=f'"{key}"').filter(has_text="first question")  # of this state
    body.wait_for()
    assert key in json.loads(body.inner_text())
    page.locator("#at").select_option("1")
    page.locator("#sent .body", has_text="first question").wait_for()
    page.locator("#provider").select_option("")


def test_changes(page: "Page") -> None:
    """The text is kept, written in, and compared with."""
    page.locator("#tab-changes").click()
    page.get_by_role("button", name="Take a snapshot").click()
    page.locator("#changes", has_text="Nothing changed").wait_for()
    write(page, SPEC.replace("RULES", "OTHER_RULES"))
    page.locator("#changes .verdict", has_text="1 change").wait_for()
    page.locator("#changes svg", has_text="OTHER_RULES").wait_for()
    page.get_by_role("button", name="Stop comparing").click()


def test_words_and_outline(page: "Page") -> None:
    """The figure in words; what is in the text, as links into it."""
    page.locator("#tab-words").click()
    page.locator("#words", has_text="ForEach t : 1 ... @T").wait_for()
    page.locator("#tab-outline").click()
    page.locator("#outline .go", has_text="Helper").first.click()
    page.locator("#position", has_text="1:").wait_for()


def test_svg(page: "Page") -> None:
    """A figure that stands alone."""
    name, content = saved(page, "svg")
    assert name == "helper.svg"
    root = ElementTree.fromstring(content)  # noqa: S314  # our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "resp.answer" in "".join(root.itertext())


def test_png(page: "Page") -> None:
    """A picture in our fonts, twice as large as the figure."""
    name, content = saved(page, "png")
    assert (name, content[:8]) == ("helper.png", b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    svg = ElementTree.fromstring(saved(page, "svg")[1])  # noqa: S314  # our own
    assert (width, height) == (2 * float(svg.attrib["width"]), 2 * float(svg.attrib["height"]))
    assert len(content) > 5_000, "there is something on it"


def test_text_and_json(page: "Page") -> None:
    """The figure in words, and the tree."""
    name, content = saved(page, "text")
    assert (name, "Role: System" in content.decode()) == ("helper.txt", True)
    name, content = saved(page, "json")
    assert (name, "Helper" in json.dumps(json.loads(content))) == ("helper.json", True)


def test_texts_are_saved(page: "Page") -> None:
    """Spec and state, as they were written."""
    assert saved(page, "save") == ("helper.acdl", SPEC.encode())
    assert saved(page, "save-state") == ("helper.state.yaml", STATE.encode())


def opened(page: "Page", name: str, content: str) -> None:
    """Choose a file in the dialog."""
    page.locator("#opened").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content.encode()})


def test_files_are_opened(page: "Page") -> None:
    """A spec, the first block of a page, a state; what was written before comes back."""
    opened(page, "a.acdl", "FromFile[@T]: { U: env.x[@T] }\n")
    page.locator("#figure svg:not(.acdl-narrow)", has_text="FromFile").wait_for()
    page.get_by_role("button", name="Restore it").click()
    page.locator("#figure svg:not(.acdl-narrow)", has_text="Helper").wait_for()
    opened(page, "a.md", "# A\n\n- b\n\n  ```acdl\n  FromPage[@T]: {\n      U: env.x[@T]\n  }\n  ```\n")
    page.locator("#figure svg:not(.acdl-narrow)", has_text="FromPage").wait_for()
    assert lines(page).startswith("FromPage[@T]: {\n    U")
    opened(page, "a.state.yaml", "acdl_state: 1\n# mine\n")
    page.locator("#panel-state .cm-line", has_text="# mine").wait_for()
    opened(page, "run.jsonl", '{"messages": [{"role": "user", "content": "q1"}]}\n' * 2)
    page.locator("#notices", has_text="Agent: sends 2 requests").wait_for()
    page.locator("#figure svg:not(.acdl-narrow)", has_text="Agent").wait_for()
    page.click("#tab-state")
    page.locator("#panel-state .cm-line", has_text="q1").first.wait_for()
    opened(page, "empty.har", "")
    page.locator("#notices", has_text="an empty file").wait_for()
    opened(page, "b.md", "# Nothing here\n")
    page.locator("#notices", has_text="has no ACDL block").wait_for()
