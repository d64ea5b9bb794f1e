"""The ids inside drawings of `pml` and `laic`, registered with MyST, so that `[text](#pml-turn-2)` finds them.

Sphinx draws blocks when a page is written, long after its links were resolved.
"""

from importlib import import_module
from typing import Any

from sphinx.transforms import SphinxTransform

from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.blocks.xml_fence import XmlKind, draw_placed
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.relocate import ids_in
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.nodes import acdl_xml

_SLUGS = "myst_slugs"
"""MyST's attribute of a document and of its page's metadata: from an anchor to line, id and words of a link."""


class ReportIds(SphinxTransform):
    """Adds them to the anchors of headings, before MyST resolves the links of a page."""

    default_priority = 870

    def apply(self, **kwargs: Any) -> None:
        """Draw the blocks of the page only for their ids."""
        del kwargs
        slugs = getattr(self.document, _SLUGS, None)
        blocks = list(self.document.findall(acdl_xml))
        if slugs is None or not blocks:
            return
        page = Page(
            name=self.env.docname, root=domain_of(self.env).folder, used_ids=set(self.document.ids), has_all_tools=True
        )
        for node in blocks:
            kind: XmlKind = import_module(BLOCKS[node["language"]]).KIND
            for each in sorted(ids_in(draw_placed(node["text"], page, kind, node["anchor"]).html)):
                slugs.setdefault(each, (node.line, each, f"#{each}"))
        self.env.metadata[self.env.docname][_SLUGS] = slugs
