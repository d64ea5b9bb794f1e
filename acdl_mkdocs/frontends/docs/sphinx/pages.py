"""The pages that a builder writes into one file: the data that their blocks need, and ids that are unique in it."""

import re
from dataclasses import replace
from functools import partial

from docutils import nodes
from sphinx.builders import Builder
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.nodes import acdl_block
from acdl_mkdocs.frontends.docs.sphinx.settings import report_to_sphinx, settings_of
from acdl_mkdocs.frontends.docs.sphinx.targets import KnownBlock
from acdl_mkdocs.workspace.read_block import BlockText

_log = logging.getLogger(__name__)

_ID = re.compile(r'\sid="([^"]*)"')


class DocumentPages:
    """The pages of a document, with the unique ids of its file; `singlehtml` has all pages in one."""

    def __init__(self, builder: Builder, document: nodes.document) -> None:
        self.builder = builder
        self._domain = domain_of(builder.env)
        self._folder = self._domain.folder
        self._pages: dict[str, Page] = {}
        self._drawn_ids: set[str] = set()
        self._reported: set[str] = set()
        self._ids = {each for node in document.findall(nodes.Element) for each in node["ids"]}

    def find_block(self, node: acdl_block) -> KnownBlock | None:
        """Return the block of a node, with the id of its figure in the file."""
        blocks = self._domain.blocks.get(node["docname"], ())
        known_block = next((block for block in blocks if block.anchor == node["anchor"]), None)
        anchor = self._domain.anchor_in(self.builder, node["docname"], node["anchor"])
        if known_block is None or known_block.anchor == anchor:
            return known_block
        node["ids"] = [anchor, *(each for each in node["ids"] if each != known_block.anchor)]
        text = replace(known_block.text, options=replace(known_block.text.options, id=anchor))
        return replace(known_block, text=text, anchor=anchor)

    def find_missing_ids(self, ids: list[str], html: str) -> list[str]:
        """Return those of the ids that neither a block nor an earlier one in the file has."""
        self._drawn_ids |= set(_ID.findall(html))
        lost = [each for each in dict.fromkeys(ids) if each not in self._drawn_ids]
        self._drawn_ids |= set(lost)
        return lost

    def format_position(self, text: BlockText) -> str:
        """Return the position of a block, for problems of the whole block."""
        source = text.header or text.source
        return f"{self._folder / source.name}:{source.first_line}"

    def report_once(self, message: str) -> None:
        """Report something that is true of all blocks, once."""
        if message not in self._reported:
            self._reported.add(message)
            _log.info("%s", message)

    def page_named(self, docname: str) -> Page:
        """Return the page with a name, ready to draw."""
        if docname not in self._pages:
            link = partial(self._link_to, docname)
            self._pages[docname] = Page(
                name=docname,
                root=self._folder,
                settings=self._settings_for(docname),
                from_root=partial(self._from_page, docname),
                report=report_to_sphinx(docname, self._folder, self._domain.reported),
                used_ids=self._ids,
                catalog=self._domain.collect_blocks().catalog_for(docname, link),
                link=link,
            )
        return self._pages[docname]

    def _link_to(self, docname: str, address: str) -> str:
        """Return the address of a figure as a link of a page."""
        to, _, anchor = address.rpartition("#")
        if self.builder.format != "html" or self.builder.name == "singlehtml" or to == docname:
            return f"#{self._domain.anchor_in(self.builder, to, anchor)}"
        return f"{self.builder.get_relative_uri(docname, to)}#{anchor}"

    def _settings_for(self, docname: str) -> Settings:
        """Return the settings of a page; readers of books and text files cannot open a playground."""
        settings = settings_of(self.builder.config)
        has_links = self.builder.format == "html" and self.builder.name != "epub"
        return replace(
            settings,
            rule_url=self._from_page(docname, settings.rule_url),
            playground=settings.playground if has_links else "",
        )

    def _from_page(self, docname: str, address: str) -> str:
        """Return an address as a link; one without a host starts from the folder of the whole site."""
        if not address or "://" in address or address[0] == "/":
            return address
        return relative_uri(self.builder.get_target_uri(docname), address)
