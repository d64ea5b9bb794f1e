"""The nodes for blocks in a document of Sphinx, and how HTML translators write them.

`acdl_block` has no caption; `acdl_figure` has one, so Sphinx counts it among its figures and `numref` knows it.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape, unescape

from docutils import nodes
from sphinx.locale import _
from sphinx.writers.html5 import HTML5Translator

_CAPTION = re.compile(r"<figcaption>.*?</figcaption>", re.DOTALL)
_PERMALINK = re.compile(r'<a class="acdl-permalink".*?</a>', re.DOTALL)


class acdl_block(nodes.General, nodes.Element):  # noqa: N801 - translators look for `visit_` and this name
    """A block of a page; `docname` and `anchor` find its text in the domain, `html` is there once it is drawn."""


class acdl_figure(acdl_block, nodes.figure):  # noqa: N801
    """A block with a caption, its only child."""


class acdl_gallery(nodes.General, nodes.Element):  # noqa: N801
    """A gallery; `header` has its options, `html` is there once it is drawn."""


class acdl_playbook(nodes.General, nodes.Element):  # noqa: N801
    """A playbook; `header` has its options, `html` is there once it is drawn."""


class acdl_xml(nodes.General, nodes.Element):  # noqa: N801
    """A block whose text is XML; `text` is its content, `html` is there once it is drawn.

    Sphinx counts those with a caption among its listings, as the formats other than HTML show them.
    """


class acdl_compared(nodes.General, nodes.Element):  # noqa: N801
    """Specs compared; `fence` is the source of the block, `html` is there once it is drawn."""


class acdl_compared_figure(acdl_compared, nodes.figure):  # noqa: N801
    """Specs compared with a caption, its only child."""


class acdl_words(nodes.General, nodes.TextElement):  # noqa: N801
    """The words of a drawing: for the search index, and not part of the page."""


def caption_of(block: nodes.Element) -> nodes.caption | None:
    """Return the caption of a block, if it has one."""
    return next((child for child in block.children if isinstance(child, nodes.caption)), None)


def render_anchors(ids: Iterable[str]) -> str:
    """Render invisible elements, for addresses that would otherwise be broken."""
    return "".join(f'<span id="{escape(each)}"></span>' for each in ids)


def visit_html(translator: HTML5Translator, block: acdl_block) -> None:
    """Write a drawn block with the caption as Sphinx writes it: numbered, with its links.

    Raises:
        SkipNode: Always: nothing is left to be written.
    """
    html: str = block["html"]
    caption = caption_of(block)
    match = _CAPTION.search(html)
    if caption is None or match is None:
        translator.body.append(f"{html}\n")
        raise nodes.SkipNode
    before, after = html[: match.start()], html[match.end() :]
    if translator.config.html_permalinks:
        before = _PERMALINK.sub("", before)  # Sphinx puts its own after the caption
    translator.body.append(f"{before}<figcaption>")
    translator.add_fignumber(block)
    translator.body.append('<span class="caption-text">')
    for child in caption.children:
        child.walkabout(translator)
    translator.body.append("</span>")
    translator.add_permalink_ref(block, _("Link to this image"))
    translator.body.append(f"</figcaption>{after}\n")
    raise nodes.SkipNode


def depart(translator: nodes.NodeVisitor, block: acdl_block) -> None:
    """Write nothing; the visit did everything."""
    del translator, block


def visit_nothing(translator: nodes.NodeVisitor, block: nodes.Element) -> None:
    """Skip a node that is not part of a page.

    Raises:
        SkipNode: Always.
    """
    del translator, block
    raise nodes.SkipNode


_DRAWING = re.compile(
    r'<svg\b[^>]*\bclass="acdl-svg.*?</svg>(?:\s*<svg\b[^>]*\bclass="acdl-narrow.*?</svg>)?', re.DOTALL
)
"""A drawing, with that for narrow columns."""
_TITLE = re.compile(r"<(?P<name>title|desc)\b[^>]*>(?P<words>.*?)</(?P=name)>", re.DOTALL)

_CHART = re.compile(r'<nav class="acdl-growth.*?</nav>', re.DOTALL)
"""The charts of drawings, which pages of a book may not contain."""
_OPENING = re.compile(r'<([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*(/?)>')
_ATTRIBUTE = re.compile(r'(?<!\s)\s+([\w:-]+)(="[^"]*")?')
_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


def as_image(html: str, address: str, links: Mapping[str, str]) -> str:
    """Return a block that shows its drawing as an image of the book.

    Parameters:
        html: The block.
        address: Of the image.
        links: The links in the drawing, which an image cannot have: words and addresses, put below it.
    """
    followed = ", ".join(f'<a href="{escape(link)}">{escape(name)}</a>' for name, link in links.items())
    below = f'<p class="acdl-links">{followed}</p>' if followed else ""

    def image(drawing: re.Match[str]) -> str:
        titles = [unescape(match["words"]) for match in _TITLE.finditer(drawing[0])]
        return f'<img class="acdl-image" src="{escape(address)}" alt="{escape(" ".join(titles))}"/>{below}'

    return _DRAWING.sub(image, html, count=1)


def to_xhtml(html: str) -> str:
    """Convert elements to XML: every attribute has a value, every element an end. Links to themselves are dropped."""

    def write_opening_tag(tag: re.Match[str]) -> str:
        attributes = "".join(f" {name}{value or '=' + chr(34) * 2}" for name, value in _ATTRIBUTE.findall(tag[2]))
        return f"<{tag[1]}{attributes}{'/' if tag[3] or tag[1].lower() in _VOID else ''}>"

    return _OPENING.sub(write_opening_tag, _CHART.sub("", _PERMALINK.sub("", html)))
