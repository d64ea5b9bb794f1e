"""One of two texts as a figure, with ways from its statements to their boxes and back. Knows nothing of edits."""

from collections.abc import Iterator
from dataclasses import field

from acdl_mkdocs.comparison.elements import statements_in
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.syntax.nodes import Comment, If, Node
from acdl_mkdocs.language.syntax.parse import Parsed


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSide:
    """A text and its figure."""

    figure: Box
    boxes: dict[Node, Box] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)
    """By the identity of the box."""
    parents: dict[int, Box] = field(default_factory=dict)
    choices: dict[Node, If] = field(default_factory=dict)
    """The `If` of each of its alternatives, which is no box itself."""

    def node_of(self, box: Box) -> Node | None:
        """The statement that a box shows."""
        return self.nodes.get(id(box))

    def box_of(self, node: Node | None) -> Box | None:
        """The box that shows a statement; of an `If` that of its first alternative."""
        return self.boxes.get(head(node)) if node is not None else None

    def around(self, box: Box, inside: dict[int, int]) -> int | None:
        """The place of the box that holds another or is it, among boxes beside each other."""
        current: Box | None = box
        while current is not None:
            if id(current) in inside:
                return inside[id(current)]
            current = self.parents.get(id(current))
        return None

    def is_first(self, node: Node) -> bool:
        """Whether a statement is no later alternative of an `If`."""
        choice = self.choices.get(node)
        return choice is None or choice.arms[0] is node


def head(node: Node) -> Node:
    """The statement whose box stands for another: for an `If` its first alternative."""
    return node.arms[0] if isinstance(node, If) and node.arms else node


def drawn_side(parsed: Parsed, mode: RangeMode) -> DrawnSide:
    """The figure of a text as it is drawn anywhere."""
    drawn = DrawnSide(describe(resolve(parsed), View(range=mode)))
    by_span: dict[tuple[Span, bool], Node] = {}
    for node in _statements(parsed.file):
        if isinstance(node, If):
            drawn.choices.update(dict.fromkeys(node.arms, node))
        else:
            by_span.setdefault((node.span, isinstance(node, Comment)), node)
    pending = [drawn.figure]
    while pending:
        box = pending.pop()
        shown = by_span.get((box.span, box.kind == "comment")) if box.span and box is not drawn.figure else None
        if shown is not None:
            drawn.nodes[id(box)] = shown
            drawn.boxes[shown] = box
        drawn.parents.update({id(child): box for child in box.children})
        pending += box.children
    return drawn


def _statements(file: Node) -> Iterator[Node]:
    """Every statement, parents first, and the comments on lines of their own."""
    pending = [file]
    while pending:
        node = pending.pop()
        if node is not file:
            yield node
        inside = getattr(node, "body", None) or getattr(node, "items", None) or ()
        yield from (each for each in inside if isinstance(each, Comment))
        pending += reversed(statements_in(node))
