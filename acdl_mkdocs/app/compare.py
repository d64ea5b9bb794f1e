"""Compare two specs: their structure, and with a state the messages that they send."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.compare.choose_specs import diff_specs
from acdl_mkdocs.compare.sent.sent import SenderOptions, SentDifference, make_senders, points_of, sent_difference
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Finding
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass

if TYPE_CHECKING:
    from acdl_mkdocs.prompts.tokens.counter import Counter

TrackPoints: TypeAlias = Callable[[Sequence[Time]], Iterable[Time]]
"""Yields the points one after another, so that a command can show progress."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two texts."""

    text: ResolvedText
    """The text, with resolved names."""
    spec: str | None = None
    """The one definition to compare; if neither side has a name, both whole texts are compared."""


@dataclass(frozen=True, slots=True)
class SideState:
    """The state of one of two texts."""

    state: State
    """The state; an empty one if its file has errors."""
    problems: tuple[Finding, ...] = field(default=())
    """Its problems: with any, the messages cannot be compared."""


def compare(old: Side, new: Side) -> Difference:
    """Compare two texts, with the texts that both use.

    Raises:
        UnknownSpecError: A text has no definition of that name.
    """
    texts = old.text.resolved, new.text.resolved
    modes = old.text.config.range, new.text.config.range
    return diff_specs(texts[0].parsed, texts[1].parsed, old.spec, new.spec, modes, texts)


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
    """Compare the messages of two specs, point by point.

    Parameters:
        sides: The old and the new text.
        states: Their states; a single state is used for both.
        at: The points, such as `"1..5"`; by default all points of the state.
        range: How `range(a, b)` is read; overrides texts and state.
        counter: Counts model tokens; without it none are counted.
        difference: Between the specs, if known: if it is empty, only one of them is evaluated.
        track: Yields the points one after another.

    Raises:
        PointError: `at` is not a point in time, or there are too many.
        UnknownSpecError: A text has no spec of that name.
    """
    old, new = sides
    old_state, new_state = states[0], states[1] or states[0]
    options = SenderOptions(old.spec, new.spec, range, (old.text.config.range, new.text.config.range))
    own = states[1].state if states[1] is not None else None
    one, other = make_senders(old.text.resolved, new.text.resolved, old_state.state, own, options)
    points = points_of(at, old_state.state, new_state.state)
    is_equal = difference is not None and difference.is_empty and states[1] is None
    filled = replace(one, problems=old_state.problems), replace(other, problems=new_state.problems)
    return sent_difference(*filled, track(points), counter, is_equal=is_equal)
