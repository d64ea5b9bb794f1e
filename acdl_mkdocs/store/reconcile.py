"""A playbook file and its history, brought together: one may be ahead of the other, and people edit the file.

Works on values; what is read and written is for `save` and `repair`.
"""

from collections.abc import Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Playbook, ordered
from acdl_mkdocs.playbook.changes import Change, applied, changes
from acdl_mkdocs.playbook.report import Report
from acdl_mkdocs.store.events import Cause, events_of
from acdl_mkdocs.store.history import Event
from acdl_mkdocs.store.read_playbook import Loaded
from acdl_mkdocs.store.replay import NOTHING, state_at
from acdl_mkdocs.store.soundness import NEW_ID, gone_bullets, is_other, say_reused
from acdl_mkdocs.store.write_playbook import text_of

_ELEMENTS = ("- ", "\n- ", "pairs:")
BY_HAND = "changed in the file by hand"
FOUND = "the file was there before its history"
"""Why a history begins in the middle of the life of a playbook."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """The playbook that file and history agree on."""

    playbook: Playbook
    events: tuple[Event, ...] = ()
    """What has to be added to the history first: one revision."""
    notes: tuple[str, ...] = ()
    """What was found, each a sentence."""


class ClashError(ChangeError):
    """File and history were both changed, and the changes do not fit together."""


def started(file: Playbook, cause: Cause) -> Agreed:
    """A playbook that has no history gets one, which begins with all of it."""
    events = events_of(NOTHING, file, Report(), replace(cause, op="INIT", reason=FOUND))
    note = f"there was no history: it begins with revision {file.revision}"
    return Agreed(file, events, (note,))


def agreed(loaded: Loaded, file: Playbook, events: Sequence[Event], cause: Cause) -> Agreed:
    """What follows from a file and the complete revisions of its history.

    A history that is ahead is what a writer leaves that was killed: its last revisions are taken. So it is with a file
    that ends in the middle of a bullet, as other programs leave it. Changes that a person made in the file become a
    revision of their own, behind everything that the history has.

    Parameters:
        loaded: The file.
        file: Its playbook.
        events: At least one.
        cause: Who brings them together.

    Raises:
        ClashError: Both changed the same, or the file is ahead of its history.
        ChangeError: The history contradicts itself.
    """
    last = state_at(events)
    if file == last:
        is_other = loaded.stamp not in (None, events[-1].stamp)
        note = f"its stamp was not that of revision {last.revision} in the history: taken from there"
        return Agreed(file, (), (note,) if is_other else ())
    if file.revision > last.revision:
        ahead = f"the file is at revision {file.revision}, and its history ends with revision {last.revision}"
        raise ClashError(ahead)
    base = last if file.revision == last.revision else state_at(events, file.revision)
    notes: tuple[str, ...] = ()
    if base.revision < last.revision:
        note = f"the file was at revision {file.revision}: taken from the history up to revision {last.revision}"
        notes = (note,)
    by_hand = changes(replace(base, revision=file.revision), file)
    if not by_hand or (notes and with_revision(file, base, by_hand) == state_at(events, base.revision + 1)):
        return Agreed(last, (), notes)  # also where a writer was killed that had just taken these changes over
    if is_cut(loaded.source.text, text_of(base, loaded.comments, loaded.stamp)):
        note = f"the file ended too early: taken from the history up to revision {last.revision}"
        return Agreed(last, (), (note,))
    try:
        _check_ids(by_hand, events, loaded.source.name)
        edited = applied(last, by_hand)
    except ChangeError as reason:
        raise ClashError(f"the file was changed by hand, and its history went on meanwhile: {reason}") from None
    recorded = with_revision(edited, last, by_hand)
    made = events_of(last, recorded, Report(), replace(cause, op="EDIT", actor="person", reason=BY_HAND, trace=None))
    note = f"changes that were made in the file by hand are revision {recorded.revision}"
    return Agreed(recorded, made, (*notes, note))


def _check_ids(by_hand: Sequence[Change], events: Sequence[Event], name: str) -> None:
    """Refuse a bullet that a person wrote with the id of another one that is gone.

    Raises:
        PlaybookError: There is one.
    """
    new = [each for each in by_hand if each.kind == "bullet" and each.before is None]
    gone = gone_bullets(events) if new else {}
    for each in new:
        if each.id in gone and is_other(each.after, gone[each.id]):
            raise PlaybookError(f"{name}: {say_reused(each.id)}", NEW_ID)


def is_cut(text: str, whole: str) -> bool:
    """Whether a text is the beginning of a whole, but not one that a person leaves who takes out the last elements."""
    rest = whole[len(text) :]
    return bool(rest) and whole.startswith(text) and not (text[-1:] in ("", "\n") and rest.startswith(_ELEMENTS))


def with_revision(edited: Playbook, last: Playbook, made: Sequence[Change]) -> Playbook:
    """A playbook with the next revision, which the bullets that were changed have as theirs."""
    revision = max(edited.revision, last.revision) + 1
    touched = {each.id for each in made if each.kind == "bullet"}
    known = {bullet.id for bullet in last.bullets}
    bullets = tuple(
        replace(bullet, updated=revision, added=bullet.added if bullet.id in known else bullet.added or revision)
        if bullet.id in touched
        else bullet
        for bullet in edited.bullets
    )
    return ordered(replace(edited, revision=revision, bullets=bullets))
