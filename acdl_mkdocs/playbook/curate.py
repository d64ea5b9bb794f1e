"""Apply a delta to a playbook: deterministic, without a model, a clock or chance.

All good operations of a delta take effect together, as one revision; a bad one is rejected with its reason and does
not hold up the others. An ADD of a text that a bullet has already is counted on that bullet; what is only near stays a
bullet of its own, for `refine`. At last the budget of the playbook is enforced.
Source: arXiv:2510.04618, section 3.1 ("Incremental Delta Updates") and 3.2 ("Grow-and-Refine").
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Playbook, Provenance
from acdl_mkdocs.playbook.content import clean_line
from acdl_mkdocs.playbook.delta import Delta
from acdl_mkdocs.playbook.draft import Draft
from acdl_mkdocs.playbook.edits import PERSON, Moment
from acdl_mkdocs.playbook.neighbours import NearTexts
from acdl_mkdocs.playbook.prompt_text import prompt_text
from acdl_mkdocs.playbook.pruning import Standing, evidence, fewest, is_proven, pruned, standing
from acdl_mkdocs.playbook.report import Applied, Rejected, Report
from acdl_mkdocs.playbook.secrets import secrets
from acdl_mkdocs.playbook.transaction import Transaction
from acdl_mkdocs.prompts.tokens import counter
from acdl_mkdocs.similarity import Similarity, similarity

MAX_REASONING = 1_000
"""Characters of what a delta says of itself that the history keeps."""
_PRUNED, _OVER_BUDGET = "PRUNED", "OVER_BUDGET"
_PLACE = re.compile(r"operations\[(\d+)\]")


@dataclass(frozen=True)
class Curation:
    """Who curates, and with what."""

    measure: Similarity
    """Says how near texts are; asked where the policy merges what is similar."""
    count: Callable[[str], int]
    """Counts model tokens."""
    actor: str = PERSON
    """`person` may do everything; anybody else cannot pin, nor take away or rewrite what is pinned or critical."""
    source: Provenance | None = None
    """What new bullets come from; its `by` is the actor if it says nothing else."""
    sample: str | None = None
    """The sample that the delta was learned from, if `source` does not say it."""
    seen: tuple[str, ...] = ()
    """Ids of the bullets that were in the prompt."""


@dataclass(frozen=True)
class Curated:
    """A playbook after a delta."""

    playbook: Playbook
    """One revision later; the very same object if nothing changed."""
    report: Report


_Attempt: TypeAlias = tuple[Curated, Curated | None]
"""What operations give, and the same within the budget, if it can be brought there."""
_Given: TypeAlias = tuple[Sequence[str], _Attempt]


def curation_of(
    playbook: Playbook,
    actor: str = PERSON,
    *,
    source: Provenance | None = None,
    sample: str | None = None,
    seen: tuple[str, ...] = (),
) -> Curation:
    """How a playbook wants to be curated.

    Raises:
        UnknownFormatError: Its policy names a similarity or an encoding that does not exist.
        MissingExtraError: The packages that one of them needs are not installed.
    """
    measure = similarity(playbook.policy.similarity)
    count = counter.counter(playbook.policy.encoding or "estimate").count
    return Curation(measure, count, actor, source, sample, seen)


def curate(playbook: Playbook, delta: Delta, curation: Curation) -> Curated:
    """Apply a delta.

    The same playbook, delta and curation give the same result, on every machine. If no operation changes anything, the
    playbook is given back as it is, at its revision.
    """
    if delta.revision is not None and delta.revision > playbook.revision:
        said = f"the delta was written for revision {delta.revision}, and the playbook is at {playbook.revision}"
        every = (*delta.rejected, Rejected("revision", said, "curate the playbook that it was written for"))
        return Curated(playbook, Report((), every))
    done = _within_budget(playbook, delta, curation)
    reasoning, kept_back = _reasoning(delta)
    report = Report(done.report.applied, _sorted((*delta.rejected, *done.report.rejected, *kept_back)), reasoning)
    if (done.playbook is playbook or done.playbook == playbook) and not _is_aging(playbook, report):
        return Curated(playbook, report)
    return Curated(replace(done.playbook, revision=playbook.revision + 1), report)


def _is_aging(playbook: Playbook, report: Report) -> bool:
    """Whether a delta is a revision though it changed nothing: it found no space, and new bullets grow older by it."""
    is_short = any(each.is_for_space for each in report.rejected)
    next_one = playbook.revision + 1
    return is_short and any(standing(each, playbook, next_one) == Standing.NEW for each in playbook.sent)


def _reasoning(delta: Delta) -> tuple[str, tuple[Rejected, ...]]:
    """What a delta says of itself, for the history, and why not where it must not be kept."""
    cleaned = clean_line(delta.reasoning[:MAX_REASONING], MAX_REASONING)
    kinds = secrets(delta.reasoning[:MAX_REASONING])
    problems = (*cleaned.problems, *(f"holds what looks like a secret: {kind}" for kind in kinds))
    if problems:
        cure = "the operations are applied; leave that out of the reasoning"
        return "", (Rejected("reasoning", f"is not kept: it {problems[0]}", cure),)
    return cleaned.text, ()


def _sorted(rejected: Iterable[Rejected]) -> tuple[Rejected, ...]:
    """In the order of the delta."""

    def place(each: Rejected) -> int:
        found = _PLACE.match(each.path)
        return int(found[1]) if found else -1

    return tuple(sorted(rejected, key=place))


def _within_budget(playbook: Playbook, delta: Delta, curation: Curation) -> Curated:
    """Apply as many operations as the budget allows: if pruning does not help, what grows is given up from the last.

    What would be pruned at once is given up first. What was the same as one that is given up may grow in its place,
    and is then given up too.
    """
    dropped: dict[str, str] = {}

    def without(more: Sequence[str]) -> _Attempt:
        gone = {*dropped, *more}
        kept = tuple(each for each in delta.operations if each.path not in gone)
        attempt = _applied(playbook, replace(delta, operations=kept), curation)
        return attempt, _pruned(attempt, playbook, curation)

    whole, within = without(())
    best = whole
    while within is not None and (futile := _futile(within)):
        dropped |= futile
        best, within = without(())
    budget = playbook.policy.budget_model_tokens or 0
    while within is None and (growing := _growing(best.report.applied)):
        more, (best, within) = _given_up(growing, without, _n_too_many(best, growing, curation))
        dropped |= dict.fromkeys(more, "with nothing left to archive")
    done = within or _reduced(best, playbook, curation)
    if not dropped:
        return done
    said = f"the playbook would have {curation.count(prompt_text(whole.playbook)):,} model tokens, over its budget of "
    cure = "REMOVE or MERGE what is not needed, or raise `policy: {budget_model_tokens: …}` in the playbook"
    rejected = (Rejected(path, f"{said}{budget:,}, {why}", cure, is_for_space=True) for path, why in dropped.items())
    return Curated(done.playbook, done.report + Report((), tuple(rejected)))


def _futile(within: Curated) -> dict[str, str]:
    """The operations that put bullets into prompts which are pruned at once, and why each is in vain."""
    gone = {each.id: each for each in within.report.applied if each.op == _PRUNED}
    return {
        each.path: f"and every lesson that is kept has more for it than this one ({evidence(each.after)})"
        for each in within.report.applied
        if each.path and each.id in gone and _is_growing(each.before, each.after) and each.after is not None
    }


def _given_up(growing: Sequence[str], without: Callable[[Sequence[str]], _Attempt], guess: int) -> _Given:
    """The fewest of the last operations without which the others fit, or all of them; and what the others give."""
    attempts: dict[int, _Attempt] = {}

    def fits(n_dropped: int) -> bool:
        attempts[n_dropped] = without(growing[len(growing) - n_dropped :])
        return attempts[n_dropped][1] is not None

    found = fewest(len(growing), fits, guess)
    n_dropped = len(growing) if found is None else found
    return growing[len(growing) - n_dropped :], attempts[n_dropped]


def _applied(playbook: Playbook, delta: Delta, curation: Curation) -> Curated:
    """Apply the operations of a delta, whatever the budget; the revision stays."""
    source = curation.source or Provenance()
    source = replace(source, by=source.by or curation.actor, sample=source.sample or curation.sample)
    moment = Moment(playbook.revision + 1, 0, curation.actor, source)
    is_merging = playbook.policy.merge_similar is not None
    near = NearTexts(curation.measure, playbook.bullets) if is_merging else None
    transaction = Transaction(Draft(playbook), moment, near, delta.revision)
    for each in delta.operations:
        transaction.take(each)
    transaction.count_seen(curation.seen)
    return Curated(transaction.draft.playbook(), Report(tuple(transaction.applied), tuple(transaction.rejected)))


def _pruned(done: Curated, before: Playbook, curation: Curation) -> Curated | None:
    """The same within the budget, or `None` if that needs more than growing is worth.

    Growing takes the place of bullets that nothing speaks for; what is proven also that of bullets that are new.
    """
    if done.playbook is before:
        return done
    grown = (each.after for each in done.report.applied if _is_growing(each.before, each.after))
    has_proven = any(is_proven(each) for each in grown if each is not None)
    return _archived(done, before, curation, Standing.NEW if has_proven else Standing.OPEN)


def _reduced(done: Curated, before: Playbook, curation: Curation) -> Curated:
    """What is too large though nothing grew, as after a budget was lowered: within the budget, or with a word on it."""
    if done.playbook is before:
        return done
    found = _archived(done, before, curation, Standing.PROVEN)
    if found is not None:
        return found
    size, budget = curation.count(prompt_text(done.playbook)), before.policy.budget_model_tokens or 0
    said = (
        f"{size:,} model tokens, over the budget of {budget:,}: what is pinned, critical or by a person is never pruned"
    )
    return Curated(done.playbook, done.report + Report((Applied(_OVER_BUDGET, "", "", reason=said),)))


def _archived(done: Curated, before: Playbook, curation: Curation, most: Standing) -> Curated | None:
    found = pruned(done.playbook, curation.count, before.revision + 1, most)
    if found is None:
        return None
    playbook, gone = found
    by_id = done.playbook.by_id
    entries = (Applied(_PRUNED, "", each.id, by_id[each.id], each, each.reason or "") for each in gone)
    return Curated(playbook, done.report + Report(tuple(entries)))


def _growing(applied: Iterable[Applied]) -> list[str]:
    """The operations that made the text form longer, or gave it the title of a section, in their order."""
    return list(dict.fromkeys(each.path for each in applied if each.path and _is_growing(each.before, each.after)))


def _is_growing(before: Bullet | None, after: Bullet | None) -> bool:
    if after is None or not after.is_sent:
        return False
    return _length(after) > _length(before) or (before is not None and before.section != after.section)


def _n_too_many(done: Curated, growing: list[str], curation: Curation) -> int:
    """About how many of the last operations make a playbook too large, once what can be pruned is gone."""
    playbook = done.playbook
    longer = {each.path: _length(each.after) - _length(each.before) for each in done.report.applied}
    next_one = playbook.revision + 1
    protected = [each for each in playbook.sent if standing(each, playbook, next_one) > Standing.OPEN]
    budget = playbook.policy.budget_model_tokens or 0
    size = curation.count(prompt_text(playbook, bullets=protected))
    share = size / max(1, sum(len(each.content) for each in protected))
    n_dropped = 0
    while size > budget and n_dropped < len(growing):
        n_dropped += 1
        size -= round(share * longer.get(growing[-n_dropped], 0))
    return n_dropped


def _length(bullet: Bullet | None) -> int:
    return len(bullet.content) if bullet is not None and bullet.is_sent else 0
