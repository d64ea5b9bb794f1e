"""Keys and passwords that somebody wrote into a playbook file: they are found before a history keeps them for ever."""

from collections.abc import Iterable, Iterator, Sequence

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.playbook.changes import Change
from acdl_mkdocs.playbook.secrets import secrets
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.history import Event

CURE = "take it out of the file, and change it where it is used"


def secrets_in(changes: Iterable[Change]) -> Iterator[tuple[Change, tuple[str, ...]]]:
    """The changes that bring secrets which were not there before, each with the kinds of them."""
    for change in changes:
        known = frozenset(_texts(change.before))
        kinds = {kind: None for text in _texts(change.after) if text not in known for kind in secrets(text)}
        if kinds:
            yield change, tuple(kinds)


def said_of(change: Change, kinds: Sequence[str]) -> str:
    """What is wrong, without the secret."""
    what = f"{change.kind} `{change.id}`" if change.id else "the playbook"
    return f"{what} has what looks like a secret ({', '.join(kinds)})"


def refuse_secrets(name: str, events: Iterable[Event]) -> None:
    """Keep secrets out of the history.

    Raises:
        PlaybookError: An event has one.
    """
    for change, kinds in secrets_in(event.change for event in events):
        raise PlaybookError(f"{name}: {said_of(change, kinds)}: it is not written into the history", CURE)


def _texts(data: Json) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for each in data.values():
            yield from _texts(each)
    elif isinstance(data, list):
        for each in data:
            yield from _texts(each)
