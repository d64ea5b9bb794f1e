"""Where each comment belongs: on a line of its own in a body, or beside the element that it follows.

The lexer sets comments aside; this puts them back as nodes, because a figure shows them. The tree is rebuilt only
where there is a comment.
"""

from dataclasses import replace
from typing import TypeAlias, TypeVar, cast

from acdl_mkdocs.syntax.nodes import (
    Arm,
    Break,
    BrokenBlock,
    Comment,
    Content,
    Continue,
    EndsHere,
    File,
    ForEach,
    Fragment,
    If,
    Label,
    Mark,
    NameDef,
    Prompt,
    RoleMessage,
    Statement,
    Switch,
)
from acdl_mkdocs.syntax.tokens import Trivia

_Line: TypeAlias = Content | NameDef | EndsHere | Break | Continue
_Block: TypeAlias = RoleMessage | ForEach | Mark | Label | BrokenBlock | Prompt | Fragment | Arm
_Item: TypeAlias = Statement | Arm
_T = TypeVar("_T", bound=_Item)

_LINES = (Content, NameDef, EndsHere, Break, Continue)
_BLOCKS = (RoleMessage, ForEach, Mark, Label, BrokenBlock, Prompt, Fragment, Arm)


def attach(file: File, comments: list[Trivia]) -> File:
    """The same tree with every comment in it, exactly once, in source order."""
    if not comments:
        return file
    return replace(file, items=_place(file.items, comments, 0, len(comments)))


def _place(items: tuple[_T, ...], comments: list[Trivia], at: int, stop: int) -> tuple[_T | Comment, ...]:
    """Put `comments[at:stop]` among and into the items."""
    placed: list[_Item] = []
    item: _Item
    for item in items:
        while at < stop and comments[at].span.start < item.span.start:
            at = _between(placed, comments, at)
        if at < stop and comments[at].span.start < item.span.end:
            last = at
            while last < stop and comments[last].span.start < item.span.end:
                last += 1
            item = _into(item, placed, comments, at, last)
            at = last
        placed.append(item)
    while at < stop:
        at = _between(placed, comments, at)
    return cast(tuple[_T | Comment, ...], tuple(placed))


def _between(placed: list[_Item], comments: list[Trivia], at: int) -> int:
    """Place the comment after what has been placed so far."""
    comment = comments[at]
    before = placed[-1] if placed else None
    if comment.is_beside and before is not None and _ends_line(before, comment):
        beside = _beside(before, comment)
        if beside is not None:
            placed[-1] = beside
            return at + 1
    placed.append(_node(comment))
    return at + 1


def _ends_line(item: _Item, comment: Trivia) -> bool:
    """Whether nothing but separators stands between the end of the item and the comment."""
    follows = comment.follows
    return follows is not None and (follows.end == item.span.end or follows.kind in ("COMMA", "SEPARATOR"))


def _beside(item: _Item, comment: Trivia) -> _Item | None:
    """The item with the comment at its side; `None` if it has one already or ends in a block."""
    if isinstance(item, _LINES):
        return None if item.comment else replace(item, comment=_node(comment))
    if isinstance(item, RoleMessage) and not item.is_braced:
        inner = _beside(item.body[0], comment)
        return replace(item, body=(cast(Statement, inner),)) if inner is not None else None
    return None


def _into(item: _Item, placed: list[_Item], comments: list[Trivia], at: int, last: int) -> _Item:
    """The item with the comments inside it; those inside its header come before it, on lines of their own."""
    if isinstance(item, If):
        return replace(item, arms=_place(item.arms, comments, at, last))
    if isinstance(item, Switch):
        header, at = _header(item.arms, item, placed, comments, at, last)
        return replace(item, arms=_place(item.arms, comments, at, last), comment=header)
    if isinstance(item, _BLOCKS):
        header, at = _header(item.body, item, placed, comments, at, last)
        return replace(item, body=_place(item.body, comments, at, last), comment=header)
    if isinstance(item, _LINES) and last - at == 1:
        return replace(item, comment=_node(comments[at]))
    placed.extend(_node(comment) for comment in comments[at:last])
    return item


def _header(
    inner: tuple[_Item, ...], item: _Item, placed: list[_Item], comments: list[Trivia], at: int, last: int
) -> tuple[Comment | None, int]:
    """The comment beside the opening brace, and the index of the first comment of the body.

    Between the opening brace and the first statement every comment follows that brace; one that follows something
    else stands inside the header, and is placed before the block.
    """
    first_inside = inner[0].span.start if inner else item.span.end
    while at < last and comments[at].span.start < first_inside:
        follows = comments[at].follows
        if follows is not None and follows.kind == "LBRACE":
            return (_node(comments[at]), at + 1) if comments[at].is_beside else (None, at)
        placed.append(_node(comments[at]))
        at += 1
    return None, at


def _node(comment: Trivia) -> Comment:
    return Comment(span=comment.span, text=comment.text)
