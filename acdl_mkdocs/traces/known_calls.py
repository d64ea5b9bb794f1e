"""`KnownCalls`: the calls of tools that the messages of a pattern have, and which result belongs to which."""

from collections.abc import Sequence
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Output
from acdl_mkdocs.traces.asked import Asked, asked_by
from acdl_mkdocs.traces.pattern import Item


@dataclass(slots=True)
class KnownCalls:
    """Calls by their ids, the latest one of each id."""

    found: dict[str, tuple[int, Asked]] = field(default_factory=dict)
    """What each asks for, and its number among all."""
    n_calls: int = 0

    def with_calls(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items of one message: results know their calls, and follow each other in the order of these."""
        calls = [part for item in items for said in item.said for part in said.parts if isinstance(part, Call)]
        for call, asked in zip(calls, asked_by(calls), strict=True):
            self.n_calls += 1
            if call.id:
                self.found[call.id] = self.n_calls, asked
        found = [self._of(item) for item in items]
        named = [(each[0], replace(item, asked=each[1])) for each, item in zip(found, items, strict=True) if each]
        if not named:
            return items
        if len(named) == len(items):
            return [item for _, item in sorted(named, key=lambda each: each[0])]
        return [item if each is None else replace(item, asked=each[1]) for each, item in zip(found, items, strict=True)]

    def _of(self, item: Item) -> tuple[int, Asked] | None:
        """The call that an item is the result of."""
        results = [part for said in item.said for part in said.parts if isinstance(part, Output)]
        return self.found.get(results[0].call_id or "") if len(results) == 1 else None
