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
    """Likewise for the new text."""
    old_span: Span
    """The changed place in the old text."""
    new_span: Span
    """The changed place in the new text."""


@dataclass(frozen=True, slots=True)
class CarriedStatement:
    """A statement that a block was put around, or taken away from."""

    old_path: Path
    """Its indices in the old text."""
    new_path: Path
    """Its indices in the new text."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the tree."""

    kind: EditKind
    """`added`, `removed`, `changed`, `moved`, `renamed`; `wrapped` or `unwrapped` for a block around statements that
    stay; `role` for a message with another role; `setting` for what affects the whole file."""
    old: Node | None
    """The statement of the old text; `None` if it has none."""
    new: Node | None
    """The statement of the new text; `None` if it has none."""
    old_path: Path | None
    """Indices from the file down to `old`, from 0: `(0, 2)` is the third statement of the first definition, `()` the
    whole file. Comments do not count."""
    new_path: Path | None
    """The same for `new`."""
    changes: tuple[Change, ...] = ()
    """What changed in the statement, with old and new words; empty if the edit is about the whole statement."""
    carried: tuple[CarriedStatement, ...] = ()
    """The statements that stay while the block around them is added or removed; such a block is only its head.
    Those of a fragment are listed for each of its uses."""
    is_head: bool = False
    """Whether only the head of the block was added or removed: its content was or is elsewhere, or has its own
    edits."""
    can_change_sent: bool = True
    """Whether it can change the messages."""


@dataclass(frozen=True, slots=True)
class CommentEdit:
    """A comment that was added, removed, changed or moved."""

    kind: Literal["added", "removed", "changed", "moved"]
    """What happened to it."""
    old: tuple[Comment, ...]
    """The comment in the old text, a line each; empty if it was added."""
    new: tuple[Comment, ...]
    """The comment in the new text, a line each; empty if it was removed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes from one text to another."""

    old: Parsed
    """The old text, with its tree and its syntax problems."""
    new: Parsed
    """The new text, likewise."""
    edits: tuple[Edit, ...]
    """In the order of the new text; a removed statement is at its old place."""
    comments: tuple[CommentEdit, ...]
    """Added, removed, changed and moved comments; they never change the messages."""
    pairs: Mapping[Node, Node] = field(default_factory=dict, compare=False, repr=False)
    """For each statement of the new text that the old text has too, the old statement."""
    used: "tuple[Difference, ...]" = ()
    """The differences inside fragments of other files; an edit reports each of them."""

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
