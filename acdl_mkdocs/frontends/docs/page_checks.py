"""Check the parts of pages beside their `acdl` blocks: references to figures, and galleries.

A reference may lead to any spec of the project, not only in the files of a command: only for a name that these do not
define is the rest of the project read.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.page_problems import list_unread_blocks, page_problems
from acdl_mkdocs.frontends.docs.pages.library import may_have_variants, unknown_variants
from acdl_mkdocs.frontends.docs.pages.quoted_header import find_unquoted, is_fence_alone, needs_quotes
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.inputs import GatheredTexts, Input, gather_texts, read_named, relative_name
from acdl_mkdocs.workspace.page_kinds import PagePart, blocks_in, parts_of
from acdl_mkdocs.workspace.project import find_configurations
from acdl_mkdocs.workspace.read_block import Finding, find_defined_names
from acdl_mkdocs.workspace.search import NamedFile, find_files
from acdl_mkdocs.workspace.settings import Settings
from acdl_mkdocs.workspace.stray_words import find_unattributed_comments

_OTHERS = BLOCKS.keys() - {"acdl"}
_NEEDS_PROJECT = ("unknown-reference", "unknown-spec")
"""Problems that are reported again when all specs of the project are known."""


class PageChecks:
    """The files of a command, and the targets of their references."""

    def __init__(self, gathered: GatheredTexts, settings_of: Callable[[Path], Settings]) -> None:
        """Take the files that were read already.

        Parameters:
            gathered: All of them.
            settings_of: The settings of a folder.
        """
        self._gathered = gathered
        self._settings_of = settings_of
        self._folders = FolderNames()
        self._catalog_of = cache(self._build_catalog)
        self._is_fence_alone = cache(_is_fence_alone)
        self._inputs = {id(named): inputs for named, inputs in gathered.files}
        self.n_blocks = 0
        """Blocks that are not specs, in the checked pages."""
        self.others: set[Path] = set()
        """Files of the project that were read because pages refer to possible definitions in them."""

    def check_file(self, named: NamedFile) -> tuple[Finding, ...]:
        """Return the problems of a page, and of what a text says about others."""
        variants = tuple(self._check_variants(named))
        if not named.is_page:
            return variants + tuple(self._check_stray(named))
        text, name = read_named(named)
        kind = named.kind
        parts = parts_of(text, name, kind)
        fences = [fence for part in parts for fence in blocks_in(part.text, part.kind)]
        self.n_blocks += sum(each.language in _OTHERS and not each.is_code for each in fences)
        findings = self._list_problems(parts, named, None)
        if any(each.rule in _NEEDS_PROJECT for each, _ in findings):
            findings = self._list_problems(parts, named, named.project)
        unquoted_blocks = self._check_quotes(name, text, named) if kind == "markdown" else ()
        return (*findings, *variants, *unquoted_blocks, *list_unread_blocks(text, name, kind))

    def _check_quotes(self, name: str, text: str, named: NamedFile) -> Iterator[Finding]:
        """Yield the blocks of a Markdown page that the docs tool of the project would show as code."""
        fences = [fence for fence in blocks_in(text, "markdown") if needs_quotes(fence)]
        if fences and named.path and self._is_fence_alone(named.project):
            page = Page(name=name, text=text, path=named.path)
            yield from (find_unquoted(fence, page) for fence in fences)

    def _check_variants(self, named: NamedFile) -> Iterator[Finding]:
        """Yield the specs of a file whose original does not exist."""
        for each in self._inputs.get(id(named), ()):
            source = each.text.source
            if (
                each.is_reported_elsewhere
                or not may_have_variants(source.text)
                or not any(self._check_unknown_variants(source, None))
            ):
                continue
            yield from ((problem, source) for problem in self._check_unknown_variants(source, named.project))

    def _check_stray(self, named: NamedFile) -> Iterator[Finding]:
        """Yield comments of a file about one spec that do not name it."""
        for each in self._inputs.get(id(named), ()) if named.path else ():
            if named.path and not each.is_reported_elsewhere:
                source = each.text.source
                yield from (
                    (problem, source) for problem in find_unattributed_comments(source, named.path, self._folders)
                )

    def _check_unknown_variants(self, source: Source, project: Path | None) -> Iterator[Diagnostic]:
        return unknown_variants(source, self._catalog_of(project).names)

    def _list_problems(self, parts: Iterable[PagePart], named: NamedFile, project: Path | None) -> tuple[Finding, ...]:
        root = named.project
        catalog = Catalog(lambda: self._catalog_of(project))
        pages = [
            (Page(name=each.name, text=each.text, path=named.path, root=root, catalog=catalog), each) for each in parts
        ]
        return tuple(finding for page, part in pages for finding in page_problems(page, part))

    def _build_catalog(self, project: Path | None) -> Catalog:
        """Return the catalog of the figures of the read files, and of all other files of a project, with addresses."""
        catalog = Catalog()
        files = list(self._gathered.files)
        if project:
            read = {named.path.resolve() for named, _ in files if named.path}
            below, _ = find_files([relative_name(project, project)], self._settings_of)
            others = [each for each in below if each.path and each.path.resolve() not in read]
            self.others.update(each.path for each in others if each.path)
            files += gather_texts(others, self._settings_of, None, is_snippet=False).files
        for number, (named, inputs) in enumerate(files):
            _add_blocks(catalog, inputs, f"{number}", is_page=named.is_page)
        return catalog


def _add_blocks(catalog: Catalog, inputs: Iterable[Input], address: str, *, is_page: bool) -> None:
    """Add the blocks of a page, or each definition of a file."""
    for number, each in enumerate(inputs):
        if is_page:
            catalog.add_text(each.text, f"{address}#{number}")
            continue
        names = find_defined_names(each.text.source.text)
        catalog.add_file(each.text, {name: f"{address}#{name}" for name in names})


def _is_fence_alone(project: Path) -> bool:
    for name in find_configurations(project):
        with suppress(OSError, ValueError):
            if is_fence_alone((project / name).read_text("utf-8")):
                return True
    return False
