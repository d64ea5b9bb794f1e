"""Our HTML as the XHTML that books are made of. Knows nothing about ACDL."""

import re
from collections.abc import Mapping
from html import escape, unescape

_DRAWING = re.compile(r'<svg\b[^>]*\bclass="acdl-svg.*?</svg>', re.DOTALL)
_TITLE = re.compile(r"<(?P<name>title|desc)\b[^>]*>(?P<words>.*?)</(?P=name)>", re.DOTALL)
_PERMALINK = re.compile(r'<a class="acdl-permalink".*?</a>', re.DOTALL)
_CHART = re.compile(r'<nav class="acdl-growth.*?</nav>', re.DOTALL)
"""Of drawings, which pages of a book may not hold."""
_OPENING = re.compile(r'<([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*(/?)>')
_ATTRIBUTE = re.compile(r'(?<!\s)\s+([\w:-]+)(="[^"]*")?')
_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


def as_image(html: str, address: str, links: Mapping[str, str]) -> str:
    """A block that shows its drawing as an image of the book.

    Parameters:
        html: The block.
        address: Of the image.
        links: What can be followed in the drawing, which cannot be in an image: words and addresses, put below it.
    """
    followed = ", ".join(f'<a href="{escape(link)}">{escape(name)}</a>' for name, link in links.items())
    below = f'<p class="acdl-links">{followed}</p>' if followed else ""

    def image(drawing: re.Match[str]) -> str:
        told = [unescape(found["words"]) for found in _TITLE.finditer(drawing[0])]
        return f'<img class="acdl-image" src="{escape(address)}" alt="{escape(" ".join(told))}"/>{below}'

    return _DRAWING.sub(image, html, count=1)


def to_xhtml(html: str) -> str:
    """The same elements as XML: every attribute has a value, every element an end. Links to themselves go."""

    def opening(tag: re.Match[str]) -> str:
        attributes = "".join(f" {name}{value or '=' + chr(34) * 2}" for name, value in _ATTRIBUTE.findall(tag[2]))
        return f"<{tag[1]}{attributes}{'/' if tag[3] or tag[1].lower() in _VOID else ''}>"

    return _OPENING.sub(opening, _CHART.sub("", _PERMALINK.sub("", html)))
