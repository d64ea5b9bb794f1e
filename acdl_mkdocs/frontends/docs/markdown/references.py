"""References to specs in the text of a page, for Python-Markdown: `[the loop](acdl:React1)` and `[[acdl:React1]]`."""

import re
from collections import Counter
from collections.abc import Callable
from html import escape, unescape
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import ETX, STX, AtomicString

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.references import (
    BEGINNING,
    PATTERN,
    SCHEME,
    Reference,
    address_of,
    parse_brackets,
    parse_target,
    render_reference,
    report_malformed,
)

_MARK = compile_later(f'<span class="{STX}acdl-reference:(\\d+){ETX}">(?P<words>.*?)</span>', re.DOTALL)
_LINK = compile_later(
    r'<a(?P<attributes>(?>(?:\s++[^\s<>=]++(?:="[^"<]*+")?)*))>(?P<words>(?>(?:[^<]++|<(?!/?a[\s>]))*))</a>'
)
_HREF = compile_later(r'(?<!\s)\s+href="(acdl:[^"]*)"')
_CLASS = compile_later(r'(?<!\s)\s+class="([^"]*)"')
_ENCODED = compile_later(r"acdl%3a", re.IGNORECASE)
"""The beginning of a target as wiki link plugins write it when they take it for a file."""
_BEFORE_ESCAPES, _BEHIND_REFERENCES, _BEHIND_INLINE, _BEHIND_HEADINGS, _LAST = 185, 184, 19, 4, 5
"""Priorities: behind code, but before Markdown takes the bar of a table cell or the brackets for its own; behind all
inline markup, before headings are listed; and behind the figures, whose anchors are known then."""


class ReferenceMarks(InlineProcessor):
    """Replaces each reference by a mark; its target is known when the whole page is."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(rf"(?<!\\){PATTERN}", md)
        self.found: list[Reference] = []
        self.malformed: dict[str, None] = {}
        self.has_all = False
        """Whether the whole page is converted, and not only a heading for a table of contents."""

    def forget_references(self) -> None:
        """Forget the last text."""
        self.found.clear()
        self.malformed.clear()
        self.has_all = False

    def handleMatch(  # type: ignore[override]  # noqa: N802 - the name that Python-Markdown calls
        self, m: re.Match[str], data: str
    ) -> tuple[Element, int, int]:
        """Store the reference; the words stay, since a table of contents shows those of a heading."""
        del data
        mark = Element("span", {"class": f"{STX}acdl-reference:{len(self.found)}{ETX}"})
        reference = parse_brackets(m)
        mark.text = AtomicString(reference.display_text)
        self.found.append(reference)
        return mark, m.start(0), m.end(0)


class NoReferences(InlineProcessor):
    """Detects text that begins like a reference but is none; it stays unchanged."""

    def __init__(self, md: Markdown, references: ReferenceMarks) -> None:
        super().__init__(rf"(?<!\\){BEGINNING}", md)
        self.references = references

    def handleMatch(  # type: ignore[override]  # noqa: N802 - the name that Python-Markdown calls
        self, m: re.Match[str], data: str
    ) -> tuple[None, None, None]:
        """Keep the words unchanged."""
        del data
        self.references.malformed.setdefault(m[0])
        return None, None, None


class NameLinks(Treeprocessor):
    """Gives a link that names a spec without any words, `[](acdl:React1)`, the name."""

    def run(self, root: Element) -> None:
        """Complete every such link."""
        for link in root.iter("a"):
            target = _ENCODED.sub(SCHEME, link.get("href", ""), count=1)
            if target.startswith(SCHEME):
                link.set("href", target)
                if not len(link) and (link.text or "").strip() in ("", target):
                    link.text = ""
                    SubElement(link, "code").text = AtomicString(parse_target(target).display_text)


class BeginDrawing(Treeprocessor):
    """Notes that headings are listed and that the conversion of the page begins."""

    def __init__(self, md: Markdown, references: ReferenceMarks) -> None:
        super().__init__(md)
        self.references = references

    def run(self, root: Element) -> None:
        """Change nothing; only note the moment."""
        del root
        self.references.has_all = True


class DrawReferences(Postprocessor):
    """Replaces the marks by links."""

    def __init__(self, md: Markdown, references: ReferenceMarks, page_of: Callable[[], Page]) -> None:
        super().__init__(md)
        self.references = references
        self.page_of = page_of

    def run(self, text: str) -> str:
        """Replace every mark, and the target of every link that names a spec."""
        has_links = f'href="{SCHEME}' in text
        if not (self.references.found or self.references.malformed or has_links):
            return text
        if not self.references.has_all:
            return _LINK.sub(_words_of_link, _MARK.sub(r"\g<words>", text))
        page, seen = self.page_of(), Counter[str]()
        for words in self.references.malformed:
            report_malformed(words, page)

        def link(mark: re.Match[str]) -> str:
            reference = self.references.found[int(mark[1])]
            seen[reference.source_text] += 1
            return page.relocate(render_reference(reference, page, seen[reference.source_text] - 1))

        def with_address(link: re.Match[str]) -> str:
            href = _HREF.search(link["attributes"])
            if href is None:
                return link[0]
            reference = parse_target(unescape(href[1]))
            seen[reference.source_text] += 1
            address = address_of(reference, page, seen[reference.source_text] - 1)
            return page.relocate(_link_to(address, link["words"], _HREF.sub("", link["attributes"], count=1)))

        text = _MARK.sub(link, text)
        return _LINK.sub(with_address, text) if has_links else text


def _words_of_link(link: re.Match[str]) -> str:
    return link["words"] if _HREF.search(link["attributes"]) else link[0]


def _link_to(address: str, words: str, attributes: str) -> str:
    """Return a link of an author with its address; without one, only its words."""
    if not address:
        return f'<span class="acdl-broken-reference">{words}</span>'
    own = _CLASS.search(attributes)
    classes = f"acdl-reference {own[1]}" if own else "acdl-reference"
    return f'<a class="{classes}" href="{escape(address)}"{_CLASS.sub("", attributes, count=1)}>{words}</a>'


def add_reference_processors(md: Markdown, page_of: Callable[[], Page]) -> ReferenceMarks:
    """Register both processors with a converter."""
    references = ReferenceMarks(md)
    md.inlinePatterns.register(references, "acdl_reference", _BEFORE_ESCAPES)
    md.inlinePatterns.register(NoReferences(md, references), "acdl_no_reference", _BEHIND_REFERENCES)
    md.treeprocessors.register(NameLinks(md), "acdl_reference", _BEHIND_INLINE)
    md.treeprocessors.register(BeginDrawing(md, references), "acdl_begin_drawing", _BEHIND_HEADINGS)
    md.postprocessors.register(DrawReferences(md, references, page_of), "acdl_reference", _LAST)
    return references
