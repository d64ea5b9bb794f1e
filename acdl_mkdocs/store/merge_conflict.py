"""A playbook and its history in which git left a conflict: both sides together, so that nothing of either is lost.

The history says what happened on both branches; the file follows it.
"""

from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.store import conflict
from acdl_mkdocs.store.comments import Comments
from acdl_mkdocs.store.history import Event, read_event, read_history, revisions
from acdl_mkdocs.store.load import loaded_from
from acdl_mkdocs.store.merge_history import MERGED_BRANCH, MergedHistory, merged_history
from acdl_mkdocs.store.read_playbook import Loaded
from acdl_mkdocs.store.replay import state_at
from acdl_mkdocs.store.write_playbook import text_of

_AGAIN = "`git merge --abort`, `acdl playbook merge --setup`, and merge again"


def both_histories(data: bytes, path: Path) -> MergedHistory | None:
    """The history of both branches; `None` if git left no conflict in it.

    Raises:
        PlaybookError: They cannot be merged.
    """
    if conflict.place_of(data) is None:
        return None
    sides = conflict.sides_of(data)
    if sides is None:
        raise PlaybookError(f"{path}: {conflict.MESSAGE}, and its marks do not follow each other", _AGAIN)
    merged = merged_history(_common(*sides), *sides)
    if merged.data is None:
        raise PlaybookError(f"{path}: {conflict.MESSAGE}, and {merged.problems[0]}", _AGAIN)
    return merged


def both_files(path: Path, data: bytes, history: bytes) -> Loaded:
    """What to keep of a file in which git left a conflict: its comments. Its playbook is what the history leads to.

    Raises:
        PlaybookError: The file says something that the history of neither branch has.
    """
    events = read_history(history).events
    if not events:
        raise PlaybookError(f"{path}: {conflict.MESSAGE}, and there is no history that tells what happened", _AGAIN)
    try:
        known = {line.strip() for playbook in _states(events) for line in text_of(playbook).splitlines()}
    except ChangeError as reason:
        raise PlaybookError(
            f"{path}: {conflict.MESSAGE}, and its history contradicts itself: {reason}", _AGAIN
        ) from None
    comments: list[str] = []
    lines = data.decode("utf-8-sig", "replace").split("\n")
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if conflict.is_mark(line.encode()) or text.startswith("stamp: "):
            continue
        if text.startswith("#"):
            comments += [text] if text not in comments else []
        elif text not in known:
            message = f"{path}:{number}: {conflict.MESSAGE}, and this line is in the history of neither branch"
            raise PlaybookError(message, _AGAIN)
    kept = Comments({("key", "schema_version"): tuple(comments)})
    return replace(loaded_from(data, str(path)), comments=_placed(data, str(path), kept))


def _placed(data: bytes, name: str, otherwise: Comments) -> Comments:
    """The comments where one side has them, if that has all of them; else all of them at the top."""
    for side in conflict.sides_of(data) or ():
        found = loaded_from(side, name)
        if found.playbook is None or found.comments.stray is not None:
            continue
        lines = {line.strip() for above in found.comments.above.values() for line in above}
        if lines.issuperset(otherwise.above["key", "schema_version"]):
            return found.comments
    return otherwise


def _common(one: bytes, two: bytes) -> bytes:
    """The revisions that both histories begin with."""
    same = conflict.common_lines(one, two)
    return same[: read_history(same).good_bytes]


def _states(events: tuple[Event, ...]) -> list[Playbook]:
    """The playbook after the merge, and as each branch had it before; a playbook of which neither is left out."""
    found = [state_at(events)]
    last = events[-1].revision
    made = [event for event in events if event.revision == last]
    before = tuple(event for event in events if event.revision < last)
    if made[0].op != MERGED_BRANCH or not before:
        return found
    found.append(state_at(before))
    branch = made[0].branch if isinstance(made[0].branch, list) else []
    told = [read_event(_line(each)) for each in branch]
    theirs = [event for event in told if isinstance(event, Event)]
    return found + _theirs(before, theirs)


def _theirs(before: tuple[Event, ...], theirs: list[Event]) -> list[Playbook]:
    """The playbook as the other branch had it: the revisions that both have, then its own."""
    if not theirs:
        return []
    common = [event for _, each in revisions(before) for event in each if event.revision < theirs[0].revision]
    return [state_at((*common, *theirs))]


def _line(event: object) -> bytes:
    import json

    return json.dumps(event).encode()
