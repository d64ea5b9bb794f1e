"""Shapes as SVG path data. All coordinates are absolute only where a shape begins."""

from acdl_mkdocs.figure.scene import Bracket, Icon, Line, Rect
from acdl_mkdocs.outputs.xml import number

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
}
"""Signs in a square of 12, as relative path data."""


def rect(shape: Rect, is_framed: bool) -> str:
    """A rectangle with round corners; a frame lies inside its edges."""
    inset = _HALF if is_framed else 0
    x, y = shape.x + inset, shape.y + inset
    width, height = shape.width - 2 * inset, shape.height - 2 * inset
    radius = min(shape.radius, width / 2, height / 2)
    if not radius:
        return f"M{number(x)} {number(y)}h{number(width)}v{number(height)}h{number(-width)}z"
    r, across, down = number(radius), number(width - 2 * radius), number(height - 2 * radius)
    back, up = number(2 * radius - width), number(2 * radius - height)
    return (
        f"M{number(x + radius)} {number(y)}h{across}q{r} 0 {r} {r}v{down}q0 {r}-{r} {r}"
        f"h{back}q-{r} 0-{r}-{r}v{up}q0-{r} {r}-{r}z"
    )


def line(shape: Line) -> str:
    """A straight line along the grid."""
    right, down = number(shape.x2 - shape.x1), number(shape.y2 - shape.y1)
    return f"M{number(shape.x1)} {number(int(shape.y1) + _HALF)}l{right} {down}"


def bracket(shape: Bracket) -> str:
    """A square bracket that opens to the left."""
    width, height = number(shape.width - 1), number(shape.height - 1)
    return f"M{number(shape.x)} {number(shape.y + _HALF)}h{width}v{height}h-{width}"


def icon(shape: Icon) -> str:
    """A sign; those that are not as large as the grid they were drawn on are scaled."""
    data = _ICONS[shape.name]
    if shape.size != _ICON_GRID:
        half = number(shape.size / 2)
        data = f"m{half} 0 {half} {half}-{half} {half}-{half}-{half}z"
    return f"M{number(shape.x)} {number(shape.y)}{data}"
