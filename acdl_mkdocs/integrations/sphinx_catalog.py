"""The blocks of all pages of a project, and what a page needs to know of them: fragments and where they are shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b

from acdl_mkdocs.integrations.sphinx_things import Known
from acdl_mkdocs.site.shelf import Shelf, Shown
from acdl_mkdocs.workspace.catalog import Catalog


class Project:
    """All blocks by page; their addresses are those of documents, `agents#Chat`."""

    def __init__(self, pages: Mapping[str, Iterable[Known]]) -> None:
        self._pages = {docname: tuple(pages[docname]) for docname in sorted(pages)}
        self._all = Catalog()
        for docname, blocks in self._pages.items():
            for block in blocks:
                self._all.add(block.text, f"{docname}#{block.anchor}")

    def around(self, docname: str, link: Callable[[str], str]) -> Catalog:
        """What the blocks of a page know of others.

        Parameters:
            docname: The page.
            link: From an address to a link of that page.
        """
        known = Catalog(self._all, link)
        for block in self._pages.get(docname, ()):
            known.add(block.text, f"#{block.anchor}")
        return known

    @cached_property
    def shelf(self) -> Shelf:
        """The specs and fragments of all blocks; those that several blocks show, once. Texts are parsed now."""
        shown = [
            entry for docname, blocks in self._pages.items() for block in blocks for entry in _shown(docname, block)
        ]
        homes: dict[tuple[str, int, str], Shown] = {}
        for entry in shown:
            homes.setdefault((entry.file, entry.line, entry.spec.name), entry)
        return Shelf(homes.values())

    def digest(self, docname: str) -> str:
        """Of what the figures of a page take from other blocks: texts and places. Equal if they need no redrawing."""
        facts = [
            (
                self._all.links(each.text),
                self._all.used_at(each.text),
                [[source.text for source in level] for level in self._all.sources(each.text)],
            )
            for each in self._pages.get(docname, ())
        ]
        return _digest(facts)

    @cached_property
    def shelf_digest(self) -> str:
        """Of all that galleries are made of: every text that is listed, and where it is shown."""
        return _digest(
            [
                (
                    docname,
                    block.text.source.text,
                    block.text.source.name,
                    [(each.name, each.anchor) for each in block.things],
                )
                for docname, blocks in self._pages.items()
                for block in blocks
                if block.things
            ]
        )


def _shown(docname: str, block: Known) -> Iterator[Shown]:
    """The specs and fragments that a block is the home of."""
    from acdl_mkdocs.workspace.parts import specs_in

    anchors = {thing.name: thing.anchor for thing in block.things if thing.kind != "mark"}
    source = block.text.source
    for spec in specs_in(source) if anchors else ():
        if spec.name in anchors:
            line = source.place(spec.span.start).line
            range_mode = spec.range or block.text.options.range
            yield Shown(spec, f"{docname}#{anchors[spec.name]}", source.name, line, range=range_mode)


def _digest(facts: object) -> str:
    return blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
