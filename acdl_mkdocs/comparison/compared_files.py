"""All that changed between the specs of two folders, as one report: for a terminal, as JSON, or as one comment.

```json
{"acdl_diff_files": 1, "summary": "1 renamed; what is sent cannot differ", "files": [
 {"status": "renamed", "old": "main:a.acdl", "new": "HEAD:b.acdl", "block": null, "old_block": null, "problem": null,
  "difference": DIFF}]}
```

`status` is `changed`, `added`, `removed` or `renamed`, `block` the spec of a page, `old_block` its old name, `problem`
why a file could not be read, and a `DIFF` what `json_tree` describes; it is null for what is only on one side, or has a
problem. `assets/diff-files.schema.json` describes all of it. `acdl_diff_files` changes when a field changes its meaning
or goes away; fields may be added.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from acdl_mkdocs.comparison import json_tree, markdown, text
from acdl_mkdocs.comparison.edits import Difference
from acdl_mkdocs.comparison.folders import FilePair, Status
from acdl_mkdocs.comparison.options import CompareOptions
from acdl_mkdocs.comparison.paint import BOLD, Paint
from acdl_mkdocs.comparison.sent import SentDifference
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.comment_markdown import Comment, code
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.text_width import visible

VERSION = 1
_ORDER: tuple[Status, ...] = ("changed", "renamed", "added", "removed")
_CURE = "`acdl diff` shows all of it."


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file of both sides, a spec of a page of both, or what only one side has."""

    pair: FilePair
    old: str | None
    """What a person calls the old one."""
    new: str | None
    block: str = ""
    """The spec of a page."""
    old_block: str = ""
    """What that spec was called before, if it was renamed."""
    difference: Difference | None = None
    """`None` where there is nothing to compare."""
    sent: SentDifference | None = None
    problem: str = ""
    """Why it cannot be read."""

    @property
    def status(self) -> Status:
        """What became of it."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "renamed" if self.old_block else self.pair.status

    @property
    def title(self) -> str:
        """What it is called where all files of both sides are listed."""
        block = f"#{self.block}" if self.block else ""
        if self.status == "renamed":
            before = f"#{self.old_block}" if self.old_block else block
            return f"{self.pair.old}{before} → {self.pair.new}{block}"
        return f"{self.pair.path}{block}"


def summary(files: Sequence[ComparedFile]) -> str:
    """How much changed, in a sentence; of what was not compared it says nothing but that it was not."""
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
        listed[-1] += f"; what is sent can differ in {n_other}"
    elif n_same:
        rest = len(files) - n_same
        listed[-1] += "; what is sent cannot differ" + (
            f" in the {n_same} that {_were(n_same)} compared" if rest else ""
        )
    return ", ".join(listed)


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _text(files: Sequence[ComparedFile], options: CompareOptions) -> str:
    """The differences with a blank line behind each, then what is only on one side, then what could not be read."""
    paint = Paint(options.color)
    found: list[str] = []
    for each in files:
        if each.difference is not None:
            head = f"{paint(BOLD, f'renamed: {visible(each.title)}')}\n" if each.status == "renamed" else ""
            found.append(f"{head}{text.write(each.difference, replace(options, sent=each.sent))}\n")
    for each in (*_only(files, "added"), *_only(files, "removed")):
        found.append(paint(BOLD, f"{each.status}: {visible(each.title)}") + "\n")
    found += [f"{paint(BOLD, 'not compared:')} {visible(each.problem)}\n" for each in files if each.problem]
    return "".join([*found, f"{summary(files)}\n"])


def _only(files: Sequence[ComparedFile], status: Status) -> list[ComparedFile]:
    """Those of one side."""
    return [each for each in files if each.status == status and not each.problem]


def _json(files: Sequence[ComparedFile], _: CompareOptions) -> str:
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
    document = {"acdl_diff_files": VERSION, "summary": summary(files), "files": objects}
    return json_text(document) + "\n"


def _markdown(files: Sequence[ComparedFile], options: CompareOptions) -> str:
    comment = Comment(options.limit)
    said = summary(files)
    comment.add(f"### Specs: {said}")
    others = [each for each in files if each.difference is None or each.difference.is_empty]
    rows = [
        ("not compared" if each.problem else each.status, code(each.title), each.problem and code(each.problem))
        for each in others
    ]
    for each in files:
        if each.difference is not None and not each.difference.is_empty:
            own = replace(options, sent=each.sent, title=each.title)
            markdown.add_to(comment, each.difference, own, level=4)
    if rows:
        comment.add("#### Without a difference to show" if len(rows) < len(files) else "")
        comment.add_table(("what", "file", ""), rows)
    return comment.text(_CURE)


FOLDER_REPORTS: Mapping[str, Callable[[Sequence[ComparedFile], CompareOptions], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
"""The ways to show all of it as one report, by format."""
