"""The operations of one delta, applied one after another, with a report of each.

What an operation cannot know is decided here: whether a text says what a bullet says already, or what one said that was
archived; and that a bullet is tagged once for a task.
"""

from collections.abc import Iterable
from dataclasses import field, replace

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook import edits
from acdl_mkdocs.playbook.bring_back import bring_back
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook.delta import Placed
from acdl_mkdocs.playbook.draft import Draft, Edit
from acdl_mkdocs.playbook.edits import Moment, Operation
from acdl_mkdocs.playbook.neighbours import NearTexts
from acdl_mkdocs.playbook.operations import Add, AddSection, Approve, Pin, Remove, Revive, TagBullet, Update
from acdl_mkdocs.playbook.pair_operations import Conflict, Keep, Merge, survivor
from acdl_mkdocs.playbook.report import Applied, Rejected


@dataclass
class Transaction:
    """A playbook while a delta is applied to it."""

    draft: Draft
    moment: Moment
    near: NearTexts | None = None
    """Where the policy merges what is similar."""
    read_revision: int | None = None
    """Of the playbook that the delta was written for."""
    applied: list[Applied] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    tagged: set[tuple[str, str | None]] = field(default_factory=set)

    def take(self, placed: Placed) -> None:
        """Apply an operation, or note why not; then the playbook is as before."""
        operation = placed.operation
        index = int(placed.path[placed.path.find("[") + 1 : -1])
        at = replace(self.moment, index=index)
        try:
            operation = replace(operation, reason=edits.safe_line(operation.reason, "reason"))
            self._check(operation)
            self._do(operation, placed.path, at)
        except RefusedError as refused:
            path = f"{placed.path}.{refused.field}" if refused.field else placed.path
            self.rejected.append(Rejected(path, refused.message, refused.help))

    def count_seen(self, ids: Iterable[str]) -> None:
        """Count that bullets were in a prompt; those that are gone are not counted."""
        found = (self.draft.by_id.get(each) for each in dict.fromkeys(ids))
        before = {each.id: each for each in found if each is not None}
        seen = {name: replace(each, seen=each.seen + 1) for name, each in before.items()}
        self.draft.put(Edit(bullets=tuple(seen.values())))
        self.applied += [Applied("SEEN", "", name, before[name], after) for name, after in seen.items()]

    def _do(self, operation: Operation, path: str, at: Moment) -> None:
        match operation:
            case Add():
                self._add(operation, path, at)
            case Update() | Revive() | Approve():
                self._reword(operation, path, at)
            case Merge():
                self._merge(operation, path, at)
            case Keep() | Conflict():
                self._keep(operation, path, at)
            case AddSection():
                self._add_section(operation, path, at)
            case TagBullet() | Remove() | Pin():
                self._one(operation, operation.edit(self.draft, at), path)
            case _:
                raise RefusedError("type", f"`{operation.type}` is not for deltas")

    def _check(self, operation: Operation) -> None:
        """Whether a bullet was tagged before, or changed after somebody read it.

        A tag and a decision about a pair hold for a changed bullet all the same.
        """
        if isinstance(operation, TagBullet):
            tagged = self.draft.by_id.get(operation.bullet_id)
            if tagged is not None and (tagged.id, operation.sample) in self.tagged:
                said = f"`{tagged.id}` is already tagged in this delta"
                raise RefusedError("bullet_id", said, "tag a bullet once")
        if self.read_revision is None or not isinstance(operation, Update | Remove | Merge | Revive | Approve):
            return
        for name in (operation.bullet_id, *(operation.others if isinstance(operation, Merge) else ())):
            found = self.draft.first.by_id.get(name)
            if found is not None and found.updated > self.read_revision:
                said = f"`{found.id}` was changed in revision {found.updated}, and the delta was written for "
                raise RefusedError("bullet_id", f"{said}{self.read_revision}", "read the playbook again")

    def _one(self, operation: TagBullet | Remove | Pin | Update | Revive | Approve, edit: Edit, path: str) -> None:
        """Make and report what changes one bullet."""
        before = self.draft.by_id[operation.bullet_id]
        after = edit.bullets[0] if edit.bullets else before
        self.draft.put(edit)
        if isinstance(operation, TagBullet):
            self.tagged.add((before.id, operation.sample))
        notes = [f"`{operation.bullet_id}` was merged into it"] if operation.bullet_id != before.id else []
        if after is before:
            notes.append("nothing changed: it was so before")
        reason = operation.tag if isinstance(operation, TagBullet) and not operation.reason else operation.reason
        self.applied.append(Applied(operation.type, path, before.id, before, after, reason, note="; ".join(notes)))

    def _add_section(self, operation: AddSection, path: str, at: Moment) -> None:
        edit = operation.edit(self.draft, at)
        is_new = any(self.draft.section_of_id(each.id) is None for each in edit.sections)
        self.draft.put(edit)
        title = operation.id or operation.title
        name = edit.sections[0].id if is_new else edits.section(self.draft, title).id
        self.applied.append(Applied("SECTION", path, name, reason=operation.reason or operation.title))

    def _add(self, operation: Add, path: str, at: Moment) -> None:
        edit = operation.edit(self.draft, at)
        (new,) = edit.bullets
        for old in self.draft.same_texts.find(new.content, self.draft.by_id):
            if old.is_active:
                self._fall_onto(old, new, operation, path, at, f"`{old.id}` says so already")
            elif _may_return(old):
                self._bring_back(old, new, operation, path, at)
            else:
                raise _was_archived(old)
            return
        similar = self._similar(new) if new.is_active else None
        if similar is not None:
            self._fall_onto(similar[0], new, operation, path, at, similar[1])
            return
        self.draft.put(edit)
        self._note(new)
        self._report_added(new, operation, path)

    def _report_added(self, new: Bullet, operation: Add, path: str) -> None:
        if new.is_active:
            self.applied.append(Applied("ADD", path, new.id, None, new, operation.reason))
            return
        note = edits.revive(new)
        if self.draft.section_of_id(new.section) is None:
            note = f"{edits.section_cure(self.draft, operation.section)}; {note}"
        reason = "; ".join(filter(None, (new.reason, operation.reason if operation.reason != new.reason else "")))
        self.applied.append(Applied("PROPOSED", path, new.id, None, new, reason, note=note))

    def _bring_back(self, old: Bullet, new: Bullet, operation: Add, path: str, at: Moment) -> None:
        """Put a bullet into use again that an ADD repeats: one that was pruned, with its counters, or a proposal."""
        is_known = old.status == "proposed" and not new.is_active
        after = old if is_known else bring_back(old, new, at, alias=operation.id)
        self.draft.put(Edit(bullets=(after,)))
        said = f"`{old.id}` {'waits for approval' if old.status == 'proposed' else edits.why_inactive(old)}"
        op = "PROPOSED" if not after.is_active else "REVIVED"
        note = "nothing changed: it was proposed before" if is_known else ""
        reason = "; ".join(filter(None, (operation.reason, said)))
        self.applied.append(Applied(op, path, old.id, old, after, reason, note=note))

    def _note(self, bullet: Bullet) -> None:
        """A bullet is new, or has other words."""
        self.draft.same_texts.add(bullet)
        if self.near is not None:
            self.near.add(bullet)

    def _similar(self, new: Bullet) -> tuple[Bullet, str] | None:
        """The bullet that a new one is counted on because the policy merges by score, and what is said of that."""
        least = self.draft.first.policy.merge_similar
        found = self.near.nearest(new.content, self.draft.by_id) if self.near is not None else None
        if found is None or least is None or found[1] < least:
            return None
        old, score = found
        return old, f"`{old.id}` is similar ({score:.2f}, `merge_similar: {least:g}`): {new.content}"

    def _fall_onto(self, old: Bullet, new: Bullet, operation: Add, path: str, at: Moment, said: str) -> None:
        """Count an ADD on the bullet that says the same."""
        if operation.status == "proposed":
            raise RefusedError("content", f"is no proposal: `{old.id}` says so already", "TAG it if it helped")
        counters = {name: getattr(new, name) for name in ("helpful", "harmful", "neutral", "seen")}
        if not any(counters.values()):
            counters["helpful"] = 1
        aliases = {*old.aliases, operation.id} if operation.id is not None else old.aliases
        after = replace(
            edits.combine_bullets(old, new),
            **{name: getattr(old, name) + number for name, number in counters.items()},
            aliases=tuple(sorted(aliases)),
            updated=at.revision,
        )
        self.draft.put(Edit(bullets=(after,)))
        note = f"it stands in section `{old.section}`, not `{new.section}`" if old.section != new.section else ""
        self.applied.append(Applied("MERGED", path, old.id, old, after, said, note=note))

    def _reword(self, operation: Update | Revive | Approve, path: str, at: Moment) -> None:
        """An operation that gives prompts a text that they did not have: no other bullet may say it."""
        edit = operation.edit(self.draft, at)
        before = self.draft.by_id[operation.bullet_id]
        after = edit.bullets[0] if edit.bullets else before
        is_reworded = before.content != after.content
        if is_reworded or before.status != after.status:
            self._check_distinct(before, after.content)
        self._one(operation, edit, path)
        if is_reworded:
            self._note(after)

    def _check_distinct(self, bullet: Bullet, content: str) -> None:
        """Whether no other bullet says what one is about to say.

        Raises:
            RefusedError: One does, or did before it was archived.
        """
        for other in self.draft.same_texts.find(content, self.draft.by_id, but=bullet.id):
            if other.is_active:
                cure = f'{{"type": "MERGE", "bullet_id": "{other.id}", "others": ["{bullet.id}"]}} makes them one'
                cure = cure if bullet.is_active else f"TAG `{other.id}` if it helped, and leave this one as it is"
                raise RefusedError("content", f"says what `{other.id}` says already", cure)
            if not _may_return(other):
                raise _was_archived(other)

    def _merge(self, operation: Merge, path: str, at: Moment) -> None:
        edit = operation.edit(self.draft, at)
        bullets = operation.bullets(self.draft)
        kept = survivor(bullets)
        self.draft.put(edit)
        (after,) = edit.bullets
        if after.content != kept.content:
            self._note(after)
        self.applied.append(Applied("MERGE", path, kept.id, kept, after, operation.reason))
        for each in bullets:
            if each is not kept:
                said = f"merged into `{kept.id}`"
                self.applied.append(Applied("MERGE", path, each.id, each, None, said, other=kept.id))

    def _keep(self, operation: Keep | Conflict, path: str, at: Moment) -> None:
        edit = operation.edit(self.draft, at)
        a, b = self.draft.by_id[operation.bullet_id], self.draft.by_id[operation.other]
        note = "" if edit.pairs else "nothing changed: it was decided so before"
        self.draft.put(edit)
        self.applied.append(Applied(operation.type, path, a.id, a, a, operation.reason, other=b.id, note=note))


def _was_archived(old: Bullet) -> RefusedError:
    said = f"says what `{old.id}` said, which {edits.why_inactive(old)}"
    return RefusedError("content", said, edits.revive(old))


def _may_return(bullet: Bullet) -> bool:
    """Whether a bullet that is not in use may come back if somebody learns it again."""
    return bullet.is_pruned or bullet.status == "proposed"
