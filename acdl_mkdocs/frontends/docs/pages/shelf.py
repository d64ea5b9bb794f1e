"""The specs and fragments of a site with the places where readers find them."""

from collections.abc import Iterable, Iterator, Mapping

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.spec import Spec


@dataclass(frozen=True, slots=True)
class Shown:
    """A spec or fragment of the site."""

    spec: Spec
    address: str
    """From the root of the site: `specs/React1/`, or `agents/#Chat` for one that a page shows among other things."""
    file: str
    """The file that holds it, from the project's folder: `examples/react.acdl` or `docs/agents.md`."""
    line: int
    """Where it begins there, counted from 1."""
    has_page: bool = False
    """Whether it has a page of its own."""
    range: RangeMode = "half-open"
    """How its `range(a, b)` is read: as the text says, else as the site does."""
    state: str = ""
    """The file of the sample state that it is shown with, from the project's folder; empty without one."""
    runs: tuple[str, ...] = ()
    """The files of recorded runs that it is checked against, from the project's folder; also patterns."""


class Shelf:
    """All of them, in the order of their files."""

    def __init__(self, entries: Iterable[Shown]) -> None:
        """Take them in order."""
        self.entries = tuple(entries)
        self._by_name: dict[str, list[Shown]] = {}
        self._users: dict[str, list[Shown]] = {}
        self._variants: dict[str, list[Shown]] = {}
        for entry in self.entries:
            self._by_name.setdefault(entry.spec.name, []).append(entry)
            for name in entry.spec.fragments:
                self._users.setdefault(name, []).append(entry)
            if entry.spec.variant_of:
                self._variants.setdefault(entry.spec.variant_of, []).append(entry)

    def find(self, name: str) -> tuple[Shown, ...]:
        """Those of that name; several if the site defines it more than once. Those with a page come first."""
        return tuple(sorted(self._by_name.get(name, ()), key=lambda entry: not entry.has_page))

    def meant(self, name: str, user: Shown) -> Shown | None:
        """The one that a name in the text of `user` refers to: that of its own file before all others."""
        found = self.find(name)
        own = (entry for entry in found if entry.file == user.file)
        return next(own, found[0] if found else None)

    def file_to_tell(self, entry: Shown) -> str:
        """The file of an entry, if a reader needs it because another file of the site has the same name; else empty."""
        return entry.file if any(each.file != entry.file for each in self._by_name[entry.spec.name]) else ""

    def namesakes(self) -> Iterator[tuple[Shown, ...]]:
        """The specs of several files that have one name; fragments are left out, as every file means its own."""
        for found in self._by_name.values():
            specs = tuple(each for each in found if not each.spec.is_fragment)
            if len({each.file for each in specs}) > 1:
                yield specs

    def users(self, name: str) -> tuple[Shown, ...]:
        """Those that use the fragment of that name."""
        return tuple(self._users.get(name, ()))

    def family(self, entry: Shown) -> tuple[Shown, ...]:
        """What the spec is a variant of, and all variants of that; itself among them, nothing if it is alone."""
        name = entry.spec.variant_of or entry.spec.name
        root = self.meant(name, entry)
        variants = [each for each in self._variants.get(name, ()) if self.meant(name, each) is root]
        found = {id(each): each for each in (*([root] if root else []), *variants)}
        return tuple(found.values()) if len(found) > 1 and id(entry) in found else ()

    @property
    def tags(self) -> Mapping[str, int]:
        """Every tag with the number of specs that have it, the most frequent first."""
        counts: dict[str, int] = {}
        for entry in self.entries:
            for tag in dict.fromkeys(entry.spec.tags):
                counts[tag] = counts.get(tag, 0) + 1
        return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
