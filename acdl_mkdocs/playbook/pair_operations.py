"""What can be decided about bullets: they say the same and become one, or both stay, and why."""

from abc import ABC
from collections.abc import Iterable, Set
from dataclasses import replace
from typing import ClassVar

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook import edits
from acdl_mkdocs.playbook.bullets import Bullet, Pair, Verdict
from acdl_mkdocs.playbook.decisions import digest_of, is_decided
from acdl_mkdocs.playbook.draft import Draft, Edit
from acdl_mkdocs.playbook.edits import Moment, Operation
from acdl_mkdocs.similarity import normal_form


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Operation):
    """Bullets that say the same become one. It has the oldest id and, without `content`, the words of `bullet_id`."""

    type: ClassVar[str] = "MERGE"
    bullet_id: str
    others: tuple[str, ...]
    content: str | None = None
    texts: str | None = None
    """Which two texts it was decided about; `None` for whatever they are. Deltas cannot give it."""

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Make one of them."""
        bullets = self.bullets(draft)
        _check_texts(self.texts, bullets[0], bullets[-1])
        kept = survivor(bullets)
        content = bullets[0].content if self.content is None else edits.safe_content(self.content)
        for each in bullets:
            if normal_form(each.content) != normal_form(content):
                edits.check_protected(each, "rewritten", "bullet_id", at)
        gone = frozenset(each.id for each in bullets if each is not kept)
        first, *rest = (kept, *(each for each in bullets if each is not kept))
        counted = [each if self.content is None else edits.rewrite_bullet(each, content) for each in bullets]
        one = replace(
            first,
            content=content,
            pinned=any(each.pinned for each in bullets),
            severity="critical" if any(each.severity == "critical" for each in bullets) else "normal",
            publish=all(each.publish for each in bullets),
            send=all(each.send for each in bullets),
            **{
                name: sum(getattr(each, name) for each in counted) for name in ("helpful", "harmful", "neutral", "seen")
            },
            applies_to=tuple(sorted({target for each in bullets for target in each.applies_to})),
            source=edits.united(first.source, *(each.source for each in rest)),
            aliases=tuple(sorted(gone | {alias for each in bullets for alias in each.aliases})),
            updated=at.revision,
        )
        unpaired, pairs = _repaired(draft, gone, one)
        return Edit(bullets=(one,), gone=gone, unpaired=unpaired, pairs=pairs)

    def bullets(self, draft: Draft) -> tuple[Bullet, ...]:
        """Those that become one, `bullet_id` first."""
        found = [edits.active(draft, self.bullet_id, "bullet_id")]
        for idx, name in enumerate(self.others):
            other = edits.active(draft, name, f"others[{idx}]")
            if other in found:
                raise RefusedError(f"others[{idx}]", f"`{other.id}` is named twice", "name two different bullets")
            found.append(other)
        if len(found) == 1:
            raise RefusedError("others", "is empty", "name the bullets that say the same")
        return tuple(found)


def survivor(bullets: Iterable[Bullet]) -> Bullet:
    """The oldest of bullets that become one, whose id stays."""
    return min(bullets, key=lambda each: (each.added, each.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class _BothStay(Operation, ABC):
    """Two bullets stay, and nobody is asked about them again while both have the words that they have now."""

    verdict: ClassVar[Verdict]
    bullet_id: str
    other: str
    texts: str | None = None
    """Which two texts it was decided about; `None` for whatever they are. Deltas cannot give it."""

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Remember what was decided."""
        one = edits.bullet(draft, self.bullet_id, "bullet_id")
        two = edits.bullet(draft, self.other, "other")
        if one is two:
            raise RefusedError("other", f"is `{one.id}` too", "name two different bullets")
        _check_texts(self.texts, one, two)
        a, b = sorted((one.id, two.id))
        old = draft.pair(a, b)
        why = edits.safe_line(self.reason, "reason") or (old.why if old is not None else None)
        if old is not None and (old.verdict, old.why) == (self.verdict, why) and is_decided(old, one, two):
            return Edit()
        return Edit(pairs=(Pair(a, b, self.verdict, None, why, at.actor, digest_of(one.content, two.content)),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep(_BothStay):
    """Two bullets say different things."""

    type: ClassVar[str] = "KEEP"
    verdict: ClassVar[Verdict] = "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(_BothStay):
    """Two bullets contradict each other; which of them is right is not decided."""

    type: ClassVar[str] = "CONFLICT"
    verdict: ClassVar[Verdict] = "conflicts"


def _check_texts(texts: str | None, one: Bullet, two: Bullet) -> None:
    """Whether two bullets still say what something was decided about.

    Raises:
        RefusedError: One of them has other words by now.
    """
    if texts is not None and texts != digest_of(one.content, two.content):
        said = f"`{one.id}` or `{two.id}` has other words than those that it was decided about"
        raise RefusedError("texts", said, "decide again")


def _repaired(draft: Draft, gone: Set[str], kept: Bullet) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """The pairs that a merge takes out, and the same as pairs of the survivor; those within the merge are gone.

    Of several about the same bullets, that which is decided about the words that they have now is kept.
    """
    old = {(each.a, each.b): each for name in (*gone, kept.id) for each in draft.pairs_of(name)}
    new: dict[tuple[str, str], Pair] = {}
    for each in old.values():
        first, second = sorted(kept.id if name in gone else name for name in (each.a, each.b))
        if first == second:
            continue
        moved = replace(each, a=first, b=second)
        other = draft.by_id[second if first == kept.id else first]
        if (first, second) not in new or is_decided(moved, kept, other):
            new[first, second] = moved
    same = {key for key, each in new.items() if old.get(key) == each}
    unpaired = tuple(each for key, each in old.items() if key not in same)
    return unpaired, tuple(new[key] for key in sorted(new) if key not in same)
