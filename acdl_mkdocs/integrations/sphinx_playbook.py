"""The directive `acdl-playbook`: a playbook, a section of it or single bullets, drawn when all pages are known.

HTML has everything; every other format has a list of the bullets.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from acdl_mkdocs.integrations.sphinx_directive import AnyOption, as_written
from acdl_mkdocs.integrations.sphinx_domain import domain_of
from acdl_mkdocs.integrations.sphinx_nodes import acdl_playbook
from acdl_mkdocs.integrations.sphinx_pages import Pages
from acdl_mkdocs.integrations.sphinx_source import written
from acdl_mkdocs.integrations.sphinx_xhtml import to_xhtml
from acdl_mkdocs.playbook_pages.block import chosen
from acdl_mkdocs.playbook_pages.books import named_book
from acdl_mkdocs.playbook_pages.in_page import book_block
from acdl_mkdocs.playbook_pages.options import LANGUAGE, PLAYBOOK_OPTIONS, Header, read_playbook_header
from acdl_mkdocs.site.files import printable
from acdl_mkdocs.source import Source

_OWN = ("name", "class")
_FILE = re.compile(r"[^\s=]+\.(?:ya?ml|json)(?:#\S+)?")
"""A single word behind the name of the directive that is a file, as other directives take one."""


class PlaybookDirective(SphinxDirective):
    """A playbook from its file.

    The words behind its name and its options are those of a fence. `name` makes it a target of `ref`, `class` adds CSS
    classes.
    """

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys((*PLAYBOOK_OPTIONS, *_OWN), as_written)
    )

    def run(self) -> list[nodes.Node]:
        """The node that stands for it."""
        domain, docname = domain_of(self.env), self.env.docname
        options = {name: value for name, value in self.options.items() if name not in _OWN}
        words = " ".join(self.arguments)
        if _FILE.fullmatch(words) and "src" not in options:
            words, options["src"] = "", words
        if name := nodes.fully_normalize_name(self.options.get("name", "")):
            options.setdefault("id", nodes.make_id(name) or name)
        place = written(self, words, options, ())
        fence = place.fence
        text = Source(printable(fence.opening), domain.called(place.file), fence.first + 1, len(fence.prefix) + 1)
        header = read_playbook_header(text)
        for path in named_book(header, text, domain.folder)[1].files:
            self.env.note_dependency(str(path))
        node = acdl_playbook(docname=docname, header=text)
        node["own_classes"] = self.options.get("class", "").split()
        if header.options.id:
            node["ids"] = [header.options.id]
            node["names"].append(nodes.fully_normalize_name(name or header.options.id))
        self.set_source_info(node)
        self.state.document.note_explicit_target(node, node)
        domain.lists(LANGUAGE).add(docname)
        return [node]


class DrawPlaybooks(SphinxPostTransform):
    """Give every playbook of a document the form that the builder writes."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Draw them."""
        del kwargs
        books = list(self.document.findall(acdl_playbook))
        if not books:
            return
        domain = domain_of(self.env)
        pages = Pages(domain.builder, self.document)
        for node in books:
            header = _header_of(node)
            page = pages.page(node["docname"])
            page.used_ids -= set(node["ids"])  # they are the block's own
            block = book_block(node["header"], header, page, domain.project().shelf)
            if domain.builder.format == "html":
                node["html"] = to_xhtml(block.html) if domain.builder.name == "epub" else block.html
            else:
                node.replace_self(_as_nodes(node, header, pages))


def _header_of(node: acdl_playbook) -> Header:
    header = read_playbook_header(node["header"])
    classes = (*header.options.classes, *node["own_classes"])
    return replace(header, options=replace(header.options, classes=classes))


def _as_nodes(node: acdl_playbook, header: Header, pages: Pages) -> list[nodes.Node]:
    """The bullets as a list that every builder knows."""
    target = nodes.target("", "", ids=list(node["ids"]))
    items = [nodes.list_item("", paragraph) for paragraph in _paragraphs(node, header, pages)]
    return [target, nodes.bullet_list("", *items)] if items else [target]


def _paragraphs(node: acdl_playbook, header: Header, pages: Pages) -> Iterator[nodes.paragraph]:
    """Each bullet with its id."""
    header, book = named_book(header, node["header"], pages.page(node["docname"]).root)
    if book.published is None:
        return
    for bullet in chosen(book.published.playbook, header.options):
        name = nodes.literal("", bullet.id)
        yield nodes.paragraph("", "", nodes.Text(f"{printable(bullet.content)} "), name)
