"""The specs and fragments of a site, with their addresses."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.spec import Spec


@dataclass(frozen=True, slots=True)
class SpecEntry:
    """A spec or fragment of the site."""

    spec: Spec
    address: str
    """The address from the root of the site: `specs/React1/`, or `agents/#Chat` for one on another page."""
    file: str
    """The file that contains it, from the project's folder: `examples/react.acdl` or `docs/agents.md`."""
    line: int
    """Its first line in the file, counted from 1."""
    has_page: bool = False
    """Whether it has its own page."""
    range: RangeMode = "half-open"
    """How its `range(a, b)` is read: as the text sets it, else as the site does."""
    state: str = ""
    """The file of its sample state, from the project's folder; empty without one."""
    runs: tuple[str, ...] = ()
    """The files of recorded runs that it is checked against, from the project's folder; also patterns."""


class SpecIndex:
    """The index of all specs and fragments, in the order of their files."""

    def __init__(self, entries: Iterable[SpecEntry]) -> None:
        """Index entries in order."""
        self.entries = tuple(entries)
        self._by_name: dict[str, list[SpecEntry]] = {}
        self._titles: dict[str, list[SpecEntry]] = {}
        """The entries that have a page, by their titles."""
        self._users: dict[str, list[SpecEntry]] = {}
        self._variants: dict[str, list[SpecEntry]] = {}
        for entry in self.entries:
            self._by_name.setdefault(entry.spec.name, []).append(entry)
            if entry.has_page:
                self._titles.setdefault(entry.spec.title, []).append(entry)
            for name in entry.spec.fragments:
                self._users.setdefault(name, []).append(entry)
            if entry.spec.variant_of:
                self._variants.setdefault(entry.spec.variant_of, []).append(entry)

    def find_entries(self, name: str) -> tuple[SpecEntry, ...]:
        """Return the entries with a name; several if it is defined more than once. Those with a page come first."""
        return tuple(sorted(self._by_name.get(name, ()), key=lambda entry: not entry.has_page))

    def find_meant(self, name: str, user: SpecEntry) -> SpecEntry | None:
        """Return the entry that a name in the text of `user` refers to: that of its own file before all others."""
        entries = self.find_entries(name)
        own = (entry for entry in entries if entry.file == user.file)
        return next(own, entries[0] if entries else None)

    def get_distinguishing_file(self, entry: SpecEntry) -> str:
        """Return the file of an entry, if another file of the site has the same name; else empty."""
        return entry.file if any(each.file != entry.file for each in self._by_name[entry.spec.name]) else ""

    def page_title(self, entry: SpecEntry) -> str:
        """Return the title of an entry that has a page, with its file if a spec of another file has that title too."""
        title = entry.spec.title
        others = [each.file for each in self._titles.get(title, ()) if each.file != entry.file]
        stem = PurePosixPath(entry.file).stem
        name = entry.file if any(PurePosixPath(each).stem == stem for each in others) else stem
        return f"{title} ({name})" if others else title

    def list_namesakes(self) -> Iterator[tuple[SpecEntry, ...]]:
        """Yield specs of several files with the same name; fragments are left out, as every file means its own."""
        for entries in self._by_name.values():
            specs = tuple(each for each in entries if not each.spec.is_fragment)
            if len({each.file for each in specs}) > 1:
                yield specs

    def users_of(self, name: str) -> tuple[SpecEntry, ...]:
        """Return the entries that use the fragment of a name."""
        return tuple(self._users.get(name, ()))

    def family_of(self, entry: SpecEntry) -> tuple[SpecEntry, ...]:
        """Return the original of a variant and all its variants, the spec itself included; nothing if it is alone."""
        name = entry.spec.variant_of or entry.spec.name
        root = self.find_meant(name, entry)
        variants = [each for each in self._variants.get(name, ()) if self.find_meant(name, each) is root]
        family = {id(each): each for each in (*([root] if root else []), *variants)}
        return tuple(family.values()) if len(family) > 1 and id(entry) in family else ()

    @property
    def tags(self) -> Mapping[str, int]:
        """Every tag with the number of specs that have it, the most frequent first."""
        counts: dict[str, int] = {}
        for entry in self.entries:
            for tag in dict.fromkeys(entry.spec.tags):
                counts[tag] = counts.get(tag, 0) + 1
        return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
