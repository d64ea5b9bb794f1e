"""The result of `curate` as data: one line an operation, and one for each action of the curator itself."""

from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet

Op: TypeAlias = str
"""The type of an operation, or an action of the curator itself.

`MERGED`: an ADD repeats a bullet that says the same. `UNLINKED`: a link of an earlier version was removed.
`PROPOSED`: an ADD waits for approval. `REVIVED`: an ADD reactivated a bullet that was pruned or proposed.
`PRUNED`: archived to fit the budget. `OVER_BUDGET`: the playbook is larger than its budget, and nothing may be archived
for it. `SEEN`: it was in a prompt.
"""


@dataclass(frozen=True, slots=True)
class Applied:
    """An applied change. An operation has one entry for each bullet or pair that it is about."""

    op: Op
    path: str
    """The operation: `operations[2]`; empty for changes of the whole playbook."""
    id: str
    """The bullet (or section) that was changed, never an alias."""
    before: Bullet | None = None
    """The bullet before; `None` if it is new. Equal to `after` if nothing changed."""
    after: Bullet | None = None
    """The bullet afterwards; `None` if it became an alias of another."""
    reason: str = ""
    """The reason of the operation, or the finding of the curator with its numbers."""
    other: str = ""
    """The second bullet, for operations about two: MERGE, KEEP, CONFLICT, UNLINKED."""
    note: str = ""
    """Further information for a person, such as that the id is an alias."""

    @property
    def is_change(self) -> bool:
        """True if the bullet changed."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Rejected:
    """An operation, or a part of a delta, that was not applied."""

    path: str
    """Where: `operations[2].bullet_id`; empty for the whole delta."""
    message: str
    """What is wrong, in one self-contained line."""
    help: str = ""
    """What to write instead; may be empty."""
    is_for_space: bool = False
    """Whether it is valid, and rejected only because the budget has no space."""

    def __str__(self) -> str:
        text = f"{self.path}: {self.message}" if self.path else self.message
        return f"{text}; {self.help}" if self.help else text


@dataclass(frozen=True, slots=True)
class Report:
    """All applied and all rejected operations, each in the order of the delta."""

    applied: tuple[Applied, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    reasoning: str = ""
    """The reasoning of the delta; one line."""

    def __add__(self, other: "Report") -> "Report":
        reasoning = self.reasoning or other.reasoning
        return Report(self.applied + other.applied, self.rejected + other.rejected, reasoning)
