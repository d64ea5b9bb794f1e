"""Figures on the page of the plugin `print-site`, which contains all pages of the site.

That plugin copies the HTML of each page and rewrites the links of HTML and the ids of headings, not those of figures.
So it gets a copy of each page in which these are rewritten in the same way.
"""

from collections.abc import Callable, Container
from importlib import import_module
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkDocsPage

from acdl_mkdocs.frontends.docs.pages.addresses import link_from
from acdl_mkdocs.frontends.docs.pages.relocate import relocate_html

PLUGIN = "print-site"
_SITE = "http://site/"


def prepare_for_print(page: MkDocsPage, ids: Container[str], nav: Navigation, config: MkDocsConfig) -> None:
    """Rewrite the copy of a page that the plugin has taken.

    Parameters:
        page: The page, after the plugin has seen its content.
        ids: The ids of the figures of the page.
        nav: The navigation: its pages are on the printed page.
        config: The configuration of the site.
    """
    plugin, html = config.plugins.get(PLUGIN), getattr(page, "html", None)
    printed = getattr(plugin, "print_page", None)
    if plugin is None or printed is None or not isinstance(html, str):
        return
    key_of: Callable[[str], str] = import_module("mkdocs_print_site_plugin.urls").get_page_key
    is_left_out: Callable[[str, list[str]], bool] = import_module("mkdocs_print_site_plugin.exclude").exclude
    patterns = plugin.config.get("exclude") or []
    urls = {each.url for each in nav.pages if not is_left_out(each.file.src_path, patterns)}

    def link(target: str) -> str:
        address = urljoin(f"{_SITE}{page.url}", target)
        path, _, anchor = address.removeprefix(_SITE).partition("#")
        if not address.startswith(_SITE) or path not in urls:
            return link_from(printed.url, address.removeprefix(_SITE)) if address.startswith(_SITE) else target
        return f"#{key_of(path)}-{anchor}" if anchor else f"#{key_of(path)}"

    key = key_of(page.url)
    page.html = relocate_html(  # type: ignore[attr-defined]  # the plugin keeps it there
        html, lambda name: f"{key}-{name}" if name in ids else name, link, ("xlink:href",)
    )
