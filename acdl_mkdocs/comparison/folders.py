"""`paired()`: which file of one folder is which of another: by paths, and where one was renamed, by what it says.

Knows nothing of git, and reads no file.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

Status: TypeAlias = Literal["changed", "added", "removed", "renamed"]
_LEAST_ALIKE = 0.5
"""The share of the words of two files that are the same, from which one is taken for the other renamed."""
_MOST_TRIED = 40_000
"""More pairs of files are not compared by what they say."""
_WORD = re.compile(rb"[\w\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file of both sides, or of one."""

    old: str | None
    """Its path in the old folder; `None` for a file that is new."""
    new: str | None
    """Its path in the new one; `None` for a file that is gone."""

    @property
    def status(self) -> Status:
        """What became of it."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "changed" if self.old == self.new else "renamed"

    @property
    def path(self) -> str:
        """By which it is called: the new path, unless it is gone."""
        return self.new or self.old or ""


def paired(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[FilePair]:
    """The files that are not the same on both sides, in the order of their paths.

    Parameters:
        old: What the files of the old folder say, by path.
        new: The same of the new one.
    """
    both = [path for path in new if path in old]
    found = [FilePair(path, path) for path in both if old[path] != new[path]]
    gone = {path: old[path] for path in sorted(old) if path not in new}
    added = {path: new[path] for path in sorted(new) if path not in old}
    for before, after in renamed(gone, added):
        del gone[before], added[after]
        found.append(FilePair(before, after))
    found += [FilePair(path, None) for path in gone]
    found += [FilePair(None, path) for path in added]
    return sorted(found, key=lambda each: (each.path, each.old or ""))


def renamed(gone: Mapping[str, bytes], added: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Which of the files that are gone are probably those that are new, by their names; those most alike first.

    Parameters:
        gone: What the files say that are only on the old side, by name; or the specs of a page.
        added: The same of the new one.
    """
    if len(gone) * len(added) > _MOST_TRIED:
        by_text = {text: path for path, text in gone.items() if text.strip()}
        return [(by_text.pop(text), path) for path, text in added.items() if text in by_text]
    olds, news = ({path: _Words(text) for path, text in each.items()} for each in (gone, added))
    scored = [(_likeness(olds[before], news[after]), before, after) for before in gone for after in added]
    found: list[tuple[str, str]] = []
    taken: set[str] = set()
    for score, before, after in sorted(
        scored, key=lambda each: (-each[0], _name(each[1]) != _name(each[2]), *each[1:])
    ):
        if score >= _LEAST_ALIKE and before not in taken and after not in taken:
            taken |= {before, after}
            found.append((before, after))
    return found


class _Words:
    """The words of a text: how often each is there, and how much they are, longer ones counting more."""

    def __init__(self, text: bytes) -> None:
        self.counts = Counter(_WORD.findall(text))
        self.size = sum(len(word) * count for word, count in self.counts.items())


def _likeness(old: _Words, new: _Words) -> float:
    """The share of what two files say that both say."""
    less, more = sorted((old.size, new.size))
    if less < _LEAST_ALIKE * more or not more:
        return 0.0
    there = new.counts
    return sum(len(word) * min(count, there[word]) for word, count in old.counts.items() if word in there) / more


def _name(path: str) -> str:
    return path.rpartition("/")[2]
