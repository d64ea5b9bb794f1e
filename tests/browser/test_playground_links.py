"""Links to the playground, and what it remembers: nobody's text is lost, and nothing is sent anywhere."""

import base64
import json
import zlib
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive

from browser.playground_page import SPEC, STATE, drawn, lines, playground, write
from browser.waiting import becomes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)


def test_link_to_a_text(browser: "Browser", playground_url: str) -> None:
    """A link that one visitor copies opens the same texts at another's, and after a reload what that one wrote."""
    with playground(browser, playground_url, permissions=["clipboard-write", "clipboard-read"]) as page:
        write(page, STATE, "state")
        write(page, SPEC.replace("RULES", "SHARED_RULES") + "// 😀 é\n")
        page.get_by_role("button", name="Share").click()
        page.get_by_role("button", name="Copy the link").click()
        page.locator("#share-said", has_text="Link copied").wait_for()
        link = page.get_by_label("Link", exact=True).input_value()
    assert link.startswith(f"{playground_url.rstrip('/')}/#code=") or "#code=" in link
    assert len(link) < 1000
    with playground(browser, playground_url) as page:
        write(page, "Mine[@T]: { U: env.mine[@T] }\n")
        page.locator("#figure svg:not(.acdl-narrow)", has_text="Mine").wait_for()
        page.goto(link)
        page.locator("#figure svg:not(.acdl-narrow)", has_text="SHARED_RULES").wait_for()
        assert lines(page) == SPEC.replace("RULES", "SHARED_RULES") + "// 😀 é\n"
        page.locator("#tab-state").click()
        assert lines(page, "state") == STATE
        page.get_by_role("button", name="Restore it").click()
        page.locator("#figure svg:not(.acdl-narrow)", has_text="Mine").wait_for()
        assert "#" not in page.url
        page.reload()
        page.locator("#panel-spec .cm-line", has_text="Mine").wait_for()


@exhaustive
def test_link_to_an_example(browser: "Browser", playground_url: str) -> None:
    """Examples are chosen from a list or named by the address; a text of one can be compared with it."""
    with playground(browser, playground_url) as page:
        first = page.locator("#examples option[value]:not([value=''])").first
        first.wait_for(state="attached")
        key = first.get_attribute("value") or ""
        begun = lines(page)
        page.locator("#examples").select_option(key)
        becomes(page, lambda: lines(page) == begun, False)
        text = lines(page)
        page.goto(f"{playground_url}#example={key}")
        page.reload()
        becomes(page, lambda: lines(page), text)  # the text of the first visit is there before
        page.keyboard.press("F6")
        write(page, SPEC)
        page.locator("#tab-changes").click()
        page.get_by_role("button", name="Compare with the example").click()
        page.locator("#changes .verdict", has_text="change").wait_for()


def offer(page: "Page", key: str, **example: object) -> None:
    """Let the site have one more example."""
    body = json.dumps({"title": key, "url": "", **example})
    page.route(f"**/examples/{key}.json", lambda route: route.fulfill(body=body, content_type="application/json"))


@exhaustive
def test_how_an_example_reads_ranges(browser: "Browser", playground_url: str) -> None:
    """Each is drawn as its site reads it, whatever was open before."""
    text = "{}[@T]: {{\n    ForEach(t: range(1, @T)) {{\n        U: env.q[@t]\n    }}\n}}\n"
    with playground(browser, playground_url, service_workers="block") as page:
        offer(page, "open", text=text.format("Open"))
        offer(page, "closed", text=text.format("Closed"), range="inclusive")
        for key, title in (("closed", "Closed"), ("open", "Open")) * 2:
            page.evaluate("key => { location.hash = `#example=${key}`; }", key)
            figure = page.locator("#figure svg:not(.acdl-narrow)", has_text=title)
            figure.wait_for()
            assert ("excl." in (figure.text_content() or "")) == (key == "open")
            page.locator("#take-example, #compare-example").first.wait_for(state="attached")
            assert page.locator("#compare-example").get_attribute("hidden") is None


@exhaustive
def test_the_last_link_counts(browser: "Browser", playground_url: str) -> None:
    """What was asked for before, and comes later, does not stand in its place."""
    held: list[Route] = []
    with playground(browser, playground_url, service_workers="block") as page:
        page.route("**/examples/slow.json", lambda route: held.append(route))
        offer(page, "fast", text="Fast[@T]: { U: env.fast[@T] }\n")
        for key in ("slow", "fast"):
            page.evaluate("key => { location.hash = `#example=${key}`; }", key)
            becomes(page, lambda: len(held), 1)
        figure = page.locator("#figure svg:not(.acdl-narrow)", has_text="Fast")
        figure.wait_for()
        body = json.dumps({"title": "slow", "url": "", "text": "Slow[@T]: { U: env.slow[@T] }\n"})
        with page.expect_response("**/examples/slow.json") as coming:
            held[0].fulfill(body=body, content_type="application/json")
        coming.value.finished()
        page.evaluate("new Promise(done => setTimeout(done, 100))")
        assert lines(page) == "Fast[@T]: { U: env.fast[@T] }\n"
        assert figure.count() == 1


@exhaustive
def test_specs_of_one_text(browser: "Browser", playground_url: str) -> None:
    """Examples may have the same text, and be another spec of it, or all of it, or read it otherwise."""
    text = "One[@T]: {\n    U: env.one[range(1, @T)]\n}\nTwo[@T]: {\n    U: env.two[@T]\n}\n"
    with playground(browser, playground_url, service_workers="block") as page:
        for key, spec in (("one", "One"), ("two", "Two"), ("all", "")):
            offer(page, key, text=text, spec=spec)
        for key, shown, hidden in (
            ("one", "env.one", "env.two"),
            ("two", "env.two", "env.one"),
            ("all", "env.one", ""),
        ):
            page.evaluate("key => { location.hash = `#example=${key}`; }", key)
            figure = page.locator("#figure svg:not(.acdl-narrow)", has_text=shown)
            figure = figure.filter(has_not_text=hidden) if hidden else figure.filter(has_text="env.two")
            figure.wait_for()


@exhaustive
def test_files_of_an_example(browser: "Browser", playground_url: str) -> None:
    """What it uses stays with it after a reload and in a link, and not with the next text."""
    text = "// acdl: use parts.acdl\nMain[@T]: {\n    U: {\n        Frag Part[env.q[@T]]\n    }\n}\n"
    with playground(browser, playground_url, service_workers="block", permissions=["clipboard-write"]) as page:
        offer(page, "main", text=text, files={"parts.acdl": "StrFrag Part[x]: {\n    $x\n    PART_OF_A_FILE\n}\n"})
        page.evaluate("location.hash = '#example=main'")
        page.locator("#figure svg:not(.acdl-narrow)", has_text="Main").wait_for()
        page.get_by_text("No problems").first.wait_for()
        write(page, text + "// mine\n")
        page.reload()
        drawn(page)
        page.locator("#panel-spec .cm-line", has_text="mine").wait_for()
        page.get_by_text("No problems").first.wait_for()
        page.get_by_role("button", name="Share").click()
        page.locator("#link-length", has_text="The link has").wait_for()
        link = page.get_by_label("Link", exact=True).input_value()
        page.keyboard.press("Escape")
        page.locator("#file").click()
        page.get_by_role("button", name="New text").click()
        write(page, text)
        page.locator("#problems-list", has_text="Part").wait_for()
    with playground(browser, playground_url, "#" + link.partition("#")[2]) as page:
        page.locator("#figure svg:not(.acdl-narrow)", has_text="Main").wait_for()
        page.get_by_text("No problems").first.wait_for()


def test_links_that_lead_nowhere(browser: "Browser", playground_url: str) -> None:
    """They say so, and there is a text to begin with."""
    context = browser.new_context()
    page = context.new_page()
    words = "this link is not whole"
    codes = {
        "broken": words,
        _code("null"): words,
        _code('{"v": 1'): words,
        _code("[]"): words,
        _code('{"v": 2}'): "newer",
    }
    for name, said in {
        **{f"#code={code}": told for code, told in codes.items()},
        "#example=no": "does not exist or cannot be loaded",
    }.items():
        page.goto("about:blank")
        page.goto(playground_url + name)
        page.locator("#notices", has_text=said).wait_for()
        page.locator("#panel-spec .cm-line", has_text="Helper").wait_for()
    drawn(page)
    page.get_by_role("button", name="Dismiss").click()
    page.locator("#notices", has_text="does not exist or cannot be loaded").wait_for(state="detached")
    context.close()


def test_long_texts(browser: "Browser", playground_url: str) -> None:
    """A link that programs may cut says so, and offers a file."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(playground_url)
    page.locator("#panel-spec .cm-line", has_text="Helper").wait_for()
    try:
        write(page, "".join(f"# {number**9:x}\n" for number in range(1, 700)) + STATE, "state")
        write(page, SPEC)
        page.get_by_role("button", name="Share").click()
        page.locator("#link-length", has_text="a file is safer").wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save a file instead").click()
        assert download.value.suggested_filename == "helper.acdl"
    finally:
        context.close()


@exhaustive
def test_no_engine(browser: "Browser", playground_url: str) -> None:
    """Where Python cannot be loaded, the page says so, keeps the text, and tries again when told."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/pyodide/**", lambda route: route.abort())
    page.goto(playground_url)
    page.locator("#notices", has_text="Your text is safe").wait_for()
    page.locator("#panel-spec .cm-line", has_text="Helper").wait_for()
    page.unroute("**/pyodide/**")
    page.get_by_role("button", name="Start again").click()
    drawn(page)
    context.close()


def _code(text: str) -> str:
    """A text as links have it."""
    packed = zlib.compress(text.encode(), wbits=-15)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")
