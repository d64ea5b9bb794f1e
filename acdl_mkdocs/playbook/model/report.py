"""What `curate` did with a delta, as data: one line an operation, and one for whatever the curator did itself."""

from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet

Op: TypeAlias = str
"""The type of an operation, or what the curator did itself.

`MERGED`: an ADD fell onto a bullet that says the same. `UNLINKED`: a link is gone that an earlier version made.
`PROPOSED`: an ADD waits for approval. `REVIVED`: an ADD brought a bullet back that was pruned, or that waited.
`PRUNED`: archived to fit the budget. `OVER_BUDGET`: the playbook is larger than its budget, and nothing may be archived
for it. `SEEN`: it was in a prompt.
"""


@dataclass(frozen=True, slots=True)
class Applied:
    """Something that was done. An operation has one entry for each bullet or pair that it is about."""

    op: Op
    path: str
    """The operation: `operations[2]`; empty for what the curator did to the whole playbook."""
    id: str
    """The bullet (or section) that it was done to, never an alias."""
    before: Bullet | None = None
    """The bullet before; `None` if it is new. Equal to `after` if nothing changed."""
    after: Bullet | None = None
    """The bullet afterwards; `None` if it became an alias of another."""
    reason: str = ""
    """Why: what the operation says, or what the curator found, with its numbers."""
    other: str = ""
    """The second bullet, for what is about two: MERGE, KEEP, CONFLICT, UNLINKED."""
    note: str = ""
    """What a person should know beside, such as that the id is an alias."""

    @property
    def is_change(self) -> bool:
        """Whether the bullet is another than before."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Rejected:
    """An operation, or a part of a delta, that was not applied."""

    path: str
    """Where: `operations[2].bullet_id`; empty for the whole delta."""
    message: str
    """What is wrong, in one line that makes sense alone."""
    help: str = ""
    """What can be written instead; may be empty."""
    is_for_space: bool = False
    """Whether nothing is wrong with it but that the budget has no space."""

    def __str__(self) -> str:
        said = f"{self.path}: {self.message}" if self.path else self.message
        return f"{said}; {self.help}" if self.help else said


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was done and everything that was not, each in the order of the delta."""

    applied: tuple[Applied, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    reasoning: str = ""
    """Why all of it, as the delta says; one line."""

    def __add__(self, other: "Report") -> "Report":
        reasoning = self.reasoning or other.reasoning
        return Report(self.applied + other.applied, self.rejected + other.rejected, reasoning)
