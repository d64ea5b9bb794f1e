"""Draw the blocks of a document when all pages are known: for HTML, for EPUB, for LaTeX and for text."""

import html as html_entities
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.builders import Builder
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.osutil import relative_uri

from acdl_mkdocs.foundation.atomic import replace_below
from acdl_mkdocs.foundation.errors import AcdlError, MissingExtraError
from acdl_mkdocs.frontends.docs.blocks.block import draw_placed
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.errors import report_write_errors
from acdl_mkdocs.frontends.docs.sphinx.nodes import (
    acdl_block,
    acdl_words,
    as_image,
    caption_of,
    render_anchors,
    to_xhtml,
)
from acdl_mkdocs.frontends.docs.sphinx.pages import DocumentPages
from acdl_mkdocs.frontends.docs.sphinx.settings import report_problem
from acdl_mkdocs.frontends.docs.sphinx.targets import KnownBlock
from acdl_mkdocs.workspace.options import Show

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box
    from acdl_mkdocs.drawing.formats.options import OutputOptions
    from acdl_mkdocs.workspace.read_block import BlockText

_WORDS = re.compile(
    r'<svg\b[^>]*\bclass="acdl-svg.*?</desc>(.*?)</svg>|<pre class="acdl-(?:text|code)"[^>]*>(.*?)</pre>', re.DOTALL
)
_SENT = re.compile(r'<section class="acdl-sent-point"[^>]*>(.*?)</section>', re.DOTALL)
_VERIFIED = re.compile(r'<p class="acdl-verified-head">(.*?)</p>', re.DOTALL)
_LINE_END = re.compile(r"</(?:p|li|div)>|<br>")
_TAG = re.compile(r"<[^>]*>")


class DrawBlocks(SphinxPostTransform):
    """Draws every block of a document in the form of the builder."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Draw all blocks."""
        del kwargs
        builder = domain_of(self.env).builder
        pages = DocumentPages(builder, self.document)
        for node in list(self.document.findall(acdl_block)):
            block = pages.find_block(node)
            if block is None:
                node.parent.remove(node)
            elif builder.format == "html":
                _draw_html(node, block, pages)
            else:
                node.replace_self(_as_nodes(node, block, pages))


def _draw_html(node: acdl_block, block: KnownBlock, pages: DocumentPages) -> None:
    """Draw a block for the translators of HTML."""
    page = pages.page_named(node["docname"])
    html = draw_placed(block.text, block.anchor, page).html
    words = next(_words_in(html), "")
    if pages.builder.name == "epub":
        figure = _build_figure(block.text, page)
        links = page.catalog.find_links(block.text)
        html = to_xhtml(as_image(html, _write_image(figure, pages.builder, node["docname"]), links) if figure else html)
    node["html"] = (
        render_anchors(pages.find_missing_ids([*node["ids"], *(target.anchor for target in block.targets)], html))
        + html
    )
    node += acdl_words("", words)


def _as_nodes(node: acdl_block, block: KnownBlock, pages: DocumentPages) -> list[nodes.Node]:
    """Return a block as nodes that every builder knows: a picture if possible, else text."""
    page = pages.page_named(node["docname"])
    show = block.text.options.show
    html = draw_placed(_with_view(block.text, "source" if show == "source" else "text"), block.anchor, page).html
    words = next(_words_in(html), block.text.source.text)
    ids = list(dict.fromkeys([*node["ids"], *(target.anchor for target in block.targets)]))
    sent: list[nodes.Node] = [nodes.literal_block(sentence, sentence, language="text") for sentence in _sent_in(html)]
    for sentence in _VERIFIED.findall(html):
        sent.insert(0, nodes.paragraph("", html_entities.unescape(_TAG.sub("", sentence))))
    drawing: nodes.Element = nodes.literal_block(words, words, language="text")
    picture = _write_picture(block.text, page, pages) if pages.builder.format == "latex" else None
    if picture is not None:
        drawing = picture
    caption, title = caption_of(node), block.text.options.title
    heading: list[nodes.Node] = [nodes.paragraph("", "", nodes.strong(title, title))] if title else []
    if show == "side":
        source = next(_words_in(draw_placed(_with_view(block.text, "source"), block.anchor, page).html), words)
        heading.append(nodes.literal_block(source, source, language="text"))
    if caption is None:
        drawing["ids"] = ids
        target = [] if picture is None else [nodes.target("", "", ids=ids)]
        return [*heading, *target, drawing, *sent]
    figure = nodes.figure("", *heading, drawing, caption, ids=ids)
    figure.source, figure.line = node.source, node.line
    return [figure, *sent]


def _with_view(text: "BlockText", show: Show) -> "BlockText":
    return replace(text, options=replace(text.options, show=show))


def _words_in(html: str) -> Iterator[str]:
    """Yield the words of each drawing of a block, one statement a line."""
    for match in _WORDS.finditer(html):
        words = match[1].replace("</text>", "\n") if match[1] else match[2]
        yield html_entities.unescape(_TAG.sub("", words)).strip("\n")


def _sent_in(html: str) -> Iterator[str]:
    """Yield the messages at each point, as lines."""
    for match in _SENT.finditer(html):
        lines = html_entities.unescape(_TAG.sub("", _LINE_END.sub("\n", match[1]))).split("\n")
        yield "\n".join(line.strip() for line in lines if line.strip())


def _build_figure(text: "BlockText", page: Page) -> "tuple[Box, OutputOptions] | None":
    """What a block shows, for writers of pictures; nothing if it shows no drawing."""
    from acdl_mkdocs.drawing.figure.boxes import is_understood
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
    from acdl_mkdocs.foundation.config import Config
    from acdl_mkdocs.workspace.examine import examine_text

    if text.options.show in ("source", "text") or not text.source.text.strip():
        return None
    library = page.catalog.build_library(page.catalog.find_sources(text))
    examined = examine_text(text, Config(), library, is_checked=False)
    figure = describe(examined.resolved, examined.view)
    if not is_understood(figure):
        return None
    options = text.options
    theme: ThemeName = "dark" if options.theme == "dark" else "light"  # readers of a file cannot change it
    return figure, OutputOptions(title=options.title, theme=theme, width_px=options.width)


def _write_image(figure: "tuple[Box, OutputOptions]", builder: Builder, docname: str) -> str:
    """Return the address of a figure as a file of the book; EPUB pages may not contain drawings missing from its list.

    The builder's own path of images is still that of the document before.
    """
    from acdl_mkdocs.drawing.formats import OUTPUTS

    svg = OUTPUTS["svg"](figure[0], figure[1])
    name = f"acdl-{blake2b(svg.encode(), digest_size=10).hexdigest()}.svg"
    with report_write_errors():
        replace_below(Path(builder.outdir), Path(builder.outdir, builder.imagedir, name), svg.encode())
    return relative_uri(builder.get_target_uri(docname), f"{builder.imagedir}/{name}")


def _write_picture(text: "BlockText", page: Page, pages: DocumentPages) -> nodes.Element | None:
    """Return a figure as a PDF beside the LaTeX file; nothing, with a warning, if that is not possible."""
    from acdl_mkdocs.drawing.formats import PICTURES

    figure = _build_figure(text, page)
    if figure is None:
        return None
    position = pages.format_position(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            pdf = PICTURES["pdf"](figure[0], figure[1])
        except MissingExtraError as reason:
            pages.report_once(f"figures are put into LaTeX as text: {reason}")
            return None
        except AcdlError as reason:
            report_problem("warning", "no-picture", f"the figure is put into LaTeX as text: {reason}", position)
            return None
    for each in caught:
        report_problem("warning", "missing-glyph", str(each.message), position)
    name = f"acdl-{blake2b(pdf, digest_size=10).hexdigest()}"
    with report_write_errors():
        replace_below(Path(pages.builder.outdir), Path(pages.builder.outdir, f"{name}.pdf"), pdf)
    code = f"\\par\\noindent\\sphinxincludegraphics{{{{{name}}}.pdf}}\n"  # in a list item, other text precedes it
    return nodes.raw(code, code, format="latex")
