"""Convert the HTML of one page for another page: with unique ids, and with links that keep their targets.

For tools that assemble pages from others, such as the list of posts of a blog. Takes and returns HTML as text. Knows
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
_IDS = ("id", "for", "aria-controls", "aria-describedby", "aria-details", "aria-labelledby")
"""Attributes that contain ids of the same page, separated by spaces."""
_LINKS = ("href", "xlink:href", "src")
_ELSEWHERE = compile_later(r"[A-Za-z][A-Za-z0-9+.-]*:|/")
"""Beginnings of links that are the same on every page."""
_SITE = "http://site/"


def relocate_html(
    html: str, rename: Callable[[str], str], link: Callable[[str], str], links: tuple[str, ...] = _LINKS
) -> str:
    """Convert HTML for another page.

    Parameters:
        html: HTML written by this package: values of attributes are in double quotes, and `<` and `>` are
            escaped in them.
        rename: Returns the id on the other page.
        link: Returns the link on the other page.
        links: The attributes that contain links.
    """

    def attribute(match: re.Match[str]) -> str:
        name, value = match.groups()
        if name in _IDS:
            value = " ".join(escape(rename(unescape(each))) for each in value.split(" "))
        elif name in links:
            value = escape(link(unescape(value)))
        return f'{name}="{value}"'

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(attribute, tag[0]), html)


@dataclass(frozen=True, slots=True)
class PageCopy:
    """A copy of a page, or of a part of it, on another page."""

    home: str
    """The address of the page itself, from the root of the site."""
    address: str
    """The address of the page with the copy."""

    def relocate_part(self, html: str) -> str:
        """Convert a drawing for the page itself to the copy."""
        prefix = re.sub(r"[^\w-]+", "-", unquote(self.home).removesuffix("/").removesuffix(".html")).strip("-")
        return relocate_html(html, lambda name: f"{prefix}-{name}", self._link_to)

    def _link_to(self, target: str) -> str:
        if _ELSEWHERE.match(target):
            return target
        return link_from(self.address, urljoin(f"{_SITE}{self.home}", target).removeprefix(_SITE))


_ID = re.compile(r"""<[A-Za-z][^<>]*?\sid=(?:"([^"<>]*)"|'([^'<>]*)')""")


def ids_in(markup: str) -> set[str]:
    """Return every id of an element; text that looks like an id does not count."""
    return {unescape(double or single) for double, single in _ID.findall(markup)}
