"""The width of text without a font: columns of a monospaced grid.

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


def count_columns(text: str) -> int:
    """Count the columns of a text that `make_visible` returned."""
    return len(text) if text.isascii() else sum(measure_advances(text))


def measure_advances(text: str) -> Iterator[int]:
    """Yield the columns that each character adds; their sum is the result of `count_columns`."""
    is_joined = False
    for character in text:
        if character == _JOINER:  # an emoji sequence is drawn as one glyph, as wide as its first
            is_joined = True
            yield 0
        else:
            yield 0 if is_joined else _measure_advance(character)
            is_joined = False


@lru_cache(maxsize=4096)
def _measure_advance(character: str) -> int:
    starts, ends, widths, default = _load_advances()
    code = ord(character)
    at = bisect_right(starts, code) - 1
    return widths[at] if at >= 0 and code <= ends[at] else default


@cache
def _load_advances() -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
    import json  # most figures are ASCII and never come here

    data = json.loads(_ADVANCES.read_text("utf-8"))
    starts, ends, widths = zip(*data["ranges"], strict=True)
    return starts, ends, widths, data["default"]


def is_right_to_left(text: str) -> bool:
    """Return whether any character belongs to a script written from right to left."""
    return not text.isascii() and any("\u0590" <= each <= "\u08ff" or "\ufb1d" <= each <= "\ufefc" for each in text)
