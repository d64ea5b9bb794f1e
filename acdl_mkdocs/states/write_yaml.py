"""Maps, lists and words as YAML with comments beside them. Knows nothing about states."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|[1-9][0-9]{0,8}")
_NOT_BARE = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"))
_CONTROL = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")


@dataclass(slots=True)
class Leaf:
    """A value of the file, and a comment beside it."""

    value: "str | int | bool | dict[str, Leaf] | list[Leaf]"
    comment: str = ""


Map: TypeAlias = dict[str, Leaf]


def lines_of(entries: Map, indent: str = "") -> Iterator[str]:
    """The lines of a map."""
    for name, leaf in entries.items():
        head = f"{indent}{_key(name)}:"
        yield from _entry(head, leaf, f"{indent}  ")


def _entry(head: str, leaf: Leaf, indent: str) -> Iterator[str]:
    note = f"  # {one_line(leaf.comment)}" if leaf.comment else ""
    if isinstance(leaf.value, dict) and leaf.value:
        yield f"{head}{note}"
        yield from lines_of(leaf.value, indent)
    elif isinstance(leaf.value, list) and leaf.value and not _is_short(leaf.value):
        yield f"{head}{note}"
        for each in leaf.value:
            yield from _item(each, indent)
    else:
        yield f"{head} {_short(leaf.value)}{note}"


def _item(leaf: Leaf, indent: str) -> Iterator[str]:
    """An element of a list: the first line of what it is stands behind the dash."""
    if isinstance(leaf.value, dict) and leaf.value:
        lines = list(lines_of(leaf.value, f"{indent}  "))
        yield f"{indent}- {lines[0].lstrip()}"
        yield from lines[1:]
    else:
        yield from _entry(f"{indent}-", leaf, f"{indent}  ")


def _is_short(values: Iterable[Leaf]) -> bool:
    return not any(isinstance(each.value, dict | list) or each.comment for each in values)


def _short(value: object) -> str:
    """A value on one line, as JSON."""
    if isinstance(value, list):
        return f"[{', '.join(_short(each.value) for each in value)}]"
    return json.dumps(value if not isinstance(value, dict) else {}, ensure_ascii=False)


def _key(name: str) -> str:
    is_bare = _BARE.fullmatch(name) and name.lower() not in _NOT_BARE
    return name if is_bare else json.dumps(name, ensure_ascii=False)


def one_line(text: str) -> str:
    """Words of a spec as they can stand in a comment of YAML."""
    return " ".join(_CONTROL.sub(" ", text).split())
