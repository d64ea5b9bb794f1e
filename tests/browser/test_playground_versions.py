"""A newer version while the page is open: the visitor is told, decides, and keeps the text."""

import shutil
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from exhaustive import exhaustive
from playground_bundle import shared_bundle, write_playground

from browser.conftest import Quiet
from browser.playground_page import drawn, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TEXT = "Mine[@T]: {\n    U: env.x[@T]\n}\n"
_SEEN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def publish_newer(folder: Path) -> str:
    """Put another version in place of the one that is served, as a site does that is built again."""
    before = shared_bundle().version
    after = "".join(reversed(before))
    (folder / before).rename(folder / after)
    for path in folder.iterdir():
        if path.suffix in (".html", ".js", ".json"):
            path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")
    return after


def visit(page: "Page", url: str) -> None:
    """Open the page and wait until it is kept."""
    page.goto(url)
    drawn(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    drawn(page)


@exhaustive
@pytest.mark.parametrize("browser", ["dejavu"], indirect=True)
def test_newer_version(browser: "Browser", tmp_path: Path) -> None:
    """Two tabs: one loads the newer version, the other is told that this has happened; both texts are kept."""
    folder = write_playground(tmp_path / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        context = browser.new_context()
        one, two = context.new_page(), context.new_page()
        visit(one, url)
        visit(two, url)
        write(one, TEXT)
        write(two, TEXT.replace("Mine", "Other"))
        after = publish_newer(folder)
        one.evaluate(_SEEN_AGAIN)
        one.locator("#notices", has_text="A newer version").wait_for()
        assert "Mine" in one.locator("#panel-spec .cm-content").inner_text()
        one.get_by_role("button", name="Reload").click()
        for page, name in ((one, "Mine"), (two, "Other")):
            if page is two:
                page.get_by_role("button", name="Reload").click()
            page.locator(f"script[src*='{after}']").wait_for(state="attached")
            drawn(page)
            page.locator("#panel-spec .cm-line", has_text=name).wait_for()
        context.close()
        server.shutdown()
    shutil.rmtree(folder)
