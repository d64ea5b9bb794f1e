"""Maps, lists and words as YAML with comments beside them. Knows nothing about states."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

_MOST_IN_LINE = 40
"""Length from which on each text of a list has its own line."""
_BARE = re.compile(r"\$?[A-Za-z_][A-Za-z0-9_-]*|[1-9][0-9]{0,8}")
_NOT_BARE = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"))
_BLOCK = re.compile(
    r"(?![ \n])[\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]+(?<![ \n])"
)
"""Lines that are valid below `|-` unchanged."""
_NOT_PLAIN = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_CONTROL = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")


@dataclass(slots=True)
class CommentedValue:
    """A value of the file, and a comment beside it."""

    value: "str | int | float | bool | dict[str, CommentedValue] | list[CommentedValue] | None"
    comment: str = ""


Map: TypeAlias = dict[str, CommentedValue]


def format_map(entries: Map, indent: str = "") -> Iterator[str]:
    """Yield the lines of a map."""
    for name, leaf in entries.items():
        head = f"{indent}{_format_key(name)}:"
        yield from _format_entry(head, leaf, f"{indent}  ")


def _format_entry(head: str, leaf: CommentedValue, indent: str) -> Iterator[str]:
    note = f"  # {clean_comment(leaf.comment)}" if leaf.comment else ""
    if isinstance(leaf.value, dict) and leaf.value:
        yield f"{head}{note}"
        yield from format_map(leaf.value, indent)
    elif isinstance(leaf.value, list) and leaf.value and not _is_short(leaf.value):
        yield f"{head}{note}"
        for each in leaf.value:
            yield from _format_item(each, indent)
    elif isinstance(leaf.value, str) and "\n" in leaf.value and _BLOCK.fullmatch(leaf.value.removesuffix("\n")):
        is_ended = leaf.value.endswith("\n")
        yield f"{head} {'|' if is_ended else '|-'}{note}"
        yield from (f"{indent}{line}" if line else "" for line in leaf.value.removesuffix("\n").split("\n"))
    else:
        yield f"{head} {_format_short(leaf.value)}{note}"


def _format_item(leaf: CommentedValue, indent: str) -> Iterator[str]:
    """Yield the lines of a list element: its first line follows the dash."""
    if isinstance(leaf.value, dict) and leaf.value:
        lines = list(format_map(leaf.value, f"{indent}  "))
        yield f"{indent}- {lines[0].lstrip()}"
        yield from lines[1:]
    else:
        yield from _format_entry(f"{indent}-", leaf, f"{indent}  ")


def _is_short(values: Iterable[CommentedValue]) -> bool:
    return not any(isinstance(each.value, (dict, list)) or each.comment or _is_long(each.value) for each in values)


def _is_long(value: object) -> bool:
    return isinstance(value, str) and (len(value) > _MOST_IN_LINE or "\n" in value)


def _format_short(value: object) -> str:
    """Format a value on one line, as JSON that YAML reads too."""
    if isinstance(value, list):
        return f"[{', '.join(_format_short(each.value) for each in value)}]"
    return _quote_value(value if not isinstance(value, dict) else {})


def _quote_value(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PLAIN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _format_key(name: str) -> str:
    is_bare = _BARE.fullmatch(name) and name.lower() not in _NOT_BARE
    return name if is_bare else _quote_value(name)


def clean_comment(text: str) -> str:
    """Return words of a spec as they can appear in a YAML comment."""
    return " ".join(_CONTROL.sub(" ", text).split())
