"""`cuts_of()`: where a later request of a run does not begin with all of an earlier one. Knows nothing of specs."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.traces.recorded import Recorded
from acdl_mkdocs.traces.shared_messages import GrowingUnits
from acdl_mkdocs.traces.units import Unit


@dataclass(frozen=True, slots=True)
class Cut:
    """Two requests of a run, of which the second does not go on where the first ended."""

    run: int
    earlier: Recorded
    later: Recorded
    n_kept: int
    """How many messages both begin with."""
    before: Unit
    """The first message of the earlier one that is not kept."""
    after: Unit | None
    """What stands in its place; `None` where the later one ends there."""


def cuts_of(runs: Sequence[Sequence[Recorded]]) -> Iterator[Cut]:
    """The places at which what a provider has of earlier requests is of no use any more."""
    for run, requests in enumerate(runs):
        growing = GrowingUnits()
        units = ((each, growing.of(each.request)) for each in requests)
        for (earlier, before), (later, after) in pairwise(units):
            pairs = enumerate(zip(before, after, strict=False))
            n_kept = next((at for at, (one, two) in pairs if one is not two and one.content != two.content), None)
            if n_kept is None:
                n_kept = min(len(before), len(after))
            if n_kept < len(before):
                instead = after[n_kept] if n_kept < len(after) else None
                yield Cut(run, earlier, later, n_kept, before[n_kept], instead)
