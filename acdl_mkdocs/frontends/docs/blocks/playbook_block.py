"""`acdl-playbook` blocks of a page, from their fences, and the site data that their playbooks need."""

from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import Block
from acdl_mkdocs.frontends.docs.blocks.gallery_block import tell_problems
from acdl_mkdocs.frontends.docs.page import Page, opening_of
from acdl_mkdocs.frontends.docs.pages.shelf import Shelf, Shown
from acdl_mkdocs.playbook.model.prompt_text import bullet_text
from acdl_mkdocs.playbook.pages.block import Header, block_problems, chosen, playbook_html, read_playbook_header
from acdl_mkdocs.playbook.pages.books import Book, named_book
from acdl_mkdocs.playbook.pages.changes import revision_address
from acdl_mkdocs.playbook.pages.html_text import clean
from acdl_mkdocs.playbook.pages.page import bullet_address
from acdl_mkdocs.playbook.pages.published import Published, targets
from acdl_mkdocs.playbook.pages.view import Surroundings, Target
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding


def playbook_block(text: Source, header: Header, published: Published, page: Page, around: Surroundings) -> Block:
    """Render a playbook, and report problems to the page.

    Parameters:
        text: The header as written.
        header: The same as understood.
        published: The playbook that its `src` names.
        page: The page of the block.
        around: The site data for that page.
    """
    panel = tell_problems(text, (*header.diagnostics, *block_problems(header, published)), page)
    panel += tell_problems(published.source, playbook_problems(published, around), page)
    html, name = playbook_html(header.options, published, around, page.take)
    return Block(panel + html, clean(name))


def playbook_problems(published: Published, around: Surroundings) -> tuple[Diagnostic, ...]:
    """Return problems of a playbook on a site; spans are those of `published.source`."""
    link = around.link
    if link is None:
        return published.problems
    return (*published.problems, *targets(published.playbook, lambda words: link(words) is not None, published.source))


KINDS = ("acdl", "fragment")
"""The prefix, before the colon, of what a bullet applies to: a spec or a fragment."""


def from_fence(fence: Fence, page: Page) -> Block:
    """Render the playbook of a fence, and report its problems to the page."""
    text = opening_of(fence, page)
    library = page.library()
    if library is None:
        return book_block(text, read_playbook_header(text), page)
    return book_block(text, read_playbook_header(text), page, library.shelf, library.books)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of the opening line of a block, and of the file that it names."""
    text = opening_of(fence, page)
    header, book = named_book(read_playbook_header(text), text, page.root)
    yield from ((each, text) for each in header.diagnostics)
    yield from book.findings
    if book.published is not None:
        yield from ((each, text) for each in block_problems(header, book.published) if each.severity == "error")


def book_block(
    text: Source,
    header: Header,
    page: Page,
    shelf: Shelf | None = None,
    books: Mapping[Path, Mapping[str, str]] = MappingProxyType({}),
) -> Block:
    """Render the playbook of a header, and report problems to the page.

    Parameters:
        text: The header as written.
        header: The same as understood.
        page: The page of the block.
        shelf: The specs and fragments of the site; `None` if unknown.
        books: For each playbook with its own pages, their addresses and those of its files, by name.
    """
    header, book = named_book(header, text, page.root)
    page.files.update(book.files)
    panel = "".join(tell_problems(source, [each], page) for each, source in book.findings)
    if book.published is None:
        panel += tell_problems(text, header.diagnostics, page)
        return Block(f'{panel}<div class="acdl-playbook"></div>', escape(header.options.id))
    pages = books.get(book.path, {}) if book.path else {}
    block = playbook_block(text, header, book.published, page, _around(book, book.published, page, shelf, pages))
    return Block(panel + block.html, block.id)


def _around(
    book: Book, published: Published, page: Page, shelf: Shelf | None, pages: Mapping[str, str]
) -> Surroundings:
    """Return the site data of a page for a playbook."""

    def address(name: str, anchor: str) -> str:
        return page.link(f"{pages[name]}#{anchor}") if name in pages else ""

    return Surroundings(
        link=(lambda words: target(words, shelf, page.link)) if shelf is not None else None,
        elsewhere=(lambda bullet: address(*bullet_address(published, bullet))) if pages else None,
        revision=(lambda number: address(*revision_address(published, number))) if pages else None,
        files={name: page.link(place) for name, place in pages.items() if "." in name},
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
    header, book = named_book(read_playbook_header(text), text, root)
    if book.published is None:
        return ""
    shown = chosen(book.published.playbook, header.options)
    return "\n".join(f"- {bullet_text(each)}" for each in shown if each.is_active)


def target(words: str, shelf: Shelf, link: Callable[[str], str]) -> Target | None:
    """Return the spec or fragment of a site that a bullet applies to."""
    found = applied(words, shelf)
    return Target(link(found.address), found.spec.name) if found else None


def applied(words: str, shelf: Shelf) -> Shown | None:
    """Return the same as an entry of the index."""
    kind, _, name = words.partition(":")
    if kind not in KINDS:
        return None
    return next((each for each in shelf.find(name) if each.spec.is_fragment == (kind == "fragment")), None)
