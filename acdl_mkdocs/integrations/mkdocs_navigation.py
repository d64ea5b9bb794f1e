"""The pages of specs in the navigation of a MkDocs site: behind the gallery, wherever the site names that.

Takes and gives `nav` as it stands in the configuration. Knows nothing about specs.
"""

from collections.abc import Collection, Iterator, Mapping

TITLE = "Specs"
"""Of the section that a gallery without a title becomes."""


def extended(nav: object, galleries: Collection[str], pages: Mapping[str, str]) -> object:
    """The navigation with pages behind each gallery; a page that the site names itself stays where it is.

    Parameters:
        nav: A list of addresses and of titles with an address or another list.
        galleries: The source paths that a gallery can have.
        pages: Source path to title of what is added.
    """
    named = set(_paths(nav))
    added = [{title: path} for path, title in pages.items() if path not in named]
    return _with(nav, galleries, added) if added else nav


def _paths(item: object) -> Iterator[str]:
    """Every address in a part of the navigation."""
    if isinstance(item, str):
        yield item
    for each in item.values() if isinstance(item, dict) else item if isinstance(item, list) else ():
        yield from _paths(each)


def _with(item: object, galleries: Collection[str], added: list[dict[str, str]], *, is_section: bool = False) -> object:
    if isinstance(item, list) and is_section:
        return [each for part in item for each in _in_section(part, galleries, added)]
    if isinstance(item, list):
        return [_with({TITLE: part} if part in galleries else part, galleries, added) for part in item]
    if isinstance(item, dict):
        return {title: _below(value, galleries, added) for title, value in item.items()}
    return item


def _below(value: object, galleries: Collection[str], added: list[dict[str, str]]) -> object:
    """What stands behind a title: a gallery becomes a section that begins with it."""
    if isinstance(value, str):
        return [value, *added] if value in galleries else value
    return _with(value, galleries, added, is_section=True)


def _in_section(part: object, galleries: Collection[str], added: list[dict[str, str]]) -> list[object]:
    """A part of a section; a gallery without a title is followed by the pages."""
    if isinstance(part, str):
        return [part, *added] if part in galleries else [part]
    return [_with(part, galleries, added, is_section=True)]
