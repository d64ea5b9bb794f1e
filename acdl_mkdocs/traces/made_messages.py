"""`MadeMessages`: messages of patterns that are the same at each later point, made once.

A message that reads only what happened before a point, by plain indices, says the same at all points behind it.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.values import ABSENT, Time
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import (
    Comment,
    Content,
    ContextVar,
    Field,
    Index,
    Number,
    RoleMessage,
    Symbol,
    Template,
    TimeIndex,
    walk,
)
from acdl_mkdocs.traces.context import Context
from acdl_mkdocs.traces.pattern import Item

_PLAIN = (RoleMessage, Content, Comment, ContextVar, Field, Index, Number)
_TIME = re.compile(r"@(\d+(?:\.\d+)*)")
_MOST = 50_000
"""Messages that are kept."""
Key: TypeAlias = tuple[object, ...]
"""What a message depends on, beside the state."""


@dataclass(slots=True)
class MadeMessages:
    """The messages that were made so far."""

    found: dict[Key, tuple[tuple[Item, ...], tuple[tuple[int, ...], ...]]] = field(default_factory=dict)
    """The messages of each key, and the times that they are of."""
    names: dict[RoleMessage, tuple[str, ...] | None] = field(default_factory=dict)
    """The names in each message of a spec; `None` where it may depend on more than what they are."""

    def key(self, node: RoleMessage, here: Here, context: Context) -> Key | None:
        """What a message depends on at one place; `None` where that is not known."""
        names = self._names(node)
        if names is None or context.has_free_loop:
            return None
        values: list[tuple[object, ...]] = []
        for name in names:
            value = here.scope.variable(name)
            if value is ABSENT and name in here.now.names:
                value = here.now.part(name)
            if not isinstance(value, Time | int | str):
                return None
            values.append((type(value), value))
        if here.substep is not None:  # it is one of the step of the point
            values.append(here.now.at.parts[:-1])
        around = tuple((each.node, each.number) for each in context.around)
        stack = tuple((each.kind, each.name, each.value) for each in here.stack)
        return (node, *values, around, stack, here.loop_time, here.substep, context.is_free)

    def at(self, key: Key, point: Time) -> tuple[Item, ...] | None:
        """The messages of a key, if they are the same at a point."""
        items, times = self.found.get(key, ((), ()))
        return items if items and all(_is_before(time, point) for time in times) else None

    def keep(self, key: Key, items: Sequence[Item], point: Time) -> None:
        """Remember messages, if they are the same at all points behind this one."""
        said = [each for item in items for each in item.said]
        times = tuple(_time(found) for each in said for found in _TIME.findall(each.name))
        is_named = all(each.name and "?" not in each.name for each in said)
        if is_named and all(_is_before(time, point) for time in times):
            if len(self.found) >= _MOST:
                self.found.clear()
            self.found[key] = tuple(items), times

    def _names(self, node: RoleMessage) -> tuple[str, ...] | None:
        if node not in self.names:
            self.names[node] = _names_in(node)
        return self.names[node]


def _names_in(node: RoleMessage) -> tuple[str, ...] | None:
    names: dict[str, None] = {}
    for each in walk(node):
        match each:
            case TimeIndex(is_reference=False, parts=parts) if all(isinstance(part, Field) for part in parts):
                names[each.name] = None
                names.update((part.name, None) for part in parts if isinstance(part, Field))
            case Symbol(parts=()):
                names[each.name] = None
            case Template(parts=()):
                pass
            case _ if not isinstance(each, _PLAIN):
                return None
    return tuple(name for name in names if not name.isdecimal())


def _time(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _is_before(time: tuple[int, ...], point: Time) -> bool:
    return time < point.parts[: len(time)]
