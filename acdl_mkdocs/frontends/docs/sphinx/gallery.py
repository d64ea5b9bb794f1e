"""The directive `acdl-gallery`: all specs of a project as cards, drawn when all pages are known.

HTML has cards; every other format has a list of links.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import NoUri
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import repeated_id_problem
from acdl_mkdocs.frontends.docs.blocks.gallery_block import gallery_block, report_problems
from acdl_mkdocs.frontends.docs.blocks.gallery_options import GALLERY_OPTIONS, LANGUAGE, Header, read_gallery_header
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.gallery import choose_entries, gallery_problems, shorten_description
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.fence import AnyOption, FenceDirective, option_text
from acdl_mkdocs.frontends.docs.sphinx.nodes import acdl_gallery, render_anchors, to_xhtml
from acdl_mkdocs.frontends.docs.sphinx.pages import DocumentPages
from acdl_mkdocs.frontends.docs.sphinx.settings import has_script

SCRIPT = f"{LANGUAGE}.js"
"""The script of the gallery's filter."""


class GalleryDirective(FenceDirective):
    """A gallery of the specs of the project.

    The words after its name and its options are those of a fence. `name` makes it a target of `ref`, `class` adds CSS
    classes.
    """

    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys((*GALLERY_OPTIONS, *FenceDirective.own_options), option_text)
    )

    def run(self) -> list[nodes.Node]:
        """Return the placeholder node."""
        domain, docname, document = domain_of(self.env), self.env.docname, self.state.document
        directive = self.read_directive()
        fence = directive.fence
        header = Source(
            make_printable(fence.opening), domain.display_path(directive.file), fence.first + 1, len(fence.prefix) + 1
        )
        gallery_header = read_gallery_header(header)
        used_ids = {*document.ids, *(block.anchor for block in domain.blocks.get(docname, ()))}
        anchor = Page(used_ids=used_ids).take_id(gallery_header.options.id)
        node = acdl_gallery(docname=docname, header=header, anchor=anchor)
        node["ids"], node["own_classes"] = [anchor], self.own_classes
        self.make_target(
            node, self.options.get("name") or (gallery_header.options.id if "id" in gallery_header.places else "")
        )
        domain.pages_with(LANGUAGE).add(docname)
        return [node]


class DrawGalleries(SphinxPostTransform):
    """Converts every gallery of a document to the form of the builder."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Draw all galleries."""
        del kwargs
        galleries = list(self.document.findall(acdl_gallery))
        if not galleries:
            return
        domain = domain_of(self.env)
        pages, spec_index, taken = (
            DocumentPages(domain.builder, self.document),
            domain.collect_blocks().spec_index,
            set[str](),
        )
        for node in galleries:
            header = _header_of(node, taken)
            taken.add(header.options.id)
            if domain.builder.format == "html":
                _draw_node(node, header, spec_index, pages)
            else:
                node.replace_self(_as_nodes(node, header, spec_index, pages))


def add_script(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document) -> None:
    """Make a page load the script of galleries if it has one."""
    del templatename, context, doctree
    galleries = domain_of(app.env).pages_with(LANGUAGE)
    if has_script(app.config) and (pagename in galleries or (galleries and app.builder.name == "singlehtml")):
        app.add_js_file(SCRIPT, loading_method="defer")


def _header_of(node: acdl_gallery, taken: set[str]) -> Header:
    """Return the header of a gallery, with an id that is unique in the file; a builder may join several pages."""
    header = read_gallery_header(node["header"])
    wanted = header.options.id
    anchor = node["anchor"] if node["anchor"] not in taken else f"{node['docname'].replace('/', '-')}-{node['anchor']}"
    problems = header.diagnostics
    if "id" in header.places and wanted != node["anchor"]:
        problems = (*problems, repeated_id_problem(wanted, header.places["id"], "gallery"))
    options = replace(header.options, id=anchor, classes=(*header.options.classes, *node["own_classes"]))
    return replace(header, options=options, diagnostics=problems)


def _draw_node(node: acdl_gallery, header: Header, spec_index: SpecIndex, pages: DocumentPages) -> None:
    """Draw a gallery for the translators of HTML; pages of books get neither scripts nor drawings."""
    is_book = pages.builder.name == "epub"
    if is_book:
        header = replace(header, options=replace(header.options, thumbnails=False, filter=False, legend=False))
    html = gallery_block(node["header"], header, spec_index, pages.page_named(node["docname"])).html
    ids = [header.options.id, *(each for each in node["ids"] if each != node["anchor"])]
    html = render_anchors(pages.find_missing_ids(ids, html)) + html
    node["html"] = to_xhtml(html) if is_book else html


def _as_nodes(node: acdl_gallery, header: Header, spec_index: SpecIndex, pages: DocumentPages) -> list[nodes.Node]:
    """Return a gallery as a list that every builder knows."""
    problems = (*header.diagnostics, *gallery_problems(spec_index, header))
    report_problems(node["header"], problems, pages.page_named(node["docname"]))
    items = [nodes.list_item("", paragraph) for paragraph in _list_paragraphs(node, header, spec_index, pages)]
    target = nodes.target("", "", ids=list(node["ids"]))
    return [target, nodes.bullet_list("", *items)] if items else [target]


def _list_paragraphs(
    node: acdl_gallery, header: Header, spec_index: SpecIndex, pages: DocumentPages
) -> Iterator[nodes.paragraph]:
    """Yield each spec with its description."""
    for entry in choose_entries(spec_index, header.options):
        paragraph = nodes.paragraph("", "", _link_title(entry, node["docname"], pages))
        description = shorten_description(make_printable(entry.spec.description))
        if description:
            paragraph += nodes.Text(f": {description}")
        yield paragraph


def _link_title(entry: SpecEntry, docname: str, pages: DocumentPages) -> nodes.Node:
    """Return the title of a spec as a link to its figure, which the file of a builder may lack."""
    title = nodes.Text(make_printable(entry.spec.title))
    to, _, anchor = entry.address.rpartition("#")
    try:
        return make_refnode(pages.builder, docname, to, anchor, title)
    except NoUri:
        return nodes.strong("", "", title)
