"""The texts of a page or of a whole site, by the fragments that they define and use.

Names are found in a text without a parser, so that the cache key of a block can include what other texts define.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.host_text import holds_host_text
from acdl_mkdocs.workspace.read_block import BlockText, find_defined_names
from acdl_mkdocs.workspace.used_files import UsedFiles, find_mentioned_names, find_used_names, list_definitions

if TYPE_CHECKING:
    from acdl_mkdocs.language.names.library import Definitions, Library


class Cycles:
    """The texts that are on a cycle of uses, or between two cycles; grows while texts are read."""

    def __init__(self) -> None:
        """Start without texts."""
        self._uses: dict[str, list[str]] = {}
        self._defining: dict[str, list[str]] = {}
        self._cyclic: frozenset[str] | None = None

    def add_text(self, words: str, defined: Collection[str], used: Collection[str]) -> None:
        """Add a text, unless it defines nothing or uses nothing of others, so that it is on no cycle."""
        outside = [name for name in used if name not in defined]
        if words in self._uses or not (defined and outside):
            return
        self._uses[words] = outside
        for name in defined:
            self._defining.setdefault(name, []).append(words)
        self._cyclic = None

    def is_cyclic(self, words: str) -> bool:
        """Return whether a text may use itself through others."""
        if words not in self._uses:
            return False
        if self._cyclic is None:
            ways = self._uses | self._defining  # from texts to names, and from names to texts; no name is also a text
            self._cyclic = frozenset(_reversed_without_ends(_reversed_without_ends(ways)))
        return words in self._cyclic


def _reversed_without_ends(ways: dict[str, list[str]]) -> dict[str, list[str]]:
    """Reverse a graph after repeatedly removing everything that leads nowhere."""
    back: dict[str, list[str]] = {}
    for node, targets in ways.items():
        for target in targets:
            back.setdefault(target, []).append(node)
    n_ways = {node: len(ways.get(node, ())) for node in ways | back}
    ends = [node for node, number in n_ways.items() if not number]
    while ends:
        for node in back.get(ends.pop(), ()):
            n_ways[node] -= 1
            if not n_ways[node]:
                ends.append(node)
    return {node: [each for each in back.get(node, ()) if n_ways[each]] for node, number in n_ways.items() if number}


Levels: TypeAlias = tuple[tuple[Source, ...], ...]
"""Other texts that a text takes fragments from: those of its page, the files that it names, those of the site."""


_CURRENT_ANSWER = compile_later(r"\bresp[.\[](?:(?!\bresp[.\[])[^\s{}])*@[A-Z](?:\.[A-Z])?\s*[],]")
"""`resp.answer[@T]`: the prompt that gives it is found in the other texts of the page."""


@dataclass(frozen=True, slots=True)
class _CatalogEntry:
    """A text and the address of its figure; empty if unknown."""

    text: BlockText
    address: str


class Catalog:
    """Texts by the names in them; grows while they are read."""

    def __init__(
        self,
        site: "Catalog | Callable[[], Catalog | None] | None" = None,
        link: Callable[[str], str] = str,
        drawn_link: Callable[[str], str] | None = None,
    ) -> None:
        """Start without texts.

        Parameters:
            site: The texts of all pages, for the catalog of one page; used for names that the page does not define. A
                function is called on first use.
            link: Converts an address in the site's catalog to a link on the page.
            drawn_link: The same for a link inside a drawing, if the tool treats that differently.
        """
        self._site = site
        self._link = link
        self._drawn_link = drawn_link or link
        self._defining: dict[str, list[_CatalogEntry]] = {}
        self._texts: dict[str, BlockText] = {}
        self._users: dict[str, dict[str, None]] = {}
        self._places: dict[str, dict[str, BlockText]] = {}
        self._used_at: dict[str, dict[str, BlockText]] = {}
        self._definitions: dict[Source, Definitions] = {}
        self._cycles = Cycles()
        self._unlinked: list[BlockText] = []
        self._n_linked: dict[UsedFiles, int] = {}
        self._left_out: frozenset[str] = frozenset()
        self._has_unread = False

    @property
    def site(self) -> "Catalog | None":
        """The texts of all pages, which may be read only now."""
        if self._site is not None and not isinstance(self._site, Catalog):
            self._site = self._site()
        return self._site

    @property
    def has_unread(self) -> bool:
        """True if another tool has yet to add something to a text, which may define any name."""
        return self._has_unread or (self.site is not None and self.site.has_unread)

    def add_text(self, text: BlockText, address: str = "") -> None:
        """Add a text and the address of its figure."""
        words = text.source.text
        self._has_unread = self._has_unread or holds_host_text(words)
        for name in find_defined_names(words):
            self._texts.setdefault(name, text)
            if address and text.options.spec in ("", name):
                self._places.setdefault(name, {}).setdefault(address, text)
        defined = list_definitions(words)
        for name in defined:
            self._defining.setdefault(name, []).append(_CatalogEntry(text, address))
        if address and not text.options.spec:
            for name in find_used_names(words):
                if name not in defined:
                    self._used_at.setdefault(name, {}).setdefault(address, text)
        self._add_uses(text)

    def add_file(self, text: BlockText, pages: Mapping[str, str]) -> None:
        """Add a file whose specs and fragments have separate figures.

        Parameters:
            text: The file.
            pages: The addresses by name; empty if there is none.
        """
        parts = {name: replace(text, options=replace(text.options, spec=name)) for name in pages}
        for name, address in pages.items():
            self._texts.setdefault(name, text)
            if address:
                self._places.setdefault(name, {}).setdefault(address, parts[name])
        for name in list_definitions(text.source.text):
            self._defining.setdefault(name, []).append(_CatalogEntry(parts.get(name, text), pages.get(name, "")))
        self._add_uses(text)

    def _add_uses(self, text: BlockText) -> None:
        for name in find_used_names(text.source.text):
            self._users.setdefault(name, {}).setdefault(text.source.text)
        self._unlinked.append(text)

    def without_texts(self, words: Iterable[str]) -> "Catalog":
        """Return the catalog without the texts with this content, for one of them that is about to change."""
        other = copy(self)
        other._left_out = frozenset(words)
        return other

    def find_sources(self, text: BlockText) -> Levels:
        """Return the other texts that define what a text uses, or mentions in another way, each once.

        What those use in turn matters only if it may lead back to the text, since a fragment could then use itself. If
        the text reads an answer of the current turn, the prompts of its page and of the files that it uses may give it.
        """
        levels = self._fragment_sources(text)
        if not _CURRENT_ANSWER.search(text.source.text):
            return levels
        texts = (each.source for each in self._texts.values())
        page = [source for source in texts if self._site or source.name == text.source.name]
        prompts = (page, text.uses.list_sources(), ())
        source_texts = {text.source.text, *(source.text for level in levels for source in level)}
        additions = [
            {source.text: source for source in level if source.text not in source_texts and _has_prompt(source.text)}
            for level in prompts
        ]
        return tuple((*level, *added.values()) for level, added in zip(levels, additions, strict=True))

    def _fragment_sources(self, text: BlockText) -> Levels:
        if not (text.uses.reach or self._defining or (self.site and self.site._defining)):
            return ((), (), ())  # no text defines a fragment
        cycles = self._known_cycles(text)
        is_in_cycle = any(map(cycles.is_cyclic, (text.source.text, *(self.site._left_out if self.site else ()))))
        levels: list[dict[str, Source]] = [{}, {}, {}]
        stack = [(text.source.text, find_used_names(text.source.text) | find_mentioned_names(text.source.text))]
        seen = {text.source.text}
        while stack:
            words, names = stack.pop()
            for level, source in self._find_needed(words, names, text):
                if source.text not in seen:
                    seen.add(source.text)
                    levels[level][source.text] = source
                    if is_in_cycle and cycles.is_cyclic(source.text):
                        stack.append((source.text, find_used_names(source.text)))
        return tuple(tuple(level.values()) for level in levels)

    def find_all_sources(self, text: BlockText) -> Levels:
        """Return the same including the texts that those use in turn: everything that a text can depend on."""
        levels: list[dict[Source, None]] = [{}, {}, {}]
        stack, seen = [text], {text.source}
        while stack:
            for level, sources in enumerate(self.find_sources(stack.pop())):
                for source in sources:
                    if source not in seen:
                        seen.add(source)
                        levels[level][source] = None
                        stack.append(replace(text, source=source))
        return tuple(map(tuple, levels))

    def find_shared_fragments(self, text: BlockText) -> frozenset[str]:
        """Return the fragments of a text that other texts use."""
        words = text.source.text
        catalogs = [self, *([self.site] if self.site else [])]
        return frozenset(
            name for name in list_definitions(words) if any(each._is_used(name, words) for each in catalogs)
        )

    def _is_used(self, name: str, words: str) -> bool:
        """Return whether a different text uses a fragment."""
        return any(each != words and each not in self._left_out for each in self._users.get(name, ()))

    def find_users(self, text: BlockText) -> dict[str, str]:
        """Return the addresses of the figures that use the fragments of a text, with their titles."""
        titles: dict[str, str] = {}
        seen = {text.source.text}
        for name in list_definitions(text.source.text):
            for address, user in (*self._used_at.get(name, {}).items(), *self._used_elsewhere(name)):
                if user.source.text not in seen:
                    seen.add(user.source.text)
                    titles[address] = user.options.title or next(iter(find_defined_names(user.source.text)), "")
        return {address: called or address.rpartition("#")[2] for address, called in titles.items()}

    def _used_elsewhere(self, name: str) -> Iterator[tuple[str, BlockText]]:
        if self.site:
            defining_pages = {entry.address.partition("#")[0] for entry in self.site._defining.get(name, ())}
            for address, user in self.site._used_at.get(name, {}).items():
                if address.partition("#")[0] not in defining_pages:
                    yield self._link(address), user

    def find_links(self, text: BlockText) -> dict[str, str]:
        """Map fragment names to the address, in a drawing, of the first figure of each: on the page, else the site."""
        links: dict[str, str] = {}
        for name in find_used_names(text.source.text):
            page_address = self._find_figure(name, text)
            is_drawn = text.options.spec in ("", name) and name in list_definitions(text.source.text)
            site_address = self.site._find_figure(name, text) if not page_address and self.site and not is_drawn else ""
            if page_address or site_address:
                links[name] = page_address or self._drawn_link(site_address)
        return links

    def _find_figure(self, name: str, text: BlockText) -> str:
        """Return the address of a figure of a fragment in another text, preferably of the same file; else empty."""
        figures = [
            placed
            for placed in self._defining.get(name, ())
            if placed.address and placed.text is not text and placed.text.options.spec in ("", name)
        ]
        own = (placed for placed in figures if placed.text.source.name == text.source.name)
        figure = next(own, figures[0] if figures else None)
        return figure.address if figure else ""

    def find_figures(self, name: str) -> dict[str, Source]:
        """Return the addresses of the figures of a spec or fragment, with its texts: on the page, else on the site."""
        return {address: text.source for address, text in self.find_shown_texts(name).items()}

    def find_shown_texts(self, name: str) -> dict[str, BlockText]:
        """Return the same with the full text values."""
        texts = self._places.get(name, {})
        if texts or not self.site:
            return dict(texts)
        return {self._link(address): text for address, text in self.site.find_shown_texts(name).items()}

    def text_of(self, name: str) -> BlockText | None:
        """Return the first text that defines a spec or fragment, of the page or else of the site."""
        return self._texts.get(name) or (self.site.text_of(name) if self.site else None)

    def find_parts(self, name: str, address: str) -> dict[str, str]:
        """Return the anchors of the parts of a figure of a definition, at one of the addresses of `find_figures`."""
        texts = self._places.get(name, {})
        if address in texts:
            from acdl_mkdocs.workspace.parts import parts_of

            return parts_of(name, texts[address], address.partition("#")[2])
        site_figures = self.site.find_figures(name) if self.site else {}
        own = next((each for each in site_figures if self._link(each) == address), "")
        return self.site.find_parts(name, own) if self.site and own else {}

    @property
    def names(self) -> frozenset[str]:
        """The names of all specs and fragments with a figure."""
        return frozenset(self._places) | (self.site.names if self.site else frozenset())

    def build_library(self, levels: Levels, used: frozenset[str] = frozenset()) -> "Library":
        """Return the definitions of texts; each is parsed once, however many others use it."""
        from acdl_mkdocs.language.names.library import Library

        return Library(tuple(tuple(map(self._definitions_of, level)) for level in levels), used)

    def _definitions_of(self, source: Source) -> "Definitions":
        from acdl_mkdocs.language.names.library import definitions_of
        from acdl_mkdocs.language.syntax.parse import parse

        if self.site:
            return self.site._definitions_of(source)
        if source not in self._definitions:
            self._definitions[source] = definitions_of(parse(source))
        return self._definitions[source]

    def _known_cycles(self, text: BlockText) -> Cycles:
        """Return the cycles of all texts known so far, of the page and of the site.

        A text that replaces another one of the site counts as that one: it may still change.
        """
        root = self.site or self
        if root._left_out:
            return root._cycles
        for each in (*self._unlinked, *root._unlinked, text):
            root._connect(each)
        self._unlinked.clear()
        root._unlinked.clear()
        return root._cycles

    def _connect(self, text: BlockText) -> None:
        """Add a text, and the files that were read for it, to the cycles."""
        sources = [text.source]
        if text.uses.known:
            sources += text.uses.known.sources_since(self._n_linked.get(text.uses.known, 0))
            self._n_linked[text.uses.known] = len(text.uses.known)
        for source in sources:
            self._cycles.add_text(source.text, list_definitions(source.text), find_used_names(source.text))

    def _find_needed(self, words: str, names: Iterable[str], text: BlockText) -> Iterator[tuple[int, Source]]:
        """Yield the texts that define the names used in a text, with their level; those of the nearest level only."""
        own = list_definitions(words)
        for name in names:
            if name not in own and self._may_define(name, text):
                levels = (self._find_sources_of(name), text.uses.find_definitions(name), self._site_defined_by(name))
                level = next((idx for idx, sources in enumerate(levels) if sources), None)
                yield from ((level, source) for source in levels[level]) if level is not None else ()

    def _may_define(self, name: str, text: BlockText) -> bool:
        """Return whether a text may define a fragment: most names that a text mentions are not fragments."""
        return bool(name in self._defining or text.uses.reach or (self.site and name in self.site._defining))

    def _find_sources_of(self, name: str) -> list[Source]:
        placed = (each.text.source for each in self._defining.get(name, ()))
        return [source for source in placed if source.text not in self._left_out]

    def _site_defined_by(self, name: str) -> list[Source]:
        return self.site._find_sources_of(name) if self.site else []


def _has_prompt(words: str) -> bool:
    """Return whether a text defines a prompt."""
    return any(name not in list_definitions(words) for name in find_defined_names(words))
