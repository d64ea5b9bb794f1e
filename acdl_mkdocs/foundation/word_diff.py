"""`word_diff()`: the words in which two texts differ. Callers decide how to show them."""

import re
from collections.abc import Iterator, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.sequences import match_equal

WORD = re.compile(r"https?://\S*\w|\w+|\s+|[^\w\s]")
"""A link, a word, a blank or a sign."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD_CHARACTER = re.compile(r"\w")
_MOST_WORDS = 4_000
"""Longer texts are compared line by line first, and their lines word by word."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of two texts: what both have, or what each has in place of the other's."""

    is_same: bool
    old: str
    """Empty where something was only added."""
    new: str
    """Empty where something was only removed."""


def word_diff(old: str, new: str) -> tuple[Stretch, ...]:
    """Compare two texts word by word.

    What stays and what changes take turns: a blank or a sign that stays between two changes belongs to them, so that
    a sentence that is written anew is not cut at each of its blanks.
    """
    olds, news = WORD.findall(old), WORD.findall(new)
    if len(olds) + len(news) <= _MOST_WORDS:
        pieces = _compare_pieces(olds, news)
    else:
        pieces = _compare_pieces(_LINE.findall(old), _LINE.findall(new), is_by_words=True)
    return tuple(_join_changes(list(_merge_neighbours(pieces))))


def _compare_pieces(olds: Sequence[str], news: Sequence[str], *, is_by_words: bool = False) -> Iterator[Stretch]:
    """Yield unchanged and changed pieces in order."""
    left = right = 0
    for i, j in (*match_equal(olds, news, is_exact=True), (len(olds), len(news))):
        removed, added = "".join(olds[left:i]), "".join(news[right:j])
        if is_by_words and removed and added and len(removed) + len(added) <= 4 * _MOST_WORDS:
            yield from _compare_pieces(WORD.findall(removed), WORD.findall(added))
        elif removed or added:
            yield Stretch(is_same=False, old=removed, new=added)
        if i < len(olds):
            yield Stretch(is_same=True, old=olds[i], new=news[j])
        left, right = i + 1, j + 1


def _merge_neighbours(pieces: Iterator[Stretch]) -> Iterator[Stretch]:
    """Merge neighbours of the same kind."""
    run: list[Stretch] = []
    for each in pieces:
        if run and run[0].is_same != each.is_same:
            yield _merge_run(run)
            run = []
        run.append(each)
    if run:
        yield _merge_run(run)


def _join_changes(stretches: list[Stretch]) -> Iterator[Stretch]:
    """Merge changes with the blanks and signs between them."""
    run: list[Stretch] = []
    for at, each in enumerate(stretches):
        is_between = 0 < at < len(stretches) - 1 and not _WORD_CHARACTER.search(each.old)
        if each.is_same and not is_between:
            if run:
                yield _merge_run(run)
                run = []
            yield each
        else:
            run.append(each)
    if run:
        yield _merge_run(run)


def _merge_run(run: list[Stretch]) -> Stretch:
    is_same = all(each.is_same for each in run)
    return Stretch(is_same, "".join(each.old for each in run), "".join(each.new for each in run))
