"""Whether two texts say the same: their trees without what is only spelling, and the words of their comments."""

from itertools import zip_longest

from acdl_mkdocs.syntax.nodes import (
    Comment,
    Content,
    Declaration,
    File,
    Group,
    HostLine,
    HostValue,
    Node,
    Skipped,
    field_names,
)


def first_difference(one: File, other: File, *, closes_ranges: bool) -> Node | None:
    """A node of a tree that another tree has not, or has otherwise; `None` if they say the same.

    Parentheses only group, so what stands in them is compared. Comments are compared by their words: one of several
    lines may have become several.

    Parameters:
        one: A tree.
        other: What it is compared with.
        closes_ranges: Whether `a ... b` and `range(a, b)` are the same.
    """
    comments: tuple[list[Comment], list[Comment]] = ([], [])
    waiting: list[tuple[object, object, Node]] = [(one, other, one)]
    while waiting:
        left, right, holder = waiting.pop()
        if isinstance(left, Node) and isinstance(right, Node) and not isinstance(left, Comment):
            left, right = _ungrouped(left), _ungrouped(right)
            if type(left) is not type(right):
                return left
            for name in field_names(type(left)):
                one_value, other_value = getattr(left, name), getattr(right, name)
                if one_value != other_value and not (closes_ranges and name == "includes_stop"):
                    waiting.append((one_value, other_value, left))
            continue
        left, right = _set_aside(left, comments[0]), _set_aside(right, comments[1])
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            waiting += [(a, b, holder) for a, b in zip(left, right, strict=True)]
        elif left != right and not _is_same_block(left, right, holder):
            return holder
    return _first_lost(*comments)


def _ungrouped(node: Node) -> Node:
    while isinstance(node, Group):
        node = node.value
    if isinstance(node, Content) and isinstance(node.value, HostValue) and not node.value.parts:
        return HostLine(span=node.span, text=node.value.name)  # the same content, with a line for itself
    return node


def _set_aside(value: object, comments: list[Comment]) -> object:
    """A value without its comments, which are collected; a tuple becomes a list.

    The comment beside a content of another tool follows it as soon as that has a line for itself.
    """
    if isinstance(value, tuple):
        for each in value:
            if isinstance(each, Comment):
                comments.append(each)
            elif isinstance(each, Content) and isinstance(each.value, HostValue) and each.comment is not None:
                comments.append(each.comment)
        return [each for each in value if not isinstance(each, Comment)]
    if isinstance(value, Comment):
        comments.append(value)
        return None
    return value


def _is_same_block(left: object, right: object, holder: Node) -> bool:
    """Whether two texts that are kept as written differ in white space only."""
    if isinstance(holder, HostLine) and isinstance(left, str) and isinstance(right, str):
        return [line.lstrip() for line in left.split("\n")] == [line.lstrip() for line in right.split("\n")]
    if not isinstance(holder, Declaration | Skipped) or not isinstance(left, str) or not isinstance(right, str):
        return False
    return left.split() == right.split()


def _first_lost(mine: list[Comment], theirs: list[Comment]) -> Comment | None:
    """The first comment whose words do not come in the same place among those of the other comments."""
    words = [word for comment in sorted(theirs, key=_start) for word in comment.text.split()]
    said = [(word, comment) for comment in sorted(mine, key=_start) for word in comment.text.split()]
    for word, own in zip_longest(words, said):
        if own is None:
            return mine[-1] if mine else theirs[0]
        if word != own[0]:
            return own[1]
    return None


def _start(comment: Comment) -> int:
    return comment.span.start
