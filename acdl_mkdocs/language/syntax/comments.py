"""The place of each comment: on its own line in a body, or beside the element that it follows.

The lexer sets comments aside; this puts them back as nodes, because a figure shows them. Host lines are put back in the
same way. The tree is rebuilt only where there is something to put back.
"""

from bisect import bisect_left
from dataclasses import replace
from typing import TypeAlias, cast

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Continue,
    EndsHere,
    File,
    ForEach,
    Fragment,
    HostLine,
    If,
    Label,
    Mark,
    NameDef,
    Prompt,
    RoleMessage,
    Statement,
    Switch,
)
from acdl_mkdocs.language.syntax.tokens import Trivia

_Line: TypeAlias = Content | NameDef | EndsHere | Break | Continue
_Block: TypeAlias = RoleMessage | ForEach | Mark | Label | BrokenBlock | Prompt | Fragment | Arm
_Item: TypeAlias = Statement | Arm
_Owner: TypeAlias = File | If | Switch | _Block

_LINES = (Content, NameDef, EndsHere, Break, Continue)


def attach_comments(file: File, comments: list[Trivia]) -> File:
    """Return the same tree with every comment in it exactly once, in source order."""
    if not comments:
        return file
    unfinished = [_OpenBody(file, file.items, 0, len(comments))]
    while True:
        body = unfinished[-1]
        inner = body.place_comments(comments)
        if inner is not None:
            unfinished.append(inner)
            continue
        unfinished.pop()
        if not unfinished:
            items = cast(tuple[Statement, ...], tuple(body.placed))
            return replace(file, span=_span_of(file, items), items=items)
        unfinished[-1].placed.append(body.close_body())


def _span_of(file: File, items: tuple[Statement, ...]) -> Span:
    """Return the span of a file, including host lines before and after its statements."""
    spans = [item.span for item in items if isinstance(item, HostLine)]
    spans += [file.span] if file.items else []
    return Span(min(each.start for each in spans), max(each.end for each in spans)) if spans else file.span


class _OpenBody:
    """The statements of one block while comments are put among them; bodies wait for those inside them."""

    def __init__(
        self, owner: _Owner, items: tuple[_Item, ...], at: int, stop: int, header: Comment | None = None
    ) -> None:
        self.owner = owner
        self.items = items
        self.at = at  # the first comment that is not placed yet
        self.stop = stop  # the first comment after the block
        self.header = header
        self.placed: list[_Item] = []
        self.n_seen = 0

    def place_comments(self, comments: list[Trivia]) -> "_OpenBody | None":
        """Place the comments that can be placed; return the next inner block with comments, `None` at the end."""
        while self.n_seen < len(self.items):
            item = self.items[self.n_seen]
            self.n_seen += 1
            while self.at < self.stop and comments[self.at].span.start < item.span.start:
                self.at = _place_between(self.placed, comments, self.at)
            if self.at < self.stop and comments[self.at].span.start < item.span.end:
                first = self.at
                self.at = bisect_left(comments, item.span.end, first, self.stop, key=lambda each: each.span.start)
                inner = _place_inside(item, self.placed, comments, first, self.at)
                if isinstance(inner, _OpenBody):
                    return inner
                item = inner
            self.placed.append(item)
        while self.at < self.stop:
            self.at = _place_between(self.placed, comments, self.at)
        return None

    def close_body(self) -> _Item:
        """Return the block with its new body."""
        if isinstance(self.owner, If):
            return replace(self.owner, arms=cast(tuple[Arm | Comment | HostLine, ...], tuple(self.placed)))
        if isinstance(self.owner, Switch):
            arms = cast(tuple[Arm | Broken | BrokenBlock | Comment | HostLine, ...], tuple(self.placed))
            return replace(self.owner, arms=arms, comment=self.header)
        return replace(
            cast(_Block, self.owner), body=cast(tuple[Statement, ...], tuple(self.placed)), comment=self.header
        )


def _place_between(placed: list[_Item], comments: list[Trivia], at: int) -> int:
    """Place the comment after the items placed so far."""
    comment = comments[at]
    before = placed[-1] if placed else None
    if comment.is_beside and before is not None and _ends_line(before, comment):
        beside = _attach_beside(before, comment)
        if beside is not None:
            placed[-1] = beside
            return at + 1
    placed.append(_make_node(comment))
    return at + 1


def _ends_line(item: _Item, comment: Trivia) -> bool:
    """Return whether only separators are between the end of the item and the comment."""
    follows = comment.follows
    return follows is not None and (follows.end == item.span.end or follows.kind in ("COMMA", "SEPARATOR"))


def _attach_beside(item: _Item, comment: Trivia) -> _Item | None:
    """Return the item with the comment beside it; `None` if it already has one or ends in a block."""
    if isinstance(item, _LINES):
        return None if item.comment else replace(item, comment=_make_comment(comment))
    if isinstance(item, RoleMessage) and not item.is_braced:
        inner = _attach_beside(item.body[0], comment)
        return replace(item, body=(cast(Statement, inner),)) if inner is not None else None
    return None


def _place_inside(item: _Item, placed: list[_Item], comments: list[Trivia], at: int, last: int) -> "_Item | _OpenBody":
    """Process an item with `comments[at:last]` inside it: return a body to fill, or the item itself.

    Comments inside a header come before the item, on separate lines.
    """
    if isinstance(item, If):
        return _OpenBody(item, item.arms, at, last)
    if isinstance(item, (Switch, _Block)):
        inner = item.arms if isinstance(item, Switch) else item.body
        header, at = _split_header_comments(inner, item, placed, comments, at, last)
        return _OpenBody(item, inner, at, last, header)
    if isinstance(item, _LINES) and last - at == 1 and not comments[at].is_host_text:
        return replace(item, comment=_make_comment(comments[at]))
    placed.extend(_make_node(comment) for comment in comments[at:last])
    return item


def _split_header_comments(
    inner: tuple[_Item, ...], item: _Item, placed: list[_Item], comments: list[Trivia], at: int, last: int
) -> tuple[Comment | None, int]:
    """Return the comment beside the opening brace, and the index of the first comment of the body.

    Between the opening brace and the first statement every comment follows that brace; any other comment is inside the
    header, and is placed before the block.
    """
    first_inside = inner[0].span.start if inner else item.span.end
    while at < last and comments[at].span.start < first_inside:
        follows = comments[at].follows
        if follows is not None and follows.kind == "LBRACE":
            return (_make_comment(comments[at]), at + 1) if comments[at].is_beside else (None, at)
        placed.append(_make_node(comments[at]))
        at += 1
    return None, at


def _make_node(comment: Trivia) -> Comment | HostLine:
    return HostLine(span=comment.span, text=comment.text) if comment.is_host_text else _make_comment(comment)


def _make_comment(comment: Trivia) -> Comment:
    return Comment(span=comment.span, text=comment.text)
