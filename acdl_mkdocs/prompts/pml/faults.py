"""`Fault`: something that prevents a call from being made, and how its message shows values, names and paths."""

from collections.abc import Collection
from itertools import islice
from typing import Literal

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.pml.xml_text import write_json
from acdl_mkdocs.prompts.prompt import Json

Kind = Literal[
    "unknown-tool", "missing-argument", "unknown-argument", "wrong-type", "wrong-value", "wrong-size", "over-limit"
]
MOST_FAULTS = 20
"""Most faults of a list: a model cannot use more than twenty at once."""
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that prevents a call from being made."""

    kind: Kind
    """The kind of problem: `unknown-tool`, `missing-argument`, `unknown-argument`, `wrong-type`, `wrong-value`,
    `wrong-size` or `over-limit`."""
    message: str
    """What was found, and what was expected; lower case, no full stop."""
    path: str
    """Path of the argument: `days`, `filter.tags[2]`; empty for the whole call."""


def quote_value(value: Json) -> str:
    """Quote a value as JSON, shortened; only the shown part of a large value is read."""
    return f"`{shorten_text(write_json(_cut_value(value, _MOST_SHOWN)[0]))}`"


def shorten_text(text: str) -> str:
    """Shorten a text."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def join_path(path: str, key: str) -> str:
    """Return the path of the value under a key."""
    return f"{path}.{shorten_text(key)}" if path else shorten_text(key)


def list_names(names: Collection[str]) -> str:
    """Join names; of many, the first ones and the number of the others."""
    listed = ", ".join(f"`{shorten_text(name)}`" for name in islice(names, MOST_FAULTS))
    return listed if len(names) <= MOST_FAULTS else f"{listed} and {len(names) - MOST_FAULTS:,} more"


def _cut_value(value: Json, room: int) -> tuple[Json, int]:
    """Return the beginning of a value, a little longer than the room, and the room left."""
    if isinstance(value, str):
        return value[: max(room, 0) + 1], room - len(value) - 2
    if isinstance(value, list):
        items: list[Json] = []
        for each in value:
            if room < 0:
                break
            inner, room = _cut_value(each, room - 1)
            items.append(inner)
        return items, room
    if isinstance(value, dict):
        pairs: dict[str, Json] = {}
        for key, each in value.items():
            if room < 0:
                break
            pairs[key[: _MOST_SHOWN + 1]], room = _cut_value(each, room - len(key) - 3)
        return pairs, room
    return value, room - 1
