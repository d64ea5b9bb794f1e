"""What an operation is, the small steps that operations are made of, and a playbook while they change it."""

from abc import ABC, abstractmethod
from dataclasses import field, replace
from functools import cached_property
from typing import ClassVar

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import Known, closest
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Provenance, Section, ordered, section_id
from acdl_mkdocs.playbook.model.content import clean, clean_line, secrets
from acdl_mkdocs.playbook.model.near_pairs import SameTexts
from acdl_mkdocs.playbook.similarity import normal_form


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


PERSON = "person"
"""The actor that may do everything."""


@dataclass(frozen=True)
class Moment:
    """When, by whom and because of what an operation is applied."""

    revision: int
    """That it makes."""
    index: int = 0
    """Its place in the delta."""
    actor: str = PERSON
    source: Provenance = field(default_factory=Provenance)
    """What bullets that it adds come from."""

    @property
    def is_person(self) -> bool:
        """Whether a person acts."""
        return self.actor == PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(ABC):
    """Something that a delta asks for."""

    type: ClassVar[str]
    reason: str = ""
    """Why, in one line."""

    @abstractmethod
    def edit(self, draft: Draft, at: Moment) -> Edit:
        """What it changes; the draft stays as it is.

        Raises:
            RefusedError: It cannot be done to this playbook.
        """

    def apply(self, playbook: Playbook, at: Moment) -> Playbook:
        """The playbook afterwards; the very same object if nothing changed.

        Raises:
            RefusedError: It cannot be done to this playbook.
        """
        draft = Draft(playbook)
        draft.put(self.edit(draft, at))
        return draft.playbook()


def bullet(draft: Draft, name: str, field: str) -> Bullet:
    """The bullet of an id, or the one that a bullet of that id was merged into."""
    found = draft.by_id.get(name)
    if found is None:
        near = draft.near_id(name) if len(name) <= 100 else None
        cure = f"`{near}` has a similar id" if near else "`acdl playbook show` lists the ids"
        raise RefusedError(field, f'no bullet "{name[:100]}"', cure)
    return found


def active(draft: Draft, name: str, field: str) -> Bullet:
    """As `bullet`, and prompts have it."""
    found = bullet(draft, name, field)
    if not found.is_active:
        raise RefusedError(field, f"`{found.id}` {why_inactive(found)}", revive(found))
    return found


def why_inactive(found: Bullet) -> str:
    """What happened to a bullet that is not active, as a clause."""
    if found.status == "proposed":
        return "is proposed and waits for approval"
    what = f"was replaced by `{found.superseded_by}`" if found.superseded_by else "was archived"
    return f"{what} in revision {found.updated}" + (f" because: {found.reason}" if found.reason else "")


def revive(found: Bullet) -> str:
    """The cure for a bullet that is not active."""
    if found.status == "proposed":
        return f'a person approves it with {{"type": "APPROVE", "bullet_id": "{found.id}"}}'
    return f'bring it back with {{"type": "REVIVE", "bullet_id": "{found.id}"}} if it is right after all'


def section(draft: Draft, name: str) -> Section:
    """The section of an id; its title, in any case, names it too."""
    found = draft.section(name)
    if found is None:
        raise RefusedError("section", f'no section "{name[:100]}"', section_cure(draft, name))
    return found


def section_cure(draft: Draft, name: str) -> str:
    """What to write instead of the name of a section that there is not."""
    near = draft.near_section(name[:100])
    fresh = section_id(name) or "a_name"
    hint = f"`{near}` has a similar name; " if near else ""
    return f'{hint}a new section is {{"type": "SECTION", "id": "{fresh}", "title": "…"}} before this'


def home_of(draft: Draft, found: Bullet) -> tuple[Section, ...]:
    """The section that has to be added so that a bullet can be active: none if its section is there."""
    if draft.section_of_id(found.section) is not None:
        return ()
    return (Section(found.section, found.section.replace("_", " ").capitalize()),)


def safe_content(text: str, field: str = "content") -> str:
    """A text of a bullet in its canonical spelling."""
    cleaned = clean(text)
    if cleaned.problems:
        first, _, cure = cleaned.problems[0].partition("; ")
        raise RefusedError(field, first, cure)
    return _without_secrets(cleaned.text, field)


def safe_line(text: str, field: str) -> str:
    """A reason, a title or a name in its canonical spelling."""
    cleaned = clean_line(text)
    if cleaned.problems:
        first, _, cure = cleaned.problems[0].partition("; ")
        raise RefusedError(field, first, cure)
    return _without_secrets(cleaned.text, field)


def _without_secrets(text: str, field: str) -> str:
    kinds = secrets(text)
    if kinds:
        said = ", ".join(kinds)
        raise RefusedError(field, f"has what looks like a secret ({said})", "say where to find it, never what it is")
    return text


def united(*sources: tuple[Provenance, ...]) -> tuple[Provenance, ...]:
    """Sources one after another, each once, without those that say nothing."""
    every = (each for some in sources for each in some if each != Provenance())
    return tuple(dict.fromkeys(every))


def combine_bullets(old: Bullet, new: Bullet) -> Bullet:
    """A bullet with what another one of the same text says besides: the stricter of both, and all sources."""
    return replace(
        old,
        pinned=old.pinned or new.pinned,
        severity="critical" if "critical" in (old.severity, new.severity) else "normal",
        publish=old.publish and new.publish,
        send=old.send and new.send,
        applies_to=tuple(sorted({*old.applies_to, *new.applies_to})),
        source=united(old.source, new.source),
    )


def rewrite_bullet(old: Bullet, content: str) -> Bullet:
    """A bullet with another text. Harm that only the old text did does not count against the new one.

    Lessons that only did harm are not sent, so that a corrected one could never prove itself.
    """
    is_cleared = old.helpful == 0 and normal_form(old.content) != normal_form(content)
    return replace(old, content=content, harmful=0 if is_cleared else old.harmful)


def check_protected(old: Bullet, verb: str, field: str, at: Moment) -> None:
    """Whether somebody may have a bullet removed or rewritten."""
    why = "pinned" if old.pinned else "critical" if old.severity == "critical" else None
    if why and not at.is_person:
        raise RefusedError(field, f"`{old.id}` is {why}: only a person may have it {verb}", "ADD what is new instead")
