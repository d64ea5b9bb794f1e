"""The differences between the comments of two texts: in their words, and in the statements that they are beside."""

from collections.abc import Iterable, Iterator, Mapping

from acdl_mkdocs.compare.structure.edits import CommentEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.sequences import match_equal
from acdl_mkdocs.language.syntax.nodes import Comment, File, Node, children, walk


@dataclass(frozen=True, slots=True)
class _CommentPlace:
    """The position of a comment."""

    holder: Node
    """The statement that it follows on its line, or the block of its line."""
    is_beside: bool
    before: Node | None = None
    """The statement above, if it has its own line."""
    after: Node | None = None


class CommentPlaces:
    """The places of all comments of two texts."""

    def __init__(self, old: File, new: File, old_of: Mapping[Node, Node]) -> None:
        """Find the places of all comments.

        Parameters:
            old: The old tree.
            new: The new tree.
            old_of: For every statement of the new tree its counterpart in the old tree.
        """
        self._places = dict((*_find_places(old), *_find_places(new)))
        self._old_of = old_of
        self._new_of = {old: new for new, old in old_of.items()}

    def are_apart(self, old: Comment, new: Comment) -> bool:
        """Return whether a comment is beside something else, and not only because its old neighbour is new or gone.

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
        """Return whether two statements are certainly different ones."""
        if old is None or new is None:
            return old is not new
        return self._old_of.get(new, old) is not old or self._new_of.get(old, new) is not new


def _is_outside(node: Node | None, position: _CommentPlace) -> bool:
    """Return whether a statement neither contains, equals nor surrounds what a comment belongs to."""
    about = position.after or position.holder
    return node is not None and (node.span.end <= about.span.start or about.span.end <= node.span.start)


def _find_places(file: File) -> Iterator[tuple[Comment, _CommentPlace]]:
    for node in walk(file):
        before: Node | None = None
        pending: list[tuple[Comment, Node | None]] = []
        for child in children(node):
            if not isinstance(child, Comment):
                yield from ((each, _CommentPlace(node, False, above, child)) for each, above in pending)
                pending, before = [], child
            elif child is getattr(node, "comment", None):
                yield child, _CommentPlace(node, is_beside=True)
            else:
                pending.append((child, before))
        yield from ((each, _CommentPlace(node, False, above, None)) for each, above in pending)


def comment_edits(old: File, new: File, old_of: Mapping[Node, Node]) -> tuple[CommentEdit, ...]:
    """Return comments that were added, removed, changed or moved, in text order.

    Parameters:
        old: The old tree.
        new: The new tree.
        old_of: For every statement of the new tree its counterpart in the old tree.
    """
    olds, news = _find_comments(old), _find_comments(new)
    texts = [_split_words([each]) for each in olds], [_split_words([each]) for each in news]
    if _split_words(olds) == _split_words(news) and texts[0] != texts[1]:
        return ()
    places = CommentPlaces(old, new, old_of)
    edits: list[CommentEdit] = []
    left = right = 0
    for i, j in (*match_equal(*texts), (len(olds), len(news))):
        edits += _compare_gap(olds[left:i], news[right:j])
        if i < len(olds) and places.are_apart(olds[i], news[j]):
            edits.append(CommentEdit("moved", (olds[i],), (news[j],)))
        left, right = i + 1, j + 1
    return tuple(_join_moves(edits, places))


def _join_moves(all_edits: Iterable[CommentEdit], places: CommentPlaces) -> Iterator[CommentEdit]:
    """Turn a removed and an added comment with the same words into a move."""
    edits = list(all_edits)
    removed: dict[tuple[str, ...], list[CommentEdit]] = {}
    for edit in reversed(edits):
        if edit.kind == "removed":
            removed.setdefault(_split_words(list(edit.old)), []).append(edit)
    origins: dict[int, CommentEdit] = {}
    for edit in edits:
        stack = removed.get(_split_words(list(edit.new)), []) if edit.kind == "added" else []
        if stack:
            origins[id(edit)] = stack.pop()
    went = {id(edit) for edit in origins.values()}
    for edit in edits:
        if id(edit) not in origins:
            yield from () if id(edit) in went else (edit,)
        elif places.are_apart(origins[id(edit)].old[0], edit.new[0]):
            yield CommentEdit("moved", origins[id(edit)].old, edit.new)


def _compare_gap(olds: list[Comment], news: list[Comment]) -> Iterator[CommentEdit]:
    """Yield the edits of comments that have no equal; the first may differ only in line breaks."""
    skipped, skipped_new = _same_words(olds, news)
    olds, news = olds[skipped:], news[skipped_new:]
    n_pairs = min(len(olds), len(news))
    for one, other in zip(olds[:n_pairs], news[:n_pairs], strict=True):
        yield CommentEdit("changed", (one,), (other,))
    for each in olds[n_pairs:]:
        yield CommentEdit("removed", (each,), ())
    for each in news[n_pairs:]:
        yield CommentEdit("added", (), (each,))


def _same_words(olds: list[Comment], news: list[Comment]) -> tuple[int, int]:
    """Return how many comments at the beginning of both sides have the same words."""
    ends: list[dict[int, int]] = []
    for comments in (olds, news):
        n_words = 0
        ends.append({})
        for number, each in enumerate(comments, 1):
            n_words += len(each.text.split())
            ends[-1][n_words] = number
    words = list(zip(_split_words(olds), _split_words(news), strict=False))
    n_same = next((at for at, (one, other) in enumerate(words) if one != other), len(words))
    both = [at for at in ends[0] if at in ends[1] and at <= n_same]
    return (ends[0][both[-1]], ends[1][both[-1]]) if both else (0, 0)


def _find_comments(file: File) -> list[Comment]:
    """Return comments that have words, in text order."""
    comments = [node for node in walk(file) if isinstance(node, Comment) and node.text.strip()]
    return sorted(comments, key=lambda comment: comment.span.start)


def _split_words(comments: list[Comment]) -> tuple[str, ...]:
    return tuple(word for comment in comments for word in comment.text.split())
