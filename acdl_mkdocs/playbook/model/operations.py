"""The operations on a playbook, one bullet or one pair at a time."""

from abc import ABC
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar, Literal

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model import edits
from acdl_mkdocs.playbook.model.bullets import (
    COUNTERS,
    ID,
    MAX_ID,
    SECTION_ID,
    Bullet,
    Pair,
    Provenance,
    Section,
    Severity,
    TagName,
    Verdict,
    new_id,
    section_id,
)
from acdl_mkdocs.playbook.model.edits import Draft, Edit, EditContext
from acdl_mkdocs.playbook.model.edits import Operation as Operation
from acdl_mkdocs.playbook.model.near_pairs import digest_of, is_decided
from acdl_mkdocs.playbook.similarity import normal_form


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Operation):
    """Merge bullets that say the same; the oldest id stays and, without `content`, the text of `bullet_id`."""

    type: ClassVar[str] = "MERGE"
    bullet_id: str
    others: tuple[str, ...]
    content: str | None = None
    texts: str | None = None
    """Digest of the two texts it was decided about; `None` for any texts. Deltas cannot set it."""

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Merge them into one."""
        bullets = self.find_bullets(draft)
        _check_texts(self.texts, bullets[0], bullets[-1])
        survivor = choose_survivor(bullets)
        content = bullets[0].content if self.content is None else edits.safe_content(self.content)
        for each in bullets:
            if normal_form(each.content) != normal_form(content):
                edits.check_protected(each, "rewritten", "bullet_id", context)
        others = [each for each in bullets if each is not survivor]
        merged_ids = frozenset(each.id for each in others)
        counted = [each if self.content is None else edits.rewrite_bullet(each, content) for each in bullets]
        one = replace(
            reduce(edits.combine_bullets, others, survivor),
            content=content,
            **{name: sum(getattr(each, name) for each in counted) for name in COUNTERS},
            aliases=tuple(sorted(merged_ids | {alias for each in bullets for alias in each.aliases})),
            updated=context.revision,
        )
        unpaired, pairs = _replace_merged_pairs(draft, merged_ids, one)
        return Edit(bullets=(one,), merged_ids=merged_ids, removed_pairs=unpaired, pairs=pairs)

    def find_bullets(self, draft: Draft) -> tuple[Bullet, ...]:
        """Return the bullets that become one, `bullet_id` first."""
        bullets = [edits.find_active_bullet(draft, self.bullet_id, "bullet_id")]
        for idx, name in enumerate(self.others):
            other = edits.find_active_bullet(draft, name, f"others[{idx}]")
            if other in bullets:
                raise RefusedError(f"others[{idx}]", f"`{other.id}` is named twice", "name two different bullets")
            bullets.append(other)
        if len(bullets) == 1:
            raise RefusedError("others", "is empty", "name the bullets that say the same")
        return tuple(bullets)


def choose_survivor(bullets: Iterable[Bullet]) -> Bullet:
    """Return the oldest of bullets that become one, whose id is kept."""
    return min(bullets, key=lambda each: (each.added, each.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class _BothStay(Operation, ABC):
    """Keep two bullets, and do not ask about the pair again while both have their current texts."""

    verdict: ClassVar[Verdict]
    bullet_id: str
    other: str
    texts: str | None = None
    """Digest of the two texts it was decided about; `None` for any texts. Deltas cannot set it."""

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Record the decision."""
        one = edits.find_bullet(draft, self.bullet_id, "bullet_id")
        two = edits.find_bullet(draft, self.other, "other")
        if one is two:
            raise RefusedError("other", f"is `{one.id}` too", "name two different bullets")
        _check_texts(self.texts, one, two)
        a, b = sorted((one.id, two.id))
        old = draft.find_pair(a, b)
        is_opposed = old is not None and {old.verdict, self.verdict} == {"differs", "conflicts"}
        why = edits.safe_line(self.reason, "reason") or (old.why if old is not None and not is_opposed else None)
        if old is not None and (old.verdict, old.why) == (self.verdict, why) and is_decided(old, one, two):
            return Edit()
        return Edit(pairs=(Pair(a, b, self.verdict, None, why, context.actor, digest_of(one.content, two.content)),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep(_BothStay):
    """Record that two bullets say different things."""

    type: ClassVar[str] = "KEEP"
    verdict: ClassVar[Verdict] = "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(_BothStay):
    """Record that two bullets contradict each other, without deciding which one is right."""

    type: ClassVar[str] = "CONFLICT"
    verdict: ClassVar[Verdict] = "conflicts"


def _check_texts(texts: str | None, one: Bullet, two: Bullet) -> None:
    """Check that two bullets still have the texts that something was decided about.

    Raises:
        RefusedError: One of them has changed since.
    """
    if texts is not None and texts != digest_of(one.content, two.content):
        message = f"`{one.id}` or `{two.id}` has other words than those that it was decided about"
        raise RefusedError("texts", message, "decide again")


def _replace_merged_pairs(
    draft: Draft, merged_ids: Set[str], survivor: Bullet
) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return the pairs that a merge removes, and those pairs for the survivor; pairs within the merge are dropped.

    Of several about the same bullets, the one decided about their current texts is kept.
    """
    old = {(each.a, each.b): each for name in (*merged_ids, survivor.id) for each in draft.pairs_of(name)}
    new: dict[tuple[str, str], Pair] = {}
    for each in old.values():
        first, second = sorted(survivor.id if name in merged_ids else name for name in (each.a, each.b))
        if first == second:
            continue
        moved = replace(each, a=first, b=second)
        other = draft.by_id[second if first == survivor.id else first]
        if (first, second) not in new or is_decided(moved, survivor, other):
            new[first, second] = moved
    same = {key for key, each in new.items() if old.get(key) == each}
    unpaired = tuple(each for key, each in old.items() if key not in same)
    return unpaired, tuple(new[key] for key in sorted(new) if key not in same)


IMPORT = "import"
"""The actor of an import, which brings decisions that people made elsewhere."""
MAX_TITLE = 80
UNSORTED = "unsorted"
"""The section of a proposal whose section name cannot become an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Add(Operation):
    """Add a lesson. `curate` merges it into a bullet that says the same."""

    type: ClassVar[str] = "ADD"
    section: str
    content: str
    applies_to: tuple[str, ...] = ()
    severity: Severity = "normal"
    publish: bool = True
    send: bool = True
    status: Literal["active", "proposed"] = "active"
    """`proposed`: without effect until a person approves it."""
    reference: str | None = None
    """A file, an address or an issue that supports it."""
    id: str | None = None
    """Set by an import; otherwise a new id is made. Deltas cannot set it, nor the counters."""
    pinned: bool = False
    helpful: int = 0
    harmful: int = 0
    neutral: int = 0
    seen: int = 0
    source: tuple[Provenance, ...] = ()
    """Where it was learned, if that differs from the source of `curate`."""

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Add the bullet; as a proposal if the section does not exist."""
        content = edits.safe_content(self.content)
        section, reason = self._choose_section(draft)
        _check_severity(self.severity, context)
        source = self.source or (context.source,)
        if self.reference is not None:
            reference = edits.safe_line(self.reference, "reference")
            source = (replace(source[0], reference=reference), *source[1:])
        added = Bullet(
            id=self._choose_id(draft, section, content, context),
            section=section,
            content=content,
            status=self.status if reason is None else "proposed",
            reason=reason,
            pinned=self.pinned,
            severity=self.severity,
            publish=self.publish,
            send=self.send,
            helpful=self.helpful,
            harmful=self.harmful,
            neutral=self.neutral,
            seen=self.seen,
            applies_to=_targets(self.applies_to),
            source=edits.merge_sources(source),
            added=context.revision,
            updated=context.revision,
        )
        return Edit(bullets=(added,))

    def _choose_section(self, draft: Draft) -> tuple[str, str | None]:
        """Return the id of the section, and why the bullet is only a proposal."""
        section = draft.find_section(self.section)
        if section is not None:
            return section.id, (self.reason or None) if self.status == "proposed" else None
        name = edits.safe_line(self.section, "section")
        return section_id(name) or UNSORTED, f'there is no section "{name[:100]}"'

    def _choose_id(self, draft: Draft, section: str, content: str, context: EditContext) -> str:
        if self.id is None:
            return new_id(section, content, context.revision, context.index, draft.by_id, name=draft.first.name)
        if not ID.fullmatch(self.id):
            shape = f"an id is a letter, then letters, digits, `-` and `_`, at most {MAX_ID} in all"
            raise RefusedError("id", f'"{self.id[:80]}" is not an id', shape)
        if self.id in draft.by_id:
            raise RefusedError("id", f"`{self.id}` is the id of another bullet", "leave it out: a new one is made")
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Operation):
    """Give a bullet another text, section or other properties.

    Its counters are kept, but a bullet that only did harm loses them with a new text.
    """

    type: ClassVar[str] = "UPDATE"
    bullet_id: str
    content: str | None = None
    section: str | None = None
    applies_to: tuple[str, ...] | None = None
    severity: Severity | None = None
    publish: bool | None = None
    send: bool | None = None

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Change the bullet, which may be a proposal."""
        old = edits.find_bullet(draft, self.bullet_id, "bullet_id")
        if old.status != "proposed":
            old = edits.find_active_bullet(draft, self.bullet_id, "bullet_id")
        changes: dict[str, Any] = {}
        content = old.content if self.content is None else edits.safe_content(self.content)
        if self.section is not None:
            changes["section"] = edits.find_section(draft, self.section).id
        if self.applies_to is not None:
            changes["applies_to"] = _targets(self.applies_to)
        if self.severity is not None:
            changes["severity"] = self.severity
        changes.update({name: fact for name in ("publish", "send") if (fact := getattr(self, name)) is not None})
        if not changes and self.content is None:
            raise RefusedError("", "says nothing to change", "give `content`, `section` or `applies_to`")
        new = replace(edits.rewrite_bullet(old, content), **changes)
        if new == old:
            return Edit()
        if new.severity != old.severity:
            _check_severity("critical", context)
        if new.content != old.content:
            edits.check_protected(old, "rewritten", "bullet_id", context)
            source = edits.merge_sources(old.source, (context.source,)) if context.is_person else old.source
            new = replace(new, source=source)
        return Edit(bullets=(replace(new, updated=context.revision),))


@dataclass(frozen=True, slots=True, kw_only=True)
class TagBullet(Operation):
    """Record that a bullet helped in a task, did harm, or neither."""

    type: ClassVar[str] = "TAG"
    bullet_id: str
    tag: TagName
    sample: str | None = None
    """The task; a delta tags a bullet once for each task."""

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Count the tag."""
        old = edits.find_active_bullet(draft, self.bullet_id, "bullet_id")
        count: dict[str, Any] = {self.tag: getattr(old, self.tag) + 1}
        return Edit(bullets=(replace(old, **count, updated=context.revision),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Operation):
    """Archive a bullet: prompts no longer include it; it stays in the file, so that it is not learned again."""

    type: ClassVar[str] = "REMOVE"
    bullet_id: str
    superseded_by: str | None = None

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Archive the bullet."""
        old = edits.find_bullet(draft, self.bullet_id, "bullet_id")
        if old.status == "archived":
            raise RefusedError(
                "bullet_id", f"`{old.id}` {edits.explain_inactive(old)} already", "leave this operation out"
            )
        reason = edits.safe_line(self.reason, "reason")
        if not reason:
            raise RefusedError("reason", "is missing", "say in one line why the lesson is wrong or not needed")
        edits.check_protected(old, "removed", "bullet_id", context)
        new = replace(old, status="archived", reason=reason, updated=context.revision)
        if self.superseded_by is not None:
            by = edits.find_active_bullet(draft, self.superseded_by, "superseded_by")
            if by is old:
                raise RefusedError("superseded_by", "is the bullet itself", "name the one that replaces it")
            new = replace(new, superseded_by=by.id)
        return Edit(bullets=(new,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin(Operation):
    """Pin or unpin a bullet for a person: no curator removes, rewrites or prunes a pinned one."""

    type: ClassVar[str] = "PIN"
    bullet_id: str
    pinned: bool = True

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Pin or unpin the bullet."""
        old = edits.find_active_bullet(draft, self.bullet_id, "bullet_id")
        if not context.is_person:
            raise RefusedError("", "only a person pins bullets", "leave this operation out")
        if old.pinned == self.pinned:
            return Edit()
        return Edit(bullets=(replace(old, pinned=self.pinned, updated=context.revision),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Revive(Operation):
    """Reactivate an archived bullet."""

    type: ClassVar[str] = "REVIVE"
    bullet_id: str

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Make the bullet active again."""
        old = edits.find_bullet(draft, self.bullet_id, "bullet_id")
        if old.status != "archived":
            cure = "leave this operation out" if old.is_active else edits.suggest_revival(old)
            raise RefusedError("bullet_id", f"`{old.id}` is {old.status}", cure)
        added = context.revision if old.is_pruned else old.added
        new = replace(old, status="active", reason=None, superseded_by=None, added=added, updated=context.revision)
        return Edit(bullets=(new,), sections=edits.find_missing_section(draft, old))


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve(Operation):
    """Approve a proposal for a person: from then on it is a normal lesson. `REMOVE` rejects one."""

    type: ClassVar[str] = "APPROVE"
    bullet_id: str
    section: str | None = None
    """Another section than the proposal names; a section that does not exist is added."""

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Make the bullet active."""
        old = edits.find_bullet(draft, self.bullet_id, "bullet_id")
        if old.status != "proposed":
            state = "is active" if old.is_active else edits.explain_inactive(old)
            raise RefusedError("bullet_id", f"`{old.id}` {state}, and only proposals are approved", "leave this out")
        if not context.is_person:
            raise RefusedError("", "only a person approves proposals", "leave this operation out")
        if self.section is not None:
            old = replace(old, section=edits.find_section(draft, self.section).id)
        new = replace(old, status="active", reason=None, added=context.revision, updated=context.revision)
        return Edit(bullets=(new,), sections=edits.find_missing_section(draft, old))


@dataclass(frozen=True, slots=True, kw_only=True)
class AddSection(Operation):
    """Add a section after the others, or give an existing one another title."""

    type: ClassVar[str] = "SECTION"
    title: str
    id: str | None = None
    """Made from the title if it is not given."""

    def make_edit(self, draft: Draft, context: EditContext) -> Edit:
        """Add the section at the end, or set its title."""
        title = edits.safe_line(self.title, "title")
        if not title or len(title) > MAX_TITLE or title.startswith("#"):
            raise RefusedError("title", "is not a title", f"write a few words, at most {MAX_TITLE} characters")
        name = self.id if self.id is not None else section_id(title)
        if len(name) > MAX_ID or not SECTION_ID.fullmatch(name):
            raise RefusedError("id", f'"{name[:80]}" is not an id of a section', "write lower-case words joined by `_`")
        new = Section(name, title)
        old = draft.section_of_id(name)
        if old == new:
            return Edit()
        if old is not None and not context.is_person:
            raise RefusedError(
                "id", f"section `{name}` is there, as {old.title}", "only a person gives it another title"
            )
        return Edit(sections=(new,))


OPERATIONS: Mapping[str, type[Operation]] = {
    kind.type: kind
    for kind in (Add, Update, TagBullet, Remove, Merge, Keep, Conflict, Pin, Revive, Approve, AddSection)
}
"""The class of each type of operation."""


def _targets(names: tuple[str, ...]) -> tuple[str, ...]:
    targets = {edits.safe_line(name, f"applies_to[{idx}]") for idx, name in enumerate(names)}
    return tuple(sorted(targets - {""}))


def _check_severity(severity: Severity, context: EditContext) -> None:
    if severity == "critical" and not context.is_person and context.actor != IMPORT:
        raise RefusedError("severity", "only a person says what is critical", "leave `severity` out")
