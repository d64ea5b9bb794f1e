"""The directive `acdl-playbook`: a playbook, a section of it or single bullets, drawn when all pages are known.

HTML shows everything; every other format shows a list of the bullets.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.playbook_block import book_block
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.fence import AnyOption, FenceDirective, option_text
from acdl_mkdocs.frontends.docs.sphinx.nodes import acdl_playbook, to_xhtml
from acdl_mkdocs.frontends.docs.sphinx.pages import DocumentPages
from acdl_mkdocs.playbook.pages.block import LANGUAGE, PLAYBOOK_OPTIONS, Header, read_playbook_header, select_bullets
from acdl_mkdocs.playbook.pages.books import find_playbook


class PlaybookDirective(FenceDirective):
    """A playbook from its file.

    The words after its name and its options are those of a fence. `name` makes it a target of `ref`, `class` adds CSS
    classes.
    """

    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys((*PLAYBOOK_OPTIONS, *FenceDirective.own_options), option_text)
    )

    def run(self) -> list[nodes.Node]:
        """Return the placeholder node."""
        domain, docname = domain_of(self.env), self.env.docname
        directive = self.read_directive()
        fence = directive.fence
        text = Source(
            make_printable(fence.opening), domain.display_path(directive.file), fence.first + 1, len(fence.prefix) + 1
        )
        header = read_playbook_header(text)
        domain.note_files(find_playbook(header, text, domain.folder)[1].files)
        node = acdl_playbook(docname=docname, header=text)
        node["own_classes"] = self.own_classes
        if header.options.id:
            node["ids"] = [header.options.id]
        self.make_target(node, self.options.get("name") or header.options.id)
        domain.pages_with(LANGUAGE).add(docname)
        return [node]


class DrawPlaybooks(SphinxPostTransform):
    """Converts every playbook of a document to the form of the builder."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Draw all playbooks."""
        del kwargs
        books = list(self.document.findall(acdl_playbook))
        if not books:
            return
        domain = domain_of(self.env)
        pages = DocumentPages(domain.builder, self.document)
        for node in books:
            header = _header_of(node)
            page = pages.page_named(node["docname"])
            page.used_ids -= set(node["ids"])  # they are the block's own
            block = book_block(node["header"], header, page, domain.collect_blocks().spec_index)
            if domain.builder.format == "html":
                node["html"] = to_xhtml(block.html) if domain.builder.name == "epub" else block.html
            else:
                node.replace_self(_as_nodes(node, header, pages))


def _header_of(node: acdl_playbook) -> Header:
    header = read_playbook_header(node["header"])
    classes = (*header.options.classes, *node["own_classes"])
    return replace(header, options=replace(header.options, classes=classes))


def _as_nodes(node: acdl_playbook, header: Header, pages: DocumentPages) -> list[nodes.Node]:
    """Return the bullets as a list that every builder knows."""
    target = nodes.target("", "", ids=list(node["ids"]))
    items = [nodes.list_item("", paragraph) for paragraph in _list_paragraphs(node, header, pages)]
    return [target, nodes.bullet_list("", *items)] if items else [target]


def _list_paragraphs(node: acdl_playbook, header: Header, pages: DocumentPages) -> Iterator[nodes.paragraph]:
    """Yield each bullet with its id."""
    header, book = find_playbook(header, node["header"], pages.page_named(node["docname"]).root)
    if book.published is None:
        return
    for bullet in select_bullets(book.published.playbook, header.options):
        name = nodes.literal("", bullet.id)
        yield nodes.paragraph("", "", nodes.Text(f"{make_printable(bullet.content)} "), name)
