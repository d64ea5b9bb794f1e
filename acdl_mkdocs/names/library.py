"""The specs and fragments of a whole site or folder, by name, and which text has them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.nodes import Fragment, Prompt
from acdl_mkdocs.syntax.parse import Parsed


@dataclass(frozen=True, slots=True)
class Entry:
    """A definition of another text."""

    name: str
    node: Prompt | Fragment
    source: Source
    """The text that its spans are of."""

    @property
    def text(self) -> str:
        """The definition as it is written."""
        return self.source.text[self.node.span.start : self.node.span.end]


@dataclass(frozen=True, slots=True)
class Library:
    """What a text and others share: definitions that it may use without holding them, and its own that they use."""

    levels: tuple[Mapping[str, tuple[Entry, ...]], ...] = ()
    """Definitions by name, those of the nearest texts first: the page, the files that the text names, the site."""
    used: frozenset[str] = frozenset()
    """Names of fragments that other texts use."""

    def fragments(self, name: str, *, outside: Source) -> tuple[Entry, ...]:
        """The fragments of that name in texts other than `outside`, of the nearest level that has any.

        Several mean that nobody knows which one is meant; the same words in two places are one fragment.
        """
        for level in self.levels:
            found = {each.text: each for each in reversed(level.get(name, ())) if _is_fragment_outside(each, outside)}
            if found:
                return tuple(reversed(found.values()))
        return ()

    def seen_from(self, source: Source, name: str) -> Entry | None:
        """The fragment that a text of the library means by a name: its own, else the first of the others."""
        entries = (each for level in self.levels for each in level.get(name, ()))
        own = next((each for each in entries if each.source is source and isinstance(each.node, Fragment)), None)
        return own or next(iter(self.fragments(name, outside=source)), None)


def collect(*levels: Iterable[Parsed], used: frozenset[str] = frozenset()) -> Library:
    """The library of the definitions at the top level of texts.

    Parameters:
        levels: The texts, the nearest first.
        used: Names of fragments of the text in question that others use.
    """
    return Library(tuple(_by_name(level) for level in levels), used)


def _by_name(texts: Iterable[Parsed]) -> Mapping[str, tuple[Entry, ...]]:
    entries: dict[str, list[Entry]] = {}
    for parsed in texts:
        for item in parsed.file.items:
            if isinstance(item, Prompt | Fragment):
                entries.setdefault(item.name.name, []).append(Entry(item.name.name, item, parsed.source))
    return {name: tuple(found) for name, found in entries.items()}


def _is_fragment_outside(entry: Entry, source: Source) -> bool:
    return isinstance(entry.node, Fragment) and entry.source is not source
