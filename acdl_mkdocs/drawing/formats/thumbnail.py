"""The top of a figure as a small inline SVG without words: the places are those of the figure, text is thin bars.

It is as wide as the figure, scaled down if that is wider than the miniature; only what is further down is left out.
There is one path for each colour, on a coarse grid, so that hundreds of them fit on a page. The colours and the
thickness of the bars are those of `acdl.css`; without it everything is drawn in one grey. Knows nothing about ACDL.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.drawing.figure import scene
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.theme import PALETTES, Theme
from acdl_mkdocs.drawing.formats.svg import CLASSES
from acdl_mkdocs.drawing.formats.xml import Element, Markup, to_xml
from acdl_mkdocs.foundation import system
from acdl_mkdocs.language.syntax.words import Run

_LEAST_UNIT = 2.0
"""CSS px of the figure that are one step of the grid; more in a figure that is wider than the miniature."""
_WIDTH, _HEIGHT = 208, 112
"""Steps."""
_BEYOND = 2
"""Margin at the left, top and right; elements end at most this many steps beyond the lower edge."""
_RISE_PX = 4.5
"""From the baseline up to the middle of small letters."""
_MOST_BOXES = 24
"""Twice as many as have room. The rest is not laid out, even if a long comment there would move those above it."""
_THEME = Theme()
_GREY = PALETTES["light"]["line"][0]


def draw_thumbnail(figure: Box) -> str:
    """Draw a miniature of a figure (its root box), hidden from screen readers; the same bytes everywhere."""
    with system.pause_collector():
        drawing = layout(_first_boxes(figure, _MOST_BOXES)[0], _THEME)
        unit = max(_LEAST_UNIT, drawing.width / (_WIDTH - 2 * _BEYOND))
        shapes: dict[tuple[int, str], list[str]] = {}
        bars: dict[str, list[str]] = {}
        for item in _visible_items(drawing.root, _HEIGHT * unit):
            if isinstance(item, scene.Piece):
                bars.setdefault(CLASSES[_longest_run(item).style], []).append(_bar_path(item, unit))
            else:
                layer, style, data = _shape_path(item, unit)
                shapes.setdefault((layer, CLASSES[style]), []).append(data)
        paths = [(name, data) for (_, name), data in sorted(shapes.items(), key=lambda each: each[0][0])]
        elements: list[Markup] = [_path_element(name, data) for name, data in (*paths, *bars.items())]
        attributes = {"class": "acdl-mini acdl-auto", "viewBox": f"-{_BEYOND} -{_BEYOND} {_WIDTH} {_HEIGHT}"}
        attributes |= {"width": str(_WIDTH), "fill": "none", "stroke": _GREY}
        svg = Element("svg", {**attributes, "aria-hidden": "true"}, elements)
        return to_xml(svg).replace("\n", "")


def _first_boxes(box: Box, room: int) -> tuple[Box, int]:
    """Return the first boxes in reading order, and how many more might fit."""
    children: list[Box] = []
    room -= 1
    for child in box.children:
        if room <= 0:
            break
        cut, room = _first_boxes(child, room)
        children.append(cut)
    return replace(box, children=tuple(children)), room


_Shape: TypeAlias = scene.Rect | scene.Line | scene.Bracket | scene.Icon


def _visible_items(root: scene.Group, height_px: float) -> Iterator[_Shape | scene.Piece]:
    """Yield what begins inside the miniature, in drawing order."""
    pending: list[scene.Item] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, scene.Group):
            pending.extend(reversed(item.items))
        else:
            parts = item.pieces if isinstance(item, scene.Text) else (item,)
            yield from (part for part in parts if _top_of(part) < height_px)


def _top_of(item: _Shape | scene.Piece) -> float:
    return item.y1 if isinstance(item, scene.Line) else item.y


def _shape_path(item: _Shape, unit: float) -> tuple[int, str, str]:
    """Return the layer, the style and the path of a shape."""
    match item:
        case scene.Rect():
            x, y, right, bottom = _grid_edges(item.x, item.y, item.width, item.height, unit)
            return item.layer, item.style, f"M{x} {y}h{right - x}v{bottom - y}H{x}z"
        case scene.Line():
            x, y, right, _ = _grid_edges(item.x1, item.y1, item.x2 - item.x1, 0, unit)
            return item.layer, item.style, f"M{x} {y}h{right - x}"
        case scene.Bracket():
            x, y, right, bottom = _grid_edges(item.x, item.y, item.width, item.height, unit)
            return 0, item.style, f"M{x} {y}h{right - x}v{bottom - y}H{x}"
        case scene.Icon():
            half = round(item.size / unit / 2)
            x, y = round(item.x / unit) + half, round(item.y / unit)
            style = "icon-solid" if item.name == "template" else "icon"
            return item.layer + 1, style, f"M{x} {y}l{half} {half}-{half} {half}-{half}-{half}z"


def _grid_edges(x: float, y: float, width: float, height: float, unit: float) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom on the grid, at least one step apart and not far below the edge."""
    left, top = round(x / unit), round(y / unit)
    right, bottom = round((x + width) / unit), round((y + height) / unit)
    return left, top, max(right, left + 1), min(max(bottom, top + 1), _HEIGHT + _BEYOND)


def _longest_run(piece: scene.Piece) -> Run:
    """Return the longest run of a piece."""
    return max(piece.runs, key=lambda run: len(run.text))


def _bar_path(piece: scene.Piece, unit: float) -> str:
    """Return a line in place of the words."""
    x, y, right, _ = _grid_edges(piece.x, piece.y - _RISE_PX, piece.width, 0, unit)
    return f"M{x} {y}h{right - x}"


def _path_element(class_name: str, data: list[str]) -> Element:
    return Element("path", {"class": f"acdl-{class_name}", "d": "".join(data)}, [])
