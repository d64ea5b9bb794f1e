"""When two texts are the same: after a normalisation that cannot change what a text says.

Four steps, and nothing else: case, words, their order, quotation marks, hyphens and digits stay as they are. Text in
backticks and fenced blocks is compared letter by letter. What a step must not touch is in `tests/similarity`.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

_TICKS = re.compile("`+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`\n]*\n)|~{3,})")
_BLANKS = re.compile(r"\s+")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])\u2019(?=[^\W\d_])")
_FULL_STOP = re.compile(r"(?<![^\s(\[])([^\W\d_]+(?:['\u2019-][^\W\d_]+)*)([)\]]?)\.\Z")
"""A full stop behind a word of letters, at the end of everything."""


@lru_cache(maxsize=65_536)
def normal_form(text: str) -> str:
    """A text without what says nothing.

    1. Unicode: NFC, which only joins characters that are defined to be the same (not NFKC: `m²` is not `m2`).
    2. White space: any of it is one blank, and none stays around the text.
    3. Apostrophe: a typographic one between two letters is a straight one.
    4. The full stop behind the last word, if that consists of letters.
    """
    text = unicodedata.normalize("NFC", text).strip()
    parts = [] if _FENCE.match(text) else _parts(text)
    if not parts or any("`" in prose for prose, _ in parts):  # a backtick that belongs to no code
        return text
    found = "".join(_APOSTROPHE.sub("'", _BLANKS.sub(" ", prose)) + code for prose, code in parts)
    return _FULL_STOP.sub(r"\1\2", found)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """A paragraph that is changed outside of inline code."""
    return "".join(change(prose) + code for prose, code in _parts(text))


def _parts(text: str) -> list[tuple[str, str]]:
    """A paragraph as prose and the inline code behind it: from a run of backticks to the next run of as many."""
    runs = list(_TICKS.finditer(text))
    of_length: dict[int, list[int]] = {}
    for idx, run in enumerate(runs):
        of_length.setdefault(len(run[0]), []).append(idx)
    parts: list[tuple[str, str]] = []
    at = idx = 0
    while idx < len(runs):
        same = of_length[len(runs[idx][0])]
        place = bisect_right(same, idx)
        if place == len(same):
            idx += 1
            continue
        end = runs[same[place]].end()
        parts.append((text[at : runs[idx].start()], text[runs[idx].start() : end]))
        at, idx = end, same[place] + 1
    return [*parts, (text[at:], "")]


def is_equal(a: str, b: str) -> bool:
    """Whether two texts have the same normal form."""
    return a == b or normal_form(a) == normal_form(b)
