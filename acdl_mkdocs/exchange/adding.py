"""What was read of another format as a delta, so that the curator adds it like everything else."""

from collections.abc import Iterable
from dataclasses import replace

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Playbook, Provenance, Section, ordered
from acdl_mkdocs.playbook.delta import Delta, delta
from acdl_mkdocs.playbook.edits import PERSON
from acdl_mkdocs.playbook.ids import new_id
from acdl_mkdocs.playbook.operations import IMPORT, Add, AddSection, Operation


@dataclass(frozen=True, slots=True)
class Adding:
    """How a playbook gets what was read."""

    delta: Delta
    notes: tuple[str, ...] = ()
    """What is not added, and why."""


def adding(playbook: Playbook, read: Playbook, origin: str) -> Adding:
    """The operations that add the sections and the active bullets of one playbook to another.

    A bullet keeps its id unless another has it, its counters, and where it was learned.

    Parameters:
        playbook: What gets them.
        read: What has them.
        origin: The file that was read: the reference of bullets that name no source.
    """
    homes = _homes(playbook, read)
    known = {each.id for each in playbook.sections}
    used = {bullet.section for bullet in read.active}
    operations: list[Operation] = [
        AddSection(title=section.title, id=section.id)
        for section in read.sections
        if section.id in used and homes[section.id] not in known
    ]
    n_there = 0
    for bullet in read.active:
        old = playbook.by_id.get(bullet.id)
        if old is not None and old.content == bullet.content:
            n_there += 1
        else:
            operations.append(_add(bullet, homes[bullet.section], origin, has_id=old is None))
    notes = (f"{_counted(n_there)} left out: there already, with the same id and text",) if n_there else ()
    return Adding(delta(*operations, reasoning=f"import of {origin}"), notes)


def with_archived(playbook: Playbook, read: Playbook, origin: str) -> Playbook:
    """A playbook with the archived bullets of another, so that they are not learned again.

    One whose text is there already, archived or not, is left out. The very same playbook if there is none to add.
    """
    homes = _homes(playbook, read)
    revision = playbook.revision + 1
    texts = {each.content for each in playbook.bullets}
    taken = set(playbook.by_id)
    added: list[Bullet] = []
    for each in read.bullets:
        if each.is_active or each.content in texts:
            continue
        section = homes[each.section]
        name = new_id(section, each.content, revision, len(added), taken, name=playbook.name)
        name = each.id if each.id not in taken else name
        taken.add(name)
        texts.add(each.content)
        added.append(_archived(replace(each, id=name, section=section), origin, revision))
    if not added:
        return playbook
    known = {each.id for each in playbook.sections}
    used = {each.section for each in added} - known
    sections = (*playbook.sections, *(Section(each.id, each.title) for each in read.sections if each.id in used))
    whole = replace(playbook, sections=sections, bullets=(*playbook.bullets, *added), revision=revision)
    return ordered(whole)


def without_trust(playbook: Playbook) -> tuple[Playbook, int]:
    """A playbook whose bullets nobody has pinned, called critical or said in person; and how many were changed."""
    bullets = tuple(_plain(each) for each in playbook.bullets)
    n_changed = sum(new != old for new, old in zip(bullets, playbook.bullets, strict=True))
    return replace(playbook, bullets=bullets), n_changed


def _plain(bullet: Bullet) -> Bullet:
    source = tuple(replace(each, by=IMPORT) if each.by == PERSON else each for each in bullet.source)
    return replace(bullet, pinned=False, severity="normal", source=source)


def _homes(playbook: Playbook, read: Playbook) -> dict[str, str]:
    """The section of the playbook for each section that was read: that of the same title, else of the same id."""
    by_title = {each.title.casefold(): each.id for each in playbook.sections}
    return {each.id: by_title.get(each.title.casefold(), each.id) for each in read.sections}


def _archived(bullet: Bullet, origin: str, revision: int) -> Bullet:
    by = f"replaced by `{bullet.superseded_by}`" if bullet.superseded_by else ""
    said: Iterable[str] = (each for each in (by, bullet.reason) if each)
    return replace(
        bullet,
        status="archived",
        reason="; ".join(said) or f"archived in {origin}",
        superseded_by=None,
        aliases=(),
        source=_source(bullet, origin),
        added=revision,
        updated=revision,
    )


def _source(bullet: Bullet, origin: str) -> tuple[Provenance, ...]:
    return bullet.source or (Provenance(by=IMPORT, reference=origin),)


def _add(bullet: Bullet, section: str, origin: str, *, has_id: bool) -> Add:
    return Add(
        section=section,
        content=bullet.content,
        applies_to=bullet.applies_to,
        severity=bullet.severity,
        publish=bullet.publish,
        id=bullet.id if has_id else None,
        pinned=bullet.pinned,
        helpful=bullet.helpful,
        harmful=bullet.harmful,
        neutral=bullet.neutral,
        seen=bullet.seen,
        source=_source(bullet, origin),
        reason=f"import of {origin}",
    )


def _counted(number: int) -> str:
    return "1 bullet" if number == 1 else f"{number} bullets"
