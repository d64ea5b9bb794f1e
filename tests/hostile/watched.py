"""A reader's browser in which nothing that somebody wrote may happen: what does is told."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from browser.conftest import Quiet
from browser.waiting import load_actions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STRICT = "default-src 'self'"
"""The policy under which the parts of this package work, as the documentation promises."""

_BEFORE = """
Object.defineProperty(window, "pwned", {
    get() { return () => console.error("a text was run"); },
    set() { console.error("a text was run"); },
});
addEventListener("securitypolicyviolation", (event) => {
    console.error("violates", event.violatedDirective, event.blockedURI);
});
"""
"""Runs before everything else of a page."""

_FOUND = r"""
() => {
    const parts = [...document.querySelectorAll("[class^=acdl], [class*=' acdl'], main, article")];
    const inside = new Set(parts.flatMap((part) => [part, ...part.querySelectorAll("*")]));
    const found = [];
    const note = (what, each) => found.push(`${what} ${each.cloneNode(false).outerHTML.slice(0, 200)}`);
    const forbidden = "iframe,object,embed,base,foreignObject,animate,set,style,script,meta,link,use,template";
    for (const each of inside) {
        if (each.matches(forbidden) && each.closest(".acdl")) note("element", each);
        for (const { name, value } of each.attributes) {
            if (/^on/i.test(name)) note("handler", each);
            if (!/^(xlink:)?(href|src|action|formaction|data|poster|srcset|ping|background)$/i.test(name)) continue;
            const protocol = new URL(value, location.href).protocol;
            const isImage = each.matches("img") && value.startsWith("data:image/");
            if (!["http:", "https:", "mailto:"].includes(protocol) && !isImage) note("address", each);
            if (!each.matches("a") && /pwned/i.test(value)) note("loads", each);
        }
    }
    return found;
}
"""
"""What of a page should not be there."""

_USE = r"""
() => {
    const some = (what, most) => [...document.querySelectorAll(what)].slice(0, most);
    const inside = (what) => `:is(main, [role=main], article, body > .acdl-text, svg:root) :is(${what})`;
    const reached = some(inside("a, input, [tabindex], [data-acdl]"), 60);
    for (const each of reached)
        for (const name of ["mouseover", "focusin", "input", "change"])
            each.dispatchEvent(new Event(name, { bubbles: true }));
    for (const each of some(inside("summary, button, [role=tab]"), 120)) each.click();
    for (const each of some("dialog[open]", 9)) each.close();
    return reached.length > 0 || !document.querySelector("[data-acdl]");
}
"""
"""A reader who tries nearly everything at once."""


class _Folder(Quiet):
    """Serves files under a policy."""

    policy = ""

    def end_headers(self) -> None:
        """Add the policy."""
        self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()


@contextmanager
def served(folder: Path, policy: str = STRICT) -> Iterator[str]:
    """Where the files of a folder are served under a policy."""
    (folder / "favicon.ico").touch()  # browsers ask for it
    handler = type("Folder", (_Folder,), {"policy": policy})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def policy_of(harmless: Iterable[str]) -> str:
    """A policy that lets run what a theme writes into harmless pages, and nothing else.

    Parameters:
        harmless: The HTML of pages.
    """
    scripts = {each for html in harmless for each in re.findall(r"<script>(.*?)</script>", html, re.DOTALL)}
    hashes = sorted(base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    return f"{STRICT}; script-src 'self' {allowed}; style-src 'self' 'unsafe-inline'; img-src 'self' data:"


class Watched:
    """A window, and everything that happened in it."""

    def __init__(self, browser: "Browser", address: str) -> None:
        self.address = address
        self.happened: list[str] = []
        self.page: Page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        self.page.add_init_script(_BEFORE)
        self.page.on("console", lambda message: self._note(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self._note(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self._note(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("popup", lambda popup: self._note(f"window: {popup.url}"))

    def look(self, path: str) -> None:
        """Open a page, use all of it, and note what should not be there."""
        self.page.goto(f"{self.address}/{path}", wait_until="load")
        self.find(path)
        if self.page.locator("[data-acdl-script] figure.acdl").count():
            load_actions(self.page)
        assert self.page.evaluate(_USE), f"nothing was used on {path}"
        self.find(path)

    def find(self, where: str) -> None:
        """Note what should not be in the page as it is now."""
        self.happened += (f"{where}: {each}" for each in dict.fromkeys(self.page.evaluate(_FOUND)))

    def close(self) -> None:
        """Close the window."""
        self.page.context.close()

    def _note(self, what: str) -> None:
        self.happened.append(f"{urlsplit(self.page.url).path}: {what[:300]}")

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if (f"{parts.scheme}://{parts.netloc}" != self.address and parts.scheme != "data") or "pwned" in url:
            self._note(f"asks for {url}")
