"""What a merge makes of everything in a playbook but its bullets: sections, pairs, policy."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook, Policy, Refine, Section, Verdict
from acdl_mkdocs.playbook.merge_branches import Branches
from acdl_mkdocs.playbook.three_way import changed, in_order

_WEIGHT: Mapping[Verdict, int] = {"conflicts": 3, "differs": 3, "kept": 2, "open": 1, "conflict": 0, "review": 0}
_APART = "decided differently on two branches"


def merged_sections(branches: Branches, bullets: Iterable[Bullet]) -> tuple[Section, ...]:
    """The sections of both branches in their order; one that a branch took out stays if a bullet needs it."""
    old, a, b = ({each.id: each for each in side.sections} for side in (branches.base, *branches.sides))
    used = {bullet.section for bullet in bullets}
    wanted = [name for name in {**a, **b} if (name in a and name in b) or name not in old or name in used]
    order = in_order(tuple(old), tuple(a), tuple(b), wanted)
    return tuple(Section(name, _title(name, old, a, b, branches)) for name in order)


def _title(
    name: str, old: Mapping[str, Section], a: Mapping[str, Section], b: Mapping[str, Section], branches: Branches
) -> str:
    titles = [side[name].title for side in (a, b) if name in side]
    before = old[name].title if name in old else ""
    return branches.chosen(f"the title of section `{name}`", before, titles[0], titles[-1], min)


def merged_pairs(branches: Branches, new: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs of both branches, between the bullets that there are now; of two verdicts the more decided.

    Where the branches decided differently about the same texts, the pair is open again.

    Parameters:
        branches: What is merged.
        new: Pairs that the merge itself makes.
    """
    old, a, b = (_led_on(side, branches.roots) for side in (branches.base, *branches.sides))
    found: dict[tuple[str, str], Pair] = {}
    for key in sorted({*a, *b}):
        pair = changed(old.get(key), a.get(key), b.get(key), _more_decided)
        if pair is not None:
            found[key] = pair
    for pair in new:
        found.setdefault((pair.a, pair.b), pair)
    return tuple(found[key] for key in sorted(found))


def _led_on(playbook: Playbook, roots: Mapping[str, str]) -> dict[tuple[str, str], Pair]:
    """The pairs of a branch by the ids that their bullets have after the merge; without those of one bullet."""
    found: dict[tuple[str, str], Pair] = {}
    for pair in playbook.pairs:
        a, b = sorted((roots.get(pair.a, ""), roots.get(pair.b, "")))
        if a and a != b:
            led = replace(pair, a=a, b=b)
            found[a, b] = led if (a, b) not in found else max(found[a, b], led, key=_decision)
    return found


def _decision(pair: Pair) -> tuple[int, float, str]:
    return _WEIGHT[pair.verdict], pair.score or 0.0, repr(pair)


def _more_decided(one: Pair | None, two: Pair | None) -> Pair | None:
    if one is not None and two is not None and _are_opposed(one, two):
        return Pair(one.a, one.b, "open", why=_APART)
    pairs = [pair for pair in (one, two) if pair is not None]
    return max(pairs, key=_decision, default=None)


def _are_opposed(one: Pair, two: Pair) -> bool:
    return one.texts == two.texts and {one.verdict, two.verdict} == {"differs", "conflicts"}


def merged_policy(branches: Branches) -> Policy:
    """Setting by setting; where both branches changed one, the stricter or, of names, the first in the alphabet."""
    old, a, b = branches.base.policy, branches.a.policy, branches.b.policy
    budgets = (old.budget_model_tokens, a.budget_model_tokens, b.budget_model_tokens)
    encodings = (old.encoding, a.encoding, b.encoding)
    return Policy(
        budget_model_tokens=branches.chosen("`policy.budget_model_tokens`", *budgets, _least),
        encoding=branches.chosen("`policy.encoding`", *encodings, _first),
        similarity=branches.chosen("`policy.similarity`", old.similarity, a.similarity, b.similarity, min),
        protect_revisions=branches.chosen(
            "`policy.protect_revisions`", old.protect_revisions, a.protect_revisions, b.protect_revisions, max
        ),
        merge_similar=branches.chosen(
            "`policy.merge_similar`", old.merge_similar, a.merge_similar, b.merge_similar, _most
        ),
        refine=branches.chosen("`policy.refine`", old.refine, a.refine, b.refine, _by_name),
    )


def _most(one: float | None, two: float | None) -> float | None:
    """The more careful threshold: none at all, or the higher one."""
    return None if one is None or two is None else max(one, two)


def _by_name(one: Refine, two: Refine) -> Refine:
    return min(one, two, key=str)


def _least(one: int | None, two: int | None) -> int | None:
    return min((each for each in (one, two) if each is not None), default=None)


def _first(one: str | None, two: str | None) -> str | None:
    return min((each for each in (one, two) if each is not None), default=None)
