"""What was read of another format as a delta, so that the curator adds it like everything else."""

from collections.abc import Container
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.playbook.bullets import Bullet, Playbook, Provenance
from acdl_mkdocs.playbook.delta import Delta, delta
from acdl_mkdocs.playbook.edits import PERSON
from acdl_mkdocs.playbook.operations import IMPORT, Add, AddSection, Operation
from acdl_mkdocs.similarity import normal_form

_MOST_NAMED = 5
"""Ids that a note lists."""


@dataclass(frozen=True, slots=True)
class Adding:
    """How a playbook gets what was read."""

    delta: Delta
    notes: tuple[str, ...] = ()
    """What is not added, and why."""


def adding(
    playbook: Playbook, read: Playbook, origin: str, used: Container[str] = frozenset(), *, is_whole: bool = False
) -> Adding:
    """The operations that add the sections and the active bullets of one playbook to another.

    A bullet keeps its id unless another has it or had it, its counters, and where it was learned. What else there is,
    and what both have, is for `uniting.with_rest`.

    Parameters:
        playbook: What gets them.
        read: What has them.
        origin: The file that was read: the reference of bullets that name no source.
        used: Ids that are never used again.
        is_whole: Whether sections without bullets are added too.
    """
    home = homes(playbook, read)
    known = {each.id for each in playbook.sections}
    wanted = {each.id for each in read.sections} if is_whole else {bullet.section for bullet in read.active}
    operations: list[Operation] = [
        AddSection(title=section.title, id=section.id)
        for section in read.sections
        if section.id in wanted and home[section.id] not in known
    ]
    n_there = 0
    renamed: list[str] = []
    for bullet in read.active:
        old = playbook.by_id.get(bullet.id)
        if old is not None and _is_there(old, bullet):
            n_there += 1
            continue
        has_id = old is None and bullet.id not in used
        renamed += [] if has_id else [bullet.id]
        operations.append(_add(bullet, home[bullet.section], origin, has_id=has_id))
    notes = [f"{counted(n_there, 'bullet')} left out: there already, with the same id and text"] if n_there else []
    if renamed:
        listed = ", ".join(f"`{name}`" for name in renamed[:_MOST_NAMED]) + (
            ", …" if len(renamed) > _MOST_NAMED else ""
        )
        notes.append(f"{counted(len(renamed), 'bullet')} with a new id, since another one has or had it: {listed}")
    return Adding(delta(*operations, reasoning=f"import of {origin}"), tuple(notes))


def without_trust(playbook: Playbook) -> tuple[Playbook, int]:
    """A playbook whose bullets nobody has pinned, called critical or said in person; and how many were changed."""
    bullets = tuple(_plain(each) for each in playbook.bullets)
    n_changed = sum(new != old for new, old in zip(bullets, playbook.bullets, strict=True))
    return replace(playbook, bullets=bullets), n_changed


def _is_there(old: Bullet, bullet: Bullet) -> bool:
    """Whether a bullet with the same id, or with it as an alias, has the text; so the curator counts it only once."""
    is_same = old.is_active and normal_form(old.content) == normal_form(bullet.content)
    return is_same or old.content == bullet.content


def _plain(bullet: Bullet) -> Bullet:
    source = tuple(replace(each, by=IMPORT) if each.by == PERSON else each for each in bullet.source)
    return replace(bullet, pinned=False, severity="normal", source=source)


def homes(playbook: Playbook, read: Playbook) -> dict[str, str]:
    """The section of the playbook for each section that was read: that of the same title, else of the same id."""
    by_title = {each.title.casefold(): each.id for each in playbook.sections}
    return {each.id: by_title.get(each.title.casefold(), each.id) for each in read.sections}


def source_of(bullet: Bullet, origin: str) -> tuple[Provenance, ...]:
    """Where a bullet was learned: what it says, or the file that was read."""
    return bullet.source or (Provenance(by=IMPORT, reference=origin),)


def _add(bullet: Bullet, section: str, origin: str, *, has_id: bool) -> Add:
    return Add(
        section=section,
        content=bullet.content,
        applies_to=bullet.applies_to,
        severity=bullet.severity,
        publish=bullet.publish,
        send=bullet.send,
        id=bullet.id if has_id else None,
        pinned=bullet.pinned,
        helpful=bullet.helpful,
        harmful=bullet.harmful,
        neutral=bullet.neutral,
        seen=bullet.seen,
        source=source_of(bullet, origin),
        reason=f"import of {origin}",
    )
