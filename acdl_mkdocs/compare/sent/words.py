"""The words in which two texts differ, with a few around them, and their colours in a terminal."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from acdl_mkdocs.compare.structure.sequences import common
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.text_width import visible

WordsKind: TypeAlias = Literal["same", "removed", "added", "folded"]
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_WORDS = 4_000
"""Longer texts are compared line by line first, and their lines word by word."""
_AROUND = 24
"""Characters that stay visible on each side of a difference."""
_MOST_CHARACTERS = 600
"""Characters that are kept of all that two texts differ in."""


@dataclass(frozen=True, slots=True)
class Words:
    """A stretch of two texts."""

    kind: WordsKind
    text: str
    """For `folded`, how many characters were left out, in digits."""


def changed_words(old: str, new: str) -> tuple[Words, ...]:
    """How one text became another: what was taken out and put in, and a little of what stays."""
    return tuple(_cut(_folded(_joined(_compared(old, new)))))


def excerpt(text: str, most: int = 160) -> tuple[Words, ...]:
    """The beginning of a text, and how much follows."""
    if len(text) <= most + _AROUND:
        return (Words("same", text),) if text else ()
    return (Words("same", text[:most]), Words("folded", str(len(text) - most)))


def _compared(old: str, new: str) -> Iterator[Words]:
    olds, news = _WORD.findall(old), _WORD.findall(new)
    if len(olds) + len(news) <= _MOST_WORDS:
        yield from _gaps(olds, news)
        return
    yield from _gaps(_LINE.findall(old), _LINE.findall(new), is_by_words=True)


def _gaps(olds: Sequence[str], news: Sequence[str], *, is_by_words: bool = False) -> Iterator[Words]:
    """What stays and what does not, in order."""
    left = right = 0
    for i, j in (*common(olds, news), (len(olds), len(news))):
        removed, added = "".join(olds[left:i]), "".join(news[right:j])
        if is_by_words and removed and added and len(removed) + len(added) <= 4 * _MOST_WORDS:
            yield from _gaps(_WORD.findall(removed), _WORD.findall(added))
        else:
            yield from _pair(removed, added)
        if i < len(olds):
            yield Words("same", olds[i])
        left, right = i + 1, j + 1


def _pair(removed: str, added: str) -> Iterator[Words]:
    if removed:
        yield Words("removed", removed)
    if added:
        yield Words("added", added)


def _joined(found: Iterator[Words]) -> Iterator[Words]:
    """Neighbours of one kind as one; a blank that stays between two changes belongs to both."""
    words = list(found)
    run: dict[str, list[str]] = {"removed": [], "added": []}
    same: list[str] = []
    for at, each in enumerate(words):
        is_between = 0 < at < len(words) - 1 and words[at - 1].kind != "same" and words[at + 1].kind != "same"
        if each.kind == "same" and each.text.isspace() and is_between:
            run["removed"].append(each.text)
            run["added"].append(each.text)
        elif each.kind == "same":
            yield from _pair("".join(run["removed"]), "".join(run["added"]))
            run = {"removed": [], "added": []}
            same.append(each.text)
        else:
            if same:
                yield Words("same", "".join(same))
                same = []
            run[each.kind].append(each.text)
    yield from _pair("".join(run["removed"]), "".join(run["added"]))
    if same:
        yield Words("same", "".join(same))


def _folded(found: Iterator[Words]) -> Iterator[Words]:
    """Long stretches that stay are left out but for a little beside the differences."""
    words = list(found)
    for at, each in enumerate(words):
        is_first, is_last = at == 0, at == len(words) - 1
        left, right = 0 if is_first else _AROUND, 0 if is_last else _AROUND
        n_left_out = len(each.text) - left - right
        if each.kind != "same" or n_left_out <= _AROUND:
            yield each
            continue
        if left:
            yield Words("same", each.text[:left])
        yield Words("folded", str(n_left_out))
        if right:
            yield Words("same", each.text[-right:])


def _cut(found: Iterator[Words]) -> Iterator[Words]:
    """No more than a person reads, and no more than a thousand points can keep."""
    left, n_left_out = _MOST_CHARACTERS, 0
    for each in found:
        if each.kind == "folded":
            if left > 0:
                yield each
            else:
                n_left_out += int(each.text)
            continue
        if left > 0:
            yield Words(each.kind, each.text[:left])
        n_left_out += max(0, len(each.text) - max(left, 0))
        left -= len(each.text)
    if n_left_out:
        yield Words("folded", str(n_left_out))


RED, GREEN, YELLOW, CYAN, BOLD = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[1m"
_RESET = "\x1b[0m"


class Paint:
    """Puts text in a colour, or leaves it."""

    def __init__(self, is_wanted: bool) -> None:
        """Remember whether there are colours."""
        self.is_wanted = is_wanted

    def __call__(self, color: str, text: str) -> str:
        """The text in that colour."""
        return f"{color}{text}{_RESET}" if self.is_wanted and text else text

    def words(self, words: tuple[Words, ...]) -> str:
        """Stretches of two texts in one line: `[-old-]{+new+}` as `git diff --word-diff` writes it."""
        return "".join(map(self._stretch, words)).strip()

    def _stretch(self, each: Words) -> str:
        text = visible(each.text)
        match each.kind:
            case "removed":
                return self(RED, f"[-{text}-]")
            case "added":
                return self(GREEN, f"{{+{text}+}}")
            case "folded":
                return f" … {int(each.text):,} characters … "
            case _:
                return text
