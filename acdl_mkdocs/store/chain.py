"""How a revision is committed: its lines, chained to those before, and the stamp that tells it from any other.

The stamp stands in the last line of the revision and in the playbook file. So two branches that do the same to a
playbook have files that differ, and git asks for a merge of them, which counts both.
"""

from collections.abc import Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.store.history import Event, hash_of, line_of

STAMP_LENGTH = 12
"""How many hex digits a stamp has."""


@dataclass(frozen=True, slots=True)
class Chained:
    """One revision, as it is appended to a history."""

    data: bytes
    last_hash: str
    """That of its last line."""
    stamp: str


def chained(events: Sequence[Event], previous: str, digest: str, stamp: str | None = None) -> Chained:
    """The lines of one revision, numbered and chained to what stands before.

    Parameters:
        events: At least one; their `n`, `of`, `previous`, `digest` and `stamp` are set here.
        previous: Hash of the line before.
        digest: Hash of the playbook after them.
        stamp: That of the revision; without it, it follows from the events and from all that stands before.
    """
    lines = []
    for number, event in enumerate(events, 1):
        placed = replace(event, n=number, of=len(events), previous=previous, digest=None, stamp=None)
        if number == len(events):
            placed = replace(placed, digest=digest)
            stamp = stamp or hash_of(line_of(placed))[:STAMP_LENGTH]
            placed = replace(placed, stamp=stamp)
        lines.append(line_of(placed))
        previous = hash_of(lines[-1])
    return Chained(b"".join(lines), previous, stamp or "")
