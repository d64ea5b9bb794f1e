"""Specs, fragments and marks as targets of the MkDocs plugin `autorefs`: `[React1][]`, `[the loop][React1-mark-2]`.

Needs only the function of that plugin that takes targets, which differs between versions.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from inspect import signature
from urllib.parse import unquote

from mkdocs.structure.pages import Page as MkDocsPage

from acdl_mkdocs.drawing.formats.xml import make_id
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name

PLUGIN = "autorefs"
PREFIX = "acdl:"
"""The prefix of a spec's name, if a heading or another object has the name too."""

_TARGET_MAPS = ("_primary_url_map", "_secondary_url_map", "_abs_url_map", "_url_map")
"""The attributes where versions of the plugin keep known targets."""


class AutorefsTargets:
    """The targets on the pages of one build."""

    def __init__(self, plugin: object, catalog: Catalog) -> None:
        """Begin with a build.

        Parameters:
            plugin: The plugin `autorefs`.
            catalog: The texts of all pages.
        """
        self._plugin = plugin
        self._catalog = catalog
        self._rendered_pages: dict[str, tuple[MkDocsPage, frozenset[str]]] = {}

    def add_page(self, page: MkDocsPage, ids: Iterable[str]) -> None:
        """Add a drawn page, with the ids in its figures.

        The address of a home page is empty; the catalog has that of its file, as of all pages.
        """
        self._rendered_pages[unquote(page.file.url)] = page, frozenset(ids)

    def register_targets(self) -> None:
        """Register all targets with the plugin; names that it knows already are kept."""
        register = getattr(self._plugin, "register_anchor", None)
        if not callable(register):
            return
        parameters = signature(register).parameters
        ranked = {"primary": False} if "primary" in parameters else {}  # headings that come later are preferred
        for page, name, anchor in self._list_targets():
            page_or_url = page if "title" in parameters else page.url
            for target in (name, f"{PREFIX}{name}"):
                if not self._is_known(target):
                    register(page_or_url, target, anchor, **ranked)

    def _list_targets(self) -> Iterator[tuple[MkDocsPage, str, str]]:
        """Yield page, name and anchor of each spec, fragment and mark, at the first figure that shows it."""
        homes = {name: home for name in sorted(self._catalog.names) if (home := self._find_home(name))}
        n_shown = Counter((page.url, figure) for page, figure in homes.values())
        for name, (page, figure) in homes.items():
            anchors = _anchors_in(figure, name, self._rendered_pages[unquote(page.file.url)][1])
            is_alone = n_shown[page.url, figure] == 1 or figure == make_id(name)
            yield page, name, figure if is_alone else anchors.get(name, figure)
            yield from ((page, part, anchor) for part, anchor in anchors.items() if part != name)

    def _find_home(self, name: str) -> tuple[MkDocsPage, str] | None:
        """Return the first page that shows a spec or fragment, with the anchor of the figure."""
        for address in self._catalog.find_figures(name):
            path, _, anchor = address.partition("#")
            page, ids = self._rendered_pages.get(path, (None, frozenset()))
            anchor = anchor or figure_name(BlockOptions(spec=name), "")
            if page is not None and anchor in ids:
                return page, anchor
        return None

    def _is_known(self, target: str) -> bool:
        maps = (getattr(self._plugin, name, ()) for name in _TARGET_MAPS)
        return any(isinstance(each, Container) and target in each for each in maps)


def _anchors_in(figure: str, name: str, ids: Iterable[str]) -> dict[str, str]:
    """Return the names of a spec and its marks, with their anchors; names of figures come first."""
    pattern = re.compile(rf"(?P<figure>{re.escape(figure)}-)?{re.escape(make_id(name))}(?P<mark>-mark-.+)?")
    matches = sorted(filter(None, map(pattern.fullmatch, ids)), key=lambda each: (not each["figure"], each[0]))
    anchors: dict[str, str] = {}
    for each in matches:
        anchors.setdefault(f"{name}{each['mark'] or ''}", each[0])
    return anchors
