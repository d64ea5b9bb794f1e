"""The other blocks of a page, as far as a block depends on them: the fragments that it uses and they define.

A text is searched for names without a parser, so that a block can be found in a cache by what its neighbours give it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acdl_mkdocs.site.read_block import BlockText
from acdl_mkdocs.source import Source

if TYPE_CHECKING:
    from acdl_mkdocs.names.library import Library
    from acdl_mkdocs.syntax.parse import Parsed

_USE = re.compile(r"\bFrag\s+(\w+)")
_DEFINITION = re.compile(r"\b(?:StrFrag|RolesFrag|RoleFrag)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """A block and the anchor of its figure, which is empty if that is not known."""

    text: BlockText
    id: str


class Neighbours:
    """The blocks of a page; grows while they are read."""

    def __init__(self) -> None:
        self._by_fragment: dict[str, list[_Neighbour]] = {}
        self._parsed: dict[str, Parsed] = {}

    def add(self, text: BlockText, id: str = "") -> None:
        """Remember a block."""
        for name in dict.fromkeys(_DEFINITION.findall(text.source.text)):
            self._by_fragment.setdefault(name, []).append(_Neighbour(text, id))

    def sources(self, text: BlockText) -> tuple[Source, ...]:
        """The other texts of the page that define what a block uses, each once."""
        found: dict[str, Source] = {}
        for _, neighbour in self._used(text):
            source = neighbour.text.source
            if source.text != text.source.text:
                found.setdefault(source.text, source)
        return tuple(found.values())

    def links(self, text: BlockText) -> dict[str, str]:
        """Fragment name to the address of the first figure of the page that shows it."""
        links: dict[str, str] = {}
        for name, neighbour in self._used(text):
            if neighbour.id and neighbour.text is not text and neighbour.text.options.spec in ("", name):
                links.setdefault(name, f"#{neighbour.id}")
        return links

    def library(self, sources: tuple[Source, ...]) -> "Library":
        """The definitions of texts; each is parsed once, however many blocks use it."""
        from acdl_mkdocs.names.library import collect
        from acdl_mkdocs.syntax.parse import parse

        for source in sources:
            if source.text not in self._parsed:
                self._parsed[source.text] = parse(source)
        return collect(self._parsed[source.text] for source in sources)

    def _used(self, text: BlockText) -> Iterator[tuple[str, _Neighbour]]:
        for name in dict.fromkeys(_USE.findall(text.source.text)):
            for neighbour in self._by_fragment.get(name, ()):
                yield name, neighbour
