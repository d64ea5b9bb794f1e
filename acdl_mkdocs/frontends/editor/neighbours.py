"""The texts from which a piece takes its fragments, and those of its own fragments that others use.

The rules are those of `workspace/catalog.py`, which page builds and `acdl check` use too. It is asked about the few
texts that names connect with the piece, so that an edit costs the same in a project of a thousand files. Knows texts
by what they define and use, and parses none.
"""

from collections.abc import Callable, Iterable
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.workspace.catalog import Catalog, Levels
from acdl_mkdocs.workspace.read_block import BlockText
from acdl_mkdocs.workspace.used_files import find_mentioned_names, find_used_names, list_definitions


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The other texts that matter to a piece."""

    levels: Levels
    """The texts that define what it uses, nearest first."""
    used: frozenset[str]
    """The names of its own fragments that others use."""


@dataclass(frozen=True, slots=True)
class NameIndex:
    """An index of the fragments that each piece of a workspace defines and uses, in the order of its documents."""

    defining: dict[str, list[Piece]] = field(default_factory=dict)
    using: dict[str, list[Piece]] = field(default_factory=dict)

    def find_connected_pieces(self, texts: Iterable[str]) -> list[Piece]:
        """Return the pieces that may matter to texts: reachable over names, or using their fragments."""
        texts = list(texts)
        pieces: dict[Piece, None] = {}
        seen: set[str] = set()
        stack = [name for words in texts for name in find_used_names(words) | find_mentioned_names(words)]
        while stack:
            name = stack.pop()
            if name in seen:
                continue
            seen.add(name)
            for each in self.defining.get(name, ()):
                if each not in pieces:
                    pieces[each] = None
                    stack += find_used_names(each.source.text)
        for name in (name for words in texts for name in list_definitions(words)):
            pieces |= dict.fromkeys(self.using.get(name, ()))
        return list(pieces)


def index_of(pieces: Iterable[Piece]) -> NameIndex:
    """Return the index of all pieces of a workspace."""
    index = NameIndex()
    for piece in pieces:
        words = piece.source.text
        if "Frag" not in words:
            continue
        for name in list_definitions(words):
            index.defining.setdefault(name, []).append(piece)
        for name in find_used_names(words):
            index.using.setdefault(name, []).append(piece)
    return index


def order_of(uri: str) -> tuple[tuple[bool, str], ...]:
    """Return a sort key that orders documents as a search of folders does: the files of a folder, then its folders."""
    *folders, name = uri.split("/")
    return (*((True, each) for each in folders), (False, name))


def catalog_of(page: Iterable[BlockText], connected: Iterable[Piece], text_of: Callable[[Piece], BlockText]) -> Catalog:
    """Return the catalog of a document, with as much of other documents as its texts can need.

    Parameters:
        page: All texts of the document.
        connected: The pieces of the workspace that names connect with them.
        text_of: A piece as the catalog takes it.
    """
    site = Catalog()
    for piece in sorted(connected, key=lambda each: (order_of(each.uri), each.start)):
        site.add_text(text_of(piece))
    own = Catalog(site)
    for each in page:
        own.add_text(each)
    return own
