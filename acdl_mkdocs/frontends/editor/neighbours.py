"""Which texts a piece takes its fragments from, and which of its own others use.

The rules are those of `workspace/catalog.py`, which builds of pages and `acdl check` ask too. It is asked about the few
texts that names connect with the piece, so that an edit costs the same in a project of a thousand files. Knows texts
by what they define and use, and parses none.
"""

from collections.abc import Callable, Iterable
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.workspace.catalog import Catalog, Levels
from acdl_mkdocs.workspace.read_block import BlockText
from acdl_mkdocs.workspace.used_files import defined, mentioned, used


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The other texts that concern a piece."""

    levels: Levels
    """Those that define what it uses, the nearest first."""
    used: frozenset[str]
    """The names of its own fragments that others use."""


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Which pieces of a workspace define and use which fragments, in the order of its documents."""

    defining: dict[str, list[Piece]] = field(default_factory=dict)
    using: dict[str, list[Piece]] = field(default_factory=dict)

    def connected(self, texts: Iterable[str]) -> list[Piece]:
        """The pieces that may matter to texts: what these lead to over names, and what uses their fragments."""
        texts = list(texts)
        found: dict[Piece, None] = {}
        seen: set[str] = set()
        waiting = [name for words in texts for name in used(words) | mentioned(words)]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for each in self.defining.get(name, ()):
                if each not in found:
                    found[each] = None
                    waiting += used(each.source.text)
        for name in (name for words in texts for name in defined(words)):
            found |= dict.fromkeys(self.using.get(name, ()))
        return list(found)


def index_of(pieces: Iterable[Piece]) -> NameIndex:
    """The index of all pieces of a workspace."""
    index = NameIndex()
    for piece in pieces:
        words = piece.source.text
        if "Frag" not in words:
            continue
        for name in defined(words):
            index.defining.setdefault(name, []).append(piece)
        for name in used(words):
            index.using.setdefault(name, []).append(piece)
    return index


def order_of(uri: str) -> tuple[tuple[bool, str], ...]:
    """Documents by it are in the order of a search through folders: the files of a folder, then its folders."""
    *folders, name = uri.split("/")
    return (*((True, each) for each in folders), (False, name))


def catalog_of(page: Iterable[BlockText], connected: Iterable[Piece], text_of: Callable[[Piece], BlockText]) -> Catalog:
    """The catalog of a document, which knows as much of the others as its texts can ask for.

    Parameters:
        page: All texts of the document.
        connected: The pieces of the workspace that names connect with them.
        text_of: A piece as the catalog takes it.
    """
    site = Catalog()
    for piece in sorted(connected, key=lambda each: (order_of(each.uri), each.start)):
        site.add(text_of(piece))
    own = Catalog(site)
    for each in page:
        own.add(each)
    return own
