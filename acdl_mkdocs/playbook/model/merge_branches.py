"""Three-way merge of a playbook that was changed on two branches."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TypeAlias, TypeVar

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import (
    COUNTERS,
    Bullet,
    Pair,
    Playbook,
    Policy,
    Refine,
    Section,
    Status,
    Verdict,
    find_strictest_severity,
    new_id,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.near_pairs import REWORDED
from acdl_mkdocs.playbook.similarity import normal_form

Value = TypeVar("Value")
Item = TypeVar("Item", bound=Hashable)
Least = TypeVar("Least", int, str)


def merge_values(base: Value, a: Value, b: Value, choose: Callable[[Value, Value], Value]) -> Value:
    """Return the value of the branch that changed it; `choose` decides if both changed it differently."""
    if a == b or b == base:
        return a
    return b if a == base else choose(a, b)


def is_conflicting(base: object, a: object, b: object) -> bool:
    """Return whether both branches changed a value differently."""
    return a not in (b, base) and b != base


def merge_counters(base: int, a: int, b: int) -> int:
    """Return a counter with the additions of both branches; never below 0."""
    return max(0, a + b - base)


def merge_members(
    base: Sequence[Item], a: Sequence[Item], b: Sequence[Item], key: Callable[[Item], str]
) -> tuple[Item, ...]:
    """Return the members of both branches and the additions of each; those of the base first, the others sorted."""
    common = [each for each in base if each in a and each in b]
    new = {each for side in (a, b) for each in side if each not in base}
    return (*common, *sorted(new, key=key))


def merge_order(base: Sequence[str], a: Sequence[str], b: Sequence[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the wanted names in the order of the branches; an added name follows its neighbour."""
    common = set(a) & set(b)
    of_base = [name for name in base if name in common]
    moved = [side for side in (a, b) if [name for name in side if name in common] != of_base]
    first = min(moved if len(moved) == 1 else (a, b), key=tuple)
    second = b if first is a else a
    order = list(first)
    for index, name in enumerate(second):
        if name not in order:
            order.insert(order.index(second[index - 1]) + 1 if index else 0, name)
    keep = set(names)
    return tuple(name for name in order if name in keep)


def find_survivors(base: Playbook, a: Playbook, b: Playbook) -> dict[str, str]:
    """Map each id to the id of its bullet after the merge; removed bullets have none.

    A merge of two bullets on one branch holds, whatever the other branch did with them. A bullet that one branch
    removed stays removed unless the other changed it.
    """
    ids = sorted({*base.by_id, *a.by_id, *b.by_id})
    targets = {name: _resolve_alias(name, base, a, b) for name in ids}
    ages = {name: _age(name, a, b) for name in ids}
    survivors: dict[str, str] = {}
    for name in ids:
        root = _follow_aliases(name, targets, ages)
        if root is not None:
            survivors[name] = root
    return survivors


def _resolve_alias(name: str, base: Playbook, a: Playbook, b: Playbook) -> str | None:
    """Return the id that a name refers to after both branches: itself for a bullet, another id for an alias."""
    old, one, two = (_owner(side, name) for side in (base, a, b))
    if old == name and _is_removed(name, base, a, b):
        return None
    if None in (one, two):
        return one or two

    def choose(first: str | None, second: str | None) -> str | None:
        others = sorted(each for each in (first, second) if each not in (None, name))
        return min(others, key=lambda each: _age(each, a, b)) if others else name

    return merge_values(old, one, two, choose)


def _is_removed(name: str, base: Playbook, a: Playbook, b: Playbook) -> bool:
    """Return whether a bullet of the base is missing on one branch and unchanged on the other."""
    before = base.by_id[name]
    left = [side.by_id.get(name) for side in (a, b)]
    return None in left and all(each is None or each == before for each in left)


def _owner(playbook: Playbook, name: str) -> str | None:
    bullet = playbook.by_id.get(name)
    return bullet.id if bullet else None


def _age(name: str, a: Playbook, b: Playbook) -> tuple[int, str]:
    """Return the sort key by which the older of two bullets comes first."""
    bullets: list[Bullet] = [side.by_id[name] for side in (a, b) if _owner(side, name) == name]
    return min((each.added for each in bullets), default=0), name


def _follow_aliases(name: str, targets: Mapping[str, str | None], ages: Mapping[str, tuple[int, str]]) -> str | None:
    """Return the end of a chain of aliases; if it is circular, the oldest bullet of the circle."""
    seen: list[str] = []
    at: str | None = name
    while at is not None and at not in seen:
        seen.append(at)
        at = targets.get(at)
    return None if at is None else min(seen[seen.index(at) :], key=lambda each: ages[each])


@dataclass(eq=False)
class Branches:
    """Two branches of a playbook and their common base, with the notes of their merge."""

    base: Playbook
    a: Playbook
    b: Playbook
    revision: int
    """The revision of the merge."""
    notes: set[str] = field(default_factory=set)
    """Things to review; merging adds to them."""

    @property
    def sides(self) -> tuple[Playbook, Playbook]:
        """The two branches."""
        return self.a, self.b

    @cached_property
    def roots(self) -> dict[str, str]:
        """For each id, the id of its bullet after the merge."""
        return find_survivors(self.base, self.a, self.b)

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """All ids that lead to a bullet of the merge, by its id."""
        names: dict[str, list[str]] = defaultdict(list)
        for name, root in self.roots.items():
            names[root].append(name)
        return names

    @cached_property
    def counters(self) -> dict[str, dict[str, int]]:
        """The counters of every bullet of the merge.

        The addition of a branch to a bullet is its count there, minus the counts in the base of this bullet and of the
        bullets that the branch merged into it; so nothing is counted twice when the branches merge bullets differently.
        A bullet that both added identically is a copy, from one import or commit, so it counts once.
        """
        totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTERS, 0))

        def add(name: str, bullet: Bullet, sign: int) -> None:
            for counter in COUNTERS:
                totals[self.roots.get(name, "")][counter] += sign * getattr(bullet, counter)

        for bullet in self.base.bullets:
            add(bullet.id, bullet, 1)
            for side in self.sides:
                owner = side.by_id.get(bullet.id)
                if owner is not None:
                    add(owner.id, bullet, -1)
        for side in self.sides:
            for bullet in side.bullets:
                is_copy = side is self.b and bullet.id not in self.base.by_id and self.a.by_id.get(bullet.id) == bullet
                if not is_copy:
                    add(bullet.id, bullet, 1)
        return {root: {name: max(0, count) for name, count in each.items()} for root, each in totals.items()}

    def merge_value(self, what: str, base: Value, a: Value, b: Value, choose: Callable[[Value, Value], Value]) -> Value:
        """Merge a value, and add a note if both branches changed it differently."""
        value = merge_values(base, a, b, choose)
        if is_conflicting(base, a, b):
            self.notes.add(f"{what} differs on the branches: `{value}` is kept")
        return value


def find_exact_bullet(playbook: Playbook, name: str) -> Bullet | None:
    """Return the bullet with exactly that id, not the one that it was merged into."""
    bullet = playbook.by_id.get(name)
    return bullet if bullet is not None and bullet.id == name else None


_WEIGHT: Mapping[Verdict, int] = {"conflicts": 3, "differs": 3, "kept": 2, "open": 1, "conflict": 0, "review": 0}
_APART = "decided differently on two branches"


def merge_sections(branches: Branches, bullets: Iterable[Bullet]) -> tuple[Section, ...]:
    """Return the sections of both branches in order; a removed one stays if a bullet needs it."""
    old, a, b = ({each.id: each for each in side.sections} for side in (branches.base, *branches.sides))
    used = {bullet.section for bullet in bullets}
    wanted = [name for name in {**a, **b} if (name in a and name in b) or name not in old or name in used]
    order = merge_order(tuple(old), tuple(a), tuple(b), wanted)
    return tuple(Section(name, _title(name, old, a, b, branches)) for name in order)


def _title(
    name: str, old: Mapping[str, Section], a: Mapping[str, Section], b: Mapping[str, Section], branches: Branches
) -> str:
    titles = [side[name].title for side in (a, b) if name in side]
    before = old[name].title if name in old else ""
    return branches.merge_value(f"the title of section `{name}`", before, titles[0], titles[-1], min)


def merge_pairs(branches: Branches, new: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return the pairs of both branches, between the current bullets; of two verdicts, the more decisive one.

    If the branches decided differently about the same texts, the pair is open again.

    Parameters:
        branches: The branches.
        new: Pairs that the merge itself adds.
    """
    old, a, b = (_follow_merges(side, branches.roots) for side in (branches.base, *branches.sides))
    pairs: dict[tuple[str, str], Pair] = {}
    for key in sorted({*a, *b}):
        pair = merge_values(old.get(key), a.get(key), b.get(key), _choose_pair)
        if pair is not None:
            pairs[key] = pair
    for pair in new:
        pairs.setdefault((pair.a, pair.b), pair)
    return tuple(pairs[key] for key in sorted(pairs))


def _follow_merges(playbook: Playbook, roots: Mapping[str, str]) -> dict[tuple[str, str], Pair]:
    """Return the pairs of a branch by the ids of their bullets after the merge; pairs within one bullet are dropped."""
    pairs: dict[tuple[str, str], Pair] = {}
    for pair in playbook.pairs:
        a, b = sorted((roots.get(pair.a, ""), roots.get(pair.b, "")))
        if a and a != b:
            redirected = replace(pair, a=a, b=b)
            pairs[a, b] = max(pairs.get((a, b), redirected), redirected, key=_decision)
    return pairs


def _decision(pair: Pair) -> tuple[int, float, str]:
    return _WEIGHT[pair.verdict], pair.score or 0.0, repr(pair)


def _choose_pair(one: Pair | None, two: Pair | None) -> Pair | None:
    if one is not None and two is not None and _are_opposed(one, two):
        return Pair(one.a, one.b, "open", why=_APART)
    pairs = [pair for pair in (one, two) if pair is not None]
    return max(pairs, key=_decision, default=None)


def _are_opposed(one: Pair, two: Pair) -> bool:
    return one.texts == two.texts and {one.verdict, two.verdict} == {"differs", "conflicts"}


def merge_policies(branches: Branches) -> Policy:
    """Merge policies setting by setting; if both branches changed one, the stricter or, of names, the first wins."""
    old, a, b = branches.base.policy, branches.a.policy, branches.b.policy
    budgets = (old.budget_model_tokens, a.budget_model_tokens, b.budget_model_tokens)
    encodings = (old.encoding, a.encoding, b.encoding)
    return Policy(
        budget_model_tokens=branches.merge_value("`policy.budget_model_tokens`", *budgets, _least),
        encoding=branches.merge_value("`policy.encoding`", *encodings, _least),
        similarity=branches.merge_value("`policy.similarity`", old.similarity, a.similarity, b.similarity, min),
        protect_revisions=branches.merge_value(
            "`policy.protect_revisions`", old.protect_revisions, a.protect_revisions, b.protect_revisions, max
        ),
        merge_similar=branches.merge_value(
            "`policy.merge_similar`", old.merge_similar, a.merge_similar, b.merge_similar, _stricter_threshold
        ),
        refine=branches.merge_value("`policy.refine`", old.refine, a.refine, b.refine, _by_name),
    )


def _stricter_threshold(one: float | None, two: float | None) -> float | None:
    """Return the more careful threshold: none at all, or the higher one."""
    return None if one is None or two is None else max(one, two)


def _by_name(one: Refine, two: Refine) -> Refine:
    return min(one, two, key=str)


def _least(one: Least | None, two: Least | None) -> Least | None:
    """Return the smaller limit, or the first of two names; the only one if there is one."""
    return min((each for each in (one, two) if each is not None), default=None)


_NO_COUNTS = dict.fromkeys(COUNTERS, 0)
_State: TypeAlias = tuple[Status, str, str]


@dataclass(frozen=True, slots=True)
class Merged:
    """The merge of two branches of a playbook."""

    playbook: Playbook
    notes: tuple[str, ...] = ()
    """Things to review, such as two wordings of one bullet; sorted."""


def merge_playbooks(base: Playbook | None, ours: Playbook, theirs: Playbook, *, is_independent: bool = False) -> Merged:
    """Merge two branches of a playbook.

    Parameters:
        base: The common playbook of the branches; `None` if both of them created the file.
        ours: The playbook of one branch.
        theirs: The playbook of the other.
        is_independent: Whether both are known to have worked independently, so that equal changes count twice. Equal
            playbooks without a base are one anyway.
    """
    if theirs == base:
        return Merged(ours)
    if ours == base or (ours == theirs and not (is_independent and base is not None)):
        return Merged(theirs)
    revision = merge_revisions(base.revision if base else None, ours.revision, theirs.revision)
    branches = Branches(base or _make_empty_base(ours, theirs), ours, theirs, revision)
    bullets = {name: _merge_bullet(name, branches) for name in sorted(branches.names)}
    new: list[Pair] = []
    for root, second in _second_wordings(bullets, branches):
        bullets[second.id] = second
        a, b = sorted((root, second.id))
        new.append(Pair(a, b, "open", why=REWORDED))
        branches.notes.add(f"`{root}` was reworded on two branches: the other wording is `{second.id}`")
    branches.notes.update(_report_duplicates(bullets, branches))
    playbook = Playbook(
        name=branches.merge_value("the name of the playbook", branches.base.name, ours.name, theirs.name, min),
        revision=revision,
        sections=merge_sections(branches, bullets.values()),
        bullets=tuple(bullets.values()),
        pairs=merge_pairs(branches, new),
        policy=merge_policies(branches),
    )
    return Merged(sort_playbook(playbook), tuple(sorted(branches.notes)))


def merge_revisions(base: int | None, ours: int, theirs: int) -> int:
    """Return the revision of a merge: all commits of both branches, and one for the merge itself.

    A branch that committed nothing counts nothing, even if its file was edited.
    """
    if base in (ours, theirs):
        return max(ours, theirs)
    return max(ours + theirs - (base or 0), ours, theirs) + 1


def _make_empty_base(a: Playbook, b: Playbook) -> Playbook:
    """Return an empty base, for branches that both created the file."""
    return Playbook(name=min(a.name, b.name), sections=())


def _merge_bullet(name: str, branches: Branches) -> Bullet:
    """Merge a bullet."""
    base, a, b = (
        find_exact_bullet(branches.base, name),
        find_exact_bullet(branches.a, name),
        find_exact_bullet(branches.b, name),
    )
    if a is not None and b is not None:
        bullet = _merge_fields(base or Bullet(id=name, section="", content=""), a, b, branches)
    else:
        bullet = next(each for each in (a, b) if each is not None)
        if base is not None and not all(name in side.by_id for side in branches.sides):
            branches.notes.add(f"`{name}` was deleted on one branch and changed on the other: it stays")
    bullet = _with_successor(_absorb_changes(bullet, branches), branches)
    bullet = replace(
        bullet,
        aliases=tuple(sorted(each for each in branches.names[name] if each != name)),
    )
    bullet = _set_counters(bullet, branches.counters[name])
    return replace(
        bullet, updated=_merge_updated(bullet, [each for each in (a, b) if each is not None], branches.revision)
    )


def _merge_fields(base: Bullet, a: Bullet, b: Bullet, branches: Branches) -> Bullet:
    """Merge a bullet that both branches have, field by field, without what its id decides."""
    status, reason, superseded_by = merge_values(_get_state(base), _get_state(a), _get_state(b), _choose_state)
    content = merge_values(base.content, a.content, b.content, min)
    if base.content and status != base.status and content != base.content:
        branches.notes.add(f"`{a.id}` was reworded and is now {status}")
    return replace(
        a,
        section=branches.merge_value(f"the section of `{a.id}`", base.section, a.section, b.section, min),
        content=content,
        status=status,
        reason=reason or None,
        superseded_by=superseded_by or None,
        pinned=merge_values(base.pinned, a.pinned, b.pinned, max),
        severity=merge_values(base.severity, a.severity, b.severity, find_strictest_severity),
        publish=merge_values(base.publish, a.publish, b.publish, min),
        send=merge_values(base.send, a.send, b.send, min),
        applies_to=tuple(sorted(merge_members(base.applies_to, a.applies_to, b.applies_to, str))),
        source=merge_members(base.source, a.source, b.source, repr),
        added=merge_values(base.added, a.added, b.added, min),
    )


def _get_state(bullet: Bullet) -> _State:
    """Return whether a bullet is in prompts, and why not."""
    return bullet.status, bullet.reason or "", bullet.superseded_by or ""


def _choose_state(one: _State, two: _State) -> _State:
    """Choose the state of a bullet that both branches archived, or one reactivated, in different ways."""
    if "active" in (one[0], two[0]):
        return one if one[0] == "active" else two
    reasons = "; ".join(sorted({one[1], two[1]} - {""}))
    return "archived" if "archived" in (one[0], two[0]) else "proposed", reasons, max(one[2], two[2])


def _with_successor(bullet: Bullet, branches: Branches) -> Bullet:
    """Update the reference of a bullet to its replacement to the id that this has after the merge."""
    successor = branches.roots.get(bullet.superseded_by) if bullet.superseded_by else None
    if bullet.superseded_by is None or successor != bullet.id:
        return replace(bullet, superseded_by=successor)
    return replace(bullet, status="active", reason=None, superseded_by=None)  # that one was merged into it


def _absorb_changes(bullet: Bullet, branches: Branches) -> Bullet:
    """Add to a bullet what one branch changed in another that the other branch merged into it."""
    for name in branches.names[bullet.id]:
        if name != bullet.id:
            old = find_exact_bullet(branches.base, name) or Bullet(id=name, section="", content="")
            for absorbed in (find_exact_bullet(side, name) for side in branches.sides):
                bullet = bullet if absorbed is None else _absorb_bullet(bullet, old, absorbed)
    return bullet


def _absorb_bullet(bullet: Bullet, old: Bullet, new: Bullet) -> Bullet:
    """Add to a bullet what is new in another that is merged into it, without text and counters."""
    applies_to = {each for each in new.applies_to if each not in old.applies_to}
    source = sorted({each for each in new.source if each not in (*old.source, *bullet.source)}, key=repr)
    return replace(
        bullet,
        pinned=bullet.pinned or (new.pinned and not old.pinned),
        severity=bullet.severity
        if new.severity == old.severity
        else find_strictest_severity(bullet.severity, new.severity),
        publish=bullet.publish and (new.publish or not old.publish),
        send=bullet.send and (new.send or not old.send),
        applies_to=tuple(sorted({*bullet.applies_to, *applies_to})),
        source=(*bullet.source, *source),
    )


def _set_counters(bullet: Bullet, counts: Mapping[str, int]) -> Bullet:
    """Return a bullet with other counters."""
    helpful, harmful, neutral, seen = (counts[name] for name in COUNTERS)
    return replace(bullet, helpful=helpful, harmful=harmful, neutral=neutral, seen=seen)


def _merge_updated(bullet: Bullet, before: Sequence[Bullet], revision: int) -> int:
    """Return the revision that changed a bullet last: that of a branch if the merge added nothing."""
    same = [each.updated for each in before if replace(bullet, updated=each.updated) == each]
    return max(same, default=revision)


def _second_wordings(bullets: Mapping[str, Bullet], branches: Branches) -> list[tuple[str, Bullet]]:
    """Return texts that a branch ended with and no bullet of the merge has, as new bullets with the original id."""
    wordings: dict[tuple[str, str], Bullet] = {}
    for side in branches.sides:
        for bullet in side.bullets:
            old, root = find_exact_bullet(branches.base, bullet.id), bullets.get(branches.roots.get(bullet.id, ""))
            if root is None or bullet.content in (root.content, old and old.content):
                continue
            state = root if root.id == bullet.id else _with_successor(bullet, branches)
            second = replace(root, content=bullet.content, source=bullet.source, aliases=())
            second = replace(
                _set_counters(second, _NO_COUNTS),
                status=state.status,
                reason=state.reason,
                superseded_by=state.superseded_by,
            )
            key = (root.id, bullet.content)
            wordings[key] = min(wordings.get(key, second), second, key=repr)
    taken = {name for side in (branches.base, *branches.sides) for name in side.by_id}
    named: list[tuple[str, Bullet]] = []
    for (root_id, content), second in sorted(wordings.items()):
        name = new_id(second.section, content, branches.revision, len(named), taken, name=branches.base.name)
        taken.add(name)
        named.append((root_id, replace(second, id=name, added=branches.revision, updated=branches.revision)))
    return named


def _report_duplicates(bullets: Mapping[str, Bullet], branches: Branches) -> Iterator[str]:
    """Find bullets that both branches added independently with the same text."""
    old = branches.base.by_id
    by_text = {normal_form(each.content): each.id for each in branches.a.active if each.id not in old}
    for bullet in branches.b.active:
        name = by_text.get(normal_form(bullet.content), "")
        if bullet.id not in old and name in bullets and bullet.id in bullets and name != bullet.id:
            first, second = sorted((name, bullet.id))
            yield f"`{first}` and `{second}` say the same: `acdl playbook refine` makes them one"
