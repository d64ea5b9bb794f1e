"""`side_by_side()`: the lines of a text; of two drawings beside each other, those of the left one first.

Knows nothing of what the words mean, but that a comment beside a line is no drawing.
"""

import re

_GAP = re.compile(r"\S {3,}\S")
_NO_DRAWING = re.compile(r"//|#|←|<-|--|%|;|[(\[]?\d|[}\])⎫⎬⎭]")
"""What stands beside a line and belongs to it: a comment, the number of a mark."""
_HEADED = re.compile(
    r"[│|]?\s*+(?:role\s*+[:=]|(?:system|user|assistant|tool|[SUAT])\s*+(?::|[│|]|$)|for\s?each\b|[^\W\d]\w*+\s*+\[@[^\]]*\]\s*+:?\s*+$)",
    re.IGNORECASE,
)
_LEAST_GAP = 3
"""Blanks between two drawings."""
_LEAST_LINES = 3
"""So many lines stand on both sides."""
_LEAST_HEADS = 2
"""So many titles and roles stand on the right."""
_MOST_LINES = 2000
_WIDEST = 300


def side_by_side(text: str) -> list[tuple[int, str]]:
    """Every line with where it begins in the text."""
    lines: list[tuple[int, str]] = []
    start = 0
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    at = gap_of(text)
    if at is None:
        return lines
    left = [(start, line[:at].rstrip()) for start, line in lines]
    right = [(start + min(at, len(line)), line[at:]) for start, line in lines]
    return [*left, *right]


def gap_of(text: str) -> int | None:
    """The column where the right one of two drawings begins; `None` if there is one."""
    wide = [line.rstrip() for line in text.split("\n")] if "\t" not in text else []
    if len(wide) > _MOST_LINES or max(map(len, wide), default=0) > _WIDEST:
        return None
    if sum(_GAP.search(line) is not None for line in wide) < _LEAST_LINES:
        return None
    width = max(map(len, wide))
    is_used = [False] * width
    for line in wide:
        for found in re.finditer(r"\S+", line):
            is_used[found.start() : found.end()] = [True] * len(found[0])
    for at in range(_LEAST_GAP, width):
        if is_used[at] and not any(is_used[at - _LEAST_GAP : at]) and any(is_used[:at]) and _are_two(wide, at):
            return at
    return None


def _are_two(lines: list[str], at: int) -> bool:
    """Whether there is a drawing on both sides of a column."""
    right = [line[at:].strip() for line in lines if line[:at].strip() and line[at:].strip()]
    if len(right) < _LEAST_LINES or any(_NO_DRAWING.match(line) for line in right):
        return False
    return sum(_HEADED.match(line) is not None for line in right) >= _LEAST_HEADS
