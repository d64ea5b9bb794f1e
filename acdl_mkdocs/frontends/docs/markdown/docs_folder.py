"""The library of a site whose tool gives a Markdown extension only the folder of its pages, such as Zensical.

It is read when a page needs another page, and again when a page has changed.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.addresses import address_of, link_from
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.page_kinds import kind_of

_SAFE = "/#?&=%~:@!$'()*+,;"

Stamp = tuple[tuple[str, int, int], ...]
"""Each page with the time of its last change in ns and its size."""


@dataclass(frozen=True, slots=True)
class DocsFolder:
    """The folder of a site's pages."""

    root: Path
    """The project's folder."""
    docs: Path
    """The folder of pages."""
    has_directories: bool = True
    """Whether pages have addresses such as `guide/`, and not `guide.html`."""
    has_file_links: bool = False
    """Whether the tool treats every `href` of a finished page as the path of a file and turns it into an address."""

    def connect_page(self, page: Page, path: str) -> None:
        """Connect a page with the rest of the site.

        Parameters:
            page: The page, which has its settings.
            path: Its file, from the folder of pages.
        """
        base = address_of(path, has_directories=self.has_directories)

        def to_address(address: str) -> str:
            return quote(link_from(base, address), safe=_SAFE)

        def to_file(address: str) -> str:
            page_address, mark, anchor = address.partition("#")
            file = _map_addresses(self, _stamp_of(self.docs)).get(page_address, page_address)
            return quote(link_from(path, f"{file}{mark}{anchor}"), safe=_SAFE)

        page.library = lambda: _build_library(self, page.settings, _stamp_of(self.docs))
        page.from_root = lambda address: quote(link_from(path if self.has_file_links else base, address), safe=_SAFE)
        page.link = to_file if self.has_file_links else to_address
        page.catalog = Catalog(
            lambda: _build_library(self, page.settings, _stamp_of(self.docs)).catalog, page.link, to_address
        )


def _stamp_of(docs: Path) -> Stamp:
    return tuple((str(path), found.st_mtime_ns, found.st_size) for path, found in _walk_pages(docs))


def _walk_pages(docs: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for folder, folders, names in os.walk(docs):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if kind_of(path) == "markdown" and path.is_file():
                yield path, path.stat()


@lru_cache(maxsize=2)
def _map_addresses(folder: DocsFolder, stamp: Stamp) -> dict[str, str]:
    """Map the addresses of pages to their files, relative to the folder of pages."""
    paths = [Path(name).relative_to(folder.docs).as_posix() for name, _, _ in stamp]
    return {address_of(path, has_directories=folder.has_directories): path for path in paths}


@lru_cache(maxsize=2)
def _build_library(folder: DocsFolder, settings: Settings, stamp: Stamp) -> SiteLibrary:
    library = SiteLibrary(folder.root, settings)
    for name, _, _ in stamp:
        path = Path(name)
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, ValueError):
            continue  # the tool reports that when it reads the page
        relative = path.relative_to(folder.docs).as_posix()
        page_name = path.relative_to(folder.root).as_posix() if path.is_relative_to(folder.root) else relative
        library.add_page(page_name, text, address_of(relative, has_directories=folder.has_directories), path)
    return library
