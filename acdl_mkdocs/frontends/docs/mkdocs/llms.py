"""`llms.txt`, `llms-full.txt` and the Markdown of every page, written beside the pages of a MkDocs site."""

import posixpath
import re
from collections.abc import Callable, Mapping
from functools import partial
from html import unescape
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkDocsPage

from acdl_mkdocs.foundation.atomic import replace_below
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.blocks.block import is_explained, write_outlines
from acdl_mkdocs.frontends.docs.markdown.snippets import include_snippets
from acdl_mkdocs.frontends.docs.mkdocs.library import MkDocsLibrary
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.addresses import link_from
from acdl_mkdocs.frontends.docs.pages.llms import (
    SiteWords,
    TextPage,
    escape_outside_code,
    gallery_list,
    llms_full_txt,
    llms_txt,
    markdown_address,
)
from acdl_mkdocs.frontends.docs.pages.markdown_copy import Lists, Texts, copy_as_markdown
from acdl_mkdocs.frontends.docs.pages.references import PATTERN, SCHEME, parse_brackets, parse_target
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import Fence, blank_code

_COMPARISON_LANGUAGES = ("acdl-diff", "acdl-inspect", "acdl-variants")
_REFERENCE = re.compile(rf"(?<![`\\]){PATTERN}")
_LIST_ITEM = re.compile(r"^ *- ")
_NO_WORDS = re.compile(r"(?<![`\\!])\[\](?=\((acdl:[^\s<>()]+)\))")


class MkDocsLlms:
    """The texts of a site for language models; collected while its pages are rendered."""

    def __init__(self, site: MkDocsLibrary, config: MkDocsConfig, files: Files) -> None:
        """Begin a build.

        Parameters:
            site: The library of the site.
            config: The configuration of the site.
            files: The files of the site.
        """
        self._site = site
        self._config = config
        self._files = files
        self._md = Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs or {})
        self._texts: dict[str, tuple[MkDocsPage, str]] = {}

    def add_page(self, page: MkDocsPage, markdown: str) -> None:
        """Add the Markdown of a page, as other plugins have left it."""
        self._texts[page.file.src_uri] = page, include_snippets(markdown, self._md)

    def write_files(self, nav: Navigation | None) -> None:
        """Write the files into the finished site; existing files of these names stay."""
        config, spec_index = self._config, self._site.library.spec_index
        words = SiteWords(config.site_name, config.site_description or "", config.site_url or "")
        order = {page.file.src_uri: number for number, page in enumerate(nav.pages)} if nav else {}
        sources = sorted(self._texts, key=lambda each: (order.get(each, len(order)), each))
        addresses = {unquote(page.url) for page, _ in self._texts.values()}
        lists: Mapping[str, Lists] = {
            "acdl-gallery": lambda opening: gallery_list(opening, words, spec_index, addresses),
            "acdl-playbook": partial(_playbook_list, root=self._site.library.root),
        }
        pages = [self._build_page(*self._texts[each], lists) for each in sources]
        for page in pages:
            self._write_new_file(markdown_address(page.address), page.markdown)
        self._write_new_file("llms.txt", llms_txt(words, pages, spec_index))
        self._write_new_file("llms-full.txt", llms_full_txt(words, pages, spec_index, self._explain_file))

    def _build_page(self, page: MkDocsPage, markdown: str, lists: Mapping[str, Lists]) -> TextPage:
        link = partial(self._link_to, page=page)
        is_spec = page.file.src_uri in self._site.edited
        name, root = page.file.src_uri, self._site.library.root
        text = self._site.texts.get(name)
        if text is None:
            texts = dict.fromkeys(_COMPARISON_LANGUAGES, partial(self._compare_as_text, page=page))
            text = copy_as_markdown(
                self._resolve_references(markdown, page),
                name,
                root,
                link,
                lists,
                texts,
                partial(self._explain_block, page=page) if lists else lambda _: "",
                is_spec=is_spec,
            )
        section = next((each.title for each in reversed(list(page.ancestors))), "")
        title = unescape(str(page.title or ""))  # MkDocs has it as HTML
        description = str(page.meta.get("description") or "")
        return TextPage(title, unquote(page.url), text, str(section or ""), description)

    def _compare_as_text(self, fence: Fence, page: MkDocsPage) -> str:
        """Return a comparison of specs as text."""
        plain: Texts = partial(import_module(BLOCKS[fence.language]).plain, page=self._open_page(page))
        return plain(fence)

    def _explain_block(self, fence: Fence, page: MkDocsPage) -> str:
        """Return a spec in words, if its figure has such a view."""
        acdl_page = self._open_page(page)
        text = acdl_page.read_fence(fence)
        return _escape_outlines(write_outlines(text, acdl_page.catalog)) if is_explained(text.options) else ""

    def _explain_file(self, entry: SpecEntry) -> str:
        """Return the specs of a file in words, if their pages have such a view."""
        library = self._site.library
        text = library.file_text(entry.file)
        if text is None or library.settings.defaults.explain is False:
            return ""
        return _escape_outlines(write_outlines(text, library.catalog))

    def _open_page(self, page: MkDocsPage) -> Page:
        """Return a page for reading its blocks once more."""
        acdl_page = Page(name=page.file.src_uri, root=self._site.library.root, settings=self._site.library.settings)
        acdl_page.library, acdl_page.used_files = lambda: self._site.library, self._site.library.used_files
        acdl_page.catalog = Catalog(self._site.library.catalog)
        return acdl_page

    def _resolve_references(self, markdown: str, page: MkDocsPage) -> str:
        """Return the text with links in place of references to specs."""

        def link(match: re.Match[str]) -> str:
            reference = parse_brackets(match)
            words, to = reference.words or f"`{reference.name}`", self._address_of(reference.name, page)
            return f"[{words}]({to})" if to else words

        markdown = _replace_in_prose(_NO_WORDS, lambda match: f"[`{parse_target(match[1]).name}`]", markdown)
        return _replace_in_prose(_REFERENCE, link, markdown)

    def _address_of(self, name: str, page: MkDocsPage) -> str:
        """Return the address of a spec for the Markdown copy of a page; empty if the site has none of that name."""
        address = next(iter(self._site.library.catalog.find_figures(name)), "")
        target, mark, anchor = address.partition("#")
        return (
            link_from(markdown_address(unquote(page.url)), markdown_address(target)) + mark + anchor if address else ""
        )

    def _link_to(self, target: str, page: MkDocsPage) -> str:
        """Return the target of a link in the source of a page, for its Markdown copy."""
        if target.startswith(SCHEME):
            return self._address_of(parse_target(target).name, page) or target
        path, mark, anchor = target.partition("#")
        if not path or "://" in path or path.startswith(("/", "mailto:")):
            return target
        src_uri = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), unquote(path)))
        file = self._files.get_file_from_path(src_uri)
        if file is None:
            return target
        address = unquote(file.url)
        to = markdown_address(address) if src_uri in self._texts else address
        return link_from(markdown_address(unquote(page.url)), to) + mark + anchor

    def _write_new_file(self, address: str, text: str) -> None:
        folder = Path(self._config.site_dir)
        if not (folder / address).exists():
            replace_below(folder, folder / address, text.encode())


def _replace_in_prose(pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str], markdown: str) -> str:
    """Replace what a pattern matches outside of code."""
    if not pattern.search(markdown):
        return markdown
    prose = blank_code(markdown)
    return pattern.sub(
        lambda match: replacement(match) if prose.startswith(match[0], match.start()) else match[0], markdown
    )


def _escape_outlines(markdown: str) -> str:
    """Escape what authors have written in lists: only lists and code stay markup."""

    def escape_line(line: str) -> str:
        words = _LIST_ITEM.sub("", line)
        return line.removesuffix(words) + escape_outside_code(words)

    return "\n".join(map(escape_line, markdown.split("\n")))


def _playbook_list(opening: str, root: Path) -> str:
    from acdl_mkdocs.frontends.docs.blocks.playbook_block import playbook_list  # few pages have one

    return playbook_list(opening, root)
