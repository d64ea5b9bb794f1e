"""Long parts of a figure that have no sign become one line. Knows nothing of edits."""

from collections.abc import Iterable
from dataclasses import replace

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.language.syntax.words import Run

_BESIDE = 1
"""Boxes that stay before and behind what has a sign."""
_FEWEST = 3
"""Lines that are worth a line which says how many they were."""


def folded(figure: Box) -> Box:
    """The figure without parts that are as they were, but for what stands beside a sign."""
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
    return _folded(figure, signed, sizes) if signed[id(figure)] else figure


def _folded(box: Box, signed: dict[int, bool], sizes: dict[int, int]) -> Box:
    """One call a level of nesting."""
    marked = [signed[id(child)] for child in box.children]
    shown = [any(marked[max(at - _BESIDE, 0) : at + _BESIDE + 1]) for at in range(len(marked))]
    found: list[Box] = []
    hidden: list[Box] = []
    for child, is_shown in zip(box.children, shown, strict=True):
        if not is_shown:
            hidden.append(child)
            continue
        found += _hidden(hidden, sizes)
        hidden = []
        found.append(_folded(child, signed, sizes) if signed[id(child)] else _small(child, sizes))
    return replace(box, children=(*found, *_hidden(hidden, sizes)))


def _small(box: Box, sizes: dict[int, int]) -> Box:
    """What stands beside a sign: all of it if it is short."""
    if sizes[id(box)] <= _FEWEST:
        return box
    return replace(box, children=tuple(_hidden(box.children, sizes)))


def _hidden(boxes: Iterable[Box], sizes: dict[int, int]) -> list[Box]:
    """Boxes, or a line that stands for them."""
    boxes = list(boxes)
    n_lines = sum(sizes[id(box)] for box in boxes)
    if n_lines < _FEWEST:
        return boxes
    return [Box("folded", (Run(f"\u2026 {n_lines} lines as they were", "muted"),))]
