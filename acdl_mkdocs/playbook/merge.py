"""Three-way merge of a playbook that was changed on two branches.

Bullet by bullet and field by field: never a conflict, and nothing is lost. Counters get what both branches added; a
text that both changed stays in both wordings, and the pair is open until somebody decides. Knows nothing of files,
git or history (`store.merge_history`). The two branches are equals: merging them in either direction gives the same
playbook.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook, Status, ordered
from acdl_mkdocs.playbook.decisions import REWORDED
from acdl_mkdocs.playbook.ids import new_id
from acdl_mkdocs.playbook.merge_branches import COUNTERS, Branches, own
from acdl_mkdocs.playbook.merge_frame import merged_pairs, merged_policy, merged_sections
from acdl_mkdocs.playbook.three_way import changed, members
from acdl_mkdocs.similarity import normal_form

_NO_COUNTS = dict.fromkeys(COUNTERS, 0)
_State: TypeAlias = tuple[Status, str, str]


@dataclass(frozen=True, slots=True)
class Merged:
    """What two branches of a playbook make together."""

    playbook: Playbook
    notes: tuple[str, ...] = ()
    """What somebody should look at, such as two wordings of one bullet; sorted."""


def merged(base: Playbook | None, ours: Playbook, theirs: Playbook, *, is_apart: bool = False) -> Merged:
    """What both branches make of a playbook together.

    Parameters:
        base: The playbook where the branches part; `None` if both of them made the file.
        ours: What one branch made of it.
        theirs: What the other did.
        is_apart: Whether both are known to have worked each for itself, so that what they did counts twice even if
            it is the same. Equal playbooks that have no base are one all the same.
    """
    if theirs == base:
        return Merged(ours)
    if ours == base or (ours == theirs and not (is_apart and base is not None)):
        return Merged(theirs)
    revision = merged_revision(base.revision if base else None, ours.revision, theirs.revision)
    branches = Branches(base or _nothing(ours, theirs), ours, theirs, revision)
    bullets = {name: _bullet(name, branches) for name in sorted(branches.names)}
    new: list[Pair] = []
    for root, second in _second_wordings(bullets, branches):
        bullets[second.id] = second
        a, b = sorted((root, second.id))
        new.append(Pair(a, b, "open", why=REWORDED))
        branches.notes.add(f"`{root}` was reworded on two branches: the other wording is `{second.id}`")
    branches.notes.update(_said_twice(bullets, branches))
    whole = Playbook(
        name=branches.chosen("the name of the playbook", branches.base.name, ours.name, theirs.name, min),
        revision=revision,
        sections=merged_sections(branches, bullets.values()),
        bullets=tuple(bullets.values()),
        pairs=merged_pairs(branches, new),
        policy=merged_policy(branches),
    )
    return Merged(ordered(whole), tuple(sorted(branches.notes)))


def merged_revision(base: int | None, ours: int, theirs: int) -> int:
    """The revision of a merge: all that both branches committed, and one for the merge itself.

    A branch that committed nothing, however its file was edited, counts nothing.
    """
    if base in (ours, theirs):
        return max(ours, theirs)
    return max(ours + theirs - (base or 0), ours, theirs) + 1


def _nothing(a: Playbook, b: Playbook) -> Playbook:
    """Where branches part that both made the file."""
    return Playbook(name=min(a.name, b.name), sections=())


def _bullet(name: str, branches: Branches) -> Bullet:
    """A bullet after both branches."""
    base, a, b = own(branches.base, name), own(branches.a, name), own(branches.b, name)
    if a is not None and b is not None:
        found = _three_way(base or Bullet(id=name, section="", content=""), a, b, branches)
    else:
        found = next(each for each in (a, b) if each is not None)
        if base is not None and not all(name in side.by_id for side in branches.sides):
            branches.notes.add(f"`{name}` was deleted on one branch and changed on the other: it stays")
    found = _with_successor(_with_absorbed(found, branches), branches)
    found = replace(
        found,
        aliases=tuple(sorted(each for each in branches.names[name] if each != name)),
    )
    found = _counting(found, branches.counters[name])
    return replace(found, updated=_updated(found, [each for each in (a, b) if each is not None], branches.revision))


def _three_way(base: Bullet, a: Bullet, b: Bullet, branches: Branches) -> Bullet:
    """A bullet that both branches have, field by field; what its id decides aside."""
    status, reason, superseded_by = changed(_state(base), _state(a), _state(b), _decided)
    content = changed(base.content, a.content, b.content, min)
    if status != base.status and content != base.content:
        branches.notes.add(f"`{a.id}` was reworded and is now {status}")
    return replace(
        a,
        section=branches.chosen(f"the section of `{a.id}`", base.section, a.section, b.section, min),
        content=content,
        status=status,
        reason=reason or None,
        superseded_by=superseded_by or None,
        pinned=changed(base.pinned, a.pinned, b.pinned, max),
        severity=changed(base.severity, a.severity, b.severity, min),
        publish=changed(base.publish, a.publish, b.publish, min),
        send=changed(base.send, a.send, b.send, min),
        applies_to=tuple(sorted(members(base.applies_to, a.applies_to, b.applies_to, str))),
        source=members(base.source, a.source, b.source, repr),
        added=changed(base.added, a.added, b.added, min),
    )


def _state(bullet: Bullet) -> _State:
    """Whether it is in prompts, and why not."""
    return bullet.status, bullet.reason or "", bullet.superseded_by or ""


def _decided(one: _State, two: _State) -> _State:
    """What holds of a bullet that both branches took out, or one put back, in different ways."""
    if "active" in (one[0], two[0]):
        return one if one[0] == "active" else two
    reasons = "; ".join(sorted({one[1], two[1]} - {""}))
    return "archived" if "archived" in (one[0], two[0]) else "proposed", reasons, max(one[2], two[2])


def _with_successor(bullet: Bullet, branches: Branches) -> Bullet:
    """A bullet that names the bullet which replaced it as that is called after the merge."""
    successor = branches.roots.get(bullet.superseded_by) if bullet.superseded_by else None
    if bullet.superseded_by is None or successor != bullet.id:
        return replace(bullet, superseded_by=successor)
    return replace(bullet, status="active", reason=None, superseded_by=None)  # that one was merged into it


def _with_absorbed(bullet: Bullet, branches: Branches) -> Bullet:
    """A bullet with what one branch changed in another that the other branch merged into it."""
    for name in branches.names[bullet.id]:
        if name != bullet.id:
            old = own(branches.base, name) or Bullet(id=name, section="", content="")
            for absorbed in (own(side, name) for side in branches.sides):
                bullet = bullet if absorbed is None else _absorbing(bullet, old, absorbed)
    return bullet


def _absorbing(bullet: Bullet, old: Bullet, new: Bullet) -> Bullet:
    """A bullet with what is new in another that is merged into it; its text and counters aside."""
    applies_to = {each for each in new.applies_to if each not in old.applies_to}
    source = sorted({each for each in new.source if each not in (*old.source, *bullet.source)}, key=repr)
    return replace(
        bullet,
        pinned=bullet.pinned or (new.pinned and not old.pinned),
        severity=bullet.severity if new.severity == old.severity else min(bullet.severity, new.severity),
        publish=bullet.publish and (new.publish or not old.publish),
        send=bullet.send and (new.send or not old.send),
        applies_to=tuple(sorted({*bullet.applies_to, *applies_to})),
        source=(*bullet.source, *source),
    )


def _counting(bullet: Bullet, counts: Mapping[str, int]) -> Bullet:
    """A bullet with other counters."""
    helpful, harmful, neutral, seen = (counts[name] for name in COUNTERS)
    return replace(bullet, helpful=helpful, harmful=harmful, neutral=neutral, seen=seen)


def _updated(bullet: Bullet, before: Sequence[Bullet], revision: int) -> int:
    """The revision that changed a bullet last: that of a branch if the merge gave it nothing more."""
    same = [each.updated for each in before if replace(bullet, updated=each.updated) == each]
    return max(same, default=revision)


def _second_wordings(bullets: Mapping[str, Bullet], branches: Branches) -> list[tuple[str, Bullet]]:
    """Texts that a branch ended with and that no bullet of the merge has: new bullets, each with the id it is of."""
    found: dict[tuple[str, str], Bullet] = {}
    for side in branches.sides:
        for bullet in side.bullets:
            old, root = own(branches.base, bullet.id), bullets.get(branches.roots.get(bullet.id, ""))
            if root is None or bullet.content in (root.content, old and old.content):
                continue
            state = root if root.id == bullet.id else _with_successor(bullet, branches)
            second = replace(root, content=bullet.content, source=bullet.source, aliases=())
            second = replace(
                _counting(second, _NO_COUNTS),
                status=state.status,
                reason=state.reason,
                superseded_by=state.superseded_by,
            )
            key = (root.id, bullet.content)
            found[key] = min(found.get(key, second), second, key=repr)
    taken = {name for side in (branches.base, *branches.sides) for name in side.by_id}
    named: list[tuple[str, Bullet]] = []
    for (root_id, content), second in sorted(found.items()):
        name = new_id(second.section, content, branches.revision, len(named), taken, name=branches.base.name)
        taken.add(name)
        named.append((root_id, replace(second, id=name, added=branches.revision, updated=branches.revision)))
    return named


def _said_twice(bullets: Mapping[str, Bullet], branches: Branches) -> Iterator[str]:
    """Say which bullets the branches added each for itself, with the same text."""
    old = branches.base.by_id
    by_text = {normal_form(each.content): each.id for each in branches.a.active if each.id not in old}
    for bullet in branches.b.active:
        name = by_text.get(normal_form(bullet.content), "")
        if bullet.id not in old and name in bullets and bullet.id in bullets and name != bullet.id:
            first, second = sorted((name, bullet.id))
            yield f"`{first}` and `{second}` say the same: `acdl playbook refine` makes them one"
