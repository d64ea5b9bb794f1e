"""Links of a built site that lead nowhere: each address within it and each anchor is looked up. Knows no docs tool."""

import re
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = ("href", "xlink:href", "src")


class _Seen(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in _LINKS and (tag, name) != ("base", "href"):
                self.links.add(value)
            elif value and (name == "id" or (tag, name) == ("a", "name")):
                self.anchors.add(value)


def dead_links(site: Path) -> list[str]:
    """Every page with a link that leads nowhere, as `page: link`.

    Parameters:
        site: The folder of a built site. The page for addresses that do not exist is left out, since its links begin
            at the site's own address.
    """
    pages = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    assert pages, f"no page in {site}"
    _seen.cache_clear()
    return [
        f"{page.relative_to(site).as_posix()}: {link}"
        for page in pages
        for link in sorted(_seen(page).links)
        if not _is_alive(link, page, site)
    ]


def _is_alive(link: str, page: Path, site: Path) -> bool:
    if re.match(r"[a-z]+:|//", link):
        return True
    parts = urlsplit(link)
    path = unquote(parts.path)
    target = site / path.lstrip("/") if path.startswith("/") else page.parent / path if path else page
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file():
        return False
    anchor = unquote(parts.fragment)
    is_page = target.suffix == ".html"
    return not (anchor and is_page) or anchor.startswith("__") or anchor in _seen(target).anchors


@lru_cache(maxsize=256)
def _seen(page: Path) -> _Seen:
    seen = _Seen()
    seen.feed(page.read_text("utf-8"))
    return seen
