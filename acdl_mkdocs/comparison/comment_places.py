"""What comments stand beside, and whether that is the same in two texts."""

from collections.abc import Iterator, Mapping

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Comment, File, Node, children, walk


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a comment stands."""

    holder: Node
    """The statement that it follows on its line, or the block of its line."""
    is_beside: bool
    before: Node | None = None
    """The statement above, if it has a line of its own."""
    after: Node | None = None


class CommentPlaces:
    """The places of all comments of two texts."""

    def __init__(self, old: File, new: File, old_of: Mapping[Node, Node]) -> None:
        """Find them.

        Parameters:
            old: The one tree.
            new: The other.
            old_of: For every statement of the new tree the one of the old tree that it was.
        """
        self._places = dict((*_places(old), *_places(new)))
        self._old_of = old_of
        self._new_of = {old: new for new, old in old_of.items()}

    def are_apart(self, old: Comment, new: Comment) -> bool:
        """Whether a comment stands beside something else, and not only because what it stood beside is new or gone.

        Above a block and first in it is the same place: comments in a title go there.
        """
        one, other = self._places[old], self._places[new]
        if one.is_beside and other.is_beside:
            return self._are_others(one.holder, other.holder)
        if one.is_beside:
            return _is_outside(self._new_of.get(one.holder), other)
        if other.is_beside:
            return _is_outside(self._old_of.get(other.holder), one)
        if self._are_others(one.holder, other.holder):
            is_first = one.before is None and self._new_of.get(one.holder) is other.after
            return not is_first and not (other.before is None and self._old_of.get(other.holder) is one.after)
        return self._are_others(one.before, other.before) and self._are_others(one.after, other.after)

    def _are_others(self, old: Node | None, new: Node | None) -> bool:
        """Whether two statements are surely not the same one."""
        if old is None or new is None:
            return old is not new
        return self._old_of.get(new, old) is not old or self._new_of.get(old, new) is not new


def _is_outside(node: Node | None, place: _Place) -> bool:
    """Whether a statement is not what a comment stands above, nor anything in it or around it."""
    about = place.after or place.holder
    return node is not None and (node.span.end <= about.span.start or about.span.end <= node.span.start)


def _places(file: File) -> Iterator[tuple[Comment, _Place]]:
    for node in walk(file):
        before: Node | None = None
        waiting: list[tuple[Comment, Node | None]] = []
        for child in children(node):
            if not isinstance(child, Comment):
                yield from ((each, _Place(node, False, above, child)) for each, above in waiting)
                waiting, before = [], child
            elif child is getattr(node, "comment", None):
                yield child, _Place(node, is_beside=True)
            else:
                waiting.append((child, before))
        yield from ((each, _Place(node, False, above, None)) for each, above in waiting)
