"""The pages of playbooks in a MkDocs site: each playbook has a folder with its page, its changes and its files."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote, urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils import get_relative_url

from acdl_mkdocs.foundation.atomic import replace_below
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import fold_name
from acdl_mkdocs.foundation.reports.log_line import format_line_with_help
from acdl_mkdocs.frontends.docs.blocks.playbook_block import find_applied_entry, find_target, playbook_problems
from acdl_mkdocs.frontends.docs.markdown.host import Report
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.inputs import playbook_files
from acdl_mkdocs.frontends.docs.mkdocs.library import MkDocsLibrary
from acdl_mkdocs.frontends.docs.mkdocs.navigation import extend_navigation
from acdl_mkdocs.frontends.docs.pages.addresses import file_name
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.pages.books import PublishedFile, belongs_to_playbook, find_playbook_files, read_published
from acdl_mkdocs.playbook.pages.changes import GeneratedPage, revision_address
from acdl_mkdocs.playbook.pages.files import Addresses, alternate_links, file_names, machine_files
from acdl_mkdocs.playbook.pages.page import Site, bullet_address, playbook_pages
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.pages.sections import HEADING, render_lessons
from acdl_mkdocs.playbook.pages.view import Surroundings, Target
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name


@dataclass(frozen=True, slots=True)
class _PlaybookPages:
    """A playbook with generated pages."""

    book: PublishedFile
    published: Published
    folder: str
    """The folder of its pages, relative to that of the documentation."""
    pages: tuple[str, ...]
    """The names of its pages."""
    places: dict[str, str]
    """The addresses of its pages and files, by name."""


class MkDocsPlaybooks:
    """The playbooks of one build."""

    def __init__(self, config: MkDocsConfig, options: AcdlConfig, site: MkDocsLibrary) -> None:
        """Read all playbooks that the options name, and register their pages with the library.

        Parameters:
            config: The configuration of the site.
            options: The options of the plugin.
            site: The library of the site.
        """
        self._config = config
        self._site = site
        self._root = site.library.root
        self.paths: set[Path] = set()
        """Every file that was read."""
        self._unread: list[PublishedFile] = []
        self._playbook_pages: list[_PlaybookPages] = []
        self._plain: dict[str, str] = {}
        """Files that MkDocs would treat as pages, by their addresses."""
        taken: set[str] = set()
        paths = playbook_files(options, self._root)
        for path in paths:
            self._read_playbook(path, options.playbook_pages, taken)
        self._paths = paths

    def _read_playbook(self, path: Path, folder: str, taken: set[str]) -> None:
        book = read_published(path, path.relative_to(self._root).as_posix())
        self.paths.update(book.files)
        if book.published is None:
            self._unread.append(book)
            return
        word = file_name(figure_name(BlockOptions(id=book.published.playbook.name), ""))
        name = next(each for each in _number_names(word) if fold_name(each) not in taken)
        taken.add(fold_name(name))
        below = f"{folder}/{name}" if folder else name
        pages = playbook_pages(book.published)
        places = {each.name: unquote(self._file_at(f"{below}/{each.name}.md").url) for each in pages}
        places |= {each: f"{below}/{each}" for each in file_names(book.published)}
        self._site.library.books[path.resolve()] = places
        self._playbook_pages.append(
            _PlaybookPages(book, book.published, below, tuple(each.name for each in pages), places)
        )

    def add_empty_pages(self) -> None:
        """Add the generated pages, still empty, for plugins that build the navigation from existing files."""
        for book_pages in self._playbook_pages:
            for name in book_pages.pages:
                self._site.add_file(f"{book_pages.folder}/{name}.md", b"")

    def hide_sources(self) -> None:
        """Remove playbooks among the pages from the site: their hidden parts must not be published as a file."""
        paths_in_pages = [path for text in self._site.book_pages for path in find_playbook_files(text, self._root)]
        books = {path.resolve() for path in (*self._paths, *paths_in_pages)}
        for file in list(self._site.files):
            path = Path(file.abs_src_path).resolve() if file.abs_src_path else None
            if path and not file.is_documentation_page() and any(belongs_to_playbook(path, book) for book in books):
                self._site.files.remove(file)

    def make_pages(self, report: Report) -> None:
        """Add the pages and files to the site, and report the problems of the playbooks.

        Parameters:
            report: Takes one line for each problem.
        """
        for book in (*self._unread, *(book_pages.book for book_pages in self._playbook_pages)):
            for problem, source in book.findings:
                report(problem.severity, format_line_with_help(problem, source))
        for book_pages in self._playbook_pages:
            self._report_problems(book_pages, report)
            self._make_pages(book_pages)

    def list_lessons(self, entry: SpecEntry, address: str) -> tuple[str, ...]:
        """Return the lessons of the playbooks about a spec, for its page.

        Parameters:
            entry: The spec.
            address: Of its page.
        """
        kind = "fragment" if entry.spec.is_fragment else "acdl"
        words = f"{kind}:{entry.spec.name}"
        if find_applied_entry(words, self._site.library.spec_index) is not entry:
            return ()
        lists = [self._render_lessons(book_pages, words, address) for book_pages in self._playbook_pages]
        return (f"## {HEADING}", *filter(None, lists)) if any(lists) else ()

    def render_head_links(self, page: MkDocsPage) -> str:
        """Return elements for the head of a page: links to the files of the playbook that it shows."""
        for book_pages in self._playbook_pages:
            if page.file.src_uri == f"{book_pages.folder}/index.md":
                base = unquote(page.url)
                return alternate_links(
                    {name: _link_between(book_pages.places[name], base) for name in file_names(book_pages.published)}
                )
        return ""

    def write_files(self) -> None:
        """Write the files that MkDocs would treat as pages into the finished site."""
        for address, content in self._plain.items():
            folder = Path(self._config.site_dir)
            replace_below(folder, folder / address, content.encode())

    def _report_problems(self, book_pages: _PlaybookPages, report: Report) -> None:
        spec_index = self._site.library.spec_index
        surroundings = Surroundings(link=lambda words: find_target(words, spec_index, str))
        for problem in playbook_problems(book_pages.published, surroundings):
            report(problem.severity, format_line_with_help(problem, book_pages.published.source))

    def _make_pages(self, book_pages: _PlaybookPages) -> None:
        name = book_pages.published.source.name
        pages = playbook_pages(book_pages.published, self._pages_of(book_pages))
        text = f"# {book_pages.published.playbook.name}\n\n{prompt_text(book_pages.published.playbook)}\n"
        for page in pages:
            src_uri = f"{book_pages.folder}/{page.name}.md"
            if self._site.add_file(src_uri, page.markdown.encode("utf-8", "replace")):
                self._site.edited[src_uri] = name
                self._site.texts[src_uri] = text if page.name == "index" else ""
        for each, content in machine_files(book_pages.published, partial(self._build_addresses, book_pages)).items():
            if each.endswith(".md"):
                self._plain[f"{book_pages.folder}/{each}"] = content
            else:
                self._site.add_file(f"{book_pages.folder}/{each}", content.encode("utf-8", "replace"))
        index, *others = pages
        behind = {f"{book_pages.folder}/{each.name}.md": _title_of(each) for each in others}
        self._config.nav = extend_navigation(self._config.nav, [f"{book_pages.folder}/{index.name}.md"], [("", behind)])

    def _pages_of(self, book_pages: _PlaybookPages) -> Site:
        """Return the site data for the pages of a playbook."""
        spec_index = self._site.library.spec_index

        def address(page: str, other: str) -> str:
            return _link_between(book_pages.places[other], book_pages.places[page])

        def link(page: str, words: str) -> Target | None:
            return find_target(words, spec_index, partial(_link_between, base=book_pages.places[page]))

        return Site(
            address=address, link=link, accuracy=book_pages.book.accuracy, evaluation=book_pages.book.evaluation
        )

    def _build_addresses(self, book_pages: _PlaybookPages, feed: str) -> Addresses:
        """Return the web addresses of pages and files, if the site has an address."""
        home = self._config.site_url or ""
        if not home:
            return Addresses()

        def on_web(name: str, anchor: str = "") -> str:
            return urljoin(home, quote(book_pages.places[name])) + (f"#{anchor}" if anchor else "")

        return Addresses(
            home=on_web("index"),
            feed=on_web(feed),
            revision=lambda number: on_web(*revision_address(book_pages.published, number)),
            bullet=lambda name: on_web(*address) if (address := bullet_address(book_pages.published, name))[0] else "",
        )

    def _render_lessons(self, book_pages: _PlaybookPages, words: str, address: str) -> str:
        def href(bullet: str) -> str:
            name, anchor = bullet_address(book_pages.published, bullet)
            return f"{_link_between(book_pages.places[name], address)}#{anchor}" if name else ""

        return render_lessons(book_pages.published, words, href)

    def _file_at(self, src_uri: str) -> File:
        return self._site.files.get_file_from_path(src_uri) or File.generated(self._config, src_uri, content="")


def _title_of(page: GeneratedPage) -> str:
    return "Changes" if page.name == "changes" else page.title


def _link_between(address: str, base: str) -> str:
    return quote(get_relative_url(address, base), safe="/#?&=%~:@!$'()*+,;")


def _number_names(word: str) -> Iterator[str]:
    yield word
    number = 2
    while True:
        yield f"{word}-{number}"
        number += 1
