"""Shapes as SVG path data. All coordinates are absolute only where a shape begins."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from acdl_mkdocs.drawing.figure.scene import Bracket, Icon, Line, Rect
from acdl_mkdocs.drawing.figure.theme import SIGN_LOOKS, Palette
from acdl_mkdocs.drawing.formats.xml import format_number

Shape: TypeAlias = Rect | Line | Bracket | Icon

STROKES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "icon": {"stroke-width": "1.3"},
        "icon-broken": {"stroke-width": "1.2"},
        "ends": {"stroke-dasharray": "5 4"},
        "skipped": {"stroke-dasharray": "3 3"},
        "broken": {"stroke-dasharray": "5 2"},
        "was": {"stroke-dasharray": "3 2"},
        "edge-new": {"stroke-width": "3"},
        "edge-gone": {"stroke-width": "3", "stroke-dasharray": "4 3"},
        "edge-other": {"stroke-width": "3", "stroke-dasharray": "1 2"},
        "edge-quiet": {"stroke-width": "3", "stroke-dasharray": "2 6"},
    }
    | {f"sign-{family}": {"stroke-width": "1.6"} for family in ("new", "gone", "other", "quiet")}
)
"""Attributes of the lines of a style in addition to their colour; other lines are solid and 1 px wide."""
_ICON_STYLES = {"template": "icon-solid", "broken": "icon-broken"} | {
    look.icon: look.style for look in SIGN_LOOKS.values()
}

_HALF = 0.5
"""Lines of 1 px are crisp in the middle of a pixel."""
_ICON_GRID = 12

_ICONS = {
    "template": "m6 0 6 6-6 6-6-6z",
    "loop": "m10.6 7.6a4.8 4.8 0 1 1-.6-4.3m.5-2.6v3h-3",
    "branch": "m6 .4 5.6 5.6-5.6 5.6-5.6-5.6z",
    "switch": "m.5 6h4m0 0 3.2-3.6h3.3m-6.5 3.6 3.2 3.6h3.3",
    "skipped": "m1 6h1.6m2.6 0h1.6m2.6 0h1.6",
    "broken": "m6 1 5.4 10h-10.8zm0 3.6v3m0 1.6v.4",
    "plus": "m6 1.5v9m-4.5-4.5h9",
    "minus": "m1.5 6h9",
    "tilde": "m1 7.4q2.5-4.6 5-1.4t5-1.4",
    "arrows": "m6 1v10m-3-7 3-3 3 3m-6 4 3 3 3-3",
    "tag": "m1 2.5h5.5l4.5 3.5-4.5 3.5h-5.5zm3 3.5h.4",
    "box-plus": "m1 1h10v10h-10zm5 2.5v5m-2.5-2.5h5",
    "box-minus": "m1 1h10v10h-10zm2.5 5h5",
    "person": "m6 1q2.3 0 2.3 2.3t-2.3 2.3-2.3-2.3 2.3-2.3m-4.6 10q.4-3.6 4.6-3.6t4.6 3.6",
    "slashes": "m2 10.5 3-9m2 9 3-9",
    "check": "m1.5 6.5 3 3.5 6-8",
    "cross": "m2 2 8 8m0-8-8 8",
    "ring": "m6 1.8q4.2 0 4.2 4.2t-4.2 4.2-4.2-4.2 4.2-4.2",
    "question": "m3.2 3.8q0-2.6 2.8-2.6t2.8 2.4q0 1.5-1.6 2.4-1.2 .7-1.2 2m0 2.2v.6",
}
"""Signs in a square of 12, as relative path data."""


def place_shape(shape: Shape, palette: Palette) -> tuple[int, str, str]:
    """Return layer, style and path of a shape."""
    match shape:
        case Rect():
            return shape.layer, shape.style, rect_path(shape, bool(palette[shape.style][1]))
        case Icon():
            return shape.layer + 1, _ICON_STYLES.get(shape.name, "icon"), icon_path(shape)
        case Line():
            return shape.layer, shape.style, line_path(shape)
        case Bracket():
            return 0, shape.style, bracket_path(shape)


def rect_path(shape: Rect, is_framed: bool) -> str:
    """Return a rectangle with round corners; a frame lies inside its edges."""
    inset = _HALF if is_framed else 0
    x, y = shape.x + inset, shape.y + inset
    width, height = shape.width - 2 * inset, shape.height - 2 * inset
    radius = min(shape.radius, width / 2, height / 2)
    return f"M{format_number(x + radius)} {format_number(y)}{_edge_path(width, height, radius)}"


@lru_cache(maxsize=4096)  # the frames of a figure have few sizes
def _edge_path(width: float, height: float, radius: float) -> str:
    """Return the edge of a rectangle, from where its upper side begins to be straight."""
    if not radius:
        return f"h{format_number(width)}v{format_number(height)}h{format_number(-width)}z"
    r, across, down = format_number(radius), format_number(width - 2 * radius), format_number(height - 2 * radius)
    back, up = format_number(2 * radius - width), format_number(2 * radius - height)
    return f"h{across}q{r} 0 {r} {r}v{down}q0 {r}-{r} {r}h{back}q-{r} 0-{r}-{r}v{up}q0-{r} {r}-{r}z"


def line_path(shape: Line) -> str:
    """Return a straight line along the grid."""
    right, down = format_number(shape.x2 - shape.x1), format_number(shape.y2 - shape.y1)
    return f"M{format_number(shape.x1)} {format_number(int(shape.y1) + _HALF)}l{right} {down}"


def bracket_path(shape: Bracket) -> str:
    """Return a square bracket that opens to the left."""
    width, height = format_number(shape.width - 1), format_number(shape.height - 1)
    return f"M{format_number(shape.x)} {format_number(shape.y + _HALF)}h{width}v{height}h-{width}"


def icon_path(shape: Icon) -> str:
    """Return the path of an icon, scaled if its size differs from that of its grid."""
    data = _ICONS[shape.name]
    if shape.size != _ICON_GRID:
        half = format_number(shape.size / 2)
        data = f"m{half} 0 {half} {half}-{half} {half}-{half}-{half}z"
    return f"M{format_number(shape.x)} {format_number(shape.y)}{data}"
