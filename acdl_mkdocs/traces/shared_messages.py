"""`with_shared_messages()` and `GrowingUnits`: what requests of one run have in common is kept and looked at once.

An agent sends all that was said so far again with each request. Knows nothing of specs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Message, Prompt
from acdl_mkdocs.traces.answered import in_order_of_calls
from acdl_mkdocs.traces.episodes import MOST_OPEN
from acdl_mkdocs.traces.recorded import Recorded
from acdl_mkdocs.traces.replies import answer_of
from acdl_mkdocs.traces.units import Unit, units_of


def with_shared_messages(requests: Iterable[Recorded]) -> Iterator[Recorded]:
    """The same requests; messages that are equal to those of the request before are the same objects."""
    runs: dict[str, tuple[Message, ...]] = {}
    for each in requests:
        name = each.episode or ""
        before, messages = runs.pop(name, ()), each.request.messages
        n_same = next(
            (at for at, (one, two) in enumerate(zip(before, messages, strict=False)) if one is not two and one != two),
            min(len(before), len(messages)),
        )
        shared = (*before[:n_same], *messages[n_same:])
        runs[name] = shared
        if len(runs) > MOST_OPEN:
            del runs[next(iter(runs))]
        request = replace(each.request, messages=shared)
        yield replace(each, request=request, reply=None, answer=answer_of(each))


@dataclass(slots=True)
class GrowingUnits:
    """The units of one request after the other; those of messages that stay are made once."""

    messages: tuple[Message, ...] = ()
    units: list[Unit] = field(default_factory=list)

    def of(self, prompt: Prompt) -> list[Unit]:
        """The units of the next request, as `units_of()` gives them, with results in the order of their calls."""
        pairs = enumerate(zip(self.messages, prompt.messages, strict=False))
        n_same = next((at for at, (one, two) in pairs if one is not two), len(prompt.messages))
        n_same = min(n_same, len(self.messages))
        kept = [unit for unit in self.units if unit.message < n_same]
        self.messages, self.units = prompt.messages, [*kept, *units_of(prompt, n_same)]
        return in_order_of_calls(self.units)
