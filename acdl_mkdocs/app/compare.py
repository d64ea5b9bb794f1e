"""What changed between two specs: in their structure, and with a state in what they send."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.app.understood import Understood
from acdl_mkdocs.compare.choose_specs import diff_named
from acdl_mkdocs.compare.sent.sent import SentDifference, Wanted, points_of, senders, sent_difference
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Finding
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass

if TYPE_CHECKING:
    from acdl_mkdocs.prompts.tokens.counter import Counter

TrackPoints: TypeAlias = Callable[[Sequence[Time]], Iterable[Time]]
"""Gives the points one after another: a command shows meanwhile how many are done."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two texts."""

    text: Understood
    spec: str | None = None
    """The one definition that is compared; without any name on either side, all of both texts is."""


@dataclass(frozen=True, slots=True)
class SideState:
    """What one of two texts is filled with."""

    state: State
    problems: tuple[Finding, ...] = field(default=())
    """What is wrong with it: nothing can be said of what is sent then."""


def compare(old: Side, new: Side) -> Difference:
    """Say what changed from one text to the other, with the texts that both use.

    Raises:
        UnknownSpecError: A text has no definition of the name that is asked for.
    """
    texts = old.text.resolved, new.text.resolved
    modes = old.text.config.range, new.text.config.range
    return diff_named(texts[0].parsed, texts[1].parsed, old.spec, new.spec, modes, texts)


def compare_sent(
    sides: tuple[Side, Side],
    states: tuple[SideState, SideState | None],
    at: str | None = None,
    range: RangeMode | None = None,
    *,
    counter: "Counter | None" = None,
    difference: Difference | None = None,
    track: TrackPoints = iter,
) -> SentDifference:
    """Say what changed between what two specs send, point by point.

    Parameters:
        sides: The old and the new text.
        states: What fills them; with one state alone, both have it.
        at: The points, such as `"1..5"`; without them all that the state has.
        range: How `range(a, b)` is read, whatever texts and state say.
        counter: Counts model tokens; without it none are counted.
        difference: Between the specs, if that is known: where there is none, only one of them is evaluated.
        track: Gives the points one after another.

    Raises:
        PointError: `at` is no point in time, or there are too many.
        UnknownSpecError: A text has no spec of the name that is asked for.
    """
    old, new = sides
    old_state, new_state = states[0], states[1] or states[0]
    wanted = Wanted(old.spec, new.spec, range, (old.text.config.range, new.text.config.range))
    own = states[1].state if states[1] is not None else None
    one, other = senders(old.text.resolved, new.text.resolved, old_state.state, own, wanted)
    points = points_of(at, old_state.state, new_state.state)
    is_equal = difference is not None and difference.is_empty and states[1] is None
    filled = replace(one, problems=old_state.problems), replace(other, problems=new_state.problems)
    return sent_difference(*filled, track(points), counter, is_equal=is_equal)
