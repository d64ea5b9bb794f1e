"""What is drawn for signs: the column at the left edge, what lies behind signed words, and lines through words.

Takes rows that have a place and gives shapes. Knows no ACDL and no meaning of a sign.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acdl_mkdocs.figure.boxes import Box, comment
from acdl_mkdocs.figure.scene import Icon, Item, Line, Piece, Rect
from acdl_mkdocs.figure.theme import Theme
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.language.syntax.words import Run

STRUCK = "was"
"""Style of a frame whose words are struck out."""
WORDS = "muted"
"""Style of the words of a sign."""


class Signed(NamedTuple):
    """A box with a sign, and where its own words are."""

    box: Box
    top: float
    bottom: float
    baseline: float
    """Of its first line."""


def room(rows: Iterable[Box], theme: Theme) -> float:
    """Width of the column for signs; 0 for a figure without any."""
    return theme.sign_column if any(box.sign for box in rows) else 0


def beside(box: Box) -> tuple[str, int]:
    """What stands in the column of comments: the words of the sign, then the comment; and how long the words are."""
    words = visible(box.sign_words).strip()
    if box.kind == "mark" and box.sign:
        words = words or box.sign  # a mark has no header that the sign could stand before
    text = comment(box)
    return (f"{words} {text}" if text else words, len(words)) if words else (text, 0)


def pieces_of(line: str, n_words: int) -> list[Run]:
    """A line of that column: as many characters of the words as are left, and the comment."""
    if not n_words:
        return [Run(line, "comment")]
    words, rest = line[:n_words], line[n_words:]
    blanks = rest[: len(rest) - len(rest.lstrip(" "))]
    return [Run(words + blanks, WORDS), *([Run(rest.lstrip(" "), "comment")] if rest.strip() else [])]


def strikes(box: Box, pieces: Iterable[Piece], frames: Iterable[Rect], theme: Theme) -> Iterator[Line]:
    """A line through every piece of words that are no longer there."""
    look = theme.signs.get(box.sign)
    is_all = look is not None and look.is_struck
    struck = [frame for frame in frames if frame.style == STRUCK]
    if not is_all and not struck:
        return
    for piece in pieces:
        if piece.runs[0].style == WORDS:
            continue
        y = piece.y - theme.icon_rise
        if is_all or any(_holds(frame, piece.x, y) for frame in struck):
            style = "strike-role" if piece.runs[0].style == "role" else "strike"
            yield Line(piece.x, y, piece.x + piece.width, y, style, theme.strike_layer)


def _holds(frame: Rect, x: float, y: float) -> bool:
    return frame.x <= x <= frame.x + frame.width and frame.y <= y <= frame.y + frame.height


def drawn(signed: Iterable[Signed], theme: Theme, width: float) -> Iterator[Item]:
    """The signs, and what lies behind the words they are about; one band for neighbours with the same sign."""
    begun: tuple[str, float, float] | None = None
    for each in signed:
        look = theme.signs.get(each.box.sign)
        if look is not None and each.bottom > each.top:
            y = each.baseline - theme.icon_rise - theme.sign_px / 2
            yield Icon(theme.margin + theme.edge + theme.sign_gap, y, theme.sign_px, look.icon)
        sign = each.box.sign if look is not None and look.tint else ""
        if begun is not None and (begun[0] != sign or each.top - begun[2] > theme.line):
            yield from _band(*begun, theme, width)
            begun = None
        if sign:
            begun = (sign, each.top if begun is None else begun[1], each.bottom)
    if begun is not None:
        yield from _band(*begun, theme, width)


def _band(sign: str, top: float, bottom: float, theme: Theme, width: float) -> Iterator[Item]:
    look = theme.signs[sign]
    x = theme.margin + theme.edge / 2
    yield Rect(theme.margin, top, width - theme.margin, bottom - top, look.tint, layer=theme.tint_layer)
    yield Line(x, top, x, bottom, look.edge)
