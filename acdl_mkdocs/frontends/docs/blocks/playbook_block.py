"""`acdl-playbook` blocks of a page, from their fences, and the site data that their playbooks need."""

from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.gallery_block import add_text_problems, report_problems
from acdl_mkdocs.frontends.docs.page import Page, opening_of
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.playbook.model.prompt_text import bullet_text
from acdl_mkdocs.playbook.pages.block import (
    Header,
    block_problems,
    read_playbook_header,
    render_playbook,
    select_bullets,
)
from acdl_mkdocs.playbook.pages.books import PublishedFile, find_playbook
from acdl_mkdocs.playbook.pages.changes import revision_address
from acdl_mkdocs.playbook.pages.html_text import clean_text
from acdl_mkdocs.playbook.pages.page import bullet_address
from acdl_mkdocs.playbook.pages.published import Published, check_targets
from acdl_mkdocs.playbook.pages.view import Surroundings, Target
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding


def playbook_block(
    text: Source, header: Header, published: Published, page: Page, surroundings: Surroundings
) -> PageBlock:
    """Render a playbook, and report problems to the page.

    Parameters:
        text: The header as written.
        header: The same as understood.
        published: The playbook that its `src` names.
        page: The page of the block.
        surroundings: The site data for that page.
    """
    panel = report_problems(text, (*header.diagnostics, *block_problems(header, published)), page)
    panel += report_problems(published.source, playbook_problems(published, surroundings), page)
    html, name = render_playbook(header.options, published, surroundings, page.take_id)
    return PageBlock(panel + html, clean_text(name))


def playbook_problems(published: Published, surroundings: Surroundings) -> tuple[Diagnostic, ...]:
    """Return problems of a playbook on a site; spans are those of `published.source`."""
    link = surroundings.link
    if link is None:
        return published.problems
    return (
        *published.problems,
        *check_targets(published.playbook, lambda words: link(words) is not None, published.source),
    )


KINDS = ("acdl", "fragment")
"""The prefix, before the colon, of what a bullet applies to: a spec or a fragment."""


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Render the playbook of a fence, and report its problems to the page."""
    text = opening_of(fence, page)
    header = add_text_problems(read_playbook_header(text), fence, text)
    library = page.library()
    if library is None:
        return book_block(text, header, page)
    return book_block(text, header, page, library.spec_index, library.books)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of the opening line of a block, and of the file that it names."""
    text = opening_of(fence, page)
    header, book = find_playbook(add_text_problems(read_playbook_header(text), fence, text), text, page.root)
    yield from ((each, text) for each in header.diagnostics)
    yield from book.findings
    if book.published is not None:
        yield from ((each, text) for each in block_problems(header, book.published) if each.severity == "error")


def book_block(
    text: Source,
    header: Header,
    page: Page,
    spec_index: SpecIndex | None = None,
    books: Mapping[Path, Mapping[str, str]] = MappingProxyType({}),
) -> PageBlock:
    """Render the playbook of a header, and report problems to the page.

    Parameters:
        text: The header as written.
        header: The same as understood.
        page: The page of the block.
        spec_index: The specs and fragments of the site; `None` if unknown.
        books: For each playbook with its own pages, their addresses and those of its files, by name.
    """
    header, book = find_playbook(header, text, page.root)
    page.files.update(book.files)
    panel = "".join(report_problems(source, [each], page) for each, source in book.findings)
    if book.published is None:
        panel += report_problems(text, header.diagnostics, page)
        return PageBlock(f'{panel}<div class="acdl-playbook"></div>', escape(header.options.id))
    pages = books.get(book.path, {}) if book.path else {}
    block = playbook_block(
        text, header, book.published, page, _build_surroundings(book, book.published, page, spec_index, pages)
    )
    return PageBlock(panel + block.html, block.id)


def _build_surroundings(
    book: PublishedFile, published: Published, page: Page, spec_index: SpecIndex | None, pages: Mapping[str, str]
) -> Surroundings:
    """Return the site data of a page for a playbook."""

    def address(name: str, anchor: str) -> str:
        return page.link(f"{pages[name]}#{anchor}") if name in pages else ""

    return Surroundings(
        link=(lambda words: find_target(words, spec_index, page.link)) if spec_index is not None else None,
        elsewhere=(lambda bullet: address(*bullet_address(published, bullet))) if pages else None,
        revision=(lambda number: address(*revision_address(published, number))) if pages else None,
        files={name: page.link(target) for name, target in pages.items() if "." in name},
        accuracy=book.accuracy,
        evaluation=book.evaluation,
    )


def playbook_list(opening: str, root: Path) -> str:
    """Return a list of the bullets in a block, as in prompts; empty if its playbook cannot be read.

    Parameters:
        opening: The opening line of the block.
        root: The project's folder.
    """
    text = Source(opening)
    header, book = find_playbook(read_playbook_header(text), text, root)
    if book.published is None:
        return ""
    bullets = select_bullets(book.published.playbook, header.options)
    return "\n".join(f"- {bullet_text(each)}" for each in bullets if each.is_active)


def find_target(words: str, spec_index: SpecIndex, link: Callable[[str], str]) -> Target | None:
    """Return the spec or fragment of a site that a bullet applies to."""
    entry = find_applied_entry(words, spec_index)
    return Target(link(entry.address), entry.spec.name) if entry else None


def find_applied_entry(words: str, spec_index: SpecIndex) -> SpecEntry | None:
    """Return the same as an entry of the index."""
    kind, _, name = words.partition(":")
    if kind not in KINDS:
        return None
    return next((each for each in spec_index.find_entries(name) if each.spec.is_fragment == (kind == "fragment")), None)
