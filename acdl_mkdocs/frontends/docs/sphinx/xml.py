"""The directives `pml` and `laic`: a conversation, tools and calls, from their lines or from a file.

HTML shows drawings; every other format shows the XML. They are drawn when a document is written, so that a call
can link to a later tool.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.blocks.xml_fence import XML_OPTIONS, XmlKind, XmlText, draw_placed, read_xml
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.fence import AnyOption, FenceDirective, option_text
from acdl_mkdocs.frontends.docs.sphinx.nodes import acdl_words, acdl_xml, caption_of, to_xhtml
from acdl_mkdocs.frontends.docs.sphinx.pages import DocumentPages

LANGUAGES = ("laic", "pml")
"""The names of the directives."""

_SOURCE = re.compile(r'<details class="acdl-source".*?</details>|<a class="acdl-permalink".*?</a>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


class XmlDirective(FenceDirective):
    """A block whose text is XML.

    The words after its name and its options are those of a fence. `name` makes it a target of `ref`, and of `numref`
    as a listing if it has a caption; `class` adds CSS classes.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys((*XML_OPTIONS, *FenceDirective.own_options), option_text)
    )

    def run(self) -> list[nodes.Node]:
        """Return the placeholder node."""
        document = self.state.document
        text = self._read_block()
        domain_of(self.env).note_files(text.files)
        anchor = Page(used_ids=set(document.ids)).take_id(text.options.id or self.name)
        node = acdl_xml(docname=self.env.docname, language=self.name, text=text, anchor=anchor)
        node["ids"] = [anchor]
        messages = self.add_caption(node, text.options.caption)
        if text.options.caption:
            caption = node.children[0].astext()
            node["text"] = replace(text, options=replace(text.options, caption=caption))
        self.make_target(node, self.options.get("name") or text.options.id)
        return [node, *messages]

    def _read_block(self) -> XmlText:
        """Read the block of the directive, with its places in the file."""
        directive = self.read_directive()
        domain = domain_of(self.env)
        text = read_xml(directive.fence, domain.display_path(directive.file), domain.folder, self.name)
        if not text.options.src:
            text = replace(text, source=replace(text.source, first_line=directive.first_line))
        classes = (*text.options.classes, *self.own_classes)
        return replace(text, options=replace(text.options, classes=classes))


class DrawXml(SphinxPostTransform):
    """Converts every such block of a document to the form of the builder."""

    default_priority = 390
    """Before LaTeX searches literal blocks with captions."""

    def run(self, **kwargs: Any) -> None:
        """Draw all blocks."""
        del kwargs
        blocks = list(self.document.findall(acdl_xml))
        if not blocks:
            return
        pages, taken = DocumentPages(domain_of(self.env).builder, self.document), set[str]()
        for node in blocks:
            page = pages.page_named(node["docname"])
            if node["language"] == "laic":
                from acdl_mkdocs.frontends.docs.blocks.laic_block import note_tools

                note_tools(node["text"], page)
        for node in blocks:
            if node["anchor"] in taken:  # a builder may put several pages into one
                node["anchor"] = f"{node['docname'].replace('/', '-')}-{node['anchor']}"
                node["ids"] = [node["anchor"]]
            taken.add(node["anchor"])
            _draw_node(node, pages)


def _draw_node(node: acdl_xml, pages: DocumentPages) -> None:
    """Draw a block for the translators of HTML, or replace it by its XML."""
    page, text = pages.page_named(node["docname"]), node["text"]
    page.has_all_tools = True
    kind: XmlKind = import_module(BLOCKS[node["language"]]).KIND
    html = draw_placed(text, page, kind, node["anchor"]).html
    if pages.builder.format != "html":
        node.replace_self(list(_as_nodes(node, text)))
        return
    node["html"] = to_xhtml(html) if pages.builder.name == "epub" else html
    words = unescape(_TAG.sub(" ", _SOURCE.sub("", html)))
    node += acdl_words("", " ".join(words.split()))


def _as_nodes(node: acdl_xml, text: XmlText) -> Iterator[nodes.Node]:
    options, source, caption = text.options, text.source.text.strip("\n"), caption_of(node)
    if options.title:
        yield nodes.paragraph("", "", nodes.strong(options.title, options.title))
    literal = nodes.literal_block(source, source, language="xml")
    if caption is None:
        literal["ids"] = list(node["ids"])
        yield literal
        return
    yield nodes.container(
        "", caption, literal, ids=list(node["ids"]), literal_block=True, classes=["literal-block-wrapper"]
    )
