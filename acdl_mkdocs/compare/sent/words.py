"""The words in which two texts differ, with a few around them, and their colours in a terminal."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.word_diff import Stretch, word_diff

WordsKind: TypeAlias = Literal["same", "removed", "added", "folded"]
_AROUND = 24
"""Characters that stay visible on each side of a difference."""
_MOST_CHARACTERS = 600
"""Limit of characters of all differences between two texts."""


@dataclass(frozen=True, slots=True)
class ChangedWords:
    """A stretch of two texts."""

    kind: WordsKind
    """`same`, `removed`, `added`, or `folded` for unchanged words that are left out."""
    text: str
    """The words; for `folded`, how many characters were left out, in digits."""


def changed_words(old: str, new: str) -> tuple[ChangedWords, ...]:
    """Return the changes from one text to another: deletions, additions, and a little unchanged context."""
    return tuple(_limit_length(_fold_unchanged(_split_stretches(word_diff(old, new)))))


def cut_excerpt(text: str, most: int = 160) -> tuple[ChangedWords, ...]:
    """Return the beginning of a text, and how much follows."""
    if len(text) <= most + _AROUND:
        return (ChangedWords("same", text),) if text else ()
    return (ChangedWords("same", text[:most]), ChangedWords("folded", str(len(text) - most)))


def _split_stretches(stretches: Sequence[Stretch]) -> Iterator[ChangedWords]:
    """Yield deleted text, then added text."""
    for each in stretches:
        if each.is_same:
            yield ChangedWords("same", each.new)
            continue
        if each.old:
            yield ChangedWords("removed", each.old)
        if each.new:
            yield ChangedWords("added", each.new)


def _fold_unchanged(stretches: Iterator[ChangedWords]) -> Iterator[ChangedWords]:
    """Yield stretches with long unchanged ones shortened to some context around the differences."""
    words = list(stretches)
    for at, each in enumerate(words):
        is_first, is_last = at == 0, at == len(words) - 1
        left, right = 0 if is_first else _AROUND, 0 if is_last else _AROUND
        n_left_out = len(each.text) - left - right
        if each.kind != "same" or n_left_out <= _AROUND:
            yield each
            continue
        if left:
            yield ChangedWords("same", each.text[:left])
        yield ChangedWords("folded", str(n_left_out))
        if right:
            yield ChangedWords("same", each.text[-right:])


def _limit_length(stretches: Iterator[ChangedWords]) -> Iterator[ChangedWords]:
    """Yield stretches up to a limit on the number of characters."""
    left, n_left_out = _MOST_CHARACTERS, 0
    for each in stretches:
        if each.kind == "folded":
            if left > 0:
                yield each
            else:
                n_left_out += int(each.text)
            continue
        if left > 0:
            yield ChangedWords(each.kind, each.text[:left])
        n_left_out += max(0, len(each.text) - max(left, 0))
        left -= len(each.text)
    if n_left_out:
        yield ChangedWords("folded", str(n_left_out))


RED, GREEN, YELLOW, CYAN, BOLD = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[1m"
_RESET = "\x1b[0m"


class Paint:
    """Colours text, or leaves it unchanged."""

    def __init__(self, is_wanted: bool) -> None:
        """Store whether to use colours."""
        self.is_wanted = is_wanted

    def __call__(self, color: str, text: str) -> str:
        """Return the text in that colour."""
        return f"{color}{text}{_RESET}" if self.is_wanted and text else text

    def format_words(self, words: tuple[ChangedWords, ...]) -> str:
        """Format stretches of two texts in one line: `[-old-]{+new+}`, as `git diff --word-diff` does."""
        return "".join(map(self._format_stretch, words)).strip()

    def _format_stretch(self, each: ChangedWords) -> str:
        text = make_visible(each.text)
        match each.kind:
            case "removed":
                return self(RED, f"[-{text}-]")
            case "added":
                return self(GREEN, f"{{+{text}+}}")
            case "folded":
                return f" … {int(each.text):,} characters … "
            case _:
                return text
