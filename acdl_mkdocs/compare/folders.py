"""The changes between the specs of two folders, with files paired by name and content, as one report."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.compare.formats import json_tree, markdown, text
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.sent import SentDifference
from acdl_mkdocs.compare.sent.words import BOLD, Paint
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.comment_markdown import MarkdownComment, format_code
from acdl_mkdocs.foundation.safe_text import json_text, make_visible

Status: TypeAlias = Literal["changed", "added", "removed", "renamed"]
_LEAST_ALIKE = 0.5
"""The share of common words from which on a removed and an added file count as renamed."""
_MOST_TRIED = 40_000
"""Above this number of pairs, files are not compared by content."""
_WORD = re.compile(rb"[\w\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file of both sides, or of one."""

    old: str | None
    """Its path in the old folder; `None` for a file that is new."""
    new: str | None
    """Its path in the new one; `None` for a file that was removed."""

    @property
    def status(self) -> Status:
        """The kind of change."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "changed" if self.old == self.new else "renamed"

    @property
    def path(self) -> str:
        """The path that identifies the pair: the new one, unless the file was removed."""
        return self.new or self.old or ""


def pair_files(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[FilePair]:
    """Pair the files that differ between both sides, ordered by path.

    Parameters:
        old: The contents of the files of the old folder, by path.
        new: The same of the new folder.
    """
    both = [path for path in new if path in old]
    pairs = [FilePair(path, path) for path in both if old[path] != new[path]]
    removed = {path: old[path] for path in sorted(old) if path not in new}
    added = {path: new[path] for path in sorted(new) if path not in old}
    for before, after in match_renamed(removed, added):
        del removed[before], added[after]
        pairs.append(FilePair(before, after))
    pairs += [FilePair(path, None) for path in removed]
    pairs += [FilePair(None, path) for path in added]
    return sorted(pairs, key=lambda each: (each.path, each.old or ""))


def match_renamed(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Match removed files with added files that are probably the same under a new name, most similar first.

    Parameters:
        removed: The contents of files that are only on the old side, by name; or the specs of a page.
        added: The same of the new side.
    """
    if len(removed) * len(added) > _MOST_TRIED:
        by_text = {text: path for path, text in removed.items() if text.strip()}
        return [(by_text.pop(text), path) for path, text in added.items() if text in by_text]
    olds, news = ({path: _WordCounts(text) for path, text in each.items()} for each in (removed, added))
    scored = [(_word_similarity(olds[before], news[after]), before, after) for before in removed for after in added]
    pairs: list[tuple[str, str]] = []
    taken: set[str] = set()
    for score, before, after in sorted(
        scored, key=lambda each: (-each[0], _file_name(each[1]) != _file_name(each[2]), *each[1:])
    ):
        if score >= _LEAST_ALIKE and before not in taken and after not in taken:
            taken |= {before, after}
            pairs.append((before, after))
    return pairs


class _WordCounts:
    """The words of a text: their counts, and their total size, in which longer words count more."""

    def __init__(self, text: bytes) -> None:
        self.counts = Counter(_WORD.findall(text))
        self.size = sum(len(word) * count for word, count in self.counts.items())


def _word_similarity(old: _WordCounts, new: _WordCounts) -> float:
    """Return the share of words that two files have in common."""
    smaller, larger = sorted((old.size, new.size))
    if smaller < _LEAST_ALIKE * larger or not larger:
        return 0.0
    counts = new.counts
    return sum(len(word) * min(count, counts[word]) for word, count in old.counts.items() if word in counts) / larger


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


VERSION = 1
_ORDER: tuple[Status, ...] = ("changed", "renamed", "added", "removed")
_CURE = "`acdl diff` shows all of it."


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file of both sides, a spec of a page of both, or what only one side has."""

    pair: FilePair
    old: str | None
    """The name that people use for the old one."""
    new: str | None
    block: str = ""
    """The spec of a page."""
    old_block: str = ""
    """The former name of that spec, if it was renamed."""
    difference: Difference | None = None
    """`None` if there is nothing to compare."""
    sent: SentDifference | None = None
    problem: str = ""
    """Why it cannot be read."""

    @property
    def status(self) -> Status:
        """The kind of change."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "renamed" if self.old_block else self.pair.status

    @property
    def title(self) -> str:
        """The name in a list of the files of both sides."""
        block = f"#{self.block}" if self.block else ""
        if self.status == "renamed":
            before = f"#{self.old_block}" if self.old_block else block
            return f"{self.pair.old}{before} → {self.pair.new}{block}"
        return f"{self.pair.old if self.status == 'removed' else self.pair.path}{block}"


def summarize_files(files: Sequence[ComparedFile]) -> str:
    """Summarize all changes in a sentence; files that were not compared are only counted."""
    if not files:
        return "no spec changed"
    counts = Counter(each.status for each in files if not each.problem)
    listed = [f"{counts[status]} {status}" for status in _ORDER if counts[status]]
    n_problems = sum(bool(each.problem) for each in files)
    if n_problems:
        listed.append(f"{n_problems} could not be compared")
    compared = [each.difference for each in files if each.difference is not None]
    n_other = sum(not each.is_equal_sent for each in compared)
    n_same = len(compared) - n_other
    if n_other:
        listed[-1] += f"; the messages can differ in {n_other}"
    elif n_same:
        rest = len(files) - n_same
        listed[-1] += "; the messages cannot differ" + (
            f" in the {n_same} that {_was_or_were(n_same)} compared" if rest else ""
        )
    return ", ".join(listed)


def _was_or_were(number: int) -> str:
    return "was" if number == 1 else "were"


def _write_text(files: Sequence[ComparedFile], options: CompareOptions) -> str:
    """Format the differences, each followed by a blank line, then the files of one side, then unreadable files."""
    paint = Paint(options.color)
    paragraphs: list[str] = []
    for each in files:
        if each.difference is not None:
            head = f"{paint(BOLD, f'renamed: {make_visible(each.title)}')}\n" if each.status == "renamed" else ""
            paragraphs.append(f"{head}{text.write(each.difference, replace(options, sent=each.sent))}\n")
    for each in (*_select_files(files, "added"), *_select_files(files, "removed")):
        paragraphs.append(paint(BOLD, f"{each.status}: {make_visible(each.title)}") + "\n")
    paragraphs += [f"{paint(BOLD, 'not compared:')} {make_visible(each.problem)}\n" for each in files if each.problem]
    return "".join([*paragraphs, f"{summarize_files(files)}\n"])


def _select_files(files: Sequence[ComparedFile], status: Status) -> list[ComparedFile]:
    """Return the files of one status."""
    return [each for each in files if each.status == status and not each.problem]


def _write_json(files: Sequence[ComparedFile], _: CompareOptions) -> str:
    objects = [
        {
            "status": each.status,
            "old": each.old,
            "new": each.new,
            "block": each.block or None,
            "old_block": each.old_block or None,
            "problem": each.problem or None,
            "difference": None
            if each.difference is None
            else json_tree.to_object(each.difference, CompareOptions(sent=each.sent)),
        }
        for each in files
    ]
    document = {"acdl_diff_files": VERSION, "summary": summarize_files(files), "files": objects}
    return json_text(document) + "\n"


def _write_markdown(files: Sequence[ComparedFile], options: CompareOptions) -> str:
    comment = MarkdownComment(options.limit)
    summary = summarize_files(files)
    comment.add_paragraph(f"### Specs: {summary}")
    others = [each for each in files if each.difference is None or each.difference.is_empty]
    rows = [
        (
            "not compared" if each.problem else each.status,
            format_code(each.title),
            each.problem and format_code(each.problem),
        )
        for each in others
    ]
    for each in files:
        if each.difference is not None and not each.difference.is_empty:
            own = replace(options, sent=each.sent, title=each.title)
            markdown.add_difference(comment, each.difference, own, level=4)
    if rows:
        comment.add_paragraph("#### Without a difference to show" if len(rows) < len(files) else "")
        comment.add_table(("what", "file", ""), rows)
    return comment.format_text(_CURE)


FOLDER_REPORTS: Mapping[str, Callable[[Sequence[ComparedFile], CompareOptions], str]] = {
    "text": _write_text,
    "json": _write_json,
    "markdown": _write_markdown,
}
"""The writers of one report about all files, by format."""
