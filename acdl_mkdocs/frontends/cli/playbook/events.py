"""Format events of a history for a terminal and for programs."""

from collections.abc import Sequence
from pathlib import Path

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.safe_text import mask_controls, one_line
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.playbook.store.history import SEEN, Event, data_of
from acdl_mkdocs.playbook.store.look import shorten_time
from acdl_mkdocs.prompts.prompt import Json

_NEW, _GONE = "added", "gone"
_LONG = frozenset(("content", "reason"))


def events_of_file(path: Path) -> tuple[Event, ...]:
    """Return the events of the history of a playbook.

    Raises:
        PlaybookError: There is neither the playbook nor a history.
        DamagedHistoryError: The history is damaged.
        OSError: The history cannot be read.
    """
    from acdl_mkdocs.playbook.store.load import history_data, history_path, load_whole_history

    if history_data(path) is None:
        if not path.exists():
            raise FileNotFoundError(2, "No such file or directory", str(path))
        raise PlaybookError(f"{path} has no history", f"`acdl playbook repair {path}` begins one")
    history = load_whole_history(path)
    for torn in history.damage:
        print_error(f"{history_path(path)}:{torn.line}: {torn.message}; run `acdl playbook repair {path}`")
    return history.events


def format_head(event: Event) -> str:
    """Return the line above the events of a revision."""
    parts = [f"revision {event.revision}", shorten_time(event.time), event.actor, event.trace]
    return mask_controls("  ".join(part for part in parts if part))


def event_line(event: Event) -> str:
    """Format an event on one line: kind, bullet, change."""
    name = event.id or ("" if event.kind == SEEN else "playbook")
    what = one_line(_describe_change(event))
    why = f" ({one_line(event.reason, 100)})" if event.reason else ""
    return mask_controls(f"{event.op:<8} {name}  {what}{why}").rstrip()


def event_data(events: Sequence[Event]) -> list[Json]:
    """Return events for programs, as in the history."""
    return [*data_of(events)]


def list_changed_keys(before: Json, after: Json) -> list[str]:
    """Return the keys whose values differ between two versions of a part, except `updated`."""
    was, now = _as_map(before), _as_map(after)
    return [key for key in {**was, **now} if was.get(key) != now.get(key) and key != "updated"]


def _describe_change(event: Event) -> str:
    was, now = _as_map(event.before), _as_map(event.after)
    if event.kind == SEEN:
        return f"{format_count(len(now), 'bullet')} in the prompt"
    if event.before is None or event.after is None:
        entry = was or now
        state = _NEW if event.before is None else _GONE
        return (
            f"{state}: {entry.get('content') or entry.get('title') or entry.get('verdict') or entry.get('name') or ''}"
        )
    return ", ".join(_describe_key(key, was.get(key), now.get(key)) for key in list_changed_keys(was, now))


def _describe_key(key: str, was: Json, now: Json) -> str:
    if key in _LONG:
        return f"{key}: {now if now is not None else 'none'}"
    return f"{key} {_shorten_value(was)} -> {_shorten_value(now)}"


def _shorten_value(value: Json) -> str:
    if value is None:
        return "-"
    return one_line(format_value(value), 40)


def format_value(value: Json) -> str:
    """Format a value in words: `general, tools` for a list."""
    if isinstance(value, list):
        return ", ".join(map(format_value, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {format_value(each)}" for key, each in value.items()) or "none"
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_map(data: Json) -> dict[str, Json]:
    return data if isinstance(data, dict) else {}
