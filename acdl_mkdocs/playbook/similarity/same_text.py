"""Text equality after a normalization that cannot change the meaning.

Four steps, and nothing else: case, words, their order, quotation marks, hyphens and digits are kept. Text in backticks,
fenced blocks and lines other than wrapped paragraphs are compared letter by letter, apart from the first step. See
`tests/similarity` for what the steps must not change.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

_TICKS = re.compile("`+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`\n]*\n)|~{3,})")
_BLANKS = re.compile(r"\s+")
_LINE_END = re.compile("\r\n?|\u2028|\u2029")
_IN_WORD = r"(?<=[^\W\d_])['\u2019](?=[^\W\d_])"
_APOSTROPHE = re.compile(_IN_WORD)
_PLAIN = re.compile(rf"(?:[^\W_]|[\s.,;:!?()%&\u2013\u2014-]|{_IN_WORD})*")
"""Prose without signs that could quote the text beside them: only there the number of blanks has no meaning."""
_WORD = re.compile(
    r"[(\[\"'\u201c\u2018`]*[^\W_]+(?:['\u2019/-][^\W_]+)*[)\]\"'\u201d\u2019`.,;:!?\u3002\u3001\uff0c\uff01\uff1f]*"
)
_LINE_THAT_COUNTS = re.compile(r"(?: {2,}| *\t)|\s*(?:[-*+\u2022>|]|\d+[.)])(?:\s|$)")
"""A line that is indented, a list item, quoted or a table row."""
_HARD_BREAKS = ("  ", "\\", "|")
_END = re.compile(r".*[^\W\d_][)\"'\u201d\u2019`]*[.!?]|.*[\u3002\uff01\uff1f]")
"""An end like that of a sentence."""
_MOST_ODD = 0.3
"""Share of the words of a line of prose that may be something else, such as inline code."""
_N_WORDS = 5
"""Number of words from which on a line is too long to end on purpose."""
_FULL_STOP = re.compile(r"(?<![^\s(\[])([^\W\d_]+(?:['\u2019-][^\W\d_]+)*)([)\]]?)\.\Z")
"""A full stop after a word of letters, at the end of the text."""


@lru_cache(maxsize=65_536)
def normal_form(text: str) -> str:
    """Normalize a text by removing differences without meaning.

    1. Unicode: NFC, which only joins characters that are defined to be the same (not NFKC: `m²` is not `m2`).
    2. White space: in plain prose a run is one blank; none is kept around the text. A wrapped paragraph is one line.
    3. Apostrophe: a typographic one between two letters is a straight one, unless the text has straight ones, too.
    4. Full stop: removed after the last word, if that consists of letters.
    """
    lines = lines_of(text)
    line = None if _FENCE.match(lines[0]) else join_wrapped_lines(lines)
    parts = _parts(line) if line is not None else []
    if line is None or any("`" in prose for prose, _ in parts):  # an unpaired backtick
        return "\n".join(lines)
    if not any("'" in prose for prose, _ in parts):
        line = "".join(_APOSTROPHE.sub("'", prose) + code for prose, code in parts)
    return _FULL_STOP.sub(r"\1\2", line)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text in NFC, without surrounding blank lines and common indentation."""
    lines = unicodedata.normalize("NFC", _LINE_END.sub("\n", text)).rstrip().split("\n")
    first = next((idx for idx, line in enumerate(lines) if line.strip()), 0)
    lines = lines[first:]
    if _FENCE.match(lines[0]) or len(lines) == 1:
        return [lines[0].lstrip(), *lines[1:]]
    margin = min((line[: len(line) - len(line.lstrip())] for line in lines if line.strip()), key=len)
    return [line.removeprefix(margin) for line in lines]


def join_wrapped_lines(lines: Sequence[str]) -> str | None:
    """Join the lines of a paragraph, with single blanks wherever their number has no meaning; `None` if lines matter.

    Joining lines of code, of a list or of a table would change the meaning. Only a certain paragraph is joined: it
    begins with a capital letter, consists of words, and ends like a sentence or has long lines.
    """
    if len(lines) > 1 and not _is_wrapped(lines):
        return None
    line = " ".join(each.strip() for each in lines) if len(lines) > 1 else lines[0]
    parts = _parts(line)
    if not _PLAIN.fullmatch("".join(prose for prose, _ in parts)):
        return line
    return "".join(_BLANKS.sub(" ", prose) + code for prose, code in parts)


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Return whether lines are a wrapped paragraph."""
    text = " ".join(lines)
    if any(_LINE_THAT_COUNTS.match(line) or line.endswith(_HARD_BREAKS) for line in lines[:-1]):
        return False
    if _LINE_THAT_COUNTS.match(lines[-1]) or text.lstrip("([\"'`\u201c\u2018")[:1].islower():
        return False
    words = [line.split() for line in lines]
    if any(sum(not _WORD.fullmatch(word) for word in row) > _MOST_ODD * len(row) for row in words):
        return False
    is_sentence = bool(_END.fullmatch(text.rstrip()))
    return all(map(_is_broken_by_width, lines, words, lines[1:], [is_sentence] * len(lines)))


def _is_broken_by_width(line: str, words: Sequence[str], following: str, is_sentence: bool) -> bool:
    """Return whether a line of prose can only end where it does because of the page width."""
    if line.rstrip().endswith(":"):
        return False
    is_long = len(words) >= _N_WORDS or bool(_END.fullmatch(line.rstrip()))
    return is_long or (is_sentence and not following.lstrip()[:1].isupper())


def _parts(text: str) -> list[tuple[str, str]]:
    """Split a paragraph into prose and the inline code after it: from a run of backticks to the next equal run."""
    runs = list(_TICKS.finditer(text))
    of_length: dict[int, list[int]] = {}
    for idx, run in enumerate(runs):
        of_length.setdefault(len(run[0]), []).append(idx)
    parts: list[tuple[str, str]] = []
    at = idx = 0
    while idx < len(runs):
        same = of_length[len(runs[idx][0])]
        position = bisect_right(same, idx)
        if position == len(same):
            idx += 1
            continue
        end = runs[same[position]].end()
        parts.append((text[at : runs[idx].start()], text[runs[idx].start() : end]))
        at, idx = end, same[position] + 1
    return [*parts, (text[at:], "")]


def is_equal(a: str, b: str) -> bool:
    """Return whether two texts have the same normal form."""
    return a == b or normal_form(a) == normal_form(b)
