"""What can be done to a playbook, one bullet at a time: each operation is a frozen value that says what it changes.

It knows nothing about other bullets that say the same: that is for `curate`, which compares and reports.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook import edits
from acdl_mkdocs.playbook.bullets import Bullet, Provenance, Section, Severity, TagName
from acdl_mkdocs.playbook.draft import Draft, Edit
from acdl_mkdocs.playbook.edits import Moment, Operation
from acdl_mkdocs.playbook.ids import ID, MAX_ID, SECTION_ID, new_id, section_id
from acdl_mkdocs.playbook.pair_operations import Conflict, Keep, Merge

IMPORT = "import"
"""The actor of an import, which brings what people decided elsewhere."""
MAX_TITLE = 80
UNSORTED = "unsorted"
"""The section that a proposal names if nothing of what it wants can be an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Add(Operation):
    """A new lesson. `curate` merges it into a bullet that says the same."""

    type: ClassVar[str] = "ADD"
    section: str
    content: str
    applies_to: tuple[str, ...] = ()
    severity: Severity = "normal"
    publish: bool = True
    send: bool = True
    status: Literal["active", "proposed"] = "active"
    """`proposed`: it does nothing until a person approves it."""
    reference: str | None = None
    """A file, an address or an issue that shows why it is true."""
    id: str | None = None
    """Of an import; a new one is made otherwise. Deltas cannot give it, nor the counters."""
    pinned: bool = False
    helpful: int = 0
    harmful: int = 0
    neutral: int = 0
    seen: int = 0
    source: tuple[Provenance, ...] = ()
    """Where it was learned, if that is not what `curate` is told."""

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Put the bullet in; as a proposal if there is no such section."""
        content = edits.safe_content(self.content)
        section, reason = self._home(draft)
        _check_severity(self.severity, at)
        source = self.source or (at.source,)
        if self.reference is not None:
            reference = edits.safe_line(self.reference, "reference")
            source = (replace(source[0], reference=reference), *source[1:])
        added = Bullet(
            id=self._id(draft, section, content, at),
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
            source=edits.united(source),
            added=at.revision,
            updated=at.revision,
        )
        return Edit(bullets=(added,))

    def _home(self, draft: Draft) -> tuple[str, str | None]:
        """The id of the section, and why the bullet is only a proposal."""
        found = draft.section(self.section)
        if found is not None:
            return found.id, (self.reason or None) if self.status == "proposed" else None
        name = edits.safe_line(self.section, "section")
        return section_id(name) or UNSORTED, f'there is no section "{name[:100]}"'

    def _id(self, draft: Draft, section: str, content: str, at: Moment) -> str:
        if self.id is None:
            return new_id(section, content, at.revision, at.index, draft.by_id, name=draft.first.name)
        if not ID.fullmatch(self.id):
            shape = f"an id is a letter, then letters, digits, `-` and `_`, at most {MAX_ID} in all"
            raise RefusedError("id", f'"{self.id[:80]}" is no id', shape)
        if self.id in draft.by_id:
            raise RefusedError("id", f"`{self.id}` is the id of another bullet", "leave it out: a new one is made")
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Operation):
    """Other words, another section or other particulars for a bullet.

    Its counters stay; but a bullet that only did harm has none with other words.
    """

    type: ClassVar[str] = "UPDATE"
    bullet_id: str
    content: str | None = None
    section: str | None = None
    applies_to: tuple[str, ...] | None = None
    severity: Severity | None = None
    publish: bool | None = None
    send: bool | None = None

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Change the bullet, which may be a proposal."""
        old = edits.bullet(draft, self.bullet_id, "bullet_id")
        if old.status != "proposed":
            old = edits.active(draft, self.bullet_id, "bullet_id")
        given: dict[str, Any] = {}
        content = old.content if self.content is None else edits.safe_content(self.content)
        if self.section is not None:
            given["section"] = edits.section(draft, self.section).id
        if self.applies_to is not None:
            given["applies_to"] = _targets(self.applies_to)
        if self.severity is not None:
            given["severity"] = self.severity
        given.update({name: fact for name in ("publish", "send") if (fact := getattr(self, name)) is not None})
        if not given and self.content is None:
            raise RefusedError("", "says nothing to change", "give `content`, `section` or `applies_to`")
        new = replace(edits.rewrite_bullet(old, content), **given)
        if new == old:
            return Edit()
        if new.severity != old.severity:
            _check_severity("critical", at)
        if new.content != old.content:
            edits.check_protected(old, "rewritten", "bullet_id", at)
            source = edits.united(old.source, (at.source,)) if at.is_person else old.source
            new = replace(new, source=source)
        return Edit(bullets=(replace(new, updated=at.revision),))


@dataclass(frozen=True, slots=True, kw_only=True)
class TagBullet(Operation):
    """A bullet helped in a task, did harm, or neither."""

    type: ClassVar[str] = "TAG"
    bullet_id: str
    tag: TagName
    sample: str | None = None
    """Which task it was; a delta tags a bullet once for each."""

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Count the tag."""
        old = edits.active(draft, self.bullet_id, "bullet_id")
        count: dict[str, Any] = {self.tag: getattr(old, self.tag) + 1}
        return Edit(bullets=(replace(old, **count, updated=at.revision),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Operation):
    """Take a bullet out of prompts; it stays in the file, so that it is not learned again."""

    type: ClassVar[str] = "REMOVE"
    bullet_id: str
    superseded_by: str | None = None

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Archive the bullet."""
        old = edits.bullet(draft, self.bullet_id, "bullet_id")
        if old.status == "archived":
            raise RefusedError("bullet_id", f"`{old.id}` {edits.why_inactive(old)} already", "leave this operation out")
        reason = edits.safe_line(self.reason, "reason")
        if not reason:
            raise RefusedError("reason", "is missing", "say in one line why the lesson is wrong or not needed")
        edits.check_protected(old, "removed", "bullet_id", at)
        new = replace(old, status="archived", reason=reason, updated=at.revision)
        if self.superseded_by is not None:
            by = edits.active(draft, self.superseded_by, "superseded_by")
            if by is old:
                raise RefusedError("superseded_by", "is the bullet itself", "name the one that replaces it")
            new = replace(new, superseded_by=by.id)
        return Edit(bullets=(new,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin(Operation):
    """A person wants a bullet to stay, or no longer does: no curator removes, rewrites or prunes a pinned one."""

    type: ClassVar[str] = "PIN"
    bullet_id: str
    pinned: bool = True

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Pin or unpin the bullet."""
        old = edits.active(draft, self.bullet_id, "bullet_id")
        if not at.is_person:
            raise RefusedError("", "only a person pins bullets", "leave this operation out")
        if old.pinned == self.pinned:
            return Edit()
        return Edit(bullets=(replace(old, pinned=self.pinned, updated=at.revision),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Revive(Operation):
    """Put a bullet back that was archived."""

    type: ClassVar[str] = "REVIVE"
    bullet_id: str

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Make it active again."""
        old = edits.bullet(draft, self.bullet_id, "bullet_id")
        if old.status != "archived":
            cure = "leave this operation out" if old.is_active else edits.revive(old)
            raise RefusedError("bullet_id", f"`{old.id}` is {old.status}", cure)
        added = at.revision if old.is_pruned else old.added
        new = replace(old, status="active", reason=None, superseded_by=None, added=added, updated=at.revision)
        return Edit(bullets=(new,), sections=edits.home_of(draft, old))


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve(Operation):
    """A person takes a proposal over: from then on it is a lesson like others. `REMOVE` rejects one."""

    type: ClassVar[str] = "APPROVE"
    bullet_id: str
    section: str | None = None
    """Another section than the proposal names; a section that it names and that there is not is added."""

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Make it active."""
        old = edits.bullet(draft, self.bullet_id, "bullet_id")
        if old.status != "proposed":
            said = "is active" if old.is_active else edits.why_inactive(old)
            raise RefusedError("bullet_id", f"`{old.id}` {said}, and only proposals are approved", "leave this out")
        if not at.is_person:
            raise RefusedError("", "only a person approves proposals", "leave this operation out")
        if self.section is not None:
            old = replace(old, section=edits.section(draft, self.section).id)
        new = replace(old, status="active", reason=None, added=at.revision, updated=at.revision)
        return Edit(bullets=(new,), sections=edits.home_of(draft, old))


@dataclass(frozen=True, slots=True, kw_only=True)
class AddSection(Operation):
    """A new section after the others, or another title for one that is there."""

    type: ClassVar[str] = "SECTION"
    title: str
    id: str | None = None
    """Made from the title if it is not given."""

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Put the section last, or give it its title."""
        title = edits.safe_line(self.title, "title")
        if not title or len(title) > MAX_TITLE or title.startswith("#"):
            raise RefusedError("title", "is no title", f"write a few words, at most {MAX_TITLE} characters")
        name = self.id if self.id is not None else section_id(title)
        if len(name) > MAX_ID or not SECTION_ID.fullmatch(name):
            raise RefusedError("id", f'"{name[:80]}" is no id of a section', "write lower-case words joined by `_`")
        new = Section(name, title)
        old = draft.section_of_id(name)
        if old == new:
            return Edit()
        if old is not None and not at.is_person:
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
    found = {edits.safe_line(name, f"applies_to[{idx}]") for idx, name in enumerate(names)}
    return tuple(sorted(found - {""}))


def _check_severity(severity: Severity, at: Moment) -> None:
    if severity == "critical" and not at.is_person and at.actor != IMPORT:
        raise RefusedError("severity", "only a person says what is critical", "leave `severity` out")


__all__ = [
    "IMPORT",
    "MAX_TITLE",
    "OPERATIONS",
    "Add",
    "AddSection",
    "Approve",
    "Conflict",
    "Keep",
    "Merge",
    "Operation",
    "Pin",
    "Remove",
    "Revive",
    "TagBullet",
    "Update",
]
