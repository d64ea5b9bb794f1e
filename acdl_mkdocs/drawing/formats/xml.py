"""A tree of elements as text, and the only place that escapes.

Attributes keep their order, and each element has its own line, except within text.

`svgwrite`, whose validator the tests use, would build an ElementTree first, sort the attributes, need several Python
frames for each level, cannot mix text with elements, and takes longer to import than a figure takes to draw.
"""

import re
from functools import lru_cache
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible


@dataclass(slots=True)
class Element:
    """An XML element."""

    name: str
    attributes: dict[str, str]
    children: "list[Markup]"


Markup: TypeAlias = Element | str
"""The content of an element: other elements and text."""

_ONE_LINE = frozenset({"text", "title", "desc", "style", "a"})
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escape_text(text: str) -> str:
    """Escape the text for XML, between tags or in an attribute."""
    if "&" in text or "<" in text or ">" in text or '"' in text:
        return text.translate(_ESCAPES)
    return text


@lru_cache(maxsize=4096)  # a figure has few that differ
def format_number(value: float) -> str:
    """Format a coordinate, rounded to 0.01; whole numbers without a fraction."""
    whole = int(value)
    if whole == value:
        return str(whole)
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def to_xml(root: Element) -> str:
    """Write the element and everything in it, with a final line end."""
    parts: list[str] = []
    pending: list[Markup | None] = [root]
    ends: list[str] = []
    while pending:
        node = pending.pop()
        if node is None:
            parts.append(ends.pop())
        elif isinstance(node, str):
            parts.append(escape_text(node))
        elif node.name in _ONE_LINE or not node.children:
            parts.append(f"{_write_inline(node)}\n")
        else:
            parts.append(f"<{_begin(node)}>\n")
            ends.append(f"</{node.name}>\n")
            pending += (None, *reversed(node.children))
    return "".join(parts)


def _write_inline(element: Element) -> str:
    """Write an element on one line; elements in a text have few levels."""
    begin = _begin(element)
    if not element.children:
        return f"<{begin}/>"
    inside = [escape_text(each) if isinstance(each, str) else _write_inline(each) for each in element.children]
    return f"<{begin}>{''.join(inside)}</{element.name}>"


def _begin(element: Element) -> str:
    """Return name and attributes of an element; few attributes have anything to escape."""
    attributes = element.attributes
    text = "".join([f' {name}="{value}"' for name, value in attributes.items()])
    if "&" in text or "<" in text or ">" in text or text.count('"') > 2 * len(attributes):
        text = "".join([f' {name}="{escape_text(value)}"' for name, value in attributes.items()])
    return element.name + text


def make_id(text: str) -> str:
    """Convert the text to an id without blanks and invisible characters."""
    return re.sub(r"\s+", "-", make_visible(text))
