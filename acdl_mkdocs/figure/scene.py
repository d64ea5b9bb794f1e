"""A figure with places: shapes and pieces of text in CSS px, origin at the top left, y growing downwards.

Made by `layout`, drawn by the writers that draw. Styles are theme keys. Knows nothing about ACDL.
"""

from dataclasses import dataclass
from typing import TypeAlias

from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.words import Run


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled or framed rectangle."""

    x: float
    y: float
    width: float
    height: float
    style: str
    radius: float = 0
    layer: int = 0
    """What it lies on: 0 is the ground, a frame inside a frame is one higher."""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str


@dataclass(frozen=True, slots=True)
class Bracket:
    """A square bracket that closes on the left: its spine is at `x + width`."""

    x: float
    y: float
    width: float
    height: float
    style: str


@dataclass(frozen=True, slots=True)
class Icon:
    """A sign in a square."""

    x: float
    y: float
    size: float
    name: str
    layer: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Text on one baseline without a gap, `width` wide whatever the font."""

    x: float
    y: float
    """The baseline."""
    width: float
    runs: tuple[Run, ...]
    is_small: bool = False
    is_bold: bool = False
    space: str = ""
    """What stands between this piece and the one before it when both are copied."""
    target: str = ""
    """Name of the definition that the piece refers to."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a reader selects, finds and hears as one: all pieces of a statement, in reading order."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """One construct: what is drawn for it, and the constructs inside it."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    items: tuple["Item", ...]
    anchor: str = ""
    span: Span | None = None


Item: TypeAlias = Rect | Line | Bracket | Icon | Text | Group


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole figure."""

    width: float
    height: float
    root: Group
    overflow: tuple[Piece, ...] = ()
    """Pieces that could not be broken and reach past the width that was asked for; `width` includes them."""
