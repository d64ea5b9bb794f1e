"""Our own site and the playground for a browser, and a window that must stay silent."""

import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from own_site import copy_for, own_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parent.parent))


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the project's site is served; it knows its own address, which navigation without page loads wants."""
    folder = tmp_path_factory.mktemp("site")
    site, _ = own_site(tmp_path_factory)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        served = f"http://127.0.0.1:{server.server_port}"
        copy_for(f"{served}/", site, folder)
        Thread(target=server.serve_forever, daemon=True).start()
        yield served
        server.shutdown()


@pytest.fixture(scope="session")
def playground_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a playground with the project's examples is served."""
    from playground_bundle import write_playground

    folder = write_playground(tmp_path_factory.mktemp("playground"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """A window that complains about nothing."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened
    opened.close()
    assert said == []
