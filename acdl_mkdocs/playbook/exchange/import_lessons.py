"""Additions of an import: a delta for lessons in use, and everything else."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.playbook.model.bullets import (
    COUNTERS,
    Bullet,
    Pair,
    Playbook,
    Provenance,
    Section,
    new_id,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.delta import Delta, make_delta
from acdl_mkdocs.playbook.model.edits import PERSON, Operation
from acdl_mkdocs.playbook.model.near_pairs import find_decided_pairs
from acdl_mkdocs.playbook.model.operations import IMPORT, Add, AddSection
from acdl_mkdocs.playbook.similarity import normal_form

_MOST_NAMED = 5
"""Ids that a note lists at most."""


@dataclass(frozen=True, slots=True)
class ImportDelta:
    """A delta that imports lessons."""

    delta: Delta
    notes: tuple[str, ...] = ()
    """Notes about what is not added, and why."""


def build_import_delta(
    playbook: Playbook, imported: Playbook, origin: str, used: Container[str] = frozenset(), *, is_whole: bool = False
) -> ImportDelta:
    """Make the operations that add the sections and the active bullets of one playbook to another.

    A bullet keeps its counters, its source, and its id unless another bullet has it or had it. `import_rest` imports
    everything else, and what both have.

    Parameters:
        playbook: The playbook that they are added to.
        imported: The imported playbook.
        origin: The imported file: the reference of bullets without a source.
        used: Ids that must not be reused.
        is_whole: Whether empty sections are added too.
    """
    home = match_sections(playbook, imported)
    section_ids = {each.id for each in playbook.sections}
    wanted = {each.id for each in imported.sections} if is_whole else {bullet.section for bullet in imported.active}
    operations: list[Operation] = [
        AddSection(title=section.title, id=section.id)
        for section in imported.sections
        if section.id in wanted and home[section.id] not in section_ids
    ]
    texts = {normal_form(each.content) for each in playbook.active}
    n_there = 0
    renamed: list[str] = []
    for bullet in imported.active:
        old = playbook.by_id.get(bullet.id)
        has_id = old is None and bullet.id not in used
        is_again = not has_id and normal_form(bullet.content) in texts  # such as one that was given a new id before
        if is_again or (old is not None and old.content == bullet.content):
            n_there += 1
            continue
        renamed += [] if has_id else [bullet.id]
        operations.append(_add(bullet, home[bullet.section], origin, has_id=has_id))
    notes = [f"{format_count(n_there, 'bullet')} left out: there already"] if n_there else []
    if renamed:
        listed = ", ".join(f"`{name}`" for name in renamed[:_MOST_NAMED]) + (
            ", …" if len(renamed) > _MOST_NAMED else ""
        )
        notes.append(f"{format_count(len(renamed), 'bullet')} with a new id, since another one has or had it: {listed}")
    return ImportDelta(make_delta(*operations, reasoning=f"import of {origin}"), tuple(notes))


def drop_trust(playbook: Playbook) -> tuple[Playbook, int]:
    """Return a playbook without pins, critical severity and human sources, and the number of changed bullets."""
    bullets = tuple(_plain(each) for each in playbook.bullets)
    n_changed = sum(new != old for new, old in zip(bullets, playbook.bullets, strict=True))
    return replace(playbook, bullets=bullets), n_changed


def _plain(bullet: Bullet) -> Bullet:
    source = tuple(replace(each, by=IMPORT) if each.by == PERSON else each for each in bullet.source)
    return replace(bullet, pinned=False, severity="normal", source=source)


def match_sections(playbook: Playbook, imported: Playbook) -> dict[str, str]:
    """Map each imported section to one of the playbook: the one with the same title, else the same id."""
    by_title = {each.title.casefold(): each.id for each in playbook.sections}
    return {each.id: by_title.get(each.title.casefold(), each.id) for each in imported.sections}


def source_of(bullet: Bullet, origin: str) -> tuple[Provenance, ...]:
    """Return where a bullet was learned: its own source, or the imported file."""
    return bullet.source or (Provenance(by=IMPORT, reference=origin),)


def _add(bullet: Bullet, section: str, origin: str, *, has_id: bool) -> Add:
    return Add(
        section=section,
        content=bullet.content,
        applies_to=bullet.applies_to,
        severity=bullet.severity,
        publish=bullet.publish,
        send=bullet.send,
        id=bullet.id if has_id else None,
        pinned=bullet.pinned,
        helpful=bullet.helpful,
        harmful=bullet.harmful,
        neutral=bullet.neutral,
        seen=bullet.seen,
        source=source_of(bullet, origin),
        reason=f"import of {origin}",
    )


@dataclass(frozen=True, slots=True)
class ImportedPlaybook:
    """A playbook with everything from another that operations do not import."""

    playbook: Playbook
    """The same object if there is nothing to import."""
    notes: tuple[str, ...] = ()
    """The imported parts, each as a clause."""


def import_rest(
    playbook: Playbook, imported: Playbook, origin: str, used: Container[str] = frozenset()
) -> ImportedPlaybook:
    """Import the rest of another playbook after its lessons in use were added.

    This covers archived and proposed bullets, so that they are neither learned again nor lost; larger counters; ids of
    merged bullets; and decisions about pairs.

    Parameters:
        playbook: The playbook that it is added to.
        imported: The imported playbook.
        origin: The imported file.
        used: Ids that must not be reused.
    """
    uniting = _RestImport(playbook, imported, origin, used)
    uniting.add_unused()
    n_counted = uniting.merge_counters()
    decided = uniting.find_decisions()
    counts = (
        (len(uniting.added["archived"]), "archived bullet", "went into the archive"),
        (len(uniting.added["proposed"]), "proposed bullet", "{was} added"),
        (n_counted, "bullet", "{was} given larger counters or further ids"),
        (len(decided), "decision", "about pairs {was} taken over"),
    )
    notes = [
        f"{format_count(number, what)} {happened.format(was='was' if number == 1 else 'were')}"
        for number, what, happened in counts
        if number
    ]
    if not notes:
        return ImportedPlaybook(playbook)
    return ImportedPlaybook(uniting.build_playbook(decided), tuple(notes))


@dataclass
class _RestImport:
    playbook: Playbook
    read: Playbook
    origin: str
    used: Container[str]
    bullets: dict[str, Bullet] = field(init=False)
    by_text: dict[str, str] = field(init=False)
    """The id of the bullet with a text; of several, the one in use."""
    added: dict[str, list[Bullet]] = field(default_factory=lambda: {"archived": [], "proposed": []})

    def __post_init__(self) -> None:
        self.bullets = {each.id: each for each in self.playbook.bullets}
        inactive_first = sorted(self.playbook.bullets, key=lambda each: each.is_active)
        self.by_text = {each.content: each.id for each in inactive_first}
        self.revision = self.playbook.revision + 1
        self.taken = set(self.playbook.by_id)

    def add_unused(self) -> None:
        """Add imported bullets that are not in use and whose text is new here."""
        home = match_sections(self.playbook, self.read)
        n_added = 0
        for each in self.read.bullets:
            if each.is_active or each.content in self.by_text:
                continue
            section = home.get(each.section, each.section)
            name = each.id
            if name in self.taken or name in self.used:
                name = new_id(section, each.content, self.revision, n_added, self.taken, name=self.playbook.name)
            new = _make_unused(replace(each, id=name, section=section), self.origin, self.revision)
            self.taken.add(name)
            self.bullets[name] = new
            self.by_text[each.content] = name
            self.added[new.status].append(new)
            n_added += 1

    def merge_counters(self) -> int:
        """Raise counters and add aliases of bullets that both have; return how many changed."""
        n_changed = 0
        for each in self.read.bullets:
            name = self.find_id(each.id)
            old = self.bullets.get(name or "")
            if old is None or old.content != each.content:
                continue
            counters = {key: max(getattr(old, key), getattr(each, key)) for key in COUNTERS}
            fresh = {alias for alias in each.aliases if alias not in self.taken and alias not in self.used}
            new = replace(old, **counters, aliases=tuple(sorted({*old.aliases, *fresh})))
            if new != old:
                self.taken |= fresh
                self.bullets[old.id] = replace(new, updated=self.revision)
                n_changed += 1
        return n_changed

    def find_id(self, name: str) -> str | None:
        """Return the local id of an imported bullet: its own if the text is the same, else that of the same text."""
        imported, local = self.read.by_id.get(name), self.playbook.by_id.get(name)
        if imported is None:
            return None
        return (
            local.id if local is not None and local.content == imported.content else self.by_text.get(imported.content)
        )

    def find_decisions(self) -> list[Pair]:
        """Return imported decisions about pairs without a decision here."""
        decided = {(each.a, each.b) for each in find_decided_pairs(self.playbook)}
        decisions = []
        for each in find_decided_pairs(self.read):
            a, b = sorted((self.find_id(each.a) or "", self.find_id(each.b) or ""))
            if a and a != b and (a, b) not in decided:
                decisions.append(replace(each, a=a, b=b))
        return decisions

    def build_playbook(self, decided: Iterable[Pair]) -> Playbook:
        """Return the playbook with everything imported."""
        pairs = {(each.a, each.b): each for each in (*self.playbook.pairs, *decided)}
        combined = replace(
            self.playbook,
            revision=self.revision,
            sections=(*self.playbook.sections, *self._sections()),
            bullets=tuple(self.bullets.values()),
            pairs=tuple(pairs.values()),
        )
        return sort_playbook(combined)

    def _sections(self) -> Iterator[Section]:
        """Yield the sections of bullets that were added."""
        section_ids = {each.id for each in self.playbook.sections}
        used = {each.section for each in self.added["archived"]} - section_ids
        yield from (each for each in self.read.sections if each.id in used)


def _make_unused(bullet: Bullet, origin: str, revision: int) -> Bullet:
    """Return an imported bullet that is not in use, as it is stored here."""
    by = f"replaced by `{bullet.superseded_by}`" if bullet.superseded_by else ""
    reason = "; ".join(each for each in (by, bullet.reason) if each)
    return replace(
        bullet,
        reason=reason or f"{bullet.status} in {origin}",
        superseded_by=None,
        aliases=(),
        source=source_of(bullet, origin),
        added=revision,
        updated=revision,
    )
