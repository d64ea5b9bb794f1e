"""A playbook on a page from its fence: problems go to the page, HTML comes back."""

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook_pages.block import block_problems, playbook_html
from acdl_mkdocs.playbook_pages.book_problems import targets
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.options import Header
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.view import Surroundings
from acdl_mkdocs.site.block import Block
from acdl_mkdocs.site.gallery_block import tell_problems
from acdl_mkdocs.site.page import Page


def playbook_block(text: Source, header: Header, published: Published, page: Page, around: Surroundings) -> Block:
    """Show a playbook, and report what is wrong to the page.

    Parameters:
        text: The header as it is written.
        header: The same as understood.
        published: The playbook that its `src` names.
        page: Where the block stands.
        around: The site, seen from that page.
    """
    panel = tell_problems(text, (*header.diagnostics, *block_problems(header, published)), page)
    panel += tell_problems(published.source, playbook_problems(published, around), page)
    html, name = playbook_html(header.options, published, around, page.take)
    return Block(panel + html, clean(name))


def playbook_problems(published: Published, around: Surroundings) -> tuple[Diagnostic, ...]:
    """What its owner should know about a playbook on a site; spans are those of `published.source`."""
    link = around.link
    if link is None:
        return published.problems
    return (*published.problems, *targets(published.playbook, lambda words: link(words) is not None, published.source))
