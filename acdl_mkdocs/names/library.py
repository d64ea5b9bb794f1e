"""The specs and fragments of a whole site or folder, by name, and which text has them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class Library:
    """Definitions that texts may use without holding them."""

    entries: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    """By name, in the order in which the texts were given; several where a name is defined more than once."""

    def fragments(self, name: str, *, outside: Source) -> tuple[Entry, ...]:
        """The fragments of that name in texts other than `outside`."""
        found = self.entries.get(name, ())
        return tuple(each for each in found if isinstance(each.node, Fragment) and each.source is not outside)


def collect(texts: Iterable[Parsed]) -> Library:
    """The library of the definitions at the top level of texts."""
    entries: dict[str, list[Entry]] = {}
    for parsed in texts:
        for item in parsed.file.items:
            if isinstance(item, Prompt | Fragment):
                entries.setdefault(item.name.name, []).append(Entry(item.name.name, item, parsed.source))
    return Library({name: tuple(found) for name, found in entries.items()})
