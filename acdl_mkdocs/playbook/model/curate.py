"""Apply a delta to a playbook: deterministic, without a model, a clock or chance.

All valid operations of a delta take effect together, as one revision; an invalid one is rejected with its reason and
does not block the others. An ADD of a text that a bullet already has is counted on that bullet; a text that is only
similar becomes a separate bullet, for `refine`. Finally the budget of the playbook is enforced.
Source: arXiv:2510.04618, section 3.1 ("Incremental Delta Updates") and 3.2 ("Grow-and-Refine").
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model import edits
from acdl_mkdocs.playbook.model.bullets import COUNTERS, Bullet, Playbook, Provenance
from acdl_mkdocs.playbook.model.content import clean_line, find_secrets
from acdl_mkdocs.playbook.model.delta import Delta, DeltaOperation
from acdl_mkdocs.playbook.model.edits import PERSON, Draft, Edit, EditContext, Operation
from acdl_mkdocs.playbook.model.near_pairs import NearTexts
from acdl_mkdocs.playbook.model.operations import (
    Add,
    AddSection,
    Approve,
    Conflict,
    Keep,
    Merge,
    Pin,
    Remove,
    Revive,
    TagBullet,
    Update,
    choose_survivor,
)
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.pruning import (
    Standing,
    find_fewest,
    find_standing,
    format_evidence,
    is_proven,
    prune_to_budget,
)
from acdl_mkdocs.playbook.model.report import Applied, Rejected, Report
from acdl_mkdocs.playbook.similarity import Similarity, load_similarity
from acdl_mkdocs.prompts.tokens import counter


def revive_bullet(old: Bullet, new: Bullet, context: EditContext, *, alias: str | None = None) -> Bullet:
    """Reactivate a bullet that was pruned or proposed: keep its counters, and add what an ADD of the same text brings.

    It counts as new, so that it is not pruned again before anyone could have used it.

    Parameters:
        old: The bullet in the playbook.
        new: The bullet that the ADD would add.
        context: The context of the edit.
        alias: The id that it has elsewhere.
    """
    aliases = {*old.aliases, *([alias] if alias else [])} - {old.id}
    return replace(
        edits.combine_bullets(old, new),
        section=new.section,
        status=new.status,
        reason=new.reason,
        superseded_by=None,
        **{name: getattr(old, name) + getattr(new, name) for name in COUNTERS},
        aliases=tuple(sorted(aliases)),
        added=context.revision,
        updated=context.revision,
    )


@dataclass
class Transaction:
    """A playbook while a delta is applied to it."""

    draft: Draft
    moment: EditContext
    near: NearTexts | None = None
    """Set if the policy merges similar texts."""
    read_revision: int | None = None
    """Revision of the playbook that the delta was written for."""
    applied: list[Applied] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    tagged: set[tuple[str, str | None]] = field(default_factory=set)

    def apply_operation(self, entry: DeltaOperation) -> None:
        """Apply an operation, or reject it and leave the playbook unchanged."""
        operation = entry.operation
        index = int(entry.path[entry.path.find("[") + 1 : -1])
        at = replace(self.moment, index=index)
        try:
            operation = replace(operation, reason=edits.safe_line(operation.reason, "reason"))
            self._check_operation(operation)
            self._dispatch_operation(operation, entry.path, at)
        except RefusedError as refused:
            path = f"{entry.path}.{refused.field}" if refused.field else entry.path
            self.rejected.append(Rejected(path, refused.message, refused.help))

    def count_seen(self, ids: Iterable[str]) -> None:
        """Count the bullets that were in a prompt; ids that no longer exist are not counted."""
        bullets = (self.draft.by_id.get(each) for each in dict.fromkeys(ids))
        before = {each.id: each for each in bullets if each is not None}
        seen = {name: replace(each, seen=each.seen + 1) for name, each in before.items()}
        self.draft.apply_edit(Edit(bullets=tuple(seen.values())))
        self.applied += [Applied("SEEN", "", name, before[name], after) for name, after in seen.items()]

    def _dispatch_operation(self, operation: Operation, path: str, context: EditContext) -> None:
        match operation:
            case Add():
                self._apply_add(operation, path, context)
            case Update() | Revive() | Approve():
                self._reword(operation, path, context)
            case Merge():
                self._apply_merge(operation, path, context)
            case Keep() | Conflict():
                self._decide_pair(operation, path, context)
            case AddSection():
                self._add_section(operation, path, context)
            case TagBullet() | Remove() | Pin():
                self._edit_bullet(operation, operation.make_edit(self.draft, context), path)
            case _:
                raise RefusedError("type", f"`{operation.type}` is not for deltas")

    def _check_operation(self, operation: Operation) -> None:
        """Refuse to tag a bullet twice, or to change one that changed since it was read.

        A tag and a decision about a pair are accepted for a changed bullet anyway.
        """
        if isinstance(operation, TagBullet):
            tagged = self.draft.by_id.get(operation.bullet_id)
            if tagged is not None and (tagged.id, operation.sample) in self.tagged:
                message = f"`{tagged.id}` is already tagged in this delta"
                raise RefusedError("bullet_id", message, "tag a bullet once")
        if self.read_revision is None or not isinstance(operation, (Update, Remove, Merge, Revive, Approve)):
            return
        for name in (operation.bullet_id, *(operation.others if isinstance(operation, Merge) else ())):
            bullet = self.draft.first.by_id.get(name)
            if bullet is not None and bullet.updated > self.read_revision:
                message = f"`{bullet.id}` was changed in revision {bullet.updated}, and the delta was written for "
                raise RefusedError("bullet_id", f"{message}{self.read_revision}", "read the playbook again")

    def _edit_bullet(
        self, operation: TagBullet | Remove | Pin | Update | Revive | Approve, edit: Edit, path: str
    ) -> None:
        """Apply and report an operation that changes one bullet."""
        before = self.draft.by_id[operation.bullet_id]
        after = edit.bullets[0] if edit.bullets else before
        self.draft.apply_edit(edit)
        if isinstance(operation, TagBullet):
            self.tagged.add((before.id, operation.sample))
        notes = [f"`{operation.bullet_id}` was merged into it"] if operation.bullet_id != before.id else []
        if after is before:
            notes.append("nothing changed: it was so before")
        reason = operation.tag if isinstance(operation, TagBullet) and not operation.reason else operation.reason
        self.applied.append(Applied(operation.type, path, before.id, before, after, reason, note="; ".join(notes)))

    def _add_section(self, operation: AddSection, path: str, context: EditContext) -> None:
        edit = operation.make_edit(self.draft, context)
        is_new = any(self.draft.section_of_id(each.id) is None for each in edit.sections)
        self.draft.apply_edit(edit)
        title = operation.id or operation.title
        name = edit.sections[0].id if is_new else edits.find_section(self.draft, title).id
        self.applied.append(Applied("SECTION", path, name, reason=operation.reason or operation.title))

    def _apply_add(self, operation: Add, path: str, context: EditContext) -> None:
        edit = operation.make_edit(self.draft, context)
        (new,) = edit.bullets
        for old in self.draft.same_texts.find_bullets(new.content, self.draft.by_id):
            if old.is_active:
                self._merge_into_existing(old, new, operation, path, context, f"`{old.id}` says so already")
            elif _is_revivable(old):
                self._revive_repeated(old, new, operation, path, context)
            else:
                raise _refuse_archived(old)
            return
        similar = self._find_similar(new) if new.is_active else None
        if similar is not None:
            self._merge_into_existing(similar[0], new, operation, path, context, similar[1])
            return
        self.draft.apply_edit(edit)
        self._index_bullet(new)
        self._report_added(new, operation, path)

    def _report_added(self, new: Bullet, operation: Add, path: str) -> None:
        if new.is_active:
            self.applied.append(Applied("ADD", path, new.id, None, new, operation.reason))
            return
        note = edits.suggest_revival(new)
        if self.draft.section_of_id(new.section) is None:
            note = f"{edits.suggest_section(self.draft, operation.section)}; {note}"
        reason = "; ".join(filter(None, (new.reason, operation.reason if operation.reason != new.reason else "")))
        self.applied.append(Applied("PROPOSED", path, new.id, None, new, reason, note=note))

    def _revive_repeated(self, old: Bullet, new: Bullet, operation: Add, path: str, context: EditContext) -> None:
        """Reactivate a bullet that an ADD repeats: a pruned one, with its counters, or a proposal."""
        is_known = old.status == "proposed" and not new.is_active
        after = old if is_known else revive_bullet(old, new, context, alias=operation.id)
        self.draft.apply_edit(Edit(bullets=(after,)))
        state = f"`{old.id}` {'waits for approval' if old.status == 'proposed' else edits.explain_inactive(old)}"
        op = "PROPOSED" if not after.is_active else "REVIVED"
        note = "nothing changed: it was proposed before" if is_known else ""
        reason = "; ".join(filter(None, (operation.reason, state)))
        self.applied.append(Applied(op, path, old.id, old, after, reason, note=note))

    def _index_bullet(self, bullet: Bullet) -> None:
        """Index a bullet that is new or has a new text."""
        self.draft.same_texts.add_bullet(bullet)
        if self.near is not None:
            self.near.add_bullet(bullet)

    def _find_similar(self, new: Bullet) -> tuple[Bullet, str] | None:
        """Find the bullet that a new one is counted on because the policy merges by score, and the remark about it."""
        least = self.draft.first.policy.merge_similar
        nearest = self.near.find_nearest(new.content, self.draft.by_id) if self.near is not None else None
        if nearest is None or least is None or nearest[1] < least:
            return None
        old, score = nearest
        return old, f"`{old.id}` is similar ({score:.2f}, `merge_similar: {least:g}`): {new.content}"

    def _merge_into_existing(
        self, old: Bullet, new: Bullet, operation: Add, path: str, context: EditContext, remark: str
    ) -> None:
        """Count an ADD on the bullet that says the same."""
        if operation.status == "proposed":
            raise RefusedError("content", f"is not a proposal: `{old.id}` says so already", "TAG it if it helped")
        counters = {name: getattr(new, name) for name in COUNTERS}
        if not any(counters.values()):
            counters["helpful"] = 1
        aliases = {*old.aliases, operation.id} if operation.id is not None else old.aliases
        after = replace(
            edits.combine_bullets(old, new),
            **{name: getattr(old, name) + number for name, number in counters.items()},
            aliases=tuple(sorted(aliases)),
            updated=context.revision,
        )
        self.draft.apply_edit(Edit(bullets=(after,)))
        note = f"it stands in section `{old.section}`, not `{new.section}`" if old.section != new.section else ""
        self.applied.append(Applied("MERGED", path, old.id, old, after, remark, note=note))

    def _reword(self, operation: Update | Revive | Approve, path: str, context: EditContext) -> None:
        """Apply an operation that gives prompts a new text; no other bullet may have that text."""
        edit = operation.make_edit(self.draft, context)
        before = self.draft.by_id[operation.bullet_id]
        after = edit.bullets[0] if edit.bullets else before
        is_reworded = before.content != after.content
        if is_reworded or before.status != after.status:
            self._check_distinct(before, after.content)
        self._edit_bullet(operation, edit, path)
        if is_reworded:
            self._index_bullet(after)

    def _check_distinct(self, bullet: Bullet, content: str) -> None:
        """Check that no other bullet has the text that one is about to get.

        Raises:
            RefusedError: One has it, or had it before it was archived.
        """
        for other in self.draft.same_texts.find_bullets(content, self.draft.by_id, excluded_id=bullet.id):
            if other.is_active:
                cure = f'{{"type": "MERGE", "bullet_id": "{other.id}", "others": ["{bullet.id}"]}} makes them one'
                cure = cure if bullet.is_active else f"TAG `{other.id}` if it helped, and leave this one as it is"
                raise RefusedError("content", f"says what `{other.id}` says already", cure)
            if not _is_revivable(other):
                raise _refuse_archived(other)

    def _apply_merge(self, operation: Merge, path: str, context: EditContext) -> None:
        edit = operation.make_edit(self.draft, context)
        bullets = operation.find_bullets(self.draft)
        survivor = choose_survivor(bullets)
        self.draft.apply_edit(edit)
        (after,) = edit.bullets
        if after.content != survivor.content:
            self._index_bullet(after)
        self.applied.append(Applied("MERGE", path, survivor.id, survivor, after, operation.reason))
        for each in bullets:
            if each is not survivor:
                reason = f"merged into `{survivor.id}`"
                self.applied.append(Applied("MERGE", path, each.id, each, None, reason, other=survivor.id))

    def _decide_pair(self, operation: Keep | Conflict, path: str, context: EditContext) -> None:
        edit = operation.make_edit(self.draft, context)
        a, b = self.draft.by_id[operation.bullet_id], self.draft.by_id[operation.other]
        note = "" if edit.pairs else "nothing changed: it was decided so before"
        self.draft.apply_edit(edit)
        self.applied.append(Applied(operation.type, path, a.id, a, a, operation.reason, other=b.id, note=note))


def _refuse_archived(old: Bullet) -> RefusedError:
    message = f"says what `{old.id}` said, which {edits.explain_inactive(old)}"
    return RefusedError("content", message, edits.suggest_revival(old))


def _is_revivable(bullet: Bullet) -> bool:
    """Return whether a bullet that is not in use may be reactivated when it is learned again."""
    return bullet.is_pruned or bullet.status == "proposed"


MAX_REASONING = 1_000
"""Characters of the reasoning of a delta that the history keeps."""
_PRUNED, _OVER_BUDGET = "PRUNED", "OVER_BUDGET"
_PLACE = re.compile(r"operations\[(\d+)\]")


@dataclass(frozen=True)
class Curation:
    """The curator and the measures of a curation."""

    measure: Similarity
    """Measures the similarity of texts; used if the policy merges similar texts."""
    count: Callable[[str], int]
    """Counts model tokens."""
    actor: str = PERSON
    """`person` may do everything; others cannot pin bullets, or remove or rewrite pinned and critical ones."""
    source: Provenance | None = None
    """The provenance of new bullets; its `by` defaults to the actor."""
    sample: str | None = None
    """The sample that the delta was learned from, unless `source` names it."""
    seen: tuple[str, ...] = ()
    """Ids of the bullets that were in the prompt."""


@dataclass(frozen=True)
class Curated:
    """A playbook after a delta."""

    playbook: Playbook
    """One revision later; the same object if nothing changed."""
    report: Report
    """What was applied, with the reasons, and what was rejected."""


_Attempt: TypeAlias = tuple[Curated, Curated | None]
"""The result of operations, and the same within the budget if that is possible."""
_Reduction: TypeAlias = tuple[Sequence[str], _Attempt]


def curation_of(
    playbook: Playbook,
    actor: str = PERSON,
    *,
    source: Provenance | None = None,
    sample: str | None = None,
    seen: tuple[str, ...] = (),
) -> Curation:
    """Return how a playbook is curated, by its policy.

    Raises:
        UnknownFormatError: Its policy names a similarity or an encoding that does not exist.
        MissingExtraError: The packages that one of them needs are not installed.
    """
    measure = load_similarity(playbook.policy.similarity)
    count = counter.counter(playbook.policy.encoding or "estimate").count
    return Curation(measure, count, actor, source, sample, seen)


def curate(playbook: Playbook, delta: Delta, curation: Curation) -> Curated:
    """Apply a delta.

    The same playbook, delta and curation give the same result on every machine. If no operation changes anything, the
    playbook is returned unchanged, at its revision.
    """
    if delta.revision is not None and delta.revision > playbook.revision:
        message = f"the delta was written for revision {delta.revision}, and the playbook is at {playbook.revision}"
        every = (*delta.rejected, Rejected("revision", message, "curate the playbook that it was written for"))
        return Curated(playbook, Report((), every))
    curated = _apply_within_budget(playbook, delta, curation)
    reasoning, kept_back = _clean_reasoning(delta)
    report = Report(
        curated.report.applied, _sort_rejected((*delta.rejected, *curated.report.rejected, *kept_back)), reasoning
    )
    if (curated.playbook is playbook or curated.playbook == playbook) and not _is_aging(playbook, report):
        return Curated(playbook, report)
    return Curated(replace(curated.playbook, revision=playbook.revision + 1), report)


def _is_aging(playbook: Playbook, report: Report) -> bool:
    """Return whether a delta without changes makes a revision: if it found no space, new bullets age by it."""
    is_short = any(each.is_for_space for each in report.rejected)
    next_one = playbook.revision + 1
    return is_short and any(find_standing(each, playbook, next_one) == Standing.NEW for each in playbook.sent)


def _clean_reasoning(delta: Delta) -> tuple[str, tuple[Rejected, ...]]:
    """Return the reasoning of a delta for the history, or reject it if it must not be kept."""
    cleaned = clean_line(delta.reasoning[:MAX_REASONING], MAX_REASONING)
    kinds = find_secrets(delta.reasoning[:MAX_REASONING])
    problems = (*cleaned.problems, *(f"holds what looks like a secret: {kind}" for kind in kinds))
    if problems:
        cure = "the operations are applied; leave that out of the reasoning"
        return "", (Rejected("reasoning", f"is not kept: it {problems[0]}", cure),)
    return cleaned.text, ()


def _sort_rejected(rejected: Iterable[Rejected]) -> tuple[Rejected, ...]:
    """Sort rejections into the order of the delta."""

    def get_index(each: Rejected) -> int:
        match = _PLACE.match(each.path)
        return int(match[1]) if match else -1

    return tuple(sorted(rejected, key=get_index))


def _apply_within_budget(playbook: Playbook, delta: Delta, curation: Curation) -> Curated:
    """Apply as many operations as the budget allows: if pruning is not enough, drop growing ones from the last.

    Operations whose bullets would be pruned at once are dropped first. An operation that repeated a dropped one may
    then grow in its place, and is dropped too.
    """
    dropped: dict[str, str] = {}

    def without(paths: Sequence[str]) -> _Attempt:
        dropped_paths = {*dropped, *paths}
        operations = tuple(each for each in delta.operations if each.path not in dropped_paths)
        attempt = _apply_delta(playbook, replace(delta, operations=operations), curation)
        return attempt, _prune_to_budget(attempt, playbook, curation)

    first, within = without(())
    best = first
    while within is not None and (futile := _find_futile(within)):
        dropped |= futile
        best, within = without(())
    budget = playbook.policy.budget_model_tokens or 0
    while within is None and (growing := _find_growing(best.report.applied)):
        paths, (best, within) = _drop_trailing(growing, without, _estimate_excess_operations(best, growing, curation))
        dropped |= dict.fromkeys(paths, "with nothing left to archive")
    curated = within or _shrink_to_budget(best, playbook, curation)
    if not dropped:
        return curated
    excess = (
        f"the playbook would have {curation.count(prompt_text(first.playbook)):,} model tokens, over its budget of "
    )
    cure = "REMOVE or MERGE what is not needed, or raise `policy: {budget_model_tokens: …}` in the playbook"
    rejected = (Rejected(path, f"{excess}{budget:,}, {why}", cure, is_for_space=True) for path, why in dropped.items())
    return Curated(curated.playbook, curated.report + Report((), tuple(rejected)))


def _find_futile(curated: Curated) -> dict[str, str]:
    """Find the operations that add bullets to prompts which are pruned at once, and why each has no effect."""
    pruned = {each.id: each for each in curated.report.applied if each.op == _PRUNED}
    return {
        each.path: f"and every lesson that is kept has more for it than this one ({format_evidence(each.after)})"
        for each in curated.report.applied
        if each.path and each.id in pruned and _is_growing(each.before, each.after) and each.after is not None
    }


def _drop_trailing(growing: Sequence[str], without: Callable[[Sequence[str]], _Attempt], guess: int) -> _Reduction:
    """Drop as few trailing operations as possible so that the rest fits; return the dropped paths and the result."""
    attempts: dict[int, _Attempt] = {}

    def fits(n_dropped: int) -> bool:
        attempts[n_dropped] = without(growing[len(growing) - n_dropped :])
        return attempts[n_dropped][1] is not None

    fewest = find_fewest(len(growing), fits, guess)
    n_dropped = len(growing) if fewest is None else fewest
    return growing[len(growing) - n_dropped :], attempts[n_dropped]


def _apply_delta(playbook: Playbook, delta: Delta, curation: Curation) -> Curated:
    """Apply the operations of a delta regardless of the budget; the revision stays."""
    source = curation.source or Provenance()
    source = replace(source, by=source.by or curation.actor, sample=source.sample or curation.sample)
    context = EditContext(playbook.revision + 1, 0, curation.actor, source)
    is_merging = playbook.policy.merge_similar is not None
    near = NearTexts(curation.measure, playbook.bullets) if is_merging else None
    transaction = Transaction(Draft(playbook), context, near, delta.revision)
    for each in delta.operations:
        transaction.apply_operation(each)
    transaction.count_seen(curation.seen)
    return Curated(transaction.draft.build_playbook(), Report(tuple(transaction.applied), tuple(transaction.rejected)))


def _prune_to_budget(curated: Curated, before: Playbook, curation: Curation) -> Curated | None:
    """Prune a result to its budget; `None` if that costs more than the growth is worth.

    Growth replaces bullets without evidence; proven bullets also replace new ones.
    """
    if curated.playbook is before:
        return curated
    grown = (each.after for each in curated.report.applied if _is_growing(each.before, each.after))
    has_proven = any(is_proven(each) for each in grown if each is not None)
    return _archive_to_budget(curated, before, curation, Standing.NEW if has_proven else Standing.OPEN)


def _shrink_to_budget(curated: Curated, before: Playbook, curation: Curation) -> Curated:
    """Shrink a playbook that is too large though nothing grew, as after a lower budget, or report it."""
    if curated.playbook is before:
        return curated
    shrunk = _archive_to_budget(curated, before, curation, Standing.PROVEN)
    if shrunk is not None:
        return shrunk
    size, budget = curation.count(prompt_text(curated.playbook)), before.policy.budget_model_tokens or 0
    message = (
        f"{size:,} model tokens, over the budget of {budget:,}: what is pinned, critical or by a person is never pruned"
    )
    return Curated(curated.playbook, curated.report + Report((Applied(_OVER_BUDGET, "", "", reason=message),)))


def _archive_to_budget(curated: Curated, before: Playbook, curation: Curation, most: Standing) -> Curated | None:
    pruned = prune_to_budget(curated.playbook, curation.count, before.revision + 1, most)
    if pruned is None:
        return None
    playbook, archived = pruned
    by_id = curated.playbook.by_id
    entries = (Applied(_PRUNED, "", each.id, by_id[each.id], each, each.reason or "") for each in archived)
    return Curated(playbook, curated.report + Report(tuple(entries)))


def _find_growing(applied: Iterable[Applied]) -> list[str]:
    """Find the operations that made the text form longer, or gave it a section title, in their order."""
    return list(dict.fromkeys(each.path for each in applied if each.path and _is_growing(each.before, each.after)))


def _is_growing(before: Bullet | None, after: Bullet | None) -> bool:
    if after is None or not after.is_sent:
        return False
    return _count_prompt_characters(after) > _count_prompt_characters(before) or (
        before is not None and before.section != after.section
    )


def _estimate_excess_operations(curated: Curated, growing: list[str], curation: Curation) -> int:
    """Estimate how many of the last operations make a playbook too large after pruning."""
    playbook = curated.playbook
    longer = {
        each.path: _count_prompt_characters(each.after) - _count_prompt_characters(each.before)
        for each in curated.report.applied
    }
    next_one = playbook.revision + 1
    protected = [each for each in playbook.sent if find_standing(each, playbook, next_one) > Standing.OPEN]
    budget = playbook.policy.budget_model_tokens or 0
    size = curation.count(prompt_text(playbook, bullets=protected))
    share = size / max(1, sum(len(each.content) for each in protected))
    n_dropped = 0
    while size > budget and n_dropped < len(growing):
        n_dropped += 1
        size -= round(share * longer.get(growing[-n_dropped], 0))
    return n_dropped


def _count_prompt_characters(bullet: Bullet | None) -> int:
    return len(bullet.content) if bullet is not None and bullet.is_sent else 0
