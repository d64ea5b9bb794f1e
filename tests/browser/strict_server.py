"""A server of pages and of our assets that allows nothing inline and nothing from elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ASSETS = files("acdl_mkdocs") / "assets"
_KINDS = {"css": "text/css", "js": "text/javascript", "png": "image/png"}


def page_of(body: str) -> str:
    """A page with blocks, our style sheet and our script, and nothing else."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.png">'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/acdl.css"></head>'
        f'<body><main><h1>T</h1>{body}</main><script src="/acdl.js"></script></body></html>'
    )


def opened(browser: "Browser", server: str, **options: Any) -> "Page":
    """The first page of a server in a context of its own; every word on the console is an error."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options}).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{server}/")
    page.wait_for_load_state("networkidle")
    assert said == []
    return page


@contextmanager
def serving(pages: Mapping[str, str]) -> Iterator[str]:
    """Serve pages by their paths; gives the address."""

    class Strict(BaseHTTPRequestHandler):
        """Answers with a policy that is stricter than any site has."""

        def do_GET(self) -> None:  # the name that the base class looks for
            """Send a page or an asset."""
            name = self.path.partition("?")[0]
            kind = _KINDS.get(name.rpartition(".")[2], "text/html")
            body = pages[name].encode() if name in pages else b""
            if kind.startswith("text/") and not body:
                body = (ASSETS / name[1:]).read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Security-Policy", "default-src 'self'")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Strict) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
