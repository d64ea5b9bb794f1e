"""The library of a MkDocs site, and its generated pages: one for each spec, a gallery, files to download."""

import logging
import os
from collections.abc import Callable
from functools import partial
from itertools import chain, count
from pathlib import Path
from urllib.parse import quote, unquote, urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils import get_relative_url

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import fold_name
from acdl_mkdocs.frontends.docs.markdown.snippets import include_snippets_ahead, reader_of
from acdl_mkdocs.frontends.docs.mkdocs.ahead import digest_of_page
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.files import GeneratedFiles, find_sources
from acdl_mkdocs.frontends.docs.mkdocs.inputs import font_files, spec_files, text_of
from acdl_mkdocs.frontends.docs.mkdocs.navigation import extend_navigation, list_sections
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.addresses import file_name
from acdl_mkdocs.frontends.docs.pages.checked_specs import CheckedSpecs
from acdl_mkdocs.frontends.docs.pages.downloads import Download, SiteDownloads
from acdl_mkdocs.frontends.docs.pages.gallery import tag_lists
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.pages.read_ahead import read_ahead
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.frontends.docs.pages.spec_page import PageSurroundings, spec_page
from acdl_mkdocs.frontends.docs.pages.specs_cache import SpecsCache
from acdl_mkdocs.frontends.docs.pages.specs_json import specs_json
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.cache import find_cache_folder
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name
from acdl_mkdocs.workspace.remembered import begin_build

_log = logging.getLogger("mkdocs.plugins.acdl")

More = Callable[[SpecEntry, str], tuple[str, ...]]
"""A function from a spec and the address of its page to further parts of that page."""

_GALLERY = "---\ntitle: Specs\n---\n\n# Specs\n\n```acdl-gallery from=files\n```\n"
_MOST_PLACES = 5
"""The most places that are named in one line of the log."""
_SAFE = "/#?&=%~:@!$'()*+,;"
_INDICES = ("index.md", "README.md")


@dataclass(frozen=True, slots=True)
class _SpecPageFile:
    """The file of a spec's page."""

    src_uri: str
    url: str
    is_generated: bool
    """Whether it is generated, and not a page of the documentation."""


class _PageMetadata(dict[str, object]):
    """The metadata of a generated page.

    The navigation of Material looks for three keys in the metadata of every page, on every page. To find that a key is
    absent takes Jinja ten times as long as to find an attribute.
    """

    icon = property(lambda self: self.get("icon", ""))
    status = property(lambda self: self.get("status", ""))
    subtitle = property(lambda self: self.get("subtitle", ""))


class MkDocsLibrary:
    """One build of a site."""

    def __init__(self, files: Files, config: MkDocsConfig, options: AcdlConfig, root: Path, settings: Settings) -> None:
        """Read all spec files; pages are read when those of all plugins are known.

        Parameters:
            files: The files of the site; generated ones are added.
            config: The configuration of the site.
            options: The options of the plugin.
            root: The project's folder.
            settings: For blocks.
        """
        begin_build()
        self.files = files
        self._config = config
        self._options = options
        self._root = root
        self._cache = find_cache_folder(root, is_wanted=options.cache)
        self._specs_cache = SpecsCache(self._cache / "specs.json") if self._cache else None
        self.library = SiteLibrary(root, settings, self._specs_cache.specs_of if self._specs_cache else None)
        self._pages: dict[str, _SpecPageFile] = {}
        """By their addresses."""
        self._folder = options.spec_pages
        below = f"{self._folder}/"
        self._names = {each.src_uri: fold_name(each.src_uri) for each in files if each.src_uri.startswith(below)}
        """The files below the folder for pages; no two may differ in case only, which some file systems ignore."""
        self._used_uris = {*self._names.values(), *(fold_name(f"{below}{name}") for name in _INDICES)}
        self.edited: dict[str, str] = {}
        """From the source path of a generated page to the file of its spec."""
        self.texts: dict[str, str] = {}
        """From the source path of a generated page to its replacement for readers of text."""
        self.book_pages: list[str] = []
        """Texts of pages that may have a block of a playbook."""
        self._downloads: dict[str, tuple[Download, ...]] = {}
        """By the addresses of the pages of specs."""
        self._snippets = reader_of(config.markdown_extensions, config.mdx_configs or {})
        self._sources: dict[str, str] = {}
        """From addresses to source paths."""
        self._generated = GeneratedFiles(config)
        self._read: set[str] = set()
        """The source paths of the pages that were read."""
        self._paths = spec_files(options, files, find_sources(config, root))
        for path in self._paths:
            problem = self.library.add_file(path, partial(self._page_of, path=path))
            if problem:
                _log.error("%s", problem)

    def add_empty_pages(self) -> None:
        """Add the generated pages, still empty, for plugins that build the navigation from existing files."""
        if self._pages:
            self._find_gallery()
        for page in self._pages.values():
            if page.is_generated:
                self.add_file(page.src_uri, b"")

    def is_current(self, files: Files) -> bool:
        """Return whether the spec files are still the same, and no other pages are in place of generated ones."""
        of = find_sources(self._config, self._root)
        paths = self._paths if self._options.specs else spec_files(self._options, files, of)
        found = (files.get_file_from_path(page.src_uri) for page in self._pages.values() if page.is_generated)
        return paths == self._paths and all(file is not None and self._generated.has_file(file) for file in found)

    def remove_files(self, files: Files) -> None:
        """Remove all added files from the site."""
        self._generated.remove_files(files)

    def read_pages(self) -> bool:
        """Read the pages of the site that were not read yet; return True if there were any."""
        pages = self.files.documentation_pages()
        new = [each for each in pages if each.src_uri not in self._read and not self._generated.has_file(each)]
        self._read.update(each.src_uri for each in new)
        for file in new:
            self._add_page(file)
        return bool(new)

    def _warn_about_library(self) -> None:
        """Report problems of the library as a whole."""
        for problem, source in self.library.list_problems():
            from acdl_mkdocs.foundation.reports.log_line import format_line_with_help  # few builds need it

            _log.warning("%s", format_line_with_help(problem, source))

    def make_pages(self, list_extras: More | None = None) -> None:
        """Add the pages of specs, the gallery, their files and `specs.json` to the site.

        Parameters:
            list_extras: Returns further parts of the page of a spec, from the spec and the address.
        """
        if not self._pages:
            return
        fonts = font_files(self._options, self._root)
        downloads = SiteDownloads(self._cache / "downloads" if self._cache else None, self._options.downloads, fonts)
        checked = CheckedSpecs(self.library, self._cache)
        if self._specs_cache:
            read_ahead(self.library, self._specs_cache, downloads, self._options.jobs)
        downloads.make_ahead(self._list_entries(), self.library.spec_index, self._options.jobs)
        for entry in self._list_entries():
            files = (*downloads.files_of(entry, self.library.spec_index), *checked.list_badges(entry))
            for each in files:
                self.add_file(each.address, each.path or each.content)
            self._downloads[entry.address] = files
        downloads.delete_unused()
        for note in downloads.notes:
            _log.info("%s", note)
        for words in downloads.warnings:
            _log.warning("%s", words)
        self._write_pages(checked, list_extras)
        galleries = [f"{self._folder}/{name}" for name in _INDICES]
        src_uris = {address: page.src_uri for address, page in self._pages.items()}
        self._config.nav = extend_navigation(
            self._config.nav, galleries, list_sections(self._list_entries(), self.library.spec_index, src_uris)
        )

    def read_late_pages(self, list_extras: More | None = None) -> None:
        """Read pages added since, such as posts of a blog, and report problems.

        Parameters:
            list_extras: As of `make_pages`.
        """
        if self.read_pages() and self._pages:
            self._write_pages(CheckedSpecs(self.library, self._cache), list_extras)
        self._warn_about_library()
        if self._pages:
            self._report_namesakes(self.library.spec_index)

    def _list_entries(self) -> list[SpecEntry]:
        """Return the specs and fragments that have a page."""
        return [entry for entry in self.library.spec_index.entries if entry.address in self._pages]

    def _write_pages(self, checked: CheckedSpecs, list_extras: More | None) -> None:
        """Write the pages that depend on all pages of the site."""
        spec_index = self.library.spec_index
        gallery, text = self._find_gallery()
        tags = {tag: f"{gallery}#{anchor}" for tag, anchor in tag_lists(text, spec_index).items()}
        self._sources |= {unquote(each.url): each.src_uri for each in self.files}
        self._sources |= {address: page.src_uri for address, page in self._pages.items()}  # which may come later
        for entry in self._list_entries():
            page = self._pages[entry.address]
            surroundings = PageSurroundings(
                href=partial(self._link_in_markdown, src_uri=page.src_uri),
                file_href=partial(get_relative_url, other=unquote(entry.address)),
                tags=tags,
                site_url=self._config.site_url or "",
                source_url=self.library.settings.source_url,
                is_explained=self.library.settings.defaults.explain is not False,
                runs_summary=checked.findings_of(entry).summary,
                more=list_extras(entry, entry.address) if list_extras else (),
            )
            if page.is_generated:
                self.add_file(
                    page.src_uri, spec_page(entry, spec_index, self._downloads[entry.address], surroundings).encode()
                )
                self.edited[page.src_uri] = entry.file
        self.add_file("specs.json", specs_json(spec_index, self._config.site_url or "", checked).encode())

    def save_cache(self) -> None:
        """Save the cache of texts for the next build."""
        if self._specs_cache:
            self._specs_cache.save_cache()

    def _report_namesakes(self, spec_index: SpecIndex) -> None:
        """Report names that several files define: as notes, unless the site sets that rule."""
        level = dict(self.library.settings.rules).get("duplicate-definition", "note")
        for first, *others in spec_index.list_namesakes() if level != "off" else ():
            places = ", ".join(f"{each.file}:{each.line}" for each in others[:_MOST_PLACES])
            if len(others) > _MOST_PLACES:
                places += f" and {len(others) - _MOST_PLACES} more places"
            words = f"`{first.spec.name}` is defined here and in {places}; give each a name of its own"
            line = f"{first.file}:{first.line}: {level}[duplicate-definition]: {words}"
            _log.log({"error": logging.ERROR, "warning": logging.WARNING}.get(level, logging.INFO), "%s", line)

    def connect_page(self, acdl_page: Page, page: MkDocsPage) -> None:
        """Connect a page with the rest of the site."""
        base = unquote(page.url)
        acdl_page.link = lambda address: quote(get_relative_url(address, base), safe=_SAFE)
        acdl_page.from_root = acdl_page.link
        acdl_page.library = lambda: self.library
        acdl_page.used_files = self.library.used_files
        acdl_page.catalog = Catalog(self.library.catalog, acdl_page.link)
        if acdl_page.cache:
            acdl_page.cache.page_digest = digest_of_page(page.file, self.library)
        if page.file.src_uri in self.edited:
            page.edit_url = self._edit_url(self.edited[page.file.src_uri])
            page.meta = _PageMetadata(page.meta)
            vars(page).setdefault("encrypted", False)  # which it looks for too, but only on pages with metadata

    def _edit_url(self, name: str) -> str | None:
        """Return the address for editing a file of the project, if the site has one for its pages."""
        docs = Path(os.path.relpath(self._config.docs_dir, self._root)).as_posix()
        repository, edit = self._config.repo_url or "", self._config.edit_uri or ""
        if not edit.rstrip("/").endswith(docs):
            return None
        before = edit.rstrip("/").removesuffix(docs)
        return urljoin(f"{repository.rstrip('/')}/", f"{before}{quote(name)}")

    def _page_of(self, name: str, path: Path) -> str:
        """Return the address of the page of a spec.

        A page of the documentation with the same path is used instead. Of several specs with a name, the first has
        the name for itself, the others with that of their file.
        """
        if not self._folder:
            return ""
        plain = file_name(figure_name(BlockOptions(spec=name), ""))
        full = file_name(figure_name(BlockOptions(spec=f"{name}-{path.stem}"), ""))
        for word in chain((plain, full), (f"{full}-{number}" for number in count(2))):
            src_uri = f"{self._folder}/{word}.md"
            is_made = src_uri not in self._names
            if not is_made or fold_name(src_uri) not in self._used_uris:
                break
        self._names.pop(src_uri, None)
        self._used_uris.add(fold_name(src_uri))
        file = self.files.get_file_from_path(src_uri) or File.generated(self._config, src_uri, content="")
        page = _SpecPageFile(src_uri, unquote(file.url), is_made)
        self._pages[page.url] = page
        return page.url

    def _add_page(self, file: File) -> None:
        text = text_of(file)
        of = find_sources(self._config, self._root)
        path = of.path_of(file)
        full_text = include_snippets_ahead(text, self._snippets)
        self.library.add_page(of.name_of(file, path), text, unquote(file.url), path, full_text, of.root_of(path))
        if "acdl-playbook" in text:
            self.book_pages.append(text)

    def _find_gallery(self) -> tuple[str, str]:
        """Return address and text of the gallery of all specs, which is generated unless there is such a page."""
        found = (self.files.get_file_from_path(f"{self._folder}/{name}") for name in _INDICES)
        file = next(filter(None, found), None)
        if file is None:
            self.add_file(f"{self._folder}/index.md", _GALLERY.encode())
            file = self.files.get_file_from_path(f"{self._folder}/index.md")
        return (unquote(file.url), text_of(file)) if file else ("", _GALLERY)

    def _link_in_markdown(self, address: str, src_uri: str) -> str:
        """Return an address of the site as a link in the Markdown of a page: a file's path, which MkDocs checks."""
        page, separator, anchor = address.partition("#")
        path, mark, query = page.partition("?")
        target = self._sources.get(path, path)
        relative = Path(os.path.relpath(target, os.path.dirname(src_uri))).as_posix()
        return f"{quote(relative)}{mark}{query}{separator}{anchor}"

    def add_file(self, src_uri: str, content: bytes | Path) -> bool:
        """Add a file, or set the content of an added one; not if the documentation has a file of that name."""
        return self._generated.add_file(self.files, src_uri, content)
