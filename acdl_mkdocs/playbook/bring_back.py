"""A bullet that comes back into use because somebody learned it again: what it then is."""

from dataclasses import replace

from acdl_mkdocs.playbook import edits
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook.edits import Moment

_COUNTERS = ("helpful", "harmful", "neutral", "seen")


def bring_back(old: Bullet, new: Bullet, at: Moment, *, alias: str | None = None) -> Bullet:
    """A bullet that was pruned or proposed, with its counters, and what an ADD of the same text says besides.

    It counts as new, so that it is not pruned again before anybody can have used it.

    Parameters:
        old: As it is in the playbook.
        new: As the ADD would add it.
        at: When.
        alias: An id under which it is known elsewhere.
    """
    aliases = {*old.aliases, *([alias] if alias else [])} - {old.id}
    return replace(
        edits.combine_bullets(old, new),
        section=new.section,
        status=new.status,
        reason=new.reason,
        superseded_by=None,
        **{name: getattr(old, name) + getattr(new, name) for name in _COUNTERS},
        aliases=tuple(sorted(aliases)),
        added=at.revision,
        updated=at.revision,
    )
