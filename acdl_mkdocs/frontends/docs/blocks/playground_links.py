"""Links that open a figure's text in a playground: one that is built with the site, or an external one."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from acdl_mkdocs.frontends.docs.blocks.example import Example, code_of, example_of

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.page import Page
    from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry

_MARK = '<a class="acdl-permalink"'


def address_of(example: Example, anchor: str, page: "Page") -> str:
    """Return the address that opens an example.

    Parameters:
        example: The example to open.
        anchor: The anchor of its figure on the page.
        page: A page whose site has a playground.
    """
    if page.opening is not None:
        return page.opening(example, anchor)
    return f"{_playground_url(page)}#code={code_of(example)}"


def address_of_spec(spec: "SpecEntry", page: "Page") -> str:
    """Return the address that opens a spec of the site from a card of a page; empty if no figure shows it."""
    if page.opening_spec is not None:
        return page.opening_spec(spec.address)
    texts = page.catalog.find_shown_texts(spec.spec.name)
    text = texts.get(page.link(spec.address)) or next(iter(texts.values()), None)
    return f"{_playground_url(page)}#code={code_of(example_of(text, page.catalog.find_sources(text)))}" if text else ""


def _playground_url(page: "Page") -> str:
    """Return the link of a page to the playground of the settings; one without a host starts from the home page."""
    address = page.settings.playground
    return address if "://" in address or address.startswith("/") else page.from_root(address)


def with_links(html: str, examples: Iterable[Example], anchor: str, page: "Page") -> str:
    """Add links that open the text of a figure after the link to itself."""
    all_examples = tuple(examples)
    at = html.find(_MARK)
    if at < 0:
        return html
    end = html.find("</a>", at) + len("</a>")
    links = "".join(
        _render_opener(each, address_of(each, anchor, page), is_alone=len(all_examples) == 1) for each in all_examples
    )
    return f"{html[:end]}{links}{html[end:]}"


def _render_opener(example: Example, address: str, *, is_alone: bool) -> str:
    title = escape(example.title)
    label = "Open in playground" if is_alone else f"Open {title} in playground"
    name = f"{label}: {title}" if is_alone else label
    return f'<a class="acdl-open" href="{escape(address)}" aria-label="{name}" data-search-exclude>{label}</a>'
