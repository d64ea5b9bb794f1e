"""HTML of one page as another page needs it: with ids that only it has, and links that lead where they led.

For tools that put pages together from others, such as the list of posts of a blog. Takes and gives HTML as text. Knows
no docs tool.
"""

import re
from collections.abc import Callable
from html import escape, unescape
from urllib.parse import unquote, urljoin

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.pages.addresses import link_from

_TAG = compile_later(r"<[A-Za-z][^<>]*>")
_ATTRIBUTE = compile_later(r'(?<=\s)([A-Za-z:-]+)="([^"]*)"')
_IDS = ("id", "for", "aria-controls", "aria-describedby", "aria-labelledby")
"""Attributes that hold ids of the same page, separated by spaces."""
_LINKS = ("href", "xlink:href", "src")
_ELSEWHERE = compile_later(r"[A-Za-z][A-Za-z0-9+.-]*:|/")
"""How a link begins that is the same on every page."""
_SITE = "http://site/"


def relocate(
    html: str, rename: Callable[[str], str], link: Callable[[str], str], links: tuple[str, ...] = _LINKS
) -> str:
    """The same HTML for another page.

    Parameters:
        html: As the tools of this package write it: values of attributes are in double quotes, and `<` and `>` are
            escaped in them.
        rename: From an id to what it is on the other page.
        link: From a link to what it is on the other page.
        links: The attributes that hold links.
    """

    def attribute(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name in _IDS:
            value = " ".join(escape(rename(unescape(each))) for each in value.split(" "))
        elif name in links:
            value = escape(link(unescape(value)))
        return f'{name}="{value}"'

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(attribute, tag[0]), html)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a page, or of a part of it, on another page."""

    home: str
    """The address of the page itself, from the root of the site."""
    address: str
    """That of the page that has the copy."""

    def place(self, html: str) -> str:
        """What was drawn for the page itself, as the copy needs it."""
        prefix = re.sub(r"[^\w-]+", "-", unquote(self.home).removesuffix("/").removesuffix(".html")).strip("-")
        return relocate(html, lambda name: f"{prefix}-{name}", self._link)

    def _link(self, target: str) -> str:
        if _ELSEWHERE.match(target):
            return target
        return link_from(self.address, urljoin(f"{_SITE}{self.home}", target).removeprefix(_SITE))


_ID = re.compile(r"""<[A-Za-z][^<>]*?\sid=(?:"([^"<>]*)"|'([^'<>]*)')""")


def ids_in(markup: str) -> set[str]:
    """Every id that an element has; text that looks like one is none."""
    return {unescape(double or single) for double, single in _ID.findall(markup)}
