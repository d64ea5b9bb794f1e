"""How wide text is, without a font: columns of a monospaced grid.

A column is `Theme.column_em` wide. The numbers of columns come from `assets/advances.json`, which was measured once in
real fonts; writers pin every piece of text to that width, so a figure keeps its shape under any font. Knows nothing
about ACDL.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

_ADVANCES = Path(__file__).parent.parent / "assets" / "advances.json"
_JOINER = "\u200d"
_REPLACED = "\ufffd"
_INVISIBLE = frozenset(
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"
)
"""Characters that reorder, hide or join text without a trace: shown by their number."""


def columns(text: str) -> int:
    """Columns that a text takes; the text is one that `visible` returned."""
    return len(text) if text.isascii() else sum(advances(text))


def advances(text: str) -> Iterator[int]:
    """Columns that each character adds to those before it; their sum is what `columns` says."""
    is_joined = False
    for character in text:
        if character == _JOINER:  # an emoji sequence is drawn as one glyph, as wide as its first
            is_joined = True
            yield 0
        else:
            yield 0 if is_joined else _advance(character)
            is_joined = False


@lru_cache(maxsize=4096)
def _advance(character: str) -> int:
    starts, ends, widths, default = _table()
    code = ord(character)
    at = bisect_right(starts, code) - 1
    return widths[at] if at >= 0 and code <= ends[at] else default


@cache
def _table() -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
    import json  # most figures are ASCII and never come here

    data = json.loads(_ADVANCES.read_text("utf-8"))
    starts, ends, widths = zip(*data["ranges"], strict=True)
    return starts, ends, widths, data["default"]


def visible(text: str) -> str:
    """The text as a reader should see it: nothing that XML forbids, nothing that hides or reorders.

    Line ends and tabs become blanks, other control characters U+FFFD, and bidirectional and invisible controls their
    number, such as `<U+202E>`: unlike in messages, where columns count, there is room for it. Joiners that scripts and
    emoji need stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    code = ord(character)
    if character in "\t\n\r":
        return " "
    if character in _INVISIBLE:
        return f"<U+{code:04X}>"
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    is_no_character = 0xD800 <= code < 0xE000 or 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE
    return _REPLACED if is_control or is_no_character else character


def is_right_to_left(text: str) -> bool:
    """Whether any character belongs to a script written from right to left."""
    return not text.isascii() and any("\u0590" <= each <= "\u08ff" or "\ufb1d" <= each <= "\ufefc" for each in text)
