"""The playground of a MkDocs site: its files among those of the site, and a link at every figure that opens it."""

import hashlib
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from html import unescape
from pathlib import Path
from threading import Event
from typing import ParamSpec, TypeVar
from urllib.parse import quote, unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils import get_relative_url

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.blocks.example import Example
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.playground.bundle import Bundle, build_bundle
from acdl_mkdocs.frontends.playground.examples import ListedExample
from acdl_mkdocs.frontends.playground.previews import render_ahead
from acdl_mkdocs.frontends.playground.site import SiteFacts, site_files, write_site

FOLDER = "playground"
"""The folder of the playground in the site; a page of the documentation must not have it."""
_START = f"{FOLDER}/index.html"
_KEY_LENGTH = 12
_log = logging.getLogger("mkdocs.plugins.acdl")

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _OpenableFigure:
    """A figure that can be opened."""

    example: Example
    page: MkDocsPage
    anchor: str


class MkDocsPlayground:
    """The playground of one build."""

    def __init__(self, files: Files, config: MkDocsConfig, root: Path, rule_url: str) -> None:
        """Start to build the bundle if needed, and add its first page to the site, so that pages can link to it.

        Parameters:
            files: The files of the site; the page is added.
            config: The configuration of the site.
            root: The project's folder.
            rule_url: Address of the page of a rule, from the root of the site or with a host.

        Raises:
            PluginError: It cannot be built; the message says what to do.
        """
        self._config = config
        self._rule_url = rule_url
        self._figures: dict[tuple[str, str, str], _OpenableFigure] = {}
        """By page, anchor and key: a block of variants opens several."""
        self._specs: dict[str, str] = {}
        """From the address of a spec on the site to the key by which cards open it: its figure may not be drawn yet."""
        self._bundle = _start_bundle(root)
        self._previews: Future[None] | None = None
        if files.get_file_from_path(f"{FOLDER}.md") or files.get_file_from_path(f"{FOLDER}/index.md"):
            raise PluginError(f"the playground and a page are both at `{FOLDER}/`; rename the page")
        files.append(File.generated(config, _START, content=b""))  # its content is set when everything is known

    def connect_page(self, page: Page, of: MkDocsPage) -> None:
        """Set how figures and cards of a page that is drawn next are opened in the playground."""
        page.opening, page.opening_spec = partial(self._register_figure, of), partial(self._open_spec, of)

    def draw_previews(self) -> None:
        """Start to draw what visitors see first, in another process, while MkDocs writes the pages."""
        examples = [each.example for each in self._figures.values()]
        self._previews = _run_in_background(lambda: render_ahead(self._bundle.result(), examples))

    def write_files(self, spec_pages: frozenset[str]) -> None:
        """Write the files into the finished site.

        Parameters:
            spec_pages: Source paths of pages of specs, whose figures form the menu; without any, all figures do.

        Raises:
            PluginError: The bundle cannot be built; the message says what to do.
        """
        rule_url = self._rule_url
        if rule_url and "://" not in rule_url and rule_url[0] != "/":
            rule_url = f"../{rule_url if self._config.use_directory_urls else _as_file(rule_url)}"
        facts = SiteFacts(self._config.site_name, "../", rule_url)
        seen: set[str] = set()
        placed: list[ListedExample] = []
        for each in self._figures.values():
            source = each.page.file.src_uri
            is_listed = source in spec_pages and source not in seen if spec_pages else True
            seen.add(source)
            title = unescape(str(each.page.title or ""))  # MkDocs has it as HTML
            group, called = ("Specs", title) if spec_pages else (title or "Examples", "")
            url = quote(f"../{unquote(each.page.url)}", safe="/#.:%") + f"#{each.anchor}"
            address = unquote(each.page.file.url)  # as the library has it: `./` of a home page
            keys = [self._specs.pop(of, "") for of in (address, f"{address}#{each.anchor}")]
            also = tuple(key for key in keys if key)
            placed.append(ListedExample(each.example, url, group if is_listed else "", called, also))
        bundle = _wait_for(self._bundle)
        if self._previews:
            self._previews.result()
        write_site(Path(self._config.site_dir) / FOLDER, site_files(bundle, facts, placed))

    def _register_figure(self, page: MkDocsPage, example: Example, anchor: str) -> str:
        key = example.key
        self._figures[page.file.src_uri, anchor, key] = _OpenableFigure(example, page, anchor)
        return self._address_of(page, key)

    def _open_spec(self, page: MkDocsPage, address: str) -> str:
        key = self._specs.setdefault(unquote(address), hashlib.sha256(address.encode()).hexdigest()[:_KEY_LENGTH])
        return self._address_of(page, key)

    def _address_of(self, page: MkDocsPage, key: str) -> str:
        folder = f"{FOLDER}/" if self._config.use_directory_urls else _START
        return f"{get_relative_url(folder, unquote(page.url))}#example={key}"


def _start_bundle(root: Path) -> Future[Bundle]:
    """Return the bundle, or start to build it in programs that run while the pages are rendered.

    Raises:
        PluginError: It is known already that it cannot be built; the message says what to do.
    """
    is_known = Event()  # it is kept from before, cannot be built, or is being built

    def report(words: str) -> None:
        _log.info("%s", words)
        is_known.set()

    bundle = _run_in_background(build_bundle, root, report)
    bundle.add_done_callback(lambda _: is_known.set())
    is_known.wait()
    if bundle.done():
        _wait_for(bundle)
    return bundle


def _run_in_background(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    threads = ThreadPoolExecutor(1, "acdl-playground")
    future = threads.submit(function, *args, **kwargs)
    threads.shutdown(wait=False)
    return future


def _wait_for(bundle: Future[Bundle]) -> Bundle:
    try:
        return bundle.result()
    except PlaygroundError as reason:
        raise PluginError(str(reason)) from None


def _as_file(address: str) -> str:
    """Return the file of a page in a site whose pages do not have their own folders."""
    return f"{address.rstrip('/')}.html" if address.endswith("/") else address
