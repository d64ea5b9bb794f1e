"""Where tags, attributes and text between elements stand in the source; only problems need to know.

Trees do not keep these places, as most documents have no problem.
"""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml.tree import Element

_TAG = re.compile(r"""<[^>"']*+""" + possessive(r""""[^"]*+"[^>"']*+|'[^']*+'[^>"']*+""") + ">")
_ATTRIBUTE = re.compile(r"""\s([^\s=<>"'/]++)\s*+=\s*+(?:"[^"]*+"|'[^']*+')""")
_NOTHING = re.compile(possessive(r"\s++|<!--.*?-->|<\?.*?\?>"), re.DOTALL)


def start_tag(text: str, element: Element) -> Span:
    """The start tag of an element; a single character where there is none in the source."""
    found = _TAG.match(text, element.span.start)
    return Span(found.start(), found.end()) if found else Span(element.span.start, element.span.start + 1)


def attribute(text: str, element: Element, name: str) -> Span:
    """An attribute with its value; the start tag where it is not written as such."""
    tag = start_tag(text, element)
    local = name.rpartition("}")[2].removeprefix("x:")
    for found in _ATTRIBUTE.finditer(text, tag.start, tag.end):
        if found[1] == name or found[1].rpartition(":")[2] == local:
            return Span(found.start(1), found.end())
    return tag


def gaps(text: str, element: Element) -> Iterator[tuple[int, int]]:
    """Where text can stand in an element of the source: before, between and behind the elements in it."""
    at = start_tag(text, element).end
    for child in element.elements:
        yield at, child.span.start
        at = child.span.end
    yield at, max(text.rfind("<", at, element.span.end), at)


def loose_text(text: str, element: Element) -> Span:
    """The first text between the elements of an element."""
    is_written = element.name != "prompt" or text.startswith("<prompt", element.span.start)
    at = start_tag(text, element).end if is_written else element.span.start
    for child in element.elements:
        at = _first_word(text, at)
        if at < child.span.start:
            break
        at = child.span.end
    at = min(_first_word(text, at), len(text) - 1)
    ends = (text.find("\n", at), text.find("<", at + 1), len(text))
    return Span(at, max(min(end for end in ends if end >= 0), at + 1))


def _first_word(text: str, at: int) -> int:
    """Behind white space, comments and instructions."""
    found = _NOTHING.match(text, at)
    return found.end() if found else at
