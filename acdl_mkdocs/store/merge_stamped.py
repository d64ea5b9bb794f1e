"""Two branches of a playbook with the stamps of their last revisions.

The file and the history are merged each for itself, by programs that see only one of them, and have to agree.
"""

from hashlib import sha256

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.merge import Merged, merged
from acdl_mkdocs.playbook.three_way import changed
from acdl_mkdocs.store.chain import STAMP_LENGTH


@dataclass(frozen=True, slots=True)
class Stamped:
    """A playbook, and the stamp of the revision that made it."""

    playbook: Playbook | None
    stamp: str | None = None


def merged_stamped(base: Stamped, ours: Stamped, theirs: Stamped) -> tuple[Merged, str | None]:
    """What two branches make together, and its stamp; the same for a playbook file and for its history.

    Branches whose stamps differ committed each for itself, even if their playbooks are equal: what they counted is
    added. A merge that gives the playbook of one branch has the stamp of that branch.

    Parameters:
        base: Where the branches part; its playbook is `None` if both of them made it.
        ours: One branch.
        theirs: The other.
    """
    one, two = ours.playbook, theirs.playbook
    if one is None or two is None:
        raise ValueError("a branch has no playbook")
    both = merged(base.playbook, one, two, is_apart=len({base.stamp, ours.stamp, theirs.stamp}) > 2)
    same = {side.stamp for side in (ours, theirs) if side.playbook == both.playbook}
    stamp = (
        min(same, key=lambda stamp: (stamp is None, stamp or ""))
        if same
        else changed(base.stamp, ours.stamp, theirs.stamp, _joined)
    )
    return both, stamp


def _joined(one: str | None, two: str | None) -> str:
    """The stamp of a merge, whichever branch is merged into the other."""
    return sha256(" ".join(sorted((one or "", two or ""))).encode()).hexdigest()[:STAMP_LENGTH]
