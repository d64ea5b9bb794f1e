"""Check that a playbook file and its history are complete and consistent, and report exactly where they differ."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import ChangeError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.model.changes import Change, find_changes
from acdl_mkdocs.playbook.model.plain import bullet_data
from acdl_mkdocs.playbook.store.checks import CURE, describe_secret, find_new_secrets
from acdl_mkdocs.playbook.store.comments import STRAY_CURE
from acdl_mkdocs.playbook.store.history import (
    NEW_ID,
    SEEN,
    Event,
    History,
    describe_reused_id,
    find_removed_bullets,
    group_revisions,
    is_other_lesson,
    read_history,
)
from acdl_mkdocs.playbook.store.load import (
    EMPTY_PLAYBOOK,
    history_path,
    load,
    load_normalized_history,
    state_at,
    with_seen,
)
from acdl_mkdocs.playbook.store.read_playbook import Loaded
from acdl_mkdocs.playbook.store.write_playbook import is_digest_of
from acdl_mkdocs.prompts.prompt import Json

_RETURNING = frozenset(("UNDO", "REPAIR", "MERGED_BRANCH"))
"""Operations that may restore a removed bullet; so may an EDIT, if it is the same lesson."""


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """One fault."""

    file: str
    line: int | None
    message: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of `verify`."""

    inconsistencies: tuple[Inconsistency, ...]
    problems: tuple[Diagnostic, ...]
    """The problems of the playbook file; they are in `wrong` too."""
    source: Source
    n_events: int = 0
    n_revisions: int = 0
    revision: int | None = None

    @property
    def is_clean(self) -> bool:
        """True if there is no fault."""
        return not self.inconsistencies


def verify(path: Path) -> Verified:
    """Check the file, the history, and whether the history leads to the file. Changes nothing.

    Raises:
        OSError: A file cannot be read.
    """
    loaded = load(path)
    settled = load_normalized_history(path)
    data = settled.data
    history = read_history(data)
    wrong = [
        Inconsistency(
            str(path), loaded.source.find_place(each.label.span.start).line, each.message, "; ".join(each.help)
        )
        for each in loaded.problems
    ]
    wrong += [Inconsistency(str(path), line, message, cure) for line, message, cure in _find_unwanted(loaded)]
    name = str(history_path(path))
    cure = f"run `acdl playbook repair {path}`"
    wrong += [Inconsistency(name, None, note, "the next command that writes does so") for note in settled.notes]
    wrong += [Inconsistency(name, each.line, each.message, cure) for each in history.damage]
    wrong += [Inconsistency(name, line, message, cure) for line, message in _check_events(history.events)]
    if not data:
        wrong.append(
            Inconsistency(name, None, "there is no history", f"{cure}, which begins one with the file as it is")
        )
    elif history.events and not any(each.line for each in wrong if each.file == name and not history.is_torn):
        wrong += [Inconsistency(str(path), None, message, cure) for message in _find_differences(loaded, history)]
        wrong += [Inconsistency(str(path), None, message, NEW_ID) for message in _find_reused_ids(loaded, history)]
    return Verified(
        tuple(wrong),
        loaded.problems,
        loaded.source,
        len(history.events),
        sum(1 for _ in group_revisions(history.events)),
        loaded.playbook.revision if loaded.playbook else None,
    )


def _check_events(events: Sequence[Event]) -> Iterator[tuple[int, str]]:
    """Yield the faults of events that are in the right order, with line numbers."""
    now: dict[tuple[str, str], Json] = {}
    removed: dict[str, Json] = {}
    for line, event in enumerate(events, 1):
        if event.kind == SEEN:
            yield from ((line, f"{event.op} {wrong}") for wrong in _check_counts(event, now))
            continue
        key = (event.kind, event.id)
        if key in now and now[key] != event.before:
            yield line, f"{event.op} says what {event.kind} `{event.id}` was before, and it was not so"
        if event.kind == "bullet":
            is_new = event.before is None and event.id in removed and event.op not in _RETURNING
            if is_new and (event.op != "EDIT" or is_other_lesson(event.after, removed[event.id])):
                yield line, f"{event.op} uses the id `{event.id}` again, which a bullet had before"
            if event.after is None:
                removed[event.id] = event.before
        now[key] = event.after


def _find_unwanted(loaded: Loaded) -> Iterator[tuple[int | None, str, str]]:
    """Yield contents of the file that no writer accepts: secrets, and comments that would be lost."""
    if loaded.comments.stray is not None:
        at_line = loaded.source.find_place(loaded.comments.stray).line
        yield at_line, "the comment would be lost, so that the file cannot be written again", STRAY_CURE
    for change, kinds in find_new_secrets(find_changes(EMPTY_PLAYBOOK, loaded.playbook)) if loaded.playbook else ():
        at = loaded.source.text.find(f"id: {change.id}\n") if change.id else -1
        line = loaded.source.find_place(at).line if at >= 0 else None
        yield line, describe_secret(change, kinds), CURE


def _check_counts(event: Event, now: dict[tuple[str, str], Json]) -> Iterator[str]:
    """Yield the faults of an event that counts prompts; `now` gets the new states."""
    after = _map(event.after)
    for name, count in _map(event.before).items():
        bullet = now.get(("bullet", name))
        if not isinstance(bullet, dict) or bullet.get("seen", 0) != count:
            yield f"says how often bullet `{name}` was seen before, and it was not so"
        else:
            now["bullet", name] = with_seen(bullet, after.get(name))


def _find_differences(loaded: Loaded, history: History) -> Iterator[str]:
    """Yield the differences between the file and the result of the history."""
    file = loaded.playbook
    try:
        last = state_at(history.events)
        at_file = state_at(history.events, file.revision) if file else last
    except ChangeError as reason:
        yield f"the history cannot be replayed: {reason}"
        return
    if not is_digest_of(history.events[-1].digest, last):
        yield f"the history says another hash of revision {last.revision} than its events lead to"
    if file is None:
        return
    if file.revision != last.revision:
        yield f"the file is at revision {file.revision}, and its history ends with revision {last.revision}"
    stamp = next((each.stamp for each in reversed(history.events) if each.revision == file.revision), loaded.stamp)
    if loaded.stamp not in (None, stamp):
        yield f"the stamp is `{loaded.stamp}` in the file and {_format_value(stamp)} in the history"
    if file.revision <= last.revision:
        yield from (f"{describe_difference(each)}" for each in find_changes(at_file, file))


def _find_reused_ids(loaded: Loaded, history: History) -> Iterator[str]:
    """Yield the ids of bullets of the file that other, removed bullets had."""
    removed = find_removed_bullets(history.events)
    for bullet in loaded.playbook.bullets if loaded.playbook else ():
        if bullet.id in removed and is_other_lesson(bullet_data(bullet), removed[bullet.id]):
            yield describe_reused_id(bullet.id)


def describe_difference(change: Change) -> str:
    """Describe how file and history differ in one part."""
    what = f"{change.kind} `{change.id}`" if change.id else "the playbook"
    if change.before is None or change.after is None:
        return f"{what} is only in the {'file' if change.before is None else 'history'}"
    before, after = change.before, change.after
    keys = [key for key in {**_map(before), **_map(after)} if _map(before).get(key) != _map(after).get(key)]
    differences = (
        f"{key} is {_format_value(_map(after).get(key))} in the file and "
        f"{_format_value(_map(before).get(key))} in the history"
        for key in keys
    )
    return f"{what}: {'; '.join(differences)}"


def _map(data: Json) -> dict[str, Json]:
    return data if isinstance(data, dict) else {}


def _format_value(value: Json) -> str:
    if value is None:
        return "nothing"
    text = " ".join(str(value).split())
    return f"`{text if len(text) <= 80 else f'{text[:79]}…'}`"
