"""The same names as in `acdl_mkdocs.drawing.from_drawing.read`, at the path that users know."""

from acdl_mkdocs.drawing.from_drawing.read import Drawing, is_drawing, read_drawing

__all__ = (
    "Drawing",
    "is_drawing",
    "read_drawing",
)
