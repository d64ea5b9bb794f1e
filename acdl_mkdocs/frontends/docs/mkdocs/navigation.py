"""The pages of specs in the navigation of a MkDocs site: after the gallery, wherever the site names that.

Takes and returns `nav` as in the configuration. The specs of a file that has several are a section: those that
are variants after their original, fragments last.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from acdl_mkdocs.foundation.markdown import replace_html_signs
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex

TITLE = "Specs"
"""The title of the section for a gallery without a title."""


def list_sections(
    specs: Iterable[SpecEntry], spec_index: SpecIndex, src_uris: Mapping[str, str]
) -> list[tuple[str, dict[str, str]]]:
    """Return the pages of specs for the navigation: sections with titles, single pages with an empty one.

    Parameters:
        specs: The specs and fragments that have a page.
        spec_index: All of the site.
        src_uris: Address of a page to its source path.
    """
    files: dict[str, list[SpecEntry]] = {}
    for entry in specs:
        files.setdefault(entry.file, []).append(entry)
    sections = []
    for file, entries in files.items():
        order = {id(entry): number for number, entry in enumerate(entries)}
        entries.sort(key=lambda entry: (entry.spec.is_fragment, _get_order(entry, spec_index, order), order[id(entry)]))
        pages = {src_uris[entry.address]: replace_html_signs(spec_index.page_title(entry)) for entry in entries}
        title = entries[0].spec.file_title or PurePosixPath(file).stem
        sections.append((replace_html_signs(title) if len(pages) > 1 else "", pages))
    return sections


def _get_order(entry: SpecEntry, spec_index: SpecIndex, order: Mapping[int, int]) -> int:
    """Return the order of an entry, or of its original if it is a variant in the same file."""
    root = spec_index.find_meant(entry.spec.variant_of, entry) if entry.spec.variant_of else None
    return order.get(id(root), order[id(entry)])


def extend_navigation(
    nav: object, galleries: Collection[str], pages: Iterable[tuple[str, Mapping[str, str]]]
) -> object:
    """Add pages after each gallery of the navigation; a page that the site names itself stays where it is.

    Parameters:
        nav: A list of addresses and of titles with an address or another list.
        galleries: The source paths that a gallery can have.
        pages: The pages to add: the title of a section or nothing, and source paths with titles.
    """
    named = set(_list_paths(nav))
    added: list[dict[str, object]] = []
    for section, titles in pages:
        new: list[dict[str, object]] = [{title: path} for path, title in titles.items() if path not in named]
        added += [{section: new}] if section and new else new
    return _add_pages(nav, galleries, added) if added else nav


def _list_paths(item: object) -> Iterator[str]:
    """Yield every address in a part of the navigation."""
    if isinstance(item, str):
        yield item
    for each in item.values() if isinstance(item, dict) else item if isinstance(item, list) else ():
        yield from _list_paths(each)


def _add_pages(
    item: object, galleries: Collection[str], added: list[dict[str, object]], *, is_section: bool = False
) -> object:
    if isinstance(item, list) and is_section:
        return [each for part in item for each in _add_in_section(part, galleries, added)]
    if isinstance(item, list):
        return [_add_pages({TITLE: part} if part in galleries else part, galleries, added) for part in item]
    if isinstance(item, dict):
        return {title: _add_below_title(value, galleries, added) for title, value in item.items()}
    return item


def _add_below_title(value: object, galleries: Collection[str], added: list[dict[str, object]]) -> object:
    """Convert the value of a title: a gallery becomes a section that begins with it."""
    if isinstance(value, str):
        return [value, *added] if value in galleries else value
    return _add_pages(value, galleries, added, is_section=True)


def _add_in_section(part: object, galleries: Collection[str], added: list[dict[str, object]]) -> list[object]:
    """Return a part of a section; a gallery without a title is followed by the pages."""
    if isinstance(part, str):
        return [part, *added] if part in galleries else [part]
    return [_add_pages(part, galleries, added, is_section=True)]
