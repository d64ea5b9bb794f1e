"""HTML that is whole and has nothing that acts."""

import re
from html.parser import HTMLParser

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_ACTING = {"script", "iframe", "frame", "object", "embed", "applet", "base", "form", "link", "meta", "template"}
_ADDRESSES = ("href", "src", "xlink:href", "action", "formaction", "srcset", "data")
_ACTING_ADDRESS = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data)[\x00-\x20]*:", re.IGNORECASE)


class SafeHtml(HTMLParser):
    """Fails on tags that are not in pairs and on whatever acts; else says what is there."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._open: list[str] = []
        self.classes: set[str] = set()
        """All of them."""
        self.words = ""
        """All text."""
        self.feed(html)
        self.close()
        assert self._open == [], self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins."""
        assert tag not in _ACTING, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in _ADDRESSES or not _ACTING_ADDRESS.match(value or ""), value
            self.classes.update((value or "").split() if name == "class" else ())
        self._open += [tag] if tag not in _VOID else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin and end it at once."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """End what began last."""
        assert self._open, tag
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.words += data
