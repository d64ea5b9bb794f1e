"""Refine a playbook: merge equal bullets, and apply decisions about similar ones.

Goes over all bullets, including those that people wrote into the file or a merge of branches brought. A `Judge`
decides; decisions are applied without one, so the same decisions give the same playbook.
Source: arXiv:2510.04618, section 3.2 ("Grow-and-Refine").
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.curate import Curated, Curation, curate
from acdl_mkdocs.playbook.model.delta import Delta, DeltaOperation
from acdl_mkdocs.playbook.model.edits import PERSON, Operation
from acdl_mkdocs.playbook.model.near_pairs import Decision, NearPair, Opinion, digest_of, find_near_pairs, is_automatic
from acdl_mkdocs.playbook.model.operations import Conflict, Keep, Merge
from acdl_mkdocs.playbook.model.report import Applied, Report
from acdl_mkdocs.playbook.similarity import Similarity, normal_form

PORTION = 20
"""Decisions that are committed together, so that a failing judge loses little work."""
NEAR_BUDGET = 0.9
"""Share of the budget from which a playbook with `refine: on-budget` is refined."""
_SAME_TEXT = "the same text"
_STALE = ".texts"
"""Path of a rejected decision about other texts."""
_NOT_DECIDED = "an earlier version linked them by itself; nobody had decided"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on two texts."""

    opinion: Opinion
    reason: str


class Judge(Protocol):
    """Decides about two bullets."""

    @property
    def name(self) -> str:
        """Its name in the history."""
        ...

    def judge_pair(self, pair: NearPair) -> Judgement | None:
        """Return a verdict on two bullets; `None` leaves the pair undecided."""
        ...


@dataclass(frozen=True, slots=True)
class RefineOptions:
    """The settings of a refinement."""

    judge: Judge | None
    """Decides about similar pairs; `None` only merges equal bullets."""
    measure: Similarity
    """Measures the similarity of texts."""
    commit: Callable[[Sequence[Decision]], Playbook]
    """Applies decisions with `apply_decisions` and returns the new playbook."""
    is_person: bool = False
    """Whether the judge may merge bullets that only people change; otherwise it is not asked about these."""
    most: int | None = None
    """Pairs to ask about; `None` means all."""


def refine(refining: RefineOptions) -> int:
    """Ask about all undecided pairs, and commit the decisions, a portion at a time.

    Returns:
        The number of pairs that the judge was asked about.

    Raises:
        Exception: The judge raised it; its earlier decisions are committed.
    """
    playbook = refining.commit(())
    digests: set[str] = set()
    while refining.judge is not None:
        pairs = [pair for pair in find_near_pairs(playbook, refining.measure) if _is_for_judge(pair, refining)]
        new = [pair for pair in pairs if _digest_texts(pair) not in digests]
        new = new if refining.most is None else new[: refining.most - len(digests)]
        if not new:
            break
        for first in range(0, len(new), PORTION):
            portion = [pair for pair in new[first : first + PORTION] if _is_as_read(pair, playbook)]
            digests.update(map(_digest_texts, portion))
            playbook = _decide_pairs(portion, refining.judge, refining.commit, playbook)
    return len(digests)


def _digest_texts(pair: NearPair) -> str:
    return digest_of(pair.a.content, pair.b.content)


def _is_for_judge(pair: NearPair, refining: RefineOptions) -> bool:
    return refining.is_person or not (is_protected(pair.a) and is_protected(pair.b))


def _is_as_read(pair: NearPair, playbook: Playbook) -> bool:
    """Return whether both bullets still have the texts that the judge would see."""
    now = [playbook.by_id.get(each.id) for each in (pair.a, pair.b)]
    return [each.content if each is not None else None for each in now] == [pair.a.content, pair.b.content]


def _decide_pairs(
    pairs: Sequence[NearPair], judge: Judge, commit: Callable[[Sequence[Decision]], Playbook], playbook: Playbook
) -> Playbook:
    """Ask a judge about some pairs, commit its decisions and return the playbook."""
    decisions: list[Decision] = []
    try:
        for pair in pairs:
            judged = judge.judge_pair(pair)
            if judged is not None:
                decisions.append(Decision(pair.a.id, pair.b.id, judged.opinion, judged.reason, _digest_texts(pair)))
    except Exception:
        if decisions:
            commit(decisions)
        raise
    return commit(decisions) if decisions else playbook


def apply_decisions(playbook: Playbook, decisions: Sequence[Decision], curation: Curation) -> Curated:
    """Apply decisions.

    First links that an earlier version made by itself are removed, then equal bullets are merged, then decisions are
    applied, merges last. A decision about texts that no longer exist is left out.

    Parameters:
        playbook: The current playbook.
        decisions: In the order of their application.
        curation: Who decided, and how the playbook is curated.
    """
    pairs = tuple(pair for pair in playbook.pairs if not is_automatic(pair))
    cleared = playbook if len(pairs) == len(playbook.pairs) else replace(playbook, pairs=pairs)
    in_order = sorted(decisions, key=lambda each: each.opinion == "same")
    operations = [*_merge_equal_texts(cleared), *(_make_operation(each, cleared) for each in in_order)]
    placed = tuple(DeltaOperation(f"operations[{idx}]", each) for idx, each in enumerate(operations))
    curated = curate(cleared, Delta(operations=placed), curation)
    rejected = tuple(each for each in curated.report.rejected if not each.path.endswith(_STALE))
    curated = replace(curated, report=replace(curated.report, rejected=rejected))
    if cleared is playbook:
        return curated
    automatic = (pair for pair in playbook.pairs if is_automatic(pair))
    unlinked = tuple(Applied("UNLINKED", "", pair.a, reason=_NOT_DECIDED, other=pair.b) for pair in automatic)
    report = Report(unlinked) + curated.report
    return Curated(replace(curated.playbook, revision=playbook.revision + 1), report)


def is_due(playbook: Playbook, before: int, size: int) -> bool:
    """Return whether the policy requires a refinement.

    Parameters:
        playbook: The current playbook.
        before: Its revision at the last check.
        size: Model tokens of its prompt form.
    """
    when, budget = playbook.policy.refine, playbook.policy.budget_model_tokens
    if when == "never" or playbook.revision == before:
        return False
    if when == "on-budget":
        return budget is not None and size >= NEAR_BUDGET * budget
    return when == "after-each-delta" or (isinstance(when, int) and playbook.revision // when > before // when)


def is_protected(bullet: Bullet) -> bool:
    """Return whether only people change the text of a bullet."""
    is_by_person = any(source.by == PERSON for source in bullet.source)
    return bullet.pinned or bullet.severity == "critical" or is_by_person


def _merge_equal_texts(playbook: Playbook) -> Iterator[Operation]:
    """Make a merge for each group of active bullets with exactly the same text."""
    groups: dict[str, list[Bullet]] = {}
    for bullet in playbook.active:
        groups.setdefault(normal_form(bullet.content), []).append(bullet)
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=_rank)
            yield Merge(bullet_id=first.id, others=tuple(each.id for each in others), reason=_SAME_TEXT)


def _make_operation(decision: Decision, playbook: Playbook) -> Operation:
    if decision.opinion == "same":
        bullets = [playbook.by_id[name] for name in (decision.a, decision.b) if name in playbook.by_id]
        first = min(bullets, key=_rank, default=None)
        names = (decision.a, decision.b) if first is None or first.id == decision.a else (decision.b, decision.a)
        return Merge(bullet_id=names[0], others=names[1:], reason=decision.reason, texts=decision.texts)
    kind = Conflict if decision.opinion == "conflicts" else Keep
    return kind(bullet_id=decision.a, other=decision.b, reason=decision.reason, texts=decision.texts)


def _rank(bullet: Bullet) -> tuple[bool, int, str]:
    """Return the sort key of the bullet whose text is kept: those that only people change, then the oldest."""
    return not is_protected(bullet), bullet.added, bullet.id
