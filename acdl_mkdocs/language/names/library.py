"""The specs and fragments of a whole site or folder, by name, and which text has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import TypeAlias

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Fragment, FragUse, Prompt
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.pragmas import read_settings


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A definition of another text."""

    name: str
    node: Prompt | Fragment
    source: Source
    """The text that its spans are of."""
    range: RangeMode | None = None
    """How that text reads ranges, if it says so."""

    @property
    def text(self) -> str:
        """The definition as written."""
        return self.source.text[self.node.span.start : self.node.span.end]


Definitions: TypeAlias = Mapping[str, tuple[LibraryEntry, ...]]
"""Those at the top level of one text, by name."""

_FEW_TEXTS = 8
"""Up to this many texts are searched one by one for a name."""


@dataclass(frozen=True)
class Library:
    """The exchange of a text with others: definitions it may use, and the names of its fragments that they use."""

    levels: tuple[tuple[Definitions, ...], ...] = ()
    """Texts, the nearest first: those of the page, the files that the text names, those of the site."""
    used_names: frozenset[str] = frozenset()
    """Names of fragments that other texts use."""

    def find_fragments(self, name: str, *, outside: Source) -> tuple[LibraryEntry, ...]:
        """Return the fragments of that name in texts other than `outside`, of the nearest level that has any.

        Several mean that the name is ambiguous; the same words in two places are one fragment.
        """
        return self._first_of((_entries_named(name, level) for level in self.levels), outside)

    def resolve_fragment(self, source: Source, name: str) -> LibraryEntry | None:
        """Return the fragment that a name means in a text of the library: its own, else the first of the others."""
        entries = self._texts.get(id(source), {}).get(name, ())
        own = next((each for each in entries if isinstance(each.node, Fragment)), None)
        return own or next(iter(self._find_from_inside(name, source)), None)

    def _find_from_inside(self, name: str, outside: Source) -> tuple[LibraryEntry, ...]:
        """Do the same as `find_fragments`, faster for many names."""
        if len(self._texts) <= _FEW_TEXTS:
            return self.find_fragments(name, outside=outside)
        return self._first_of((level.get(name, ()) for level in self._names), outside)

    @staticmethod
    def _first_of(levels: Iterable[Iterable[LibraryEntry]], outside: Source) -> tuple[LibraryEntry, ...]:
        """Return the fragments of the first level that has any."""
        for level in levels:
            entries = [each for each in level if _is_fragment_outside(each, outside)]
            if entries:
                return tuple({each.text: each for each in reversed(entries)}.values())[::-1]
        return ()

    @cached_property
    def _texts(self) -> Mapping[int, Definitions]:
        """The definitions of each text, by the identity of its source."""
        texts = chain.from_iterable(self.levels)
        return {id(entries[0].source): each for each in texts for entries in islice(each.values(), 1)}

    @cached_property
    def _names(self) -> tuple[Mapping[str, list[LibraryEntry]], ...]:
        """The definitions of each level by name."""
        levels: list[dict[str, list[LibraryEntry]]] = []
        for level in self.levels:
            levels.append({})
            for text in level:
                for name, entries in text.items():
                    levels[-1].setdefault(name, []).extend(entries)
        return tuple(levels)


def build_library(*levels: Iterable[Parsed], used_names: frozenset[str] = frozenset()) -> Library:
    """Build the library of the definitions at the top level of texts.

    Parameters:
        levels: The texts, the nearest first.
        used_names: Names of fragments of the text that other texts use.
    """
    return Library(tuple(tuple(map(definitions_of, level)) for level in levels), used_names)


def definitions_of(parsed: Parsed) -> Definitions:
    """Return the definitions at the top level of a text. Keep the result if many other texts use it."""
    entries: dict[str, list[LibraryEntry]] = {}
    written = read_settings(parsed.file).get("range")
    mode: RangeMode | None = "inclusive" if written == "inclusive" else "half-open" if written else None
    for item in parsed.file.items:
        if isinstance(item, (Prompt, Fragment)):
            entries.setdefault(item.name.name, []).append(LibraryEntry(item.name.name, item, parsed.source, mode))
    return {name: tuple(same_name) for name, same_name in entries.items()}


def _entries_named(name: str, texts: Iterable[Definitions]) -> Iterator[LibraryEntry]:
    return chain.from_iterable(each.get(name, ()) for each in texts)


def _is_fragment_outside(entry: LibraryEntry, source: Source) -> bool:
    return isinstance(entry.node, Fragment) and entry.source is not source


def report_recursion(use: FragUse, names: Sequence[str], defined: Span) -> Diagnostic:
    """Return the diagnostic for a fragment that uses itself.

    Parameters:
        use: The use that closes the cycle.
        names: The fragments of the cycle, starting with the used one.
        defined: The place of its definition, or the use itself if that is in another text.
    """
    arrows = " → ".join([*names, names[0]])
    return error(
        "recursive-fragment",
        f"fragment `{use.name.name}` uses itself",
        Label(use.span, "this use never ends"),
        related=[Label(defined, f"the cycle is {arrows}")],
        help="take this `Frag` out, or put what it is for into a loop",
    )
