"""The operations of one delta, applied one after another, with a report of each.

What an operation cannot know is decided here: whether a text says what a bullet says already, was archived, or is near
one that a guard keeps apart; and that a bullet is tagged once for a task.
"""

from collections.abc import Iterable
from dataclasses import field, replace

from acdl_mkdocs.errors import RefusedError
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook import edits
from acdl_mkdocs.playbook.bullets import Bullet, Pair
from acdl_mkdocs.playbook.delta import Placed
from acdl_mkdocs.playbook.draft import Draft, Edit
from acdl_mkdocs.playbook.edits import Moment, Operation
from acdl_mkdocs.playbook.neighbours import Neighbour, Neighbours
from acdl_mkdocs.playbook.operations import Add, AddSection, Approve, Pin, Remove, Revive, TagBullet, Update
from acdl_mkdocs.playbook.pair_operations import Keep, Merge, forbidden, survivor
from acdl_mkdocs.playbook.report import Applied, Rejected
from acdl_mkdocs.playbook.returning import returned

MAX_PAIRS = 3
"""Bullets that a new text is linked with, the nearest ones."""


@dataclass
class Transaction:
    """A playbook while a delta is applied to it."""

    draft: Draft
    moment: Moment
    neighbours: Neighbours
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
            case Keep():
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
        near = self.neighbours.near(new.content, self.draft.by_id)
        for decision in ("same", "merge"):
            alike = [each for each in near if each.judgement.decision == decision]
            for each in alike:
                if each.bullet.is_active:
                    self._fall_onto(each, new, operation, path, at)
                    return
            for each in alike:
                if not _may_return(each.bullet):
                    raise _was_archived(each)
                if decision == "same":
                    self._bring_back(each.bullet, new, operation, path, at)
                    return
        self.draft.put(edit)
        self.neighbours.add(new)
        self._report_added(new, operation, path)
        self._link(new, near, path)

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
        after = old if is_known else returned(old, new, at, alias=operation.id)
        self.draft.put(Edit(bullets=(after,)))
        said = f"`{old.id}` {'waits for approval' if old.status == 'proposed' else edits.why_inactive(old)}"
        op = "PROPOSED" if not after.is_active else "REVIVED"
        note = "nothing changed: it was proposed before" if is_known else ""
        reason = "; ".join(filter(None, (operation.reason, said)))
        self.applied.append(Applied(op, path, old.id, old, after, reason, note=note))

    def _fall_onto(self, near: Neighbour, new: Bullet, operation: Add, path: str, at: Moment) -> None:
        """Count an ADD on the bullet that says the same."""
        old = near.bullet
        if operation.status == "proposed":
            raise RefusedError("content", f"is no proposal: `{old.id}` says so already", "TAG it if it helped")
        counters = {name: getattr(new, name) for name in ("helpful", "harmful", "neutral", "seen")}
        if not any(counters.values()):
            counters["helpful"] = 1
        aliases = {*old.aliases, operation.id} if operation.id is not None else old.aliases
        after = replace(
            old,
            **{name: getattr(old, name) + number for name, number in counters.items()},
            pinned=old.pinned or new.pinned,
            severity="critical" if "critical" in (old.severity, new.severity) else "normal",
            publish=old.publish and new.publish,
            send=old.send and new.send,
            applies_to=tuple(sorted({*old.applies_to, *new.applies_to})),
            source=edits.united(old.source, new.source),
            aliases=tuple(sorted(aliases)),
            updated=at.revision,
        )
        self.draft.put(Edit(bullets=(after,)))
        said = f"`{old.id}` says so already"
        if near.judgement.decision == "merge":
            said = f"`{old.id}` says the same (similarity {near.judgement.score:.2f}): {new.content}"
        note = f"it stands in section `{old.section}`, not `{new.section}`" if old.section != new.section else ""
        self.applied.append(Applied("MERGED", path, old.id, old, after, said, note=note))

    def _reword(self, operation: Update | Revive | Approve, path: str, at: Moment) -> None:
        """An operation that gives prompts a text that they did not have: it is compared with the others."""
        edit = operation.edit(self.draft, at)
        before = self.draft.by_id[operation.bullet_id]
        after = edit.bullets[0] if edit.bullets else before
        is_reworded = before.content != after.content
        near: list[Neighbour] = []
        if is_reworded or before.status != after.status:
            near = self.neighbours.near(after.content, self.draft.by_id, but=after.id)
            _check_distinct(before, near)
        self._one(operation, edit, path)
        if is_reworded:
            undecided = (each for each in self.draft.pairs_of(after.id) if each.verdict != "kept")
            self.draft.put(Edit(unpaired=tuple(undecided)))
            self.neighbours.add(after)
        self._link(after, near, path)

    def _link(self, bullet: Bullet, near: Iterable[Neighbour], path: str) -> None:
        """Remember which active bullets are near one and why they are not merged; what was decided stays so."""
        pairs: list[Pair] = []
        for each in near:
            other, judgement = each.bullet, each.judgement
            verdict = "conflict" if judgement.decision == "conflict" else "review"
            why = tuple(block.why for block in judgement.blocks)
            pair = edits.pair_of(bullet.id, other.id, "review", judgement.score, "; ".join(why) or None)
            pair = replace(pair, verdict="conflict") if verdict == "conflict" else pair
            if not other.is_active or self.draft.pair(pair.a, pair.b) or len(pairs) == MAX_PAIRS:
                continue
            pairs.append(pair)
            op = "CONFLICT" if verdict == "conflict" else "QUEUED"
            said = f"near `{other.id}` (similarity {pair.score:.2f})"
            self.applied.append(Applied(op, path, bullet.id, bullet, bullet, said, why, other.id))
        self.draft.put(Edit(pairs=tuple(pairs)))

    def _merge(self, operation: Merge, path: str, at: Moment) -> None:
        edit = operation.edit(self.draft, at)
        bullets = operation.bullets(self.draft)
        kept = survivor(bullets)
        guards = forbidden(bullets) if at.is_person else ()
        self.draft.put(edit)
        (after,) = edit.bullets
        if after.content != kept.content:
            self.neighbours.add(after)
        note = "a guard would have kept them apart" if guards else ""
        self.applied.append(Applied("MERGE", path, kept.id, kept, after, operation.reason, guards, note=note))
        for each in bullets:
            if each is not kept:
                said = f"merged into `{kept.id}`"
                self.applied.append(Applied("MERGE", path, each.id, each, None, said, guards, kept.id))

    def _keep(self, operation: Keep, path: str, at: Moment) -> None:
        edit = operation.edit(self.draft, at)
        a, b = self.draft.by_id[operation.bullet_id], self.draft.by_id[operation.other]
        note = "" if edit.pairs else "nothing changed: both were kept before"
        self.draft.put(edit)
        self.applied.append(Applied("KEEP", path, a.id, a, a, operation.reason, other=b.id, note=note))


def _was_archived(near: Neighbour) -> RefusedError:
    old = near.bullet
    how = "says what" if near.judgement.decision == "same" else f"says (similarity {near.judgement.score:.2f}) what"
    return RefusedError("content", f"{how} `{old.id}` said, which {edits.why_inactive(old)}", edits.revive(old))


def _may_return(bullet: Bullet) -> bool:
    """Whether a bullet that is not in use may come back if somebody learns it again."""
    return bullet.is_pruned or bullet.status == "proposed"


def _check_distinct(bullet: Bullet, near: Iterable[Neighbour]) -> None:
    """Whether no other bullet says what one is about to say.

    Raises:
        RefusedError: One does, or did before it was archived.
    """
    for each in near:
        if each.judgement.decision == "same" and each.bullet.is_active:
            other = each.bullet.id
            cure = f'{{"type": "MERGE", "bullet_id": "{other}", "others": ["{bullet.id}"]}} makes them one'
            cure = cure if bullet.is_active else f"TAG `{other}` if it helped, and leave this one as it is"
            raise RefusedError("content", f"says what `{other}` says already", cure)
        is_out = not each.bullet.is_active and not _may_return(each.bullet)
        if each.judgement.decision in ("same", "merge") and is_out:
            raise _was_archived(each)
