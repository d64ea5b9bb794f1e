"""Check what pages have beside their `acdl` blocks: references to figures, and galleries.

A reference may lead to any spec of the project, whatever files a command names: only for a name that these do not
define is the rest of the project read.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from acdl_mkdocs.cli.checking import Gathered, gather
from acdl_mkdocs.cli.inputs import Input, project_of, read_named
from acdl_mkdocs.cli.search import Named, find_files
from acdl_mkdocs.settings import Settings
from acdl_mkdocs.site.catalog import Catalog
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.page_problems import page_problems
from acdl_mkdocs.site.read_block import Finding, defined_names


class PageChecks:
    """The files of a command, and what their pages refer to."""

    def __init__(self, gathered: Gathered, settings_of: Callable[[Path], Settings]) -> None:
        """Take the files that are read already.

        Parameters:
            gathered: All of them.
            settings_of: The settings of a folder.
        """
        self._gathered = gathered
        self._settings_of = settings_of
        self._known = cache(self._catalog)

    def of(self, named: Named) -> tuple[Finding, ...]:
        """What is wrong with a page; nothing with a file that is none."""
        if not named.is_page:
            return ()
        text, name = read_named(named)
        if "[[acdl:" not in text and "acdl-gallery" not in text:
            return ()
        found = self._problems(name, text, named, None)
        if any(each.rule == "unknown-reference" for each, _ in found):
            found = self._problems(name, text, named, project_of(named.path or Path()))
        return found

    def _problems(self, name: str, text: str, named: Named, project: Path | None) -> tuple[Finding, ...]:
        page = Page(name=name, text=text, path=named.path, catalog=Catalog(self._known(project)))
        return tuple(page_problems(page, text))

    def _catalog(self, project: Path | None) -> Catalog:
        """The figures of the files that are read, and of all others of a project; each with an address of its own."""
        catalog = Catalog()
        files = list(self._gathered.files)
        if project:
            read = {named.path.resolve() for named, _ in files if named.path}
            below, _ = find_files([str(project)], self._settings_of)
            others = [each for each in below if each.path and each.path.resolve() not in read]
            files += gather(others, self._settings_of, None, is_snippet=False).files
        for number, (named, inputs) in enumerate(files):
            _add(catalog, inputs, f"{number}", is_page=named.is_page)
        return catalog


def _add(catalog: Catalog, inputs: Iterable[Input], address: str, *, is_page: bool) -> None:
    """Add the blocks of a page, or each definition of a file."""
    for number, each in enumerate(inputs):
        if is_page:
            catalog.add(each.text, f"{address}#{number}")
            continue
        names = defined_names(each.text.source.text)
        catalog.add_file(each.text, {name: f"{address}#{name}" for name in names})
