"""`contradictions()`: content that has one name in a spec and is not the same wherever it was sent.

A template without arguments is the same text in all calls; `env.x[@2]` is the same in all calls of one run. Knows
nothing of verdicts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.traces.answered import answered
from acdl_mkdocs.traces.asked import Asked
from acdl_mkdocs.traces.match import Step
from acdl_mkdocs.traces.pattern import Item
from acdl_mkdocs.traces.units import Unit

Name: TypeAlias = tuple[int | None, tuple[str, ...]]
"""The run, where it matters, and what the pieces of a message are called."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A message whose pieces all have names."""

    call: int
    """Number of the call."""
    item: Item
    unit: Unit

    @property
    def content(self) -> tuple[object, ...]:
        """Equal where the same is said, whatever the role."""
        _, *said = self.unit.content
        return tuple(said)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A message that says something else than another one of the same name."""

    name: str
    seen: Seen
    other: Seen
    asked: Asked | None = None
    """The call of which the message is one of several results."""


@dataclass(slots=True)
class Constancy:
    """Collects what was sent under each name."""

    named: dict[Name, list[Seen]] = field(default_factory=dict)
    results: dict[tuple[Name, Asked], list[Seen]] = field(default_factory=dict)
    """The same of a piece that is the results of several calls: each by its call."""

    def add(self, call: int, run: int, steps: Iterable[Step]) -> None:
        """The messages of one call that agrees with the spec."""
        found = [step for step in steps if step.kind == "agrees" and step.item is not None and step.unit is not None]
        sharing = Counter(id(step.unit) for step in found)
        split = Counter(step.item for step in found)
        calls = answered(step.unit for step in found if step.unit) if max(split.values(), default=0) > 1 else {}
        for step in found:
            item, unit = step.item, step.unit
            if item is None or unit is None or item.is_loose or not step.is_certain or sharing[id(unit)] > 1:
                continue
            asked = calls.get(id(unit)) if split[item] > 1 else None
            if split[item] > 1 and (asked is None or len(item.said) > 1):
                continue
            keys = tuple(each.key for each in item.said if each.key is not None)
            if keys and len(keys) == len(item.said):
                scope = None if all(each.is_shared for each in item.said) else run
                seen = Seen(call, item, unit)
                if asked is None:
                    self.named.setdefault((scope, keys), []).append(seen)
                else:
                    self.results.setdefault(((scope, keys), asked), []).append(seen)

    def contradictions(self) -> Iterator[Contradiction]:
        """What is not the same everywhere: the content that was seen most often, else first, is the right one."""
        for (scope, keys), seen in self.named.items():
            different = list(_different(" ".join(keys), seen))
            yield from different
            if len(keys) > 1 and not different:
                yield from self._without(scope, keys, seen)
        for ((_, keys), asked), seen in self.results.items():
            yield from _different(" ".join(keys), seen, asked)

    def _without(self, scope: int | None, keys: tuple[str, ...], seen: list[Seen]) -> Iterator[Contradiction]:
        """Messages that do not hold what one of their pieces is elsewhere."""
        for key in keys:
            alone = next(iter(self.named.get((scope, (key,))) or self.named.get((None, (key,))) or ()), None)
            if alone is not None and alone.unit.squeezed:
                text = alone.unit.squeezed
                yield from (Contradiction(key, each, alone) for each in seen if text not in each.unit.squeezed)

    def seen_in(self, run: int, item: Item) -> tuple[object, ...] | None:
        """What a message has said in a call of a run, or in any where it means the same; `None` if it is not known."""
        keys = tuple(each.key for each in item.said if each.key is not None)
        if not keys or len(keys) < len(item.said):
            return None
        scope = None if all(each.is_shared for each in item.said) else run
        return next((each.content for each in self.named.get((scope, keys), ())), None)

    def is_seen_again(self, run: int, keys: tuple[str, ...]) -> bool:
        """Whether several calls have sent what has these names."""
        calls = (each.call for scope in (None, run) for each in self.named.get((scope, keys), ()))
        first = next(calls, None)
        return any(call != first for call in calls)


def _different(name: str, seen: list[Seen], asked: Asked | None = None) -> Iterator[Contradiction]:
    """What is not the content that was seen most often under a name."""
    contents = Counter(each.content for each in seen)
    if len(contents) > 1:
        usual = contents.most_common(1)[0][0]
        other = next(each for each in seen if each.content == usual)
        yield from (Contradiction(name, each, other, asked) for each in seen if each.content != usual)
