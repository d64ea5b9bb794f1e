"""The file of a playbook, or of its history, after two branches: what a merge driver of git writes."""

from collections.abc import Mapping

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.three_way import changed
from acdl_mkdocs.store.comments import Comments, Owner
from acdl_mkdocs.store.load import loaded_from
from acdl_mkdocs.store.merge_history import merged_history
from acdl_mkdocs.store.merge_stamped import Stamped, merged_stamped
from acdl_mkdocs.store.read_playbook import Loaded
from acdl_mkdocs.store.write_playbook import text_of

_HISTORY = ".jsonl"


@dataclass(frozen=True, slots=True)
class MergedFile:
    """What becomes of a file."""

    data: bytes | None
    """Its bytes; `None` if one of the three files cannot be understood."""
    notes: tuple[str, ...] = ()
    """What somebody should look at."""
    problems: tuple[str, ...] = ()


def merged_file(base: bytes, ours: bytes, theirs: bytes, name: str = "playbook.yaml") -> MergedFile:
    """Merge the contents of a playbook file or of a history, whichever it is.

    Parameters:
        base: The file where the branches part; empty if both of them made it.
        ours: The file of one branch.
        theirs: The file of the other.
        name: What the file is called in the repository.
    """
    if name.endswith(_HISTORY) or ours.startswith(b'{"revision":'):
        history = merged_history(base, ours, theirs)
        return MergedFile(history.data, history.notes, tuple(f"{name}: {each}" for each in history.problems))
    old = loaded_from(base, f"{name} (common)") if base.strip() else None
    one, two = loaded_from(ours, f"{name} (ours)"), loaded_from(theirs, f"{name} (theirs)")
    problems = tuple(problem for each in (old, one, two) if each is not None for problem in _problems(each))
    if problems or one.playbook is None or two.playbook is None:
        return MergedFile(None, problems=problems)
    base_side, *sides = (Stamped(each.playbook, each.stamp) if each else Stamped(None) for each in (old, one, two))
    both, stamp = merged_stamped(base_side, *sides)
    comments = _comments(old.comments.above if old else {}, one.comments.above, two.comments.above)
    return MergedFile(text_of(both.playbook, comments, stamp).encode(), both.notes)


def _problems(loaded: Loaded) -> tuple[str, ...]:
    source = loaded.source
    found = [
        f"{source.name}, line {source.place(each.label.span.start).line}: {each.message}" for each in loaded.problems
    ]
    if loaded.comments.stray is not None:
        line = source.place(loaded.comments.stray).line
        found.append(f"{source.name}, line {line}: the comment would be lost; put it on a line above a bullet")
    return tuple(found)


_Above = Mapping[Owner, tuple[str, ...]]


def _comments(base: _Above, a: _Above, b: _Above) -> Comments:
    """The comments of both branches; where both changed those of one thing, all lines of both."""
    owners = sorted({*base, *a, *b})
    found = {owner: changed(base.get(owner, ()), a.get(owner, ()), b.get(owner, ()), _both) for owner in owners}
    return Comments({owner: lines for owner, lines in found.items() if lines})


def _both(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    first, second = sorted((one, two))
    return (*first, *(line for line in second if line not in first))
