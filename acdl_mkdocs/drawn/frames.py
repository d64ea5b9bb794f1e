"""`unframed()`: the lines of a drawing without what only frames them, and where their words begin.

Frames are bullets, the branches of a tree, boxes, dividers, the fences of a page, the numbers of lines and of pages.
Knows nothing of what the words mean.
"""

import re
from collections.abc import Iterator

from acdl_mkdocs.drawn.columns import side_by_side
from acdl_mkdocs.foundation.frozen import dataclass

TAB = 4
_LEAST_NUMBERED = 3
"""Lines that are counted 1, 2, 3: fewer may be content."""

_GUTTER = re.compile(
    r"""
    (?: \s | [\u200b\ufeff] | [|`+]-{2,}\s? | [│┃║┆┊╎|]\s* | [├└┌╰╭┝┣┗╚╠][─━╌═-]*\s? )*
    (?: (?:[•◦●○▪▫‣·∙] | [►▸▶→⇒»>](?!=) | [-+*–—](?=\s) | (?:\d{1,4}|[a-z])[.)](?=\s)
        | (?:\(\d{1,2}\)|[①-⑳]|\[[\ xX✓]\])(?=\s+(?!(?:and|or|in|for|if)\b)[^\W\d_])) \s* ){0,3}
    """,
    re.VERBOSE,
)
_ICON = re.compile(r"(?:[◊◇◆♢⬦↻⟳⎇⏱\u2600-\u27bf\U0001f300-\U0001faff][\ufe0f\u200d]*)+\s*")
_DIVIDER = re.compile(r"\s*(?:[-=*~+─━═—–]{2,}|_{3,}|[-=+|─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╭╮╰╯│┃║]{3,})\s*")
_FENCE = re.compile(r"[\s>]*(?:`{3}|~{3})")
_BOX = re.compile(r"(\s*+[|│┃║](?:.*\S)?)\s*+[|│┃║]\s*")
_PAGE = re.compile(r"(?:[-–—] ?)?\d{1,4}(?: ?[-–—])?")
"""The number of a page."""
_NUMBER = re.compile(r"\s*(?P<number>\d{1,4})(?P<sign>\s*[:|]\s?|(?=\s)|$)")


@dataclass(frozen=True, slots=True)
class Framed:
    """A line of a drawing."""

    raw: str
    """All of it that may hold words, from its beginning."""
    start: int
    """Where it begins in the drawing."""
    at: int
    """Where in it the words begin."""
    column: int
    """How far in it stands, without what is drawn before the words."""


def unframed(text: str) -> Iterator[Framed]:
    """Every line that says something."""
    lines = side_by_side(text)
    has_numbers = _has_numbers([line for _, line in lines])
    for index, (start, line) in enumerate(lines):
        if not (_DIVIDER.fullmatch(line) or _FENCE.match(line) or _is_page_number(lines, index)):
            number = _NUMBER.match(line) if has_numbers else None
            first = number.end() if number else 0
            box = _BOX.fullmatch(line, first)
            raw = line[:first] + box[1] if box else line.rstrip()
            gutter = _GUTTER.match(raw, first)
            at = gutter.end() if gutter else first
            if raw[at:].strip():
                column = column_of(raw[first if number and number["sign"] else 0 : at])
                icon = _ICON.match(raw, at)
                at = icon.end() if icon else at
                if raw[at:].strip():
                    yield Framed(raw, start, at, column)


def column_of(before: str) -> int:
    """The column behind some text."""
    return len(before.expandtabs(TAB))


def _is_page_number(lines: list[tuple[int, str]], index: int) -> bool:
    """Whether a line is the number of a page: blank lines are around it, or it is the last one."""
    line = lines[index][1]
    if not _PAGE.fullmatch(line.strip()) or index == 0 or lines[index - 1][1].strip():
        return False
    return index + 1 == len(lines) or not lines[index + 1][1].strip()


def _has_numbers(lines: list[str]) -> bool:
    """Whether the lines are numbered, as in a listing."""
    last: int | None = None
    n_lines = 0
    for line in lines:
        if line.strip() and not _FENCE.match(line):
            found = _NUMBER.match(line)
            if found is None or (last is not None and int(found["number"]) != last + 1):
                return False
            last = int(found["number"])
            n_lines += 1
    return n_lines >= _LEAST_NUMBERED
