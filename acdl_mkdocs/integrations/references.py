"""References to specs in the text of a page, for Python-Markdown: `[[acdl:React1]]`."""

import re
from collections import Counter
from collections.abc import Callable
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.util import ETX, STX, AtomicString

from acdl_mkdocs.compile_later import compile_later
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.references import BEGINNING, PATTERN, malformed, reference, words_of

_MARK = compile_later(f'<span class="{STX}acdl-reference:(\\d+){ETX}">.*?</span>', re.DOTALL)
_BEFORE_ESCAPES, _BEHIND_REFERENCES, _LAST = 185, 184, 5
"""Priorities: behind code, but before Markdown takes the bar of a table cell or the brackets for its own; and behind
the figures, whose anchors are known then."""


class References(InlineProcessor):
    """Puts a mark in the place of each reference; what it leads to is known when all of the page is."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(rf"(?<!\\){PATTERN}", md)
        self.found: list[re.Match[str]] = []
        self.malformed: dict[str, None] = {}

    def clear(self) -> None:
        """Forget the last text."""
        self.found.clear()
        self.malformed.clear()

    def handleMatch(  # type: ignore[override]  # noqa: N802 - the name that Python-Markdown calls
        self, m: re.Match[str], data: str
    ) -> tuple[Element, int, int]:
        """Keep what was found; the words stay, since a table of contents shows those of a heading."""
        del data
        mark = Element("span", {"class": f"{STX}acdl-reference:{len(self.found)}{ETX}"})
        mark.text = AtomicString(words_of(m))
        self.found.append(m)
        return mark, m.start(0), m.end(0)


class NoReferences(InlineProcessor):
    """Notes what begins like a reference and is none; it stays as it is."""

    def __init__(self, md: Markdown, references: References) -> None:
        super().__init__(rf"(?<!\\){BEGINNING}", md)
        self.references = references

    def handleMatch(  # type: ignore[override]  # noqa: N802 - the name that Python-Markdown calls
        self, m: re.Match[str], data: str
    ) -> tuple[None, None, None]:
        """Keep the words."""
        del data
        self.references.malformed.setdefault(m[0])
        return None, None, None


class DrawReferences(Postprocessor):
    """Makes links of the marks."""

    def __init__(self, md: Markdown, references: References, page_of: Callable[[], Page]) -> None:
        super().__init__(md)
        self.references = references
        self.page_of = page_of

    def run(self, text: str) -> str:
        """Replace every mark."""
        if not self.references.found and not self.references.malformed:
            return text
        page, seen = self.page_of(), Counter[str]()
        for words in self.references.malformed:
            malformed(words, page)
        self.references.malformed.clear()  # a table of contents asks again for each heading

        def link(mark: re.Match[str]) -> str:
            found = self.references.found[int(mark[1])]
            seen[found[0]] += 1
            return page.place(reference(found, page, seen[found[0]] - 1))

        return _MARK.sub(link, text)


def register(md: Markdown, page_of: Callable[[], Page]) -> References:
    """Add both to a converter."""
    references = References(md)
    md.inlinePatterns.register(references, "acdl_reference", _BEFORE_ESCAPES)
    md.inlinePatterns.register(NoReferences(md, references), "acdl_no_reference", _BEHIND_REFERENCES)
    md.postprocessors.register(DrawReferences(md, references, page_of), "acdl_reference", _LAST)
    return references
