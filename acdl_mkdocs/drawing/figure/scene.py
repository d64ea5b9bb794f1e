"""A figure with places: shapes and pieces of text in CSS px, origin at the top left, y growing downwards.

Made by `layout`, drawn by the writers that draw. Styles are theme keys. Knows nothing about ACDL.

The types are named tuples: frozen dataclasses take twice as long to make and nine times as long to declare.
"""

from typing import NamedTuple, TypeAlias

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.words import Run


class Rect(NamedTuple):
    """A filled or framed rectangle."""

    x: float
    y: float
    width: float
    height: float
    style: str
    radius: float = 0
    layer: int = 0
    """Its layer: 0 is the ground, a frame inside a frame is one higher."""


class Line(NamedTuple):
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str
    layer: int = 0


class Bracket(NamedTuple):
    """A square bracket that closes on the left: its spine is at `x + width`."""

    x: float
    y: float
    width: float
    height: float
    style: str


class Icon(NamedTuple):
    """A sign in a square."""

    x: float
    y: float
    size: float
    name: str
    layer: int = 0


class Piece(NamedTuple):
    """Text on one baseline without a gap, `width` wide whatever the font."""

    x: float
    y: float
    """The baseline."""
    width: float
    runs: tuple[Run, ...]
    is_small: bool = False
    is_bold: bool = False
    space: str = ""
    """The text between this piece and the one before it when both are copied."""
    target: str = ""
    """Name of the definition that the piece refers to."""


class Text(NamedTuple):
    """All pieces of a statement, in reading order: the unit for selection, search and screen readers."""

    pieces: tuple[Piece, ...]


class Group(NamedTuple):
    """One construct: what is drawn for it, and the constructs inside it."""

    x: float
    y: float
    width: float
    height: float
    items: tuple["Item", ...]
    anchor: str = ""
    span: Span | None = None


Item: TypeAlias = Rect | Line | Bracket | Icon | Text | Group


class Scene(NamedTuple):
    """The whole figure."""

    width: float
    height: float
    root: Group
