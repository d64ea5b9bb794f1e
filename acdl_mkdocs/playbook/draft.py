"""A playbook while operations change it, and what one operation changes.

An operation is worked out on the draft as it is, and its `Edit` is put in afterwards: one that is refused leaves
nothing behind. Bullets, pairs and sections are found by their ids and brought into their order once, at the end, so
that an operation costs the same however large the playbook is.
"""

from dataclasses import replace
from functools import cached_property

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import Known, closest
from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook, Section, ordered
from acdl_mkdocs.playbook.ids import section_id
from acdl_mkdocs.playbook.neighbours import SameTexts


@dataclass(frozen=True, slots=True)
class Edit:
    """What an operation changes; without anything, nothing."""

    bullets: tuple[Bullet, ...] = ()
    """New ones, or other than they were."""
    gone: frozenset[str] = frozenset()
    """Ids that from now on are aliases of one of them."""
    sections: tuple[Section, ...] = ()
    """New ones, or with another title."""
    unpaired: tuple[Pair, ...] = ()
    """What is taken out, before `pairs` are put in."""
    pairs: tuple[Pair, ...] = ()
    """Of two about the same bullets the later one stays."""


class Draft:
    """A playbook that changes."""

    def __init__(self, playbook: Playbook) -> None:
        self.first = playbook
        self.by_id = dict(playbook.by_id)
        """Every bullet as it is now, by its id and its aliases."""
        self._bullets = {each.id: each for each in playbook.bullets}
        self._pairs: dict[tuple[str, str], Pair] = {}
        self._partners: dict[str, set[tuple[str, str]]] = {}
        self._sections: list[Section] = []
        self._places: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._put_pairs(playbook.pairs)
        self._put_sections(playbook.sections)
        self._is_changed = False

    @cached_property
    def same_texts(self) -> SameTexts:
        """Which bullets say the same, of those that there were at first; operations add theirs."""
        return SameTexts(self.first.bullets)

    def put(self, edit: Edit) -> None:
        """Change what an operation changes."""
        for each in edit.bullets:
            self.by_id.update(dict.fromkeys((each.id, *each.aliases), each))
            self._bullets[each.id] = each
        for name in edit.gone:
            del self._bullets[name]
        for pair in edit.unpaired:
            key = pair.a, pair.b
            del self._pairs[key]
            for name in key:
                self._partners[name].remove(key)
        self._put_pairs(edit.pairs)
        self._put_sections(edit.sections)
        self._is_changed |= edit != Edit()

    def playbook(self) -> Playbook:
        """The playbook as it is now, in canonical order; the very same object if nothing was put in."""
        if not self._is_changed:
            return self.first
        bullets, pairs = tuple(self._bullets.values()), tuple(self._pairs.values())
        return ordered(replace(self.first, sections=tuple(self._sections), bullets=bullets, pairs=pairs))

    def near_id(self, name: str) -> str | None:
        """The id that a mistyped one may mean, of those that there were at first."""
        return closest(name, self._first_ids)

    def pair(self, a: str, b: str) -> Pair | None:
        """What is known about two bullets; `a` is the smaller id."""
        return self._pairs.get((a, b))

    def pairs_of(self, name: str) -> list[Pair]:
        """What is known about a bullet and others, sorted."""
        return [self._pairs[key] for key in sorted(self._partners.get(name, ()))]

    def section(self, name: str) -> Section | None:
        """The first section that has this id, or this title in any case."""
        found = self._names.get(" ".join(name.split()).casefold()), self._places.get(section_id(name))
        return min((self._sections[place] for place in found if place is not None), key=self._place, default=None)

    def section_of_id(self, name: str) -> Section | None:
        """The section of exactly this id."""
        return self._sections[self._places[name]] if name in self._places else None

    def near_section(self, name: str) -> str | None:
        """The id of a section that a mistyped one may mean."""
        return closest(name, self._places)

    def _place(self, section: Section) -> int:
        return self._places[section.id]

    @cached_property
    def _first_ids(self) -> Known[Bullet]:
        return Known(self.first.by_id)

    def _put_pairs(self, pairs: tuple[Pair, ...]) -> None:
        for each in pairs:
            key = each.a, each.b
            self._pairs[key] = each
            for name in key:
                self._partners.setdefault(name, set()).add(key)

    def _put_sections(self, sections: tuple[Section, ...]) -> None:
        for each in sections:
            if each.id in self._places:
                self._sections[self._places[each.id]] = each
                self._names.clear()
                self._enter(self._sections)
            else:
                self._places[each.id] = len(self._sections)
                self._sections.append(each)
                self._enter([each])

    def _enter(self, sections: list[Section]) -> None:
        """Note what sections are called; what an earlier one is called stays so."""
        for each in sections:
            for name in (each.id, each.title.casefold()):
                self._names.setdefault(name, self._places[each.id])
