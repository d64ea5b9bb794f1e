"""The changes between two specs, as data: edits with their places on both sides. Knows nothing about showing them."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Comment, Node
from acdl_mkdocs.language.syntax.parse import Parsed

EditKind: TypeAlias = Literal[
    "added", "removed", "changed", "moved", "renamed", "wrapped", "unwrapped", "role", "setting"
]
Path: TypeAlias = tuple[int, ...]
"""Positions from the file down: `(0, 2)` is the third statement of the first definition; comments do not count."""


@dataclass(frozen=True, slots=True)
class Change:
    """One changed aspect of a statement."""

    what: str
    """Such as `condition`, `bounds`, `arguments`, `name`, `role`."""
    old: str
    """In the normal form; empty if there was nothing."""
    new: str
    old_span: Span
    new_span: Span


@dataclass(frozen=True, slots=True)
class CarriedStatement:
    """A statement that a block was put around, or taken away from."""

    old_path: Path
    new_path: Path


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the tree."""

    kind: EditKind
    old: Node | None
    new: Node | None
    old_path: Path | None
    new_path: Path | None
    changes: tuple[Change, ...] = ()
    carried: tuple[CarriedStatement, ...] = ()
    """The statements that stay while the block around them is added or removed; such a block is only its head."""
    is_head: bool = False
    """Whether only the head of the block was added or removed: its content was or is elsewhere, or has its own
    edits."""
    can_change_sent: bool = True
    """Whether it can change the messages."""


@dataclass(frozen=True, slots=True)
class CommentEdit:
    """A comment that was added, removed, changed or moved."""

    kind: Literal["added", "removed", "changed", "moved"]
    old: tuple[Comment, ...]
    new: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes from one text to another."""

    old: Parsed
    new: Parsed
    edits: tuple[Edit, ...]
    """In the order of the new text; a removed statement is at its old place."""
    comments: tuple[CommentEdit, ...]
    pairs: Mapping[Node, Node] = field(default_factory=dict, compare=False, repr=False)
    """For every statement of the new text the one of the old text that it was."""
    used: "tuple[Difference, ...]" = ()
    """The differences inside fragments of other texts; for each of them an edit reports the change."""

    @property
    def is_equal_sent(self) -> bool:
        """Whether every spec certainly sends the same messages with every state that has the data it reads.

        Renamed specs count as the same; a state that names its spec has to be updated.
        """
        return not any(edit.can_change_sent for edit in self.edits)

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed except spelling, not even a comment."""
        return not self.edits and not self.comments
