"""The operations on bullets that are near each other: make them one, or keep them apart."""

from collections.abc import Iterable, Set
from dataclasses import replace
from itertools import combinations
from typing import ClassVar

from acdl_mkdocs.errors import RefusedError
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook import edits
from acdl_mkdocs.playbook.bullets import Bullet, Pair
from acdl_mkdocs.playbook.draft import Draft, Edit
from acdl_mkdocs.playbook.edits import Moment, Operation
from acdl_mkdocs.similarity import guards


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Operation):
    """Bullets that say the same become one. It has the oldest id and, without `content`, the words of `bullet_id`."""

    type: ClassVar[str] = "MERGE"
    bullet_id: str
    others: tuple[str, ...]
    content: str | None = None

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Make one of them."""
        bullets = self.bullets(draft)
        blocks = forbidden(bullets) if not at.is_person else ()
        if blocks:
            raise RefusedError("", f"a guard forbids it: {'; '.join(blocks)}", "KEEP both, or let a person merge them")
        kept = survivor(bullets)
        content = bullets[0].content if self.content is None else edits.safe_content(self.content)
        if content != kept.content:
            for each in bullets:
                edits.check_protected(each, "rewritten", "bullet_id", at)
        gone = frozenset(each.id for each in bullets if each is not kept)
        first, *rest = (kept, *(each for each in bullets if each is not kept))
        one = replace(
            first,
            content=content,
            pinned=any(each.pinned for each in bullets),
            severity="critical" if any(each.severity == "critical" for each in bullets) else "normal",
            publish=all(each.publish for each in bullets),
            send=all(each.send for each in bullets),
            **{
                name: sum(getattr(each, name) for each in bullets) for name in ("helpful", "harmful", "neutral", "seen")
            },
            applies_to=tuple(sorted({target for each in bullets for target in each.applies_to})),
            source=edits.united(first.source, *(each.source for each in rest)),
            aliases=tuple(sorted(gone | {alias for each in bullets for alias in each.aliases})),
            updated=at.revision,
        )
        unpaired, pairs = _repaired(draft, gone, kept.id)
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


def forbidden(bullets: Iterable[Bullet]) -> tuple[str, ...]:
    """Why guards forbid that bullets become one: a group is one only if any two of it are."""
    blocks = (block for a, b in combinations(bullets, 2) for block in guards(a.content, b.content))
    return tuple(dict.fromkeys(block.why for block in blocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep(Operation):
    """Two bullets that are near each other both stay; nobody is asked about them again."""

    type: ClassVar[str] = "KEEP"
    bullet_id: str
    other: str

    def edit(self, draft: Draft, at: Moment) -> Edit:
        """Remember that both stay."""
        del at  # whenever and by whomever
        a = edits.bullet(draft, self.bullet_id, "bullet_id")
        b = edits.bullet(draft, self.other, "other")
        if a is b:
            raise RefusedError("other", f"is `{a.id}` too", "name two different bullets")
        asked = edits.pair_of(a.id, b.id, "kept", 0)
        old = draft.pair(asked.a, asked.b) or asked
        why = edits.safe_line(self.reason, "reason") or old.why
        new = replace(old, verdict="kept", why=why)
        return Edit() if new == draft.pair(new.a, new.b) else Edit(pairs=(new,))


def _repaired(draft: Draft, gone: Set[str], kept: str) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """The pairs that a merge takes out, and the same as pairs of the survivor; those within the merge are gone."""
    old = {(each.a, each.b): each for name in gone for each in draft.pairs_of(name)}
    new: dict[tuple[str, str], Pair] = {}
    for key, each in old.items():
        a, b = (kept if name in gone else name for name in key)
        if a != b:
            new[key] = edits.pair_of(a, b, each.verdict, each.score, each.why)
    for each in list(new.values()):
        there = draft.pair(each.a, each.b)
        if there is not None:
            old[each.a, each.b] = new[each.a, each.b] = there
    return tuple(old.values()), tuple(new[key] for key in sorted(new))
