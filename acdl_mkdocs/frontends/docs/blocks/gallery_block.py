"""A gallery of a page as HTML, from an `acdl-gallery` fence or its equivalent."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from html import escape

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note, warning
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.gallery_options import Header, read_gallery_header
from acdl_mkdocs.frontends.docs.page import Page, opening_of
from acdl_mkdocs.frontends.docs.pages.gallery import gallery_html, gallery_problems
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.header import Header as AnyHeader
from acdl_mkdocs.workspace.header import T
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.read_block import Finding


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Render the gallery of a fence, and report its problems to the page."""
    text = opening_of(fence, page)
    header = add_text_problems(read_gallery_header(text), fence, text)
    library = page.library()
    if library is not None:
        return gallery_block(text, header, library.spec_index, page)
    panel = report_problems(text, (*header.diagnostics, _no_site(text)), page)
    return PageBlock(f'{panel}<div class="acdl-gallery"></div>', escape(header.options.id))


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of the opening line of a gallery."""
    text = opening_of(fence, page)
    yield from ((each, text) for each in add_text_problems(read_gallery_header(text), fence, text).diagnostics)


def add_text_problems(header: AnyHeader[T], fence: Fence, opening: Source) -> AnyHeader[T]:
    """Add the problems that `find_text_problems` finds to those of the opening line."""
    return replace(header, diagnostics=(*header.diagnostics, *find_text_problems(fence, opening)))


def find_text_problems(fence: Fence, opening: Source) -> Iterator[Diagnostic]:
    """Yield the problems of the lines of a block that has only an opening line."""
    span = Span(0, len(opening.text.split("\n", 1)[0]))
    if not fence.is_closed:
        label = Label(span, "no end was found for this block")
        yield error("unclosed-fence", "the block is not closed", label, help=fence.how_to_close)
    elif move_options(fence).text.strip():
        label = Label(span, "the lines below are not shown")
        yield warning(
            "src-and-text", "the block has text, which means nothing", label, help="remove the lines below it"
        )


def gallery_block(text: Source, header: Header, spec_index: SpecIndex, page: Page) -> PageBlock:
    """Render a gallery of a site's specs, and report problems to the page.

    Parameters:
        text: The header as written.
        header: The same as understood.
        spec_index: All specs of the site.
        page: The page of the gallery.
    """
    panel = report_problems(text, (*header.diagnostics, *gallery_problems(spec_index, header)), page)
    html = gallery_html(spec_index, header.options, page.link, _link_to_playground(page))
    return PageBlock(panel + html, escape(header.options.id))


def _link_to_playground(page: Page) -> Callable[[SpecEntry], str] | None:
    """Return a function that gives the playground address of a spec, if the site has a playground."""
    if not page.has_playground:
        return None
    from acdl_mkdocs.frontends.docs.blocks.playground_links import address_of_spec  # few sites have a playground

    return lambda spec: address_of_spec(spec, page)


def report_problems(text: Source, problems: Iterable[Diagnostic], page: Page) -> str:
    """Report the problems of a gallery to its page, and return the panel that shows them there."""
    from acdl_mkdocs.foundation.reports.html_panel import render_panel
    from acdl_mkdocs.foundation.reports.log_line import format_line_with_help
    from acdl_mkdocs.foundation.reports.options import ReportOptions

    visible = []
    for each in problems:
        page.report(each.severity, format_line_with_help(each, text))
        if page.settings.show_warnings or each.severity == "error":
            visible.append((each, text))
    return render_panel(visible, ReportOptions(rule_url=page.settings.rule_url), "") if visible else ""


def _no_site(text: Source) -> Diagnostic:
    label = Label(Span(0, len(text.text)), "no tool says which pages belong to this site")
    cure = "build the page with MkDocs, ProperDocs, Zensical or Sphinx"
    return note("empty-gallery", "this gallery is empty: the pages of the site are not known here", label, help=cure)
