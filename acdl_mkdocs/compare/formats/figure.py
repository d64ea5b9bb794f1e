"""A difference as figures: one of both texts, or one of each; long unchanged parts are replaced by one line."""

from collections.abc import Iterable
from dataclasses import replace

from acdl_mkdocs.compare.formats.edit_signs import DifferenceSigns, DrawnSide, count_edits, draw_side
from acdl_mkdocs.compare.formats.edit_text import head_of
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.language.syntax.nodes import Comment, Node
from acdl_mkdocs.language.syntax.words import Run

_BESIDE = 1
"""The number of boxes to keep before and after a box with a sign."""
_FEWEST = 3
"""The minimum number of lines to replace by a line with their number."""


def fold_figure(figure: Box) -> Box:
    """Return the figure without unchanged parts, except those next to a sign."""
    signed: dict[int, bool] = {}
    sizes: dict[int, int] = {}
    boxes, pending = [], [figure]
    while pending:
        box = pending.pop()
        boxes.append(box)
        pending += box.children
    for box in reversed(boxes):
        signed[id(box)] = bool(box.sign) or any(signed[id(child)] for child in box.children)
        sizes[id(box)] = 1 + sum(sizes[id(child)] for child in box.children)
    return _fold_box(figure, signed, sizes) if signed[id(figure)] else figure


def _fold_box(box: Box, signed: dict[int, bool], sizes: dict[int, int]) -> Box:
    """Fold a box and its children; one call per level of nesting."""
    marked = [signed[id(child)] for child in box.children]
    visible = [any(marked[max(at - _BESIDE, 0) : at + _BESIDE + 1]) for at in range(len(marked))]
    boxes: list[Box] = []
    hidden: list[Box] = []
    for child, is_shown in zip(box.children, visible, strict=True):
        if not is_shown:
            hidden.append(child)
            continue
        boxes += _hide_boxes(hidden, sizes)
        hidden = []
        boxes.append(_fold_box(child, signed, sizes) if signed[id(child)] else _shorten_box(child, sizes))
    return replace(box, children=(*boxes, *_hide_boxes(hidden, sizes)))


def _shorten_box(box: Box, sizes: dict[int, int]) -> Box:
    """Return a box next to a sign: all of it if it is short."""
    if sizes[id(box)] <= _FEWEST:
        return box
    return replace(box, children=tuple(_hide_boxes(box.children, sizes)))


def _hide_boxes(boxes: Iterable[Box], sizes: dict[int, int]) -> list[Box]:
    """Return the boxes, or a line that replaces them."""
    boxes = list(boxes)
    n_lines = sum(sizes[id(box)] for box in boxes)
    if n_lines < _FEWEST:
        return boxes
    return [Box("folded", (Run(f"\u2026 {n_lines} lines as they were", "muted"),))]


def draw_unified(difference: Difference, *, is_folded: bool = False, mode: RangeMode = "half-open") -> Box:
    """Draw both texts in one figure.

    Parameters:
        difference: What changed; its edit number N is the box with the anchor `edit-N`, if it is drawn.
        is_folded: Whether long unchanged parts are replaced by one line.
        mode: How `range(a, b)` is drawn by default.
    """
    with system.pause_collector():
        drawing = _DifferenceFigure(difference, mode)
        old, new = drawing.old.figure.children, drawing.new.figure.children
        children = (*drawing.signs.list_undrawn(), *drawing.merge_boxes(old, new, ""))
        figure = replace(drawing.new.figure, children=children, sign_words=drawing.words)
        return fold_figure(figure) if is_folded else figure


def draw_sides(difference: Difference, *, is_folded: bool = False, mode: RangeMode = "half-open") -> tuple[Box, Box]:
    """Draw the figures of the old and the new text, each with marks where it differs from the other."""
    with system.pause_collector():
        drawing = _DifferenceFigure(difference, mode)
        olds = drawing.mark_side(drawing.old.figure.children, "", is_old=True)
        old = replace(drawing.old.figure, children=olds, sign_words=drawing.words)
        undrawn = drawing.signs.list_undrawn()
        news = (*undrawn, *drawing.mark_side(drawing.new.figure.children, "", is_old=False))
        new = replace(drawing.new.figure, children=news, sign_words=drawing.words)
        return (fold_figure(old), fold_figure(new)) if is_folded else (old, new)


class _DifferenceFigure:
    """Both figures on their way to one."""

    def __init__(self, difference: Difference, mode: RangeMode) -> None:
        self.old, self.new = draw_side(difference.old, mode), draw_side(difference.new, mode)
        self.old_of = difference.pairs
        self.new_of = {old: new for new, old in difference.pairs.items()}
        self.signs = DifferenceSigns(difference, self.old, self.new)
        self.words = ", ".join(words for _, words in count_edits(difference))
        """Edits are counted, not the boxes that each of them marks."""

    # ----------------------------------------------------------------------------------------------------- both texts

    def merge_boxes(self, old: tuple[Box, ...], new: tuple[Box, ...], inherited: str) -> tuple[Box, ...]:
        """Merge the boxes of one place; one call per level of nesting."""
        ghosts = self._find_removed(old, new)
        boxes: list[Box] = []
        for number, box in enumerate(new):
            boxes += ghosts.get(number, ())
            node = self.new.node_of(box)
            old_node = self.old_of.get(node) if node is not None else None
            old_box = self.old.box_of(old_node)
            if isinstance(node, Comment) or node is None:
                boxes.append(self.signs.mark_comment(box, node, inherited))
            elif old_node is None:
                sign = self.signs.sign_of_new(node, inherited)
                children = self.merge_boxes((), box.children, sign)
                boxes.append(replace(self.signs.mark_added(box, node, sign), children=children))
            else:
                children = self.merge_boxes(old_box.children if old_box else (), box.children, "")
                boxes.append(replace(self.signs.mark_kept(box, old_box, node, old_node), children=children))
        return (*boxes, *ghosts.get(len(new), ()))

    def _find_removed(self, old: tuple[Box, ...], new: tuple[Box, ...]) -> dict[int, list[Box]]:
        """Return removed boxes by the index of the new box that they come before."""
        positions = {id(box): number for number, box in enumerate(new)}
        removed: dict[int, list[Box]] = {}
        at = 0
        for box in old:
            node = self.old.node_of(box)
            other = self.new_of.get(node) if node is not None else None
            if node is None or isinstance(node, Comment):
                removed.setdefault(at, []).extend(self.signs.mark_lost_comment(box, node, ""))
            elif other is None:
                carried = [number for each in box.children for number in self._find_positions(each, positions)]
                removed.setdefault(max(at, min(carried, default=at)), []).append(self.mark_removed(box, node, ""))
                at = max(at, *(number + 1 for number in carried)) if carried else at
            elif self.signs.is_moved(other):
                removed.setdefault(at, []).extend(self.signs.mark_moved_away(node))
            else:
                at = max([at, *(number + 1 for number in self._find_positions(box, positions))])
        return removed

    def _find_positions(self, old: Box, positions: dict[int, int]) -> list[int]:
        """Return the index of an old box among the new boxes; empty if it is missing or has moved."""
        node = self.old.node_of(old)
        other = self.new_of.get(node) if node is not None else None
        box = self.new.box_of(other)
        if other is None or box is None or self.signs.is_moved(other):
            return []
        index = self.new.enclosing_index(box, positions)
        return [] if index is None else [index]

    def mark_removed(self, box: Box, node: Node, inherited: str) -> Box:
        """Return a removed box with the contents that are nowhere else; one call per level of nesting."""
        sign = self.signs.sign_of_old(node, inherited)
        children: list[Box] = []
        for child in box.children:
            inner = self.old.node_of(child)
            other = self.new_of.get(inner) if inner is not None else None
            if inner is None or isinstance(inner, Comment):
                children += self.signs.mark_lost_comment(child, inner, sign)
            elif other is None:
                children.append(self.mark_removed(child, inner, sign))
            elif self.signs.is_moved(other):
                children += self.signs.mark_moved_away(inner)
        if sign == "unwrapped" and box.kind == "mark":  # whose bracket would surround nothing
            box = replace(box, kind="undrawn", header=(Run(head_of(node, self.signs.difference.old), "plain"),))
        removed = self.signs.mark_removed(box, node, sign)
        return replace(removed, children=tuple(children), span=None)

    # ------------------------------------------------------------------------------------------------------- one text

    def mark_side(self, boxes: tuple[Box, ...], inherited: str, *, is_old: bool) -> tuple[Box, ...]:
        """Mark the boxes of one text with the signs of its side; one call per level of nesting."""
        side: DrawnSide = self.old if is_old else self.new
        others = self.new_of if is_old else self.old_of
        marked_boxes: list[Box] = []
        for box in boxes:
            node, sign = side.node_of(box), ""
            if node is None or isinstance(node, Comment):
                marked_boxes.append(
                    (self.signs.mark_old_comment if is_old else self.signs.mark_comment)(box, node, inherited)
                )
                continue
            other = others.get(node)
            if other is None and is_old:
                sign = self.signs.sign_of_old(node, inherited)
                marked = self.signs.mark_removed(box, node, sign)
            elif other is None:
                sign = self.signs.sign_of_new(node, inherited)
                marked = self.signs.mark_added(box, node, sign)
            else:
                marked = self.signs.mark_on_side(box, node, other, is_old=is_old)
            marked_boxes.append(replace(marked, children=self.mark_side(box.children, sign, is_old=is_old)))
        return tuple(marked_boxes)
