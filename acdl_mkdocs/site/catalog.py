"""The texts of a page or of a whole site, by the fragments that they define and use.

A text is searched for names without a parser, so that a block can be found in a cache by what other texts give it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.site.read_block import BlockText
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.letters import LETTER, canonical

if TYPE_CHECKING:
    from acdl_mkdocs.names.library import Library
    from acdl_mkdocs.syntax.parse import Parsed

_USE = re.compile(rf"\bFrag\s+({LETTER}+)")
_DEFINITION = re.compile(rf"\b(?:StrFrag|RolesFrag|RoleFrag)\s+({LETTER}+)")

_N_REMEMBERED = 4096
"""So many texts are searched for names only once."""

Levels: TypeAlias = tuple[tuple[Source, ...], ...]
"""Other texts that a text takes fragments from: those of its page, the files that it names, those of the site."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A text and the address of its figure, which is empty if that is not known."""

    text: BlockText
    address: str


class Catalog:
    """Texts by the names in them; grows while they are read."""

    def __init__(self, site: "Catalog | None" = None) -> None:
        """Make an empty one.

        Parameters:
            site: The texts of all pages, for the catalog of one page; asked for what the page does not define.
        """
        self.site = site
        self._defining: dict[str, list[_Placed]] = {}
        self._users: dict[str, dict[str, None]] = {}
        self._parsed: dict[Source, Parsed] = site._parsed if site else {}

    def add(self, text: BlockText, address: str = "") -> None:
        """Remember a text and where its figure is."""
        words = text.source.text
        for name in _defined(words):
            self._defining.setdefault(name, []).append(_Placed(text, address))
        for name in _used(words):
            self._users.setdefault(name, {}).setdefault(words)

    def sources(self, text: BlockText) -> Levels:
        """The other texts that define what a text uses, and what those use in turn; each once."""
        levels: list[dict[str, Source]] = [{}, {}, {}]
        waiting = [text.source.text]
        seen = {text.source.text}
        while waiting:
            words = waiting.pop()
            for level, source in self._needed(words, text):
                if source.text not in seen:
                    seen.add(source.text)
                    levels[level][source.text] = source
                    waiting.append(source.text)
        return tuple(tuple(level.values()) for level in levels)

    def users(self, text: BlockText) -> frozenset[str]:
        """The fragments of a text that other texts use."""
        words = text.source.text
        known = [self._users, *([self.site._users] if self.site else [])]
        return frozenset(
            name for name in _defined(words) if any(each != words for users in known for each in users.get(name, ()))
        )

    def links(self, text: BlockText) -> dict[str, str]:
        """Fragment name to the address of the first figure that shows it: on the page, else on the site."""
        links: dict[str, str] = {}
        for catalog in (self, self.site):
            for name in _used(text.source.text) if catalog else ():
                for placed in catalog._defining.get(name, ()) if catalog else ():
                    if placed.address and placed.text is not text and placed.text.options.spec in ("", name):
                        links.setdefault(name, placed.address)
        return links

    def library(self, levels: Levels, used: frozenset[str] = frozenset()) -> "Library":
        """The definitions of texts; each is parsed once, however many others use it."""
        from acdl_mkdocs.names.library import collect

        return collect(*([self._parse(source) for source in level] for level in levels), used=used)

    def _parse(self, source: Source) -> "Parsed":
        from acdl_mkdocs.syntax.parse import parse

        if source not in self._parsed:
            self._parsed[source] = parse(source)
        return self._parsed[source]

    def _needed(self, words: str, text: BlockText) -> Iterator[tuple[int, Source]]:
        """The texts that define what some words use, with their level; those of the nearest level that has any."""
        own = _defined(words)
        for name in _used(words):
            if name not in own:
                levels = (self._defined_by(name), _that_define(name, text.uses), self._site_defined_by(name))
                level = next((idx for idx, sources in enumerate(levels) if sources), None)
                yield from ((level, source) for source in levels[level]) if level is not None else ()

    def _defined_by(self, name: str) -> list[Source]:
        return [placed.text.source for placed in self._defining.get(name, ())]

    def _site_defined_by(self, name: str) -> list[Source]:
        return self.site._defined_by(name) if self.site else []


def _that_define(name: str, sources: Iterable[Source]) -> list[Source]:
    return [source for source in sources if name in _defined(source.text)]


@lru_cache(maxsize=_N_REMEMBERED)
def _used(words: str) -> dict[str, None]:
    """The names of fragments that a text uses, in order."""
    return dict.fromkeys(map(canonical, _USE.findall(words))) if "Frag" in words else {}


@lru_cache(maxsize=_N_REMEMBERED)
def _defined(words: str) -> dict[str, None]:
    """The names of fragments that a text defines, in order."""
    return dict.fromkeys(map(canonical, _DEFINITION.findall(words))) if "Frag" in words else {}
