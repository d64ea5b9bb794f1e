"""What is wrong with a page beside its figures: references that lead nowhere, and options of galleries.

For whoever has the text of a page and does not build it. Knows no docs tool.
"""

import re
from collections.abc import Iterator

from acdl_mkdocs.site.fences import fences_of, without_code
from acdl_mkdocs.site.files import printable
from acdl_mkdocs.site.gallery_options import read_gallery_header
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.site.references import PATTERN, problems_of
from acdl_mkdocs.source import Source, Span

_REFERENCE = re.compile(rf"(?<!\\){PATTERN}")


def page_problems(page: Page, text: str) -> Iterator[Finding]:
    """The problems of a page, references first.

    Parameters:
        page: Its catalog has the figures that references may lead to.
        text: The file, front matter included.
    """
    if "[[acdl:" in text:
        source = Source(text, page.name)
        for found in _REFERENCE.finditer(without_code(text)):
            yield from ((each, source) for each in problems_of(found, page, Span(*found.span())))
    for fence in fences_of(text) if "acdl-gallery" in text else ():
        if fence.language == "acdl-gallery" and not fence.is_code:
            placed, name = page.locate(fence)
            opening = Source(printable(placed.opening), name, placed.first + 1, len(placed.prefix) + 1)
            yield from ((each, opening) for each in read_gallery_header(opening).diagnostics)
