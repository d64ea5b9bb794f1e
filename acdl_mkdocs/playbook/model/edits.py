"""The operation protocol, the small steps that operations are made of, and a playbook while they change it."""

from abc import ABC, abstractmethod
from dataclasses import field, replace
from functools import cached_property
from typing import ClassVar

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import KnownNames, find_closest
from acdl_mkdocs.playbook.model.bullets import (
    Bullet,
    Pair,
    Playbook,
    Provenance,
    Section,
    find_strictest_severity,
    section_id,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.content import clean_content, clean_line, find_secrets
from acdl_mkdocs.playbook.model.near_pairs import SameTexts
from acdl_mkdocs.playbook.similarity import normal_form


@dataclass(frozen=True, slots=True)
class Edit:
    """The effect of an operation; empty if it changes nothing."""

    bullets: tuple[Bullet, ...] = ()
    """New bullets, or changed ones."""
    merged_ids: frozenset[str] = frozenset()
    """Ids that become aliases of one of the bullets."""
    sections: tuple[Section, ...] = ()
    """New sections, or ones with a new title."""
    removed_pairs: tuple[Pair, ...] = ()
    """Pairs that are removed before `pairs` are added."""
    pairs: tuple[Pair, ...] = ()
    """The later of two pairs about the same bullets wins."""


class Draft:
    """A playbook that is being changed."""

    def __init__(self, playbook: Playbook) -> None:
        self.first = playbook
        self.by_id = dict(playbook.by_id)
        """All current bullets, by id and alias."""
        self._bullets = {each.id: each for each in playbook.bullets}
        self._pairs: dict[tuple[str, str], Pair] = {}
        self._partners: dict[str, set[tuple[str, str]]] = {}
        self._sections: list[Section] = []
        self._places: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._replace_pairs(playbook.pairs)
        self._replace_sections(playbook.sections)
        self._is_changed = False

    @cached_property
    def same_texts(self) -> SameTexts:
        """The initial bullets by their texts; operations add theirs."""
        return SameTexts(self.first.bullets)

    def apply_edit(self, edit: Edit) -> None:
        """Apply the edit of an operation."""
        for each in edit.bullets:
            self.by_id.update(dict.fromkeys((each.id, *each.aliases), each))
            self._bullets[each.id] = each
        for name in edit.merged_ids:
            del self._bullets[name]
        for pair in edit.removed_pairs:
            key = pair.a, pair.b
            del self._pairs[key]
            for name in key:
                self._partners[name].remove(key)
        self._replace_pairs(edit.pairs)
        self._replace_sections(edit.sections)
        self._is_changed |= edit != Edit()

    def build_playbook(self) -> Playbook:
        """Return the current playbook in canonical order; the same object if no edit was applied."""
        if not self._is_changed:
            return self.first
        bullets, pairs = tuple(self._bullets.values()), tuple(self._pairs.values())
        return sort_playbook(replace(self.first, sections=tuple(self._sections), bullets=bullets, pairs=pairs))

    def near_id(self, name: str) -> str | None:
        """Return the initial id nearest to a mistyped one."""
        return find_closest(name, self._first_ids)

    def find_pair(self, a: str, b: str) -> Pair | None:
        """Return what is known about two bullets; `a` is the smaller id."""
        return self._pairs.get((a, b))

    def pairs_of(self, name: str) -> list[Pair]:
        """Return the pairs of a bullet, sorted."""
        return [self._pairs[key] for key in sorted(self._partners.get(name, ()))]

    def find_section(self, name: str) -> Section | None:
        """Return the first section with this id, or this title in any case."""
        places = self._names.get(" ".join(name.split()).casefold()), self._places.get(section_id(name))
        return min(
            (self._sections[index] for index in places if index is not None), key=self._section_index, default=None
        )

    def section_of_id(self, name: str) -> Section | None:
        """Return the section with exactly this id."""
        return self._sections[self._places[name]] if name in self._places else None

    def near_section(self, name: str) -> str | None:
        """Return the id of the section nearest to a mistyped one."""
        return find_closest(name, self._places)

    def _section_index(self, section: Section) -> int:
        return self._places[section.id]

    @cached_property
    def _first_ids(self) -> KnownNames[Bullet]:
        return KnownNames(self.first.by_id)

    def _replace_pairs(self, pairs: tuple[Pair, ...]) -> None:
        for each in pairs:
            key = each.a, each.b
            self._pairs[key] = each
            for name in key:
                self._partners.setdefault(name, set()).add(key)

    def _replace_sections(self, sections: tuple[Section, ...]) -> None:
        for each in sections:
            if each.id in self._places:
                self._sections[self._places[each.id]] = each
                self._names.clear()
                self._index_sections(self._sections)
            else:
                self._places[each.id] = len(self._sections)
                self._sections.append(each)
                self._index_sections([each])

    def _index_sections(self, sections: list[Section]) -> None:
        """Index the names of sections; an earlier section keeps its names."""
        for each in sections:
            for name in (each.id, each.title.casefold()):
                self._names.setdefault(name, self._places[each.id])


PERSON = "person"
"""The actor that may do everything."""


@dataclass(frozen=True)
class EditContext:
    """The revision, actor and provenance of the operation being applied."""

    revision: int
    """The revision that it makes."""
    index: int = 0
    """Its place in the delta."""
    actor: str = PERSON
    source: Provenance = field(default_factory=Provenance)
    """The provenance of bullets that it adds."""

    @property
    def is_person(self) -> bool:
        """True if a person acts."""
        return self.actor == PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(ABC):
    """One operation of a delta."""

    type: ClassVar[str]
    reason: str = ""
    """The reason, in one line."""

    @abstractmethod
    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Return what it changes; the draft stays unchanged.

        Raises:
            RefusedError: It cannot be done to this playbook.
        """

    def apply_to(self, playbook: Playbook, context: EditContext) -> Playbook:
        """Return the playbook afterwards; the same object if nothing changed.

        Raises:
            RefusedError: It cannot be done to this playbook.
        """
        draft = Draft(playbook)
        draft.apply_edit(self.make_edit(draft, context))
        return draft.build_playbook()


def find_bullet(draft: Draft, name: str, field: str) -> Bullet:
    """Find the bullet with an id, or the one that it was merged into.

    Raises:
        RefusedError: There is none.
    """
    bullet = draft.by_id.get(name)
    if bullet is None:
        near = draft.near_id(name) if len(name) <= 100 else None
        cure = f"`{near}` has a similar id" if near else "`acdl playbook show` lists the ids"
        raise RefusedError(field, f'no bullet "{name[:100]}"', cure)
    return bullet


def find_active_bullet(draft: Draft, name: str, field: str) -> Bullet:
    """Find a bullet like `find_bullet`, and check that prompts include it.

    Raises:
        RefusedError: There is none, or it is proposed or archived.
    """
    bullet = find_bullet(draft, name, field)
    if not bullet.is_active:
        raise RefusedError(field, f"`{bullet.id}` {explain_inactive(bullet)}", suggest_revival(bullet))
    return bullet


def explain_inactive(bullet: Bullet) -> str:
    """Explain why a bullet is not active, as a clause."""
    if bullet.status == "proposed":
        return "is proposed and waits for approval"
    what = f"was replaced by `{bullet.superseded_by}`" if bullet.superseded_by else "was archived"
    return f"{what} in revision {bullet.updated}" + (f" because: {bullet.reason}" if bullet.reason else "")


def suggest_revival(bullet: Bullet) -> str:
    """Return the cure for a bullet that is not active."""
    if bullet.status == "proposed":
        return f'a person approves it with {{"type": "APPROVE", "bullet_id": "{bullet.id}"}}'
    return f'bring it back with {{"type": "REVIVE", "bullet_id": "{bullet.id}"}} if it is right after all'


def find_section(draft: Draft, name: str) -> Section:
    """Find a section by its id, or by its title in any case.

    Raises:
        RefusedError: There is none.
    """
    section = draft.find_section(name)
    if section is None:
        raise RefusedError("section", f'no section "{name[:100]}"', suggest_section(draft, name))
    return section


def suggest_section(draft: Draft, name: str) -> str:
    """Suggest what to write instead of an unknown section name."""
    near = draft.near_section(name[:100])
    fresh = section_id(name) or "a_name"
    hint = f"`{near}` has a similar name; " if near else ""
    return f'{hint}a new section is {{"type": "SECTION", "id": "{fresh}", "title": "…"}} before this'


def find_missing_section(draft: Draft, bullet: Bullet) -> tuple[Section, ...]:
    """Return the section that has to be added so that a bullet can be active: none if its section exists."""
    if draft.section_of_id(bullet.section) is not None:
        return ()
    return (Section(bullet.section, bullet.section.replace("_", " ").capitalize()),)


def safe_content(text: str, field: str = "content") -> str:
    """Return the text of a bullet in its canonical spelling.

    Raises:
        RefusedError: `clean_content` finds a problem, or it has what looks like a secret.
    """
    cleaned = clean_content(text)
    if cleaned.problems:
        first, _, cure = cleaned.problems[0].partition("; ")
        raise RefusedError(field, first, cure)
    return _check_secrets(cleaned.text, field)


def safe_line(text: str, field: str) -> str:
    """Return a reason, a title or a name in its canonical spelling.

    Raises:
        RefusedError: `clean_line` finds a problem, or it has what looks like a secret.
    """
    cleaned = clean_line(text)
    if cleaned.problems:
        first, _, cure = cleaned.problems[0].partition("; ")
        raise RefusedError(field, first, cure)
    return _check_secrets(cleaned.text, field)


def _check_secrets(text: str, field: str) -> str:
    kinds = find_secrets(text)
    if kinds:
        names = ", ".join(kinds)
        raise RefusedError(field, f"has what looks like a secret ({names})", "say where to find it, never what it is")
    return text


def merge_sources(*sources: tuple[Provenance, ...]) -> tuple[Provenance, ...]:
    """Join sources in order, each once, without empty ones."""
    every = (each for some in sources for each in some if each != Provenance())
    return tuple(dict.fromkeys(every))


def combine_bullets(old: Bullet, new: Bullet) -> Bullet:
    """Give a bullet the stricter settings of itself and another one of the same meaning, and the sources of both."""
    return replace(
        old,
        pinned=old.pinned or new.pinned,
        severity=find_strictest_severity(old.severity, new.severity),
        publish=old.publish and new.publish,
        send=old.send and new.send,
        applies_to=tuple(sorted({*old.applies_to, *new.applies_to})),
        source=merge_sources(old.source, new.source),
    )


def rewrite_bullet(old: Bullet, content: str) -> Bullet:
    """Give a bullet another text. Harm that only the old text did does not count against the new one.

    Lessons that only did harm are not sent, so a corrected one could never prove itself.
    """
    is_cleared = old.helpful == 0 and normal_form(old.content) != normal_form(content)
    return replace(old, content=content, harmful=0 if is_cleared else old.harmful)


def check_protected(old: Bullet, verb: str, field: str, context: EditContext) -> None:
    """Refuse to let anyone but a person remove or rewrite a protected bullet.

    Raises:
        RefusedError: The bullet is pinned or critical, and no person acts.
    """
    why = "pinned" if old.pinned else "critical" if old.severity == "critical" else None
    if why and not context.is_person:
        raise RefusedError(field, f"`{old.id}` is {why}: only a person may have it {verb}", "ADD what is new instead")
