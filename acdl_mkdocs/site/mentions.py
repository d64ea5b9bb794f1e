"""What a spec reads or inserts, with the places in its figure and the comments beside it."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Call, Comment, ContextVar, Field, Node, Template, children
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of
from acdl_mkdocs.site.spec import Mention, MentionKind


def mentions(root: Node, box: Box) -> Iterator[Mention]:
    """Everything that a definition mentions: variables by name, then templates and functions.

    Parameters:
        root: The definition.
        box: How it is drawn.
    """
    anchors = _Anchors(box)
    found: dict[tuple[MentionKind, str], list[tuple[Node, str]]] = {}
    for node, comment in _with_comments(root):
        key = _key(node)
        if key:
            found.setdefault(key, []).append((node, comment))
    order: tuple[MentionKind, ...] = ("variable", "template", "function")
    for (kind, name), uses in sorted(found.items(), key=lambda each: (order.index(each[0][0]), each[0][1])):
        yield Mention(
            name,
            kind,
            _once(
                text_of(words_of(node, WRITTEN)) for node, _ in uses if isinstance(node, ContextVar | Template | Call)
            ),
            _once(anchors.around(node.span) for node, _ in uses),
            _once(comment for _, comment in uses),
        )


def _key(node: Node) -> tuple[MentionKind, str] | None:
    """What a node mentions."""
    if isinstance(node, ContextVar):
        fields = [part.name for part in node.parts if isinstance(part, Field)]
        return "variable", ".".join([node.namespace, *fields])
    if isinstance(node, Template):
        return "template", node.name
    return ("function", node.name) if isinstance(node, Call) else None


def _with_comments(root: Node) -> Iterator[tuple[Node, str]]:
    """Every node with the comment beside the statement that it stands in, in source order."""
    waiting: list[tuple[Node, str]] = [(root, "")]
    while waiting:
        node, comment = waiting.pop()
        yield node, comment
        own = getattr(node, "comment", None)
        has_body = hasattr(node, "body") or hasattr(node, "arms")
        beside = own.text.strip() if isinstance(own, Comment) and not has_body else comment if not has_body else ""
        waiting.extend((child, beside) for child in reversed(children(node)) if not isinstance(child, Comment))


def _once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, words)))


class _Anchors:
    """The addressable parts of a figure, by their place in the text."""

    def __init__(self, box: Box) -> None:
        self._starts: list[int] = []
        self._parts: list[tuple[int, str, int]] = []  # end, anchor, index of the part around it
        waiting = [(box, -1)]
        while waiting:
            each, outer = waiting.pop()
            if each.anchor and each.span:
                self._starts.append(each.span.start)
                self._parts.append((each.span.end, each.anchor, outer))
                outer = len(self._parts) - 1
            waiting.extend((child, outer) for child in reversed(each.children))

    def around(self, span: Span) -> str:
        """The smallest part that shows a place."""
        at = bisect_right(self._starts, span.start) - 1
        while at >= 0:
            end, anchor, outer = self._parts[at]
            if span.end <= end:
                return anchor
            at = outer
        return ""
