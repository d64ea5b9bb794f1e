"""`find_border()` and `find_kept()`: up to where something is sent, if only the state of each request can say it.

Old results may be cleared when there are too many, or a failed call forgotten when another one succeeds.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.runs.infer.conditions import Iteration
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.infer.spec_values import Level, TimeKey, time_of

LoopScope: TypeAlias = Literal["turn", "round"]


@dataclass(frozen=True, slots=True)
class Border:
    """The first turn or round of those that are sent, by request; or of those that are not sent."""

    is_sent_from: bool
    """Whether it is sent from there on, not before."""
    level: Level
    """What it changes with: turns, or rounds."""
    first: Mapping[TimeKey, str | int]


@dataclass(frozen=True, slots=True)
class Kept:
    """The turns or rounds that are sent forever, and the last of them at each request; later ones are sent, too."""

    is_kept: Mapping[TimeKey, bool]
    last: Mapping[TimeKey, int]
    is_of_turn: bool
    """Whether later ones are sent only in their turn."""


def find_border(iterations: Sequence[Iteration], present: "set[Iteration]", scope: LoopScope) -> Border | None:
    """Return where requests begin or cease to send something; `None` if it is not that simple."""
    for is_sent_from in (True, False):
        first: dict[Request, tuple[int, ...]] = {}
        for iteration in iterations:
            end = (iteration.now, iteration.request.step + 1) if scope == "round" else (iteration.now + 1,)
            first.setdefault(iteration.request, end)
            if (iteration in present) == is_sent_from:
                first[iteration.request] = min(first[iteration.request], _number_of(iteration, scope))
        if all(
            (_number_of(iteration, scope) >= first[iteration.request]) == ((iteration in present) == is_sent_from)
            for iteration in iterations
        ):
            said = [(each, number[0] if scope == "turn" else "{}.{}".format(*number)) for each, number in first.items()]
            of_turns: dict[TimeKey, str | int] = {(each.run, each.turn): value for each, value in said}
            if all(of_turns[each.run, each.turn] == value for each, value in said):
                return Border(is_sent_from, "turn", of_turns)
            return Border(is_sent_from, "round", {(each.run, each.turn, each.step): value for each, value in said})
    return None


def find_kept(iterations: Sequence[Iteration], present: "set[Iteration]", scope: LoopScope) -> Kept | None:
    """Return what requests send until the next one is kept, as failed attempts until one succeeds."""
    is_kept: dict[TimeKey, bool] = {}
    for iteration in iterations:
        key = time_of(iteration, scope, scope)
        is_kept[key] = is_kept.get(key, True) and iteration in present
    current = {iteration for iteration in iterations if scope == "turn" or iteration.turn == iteration.now}
    last: dict[TimeKey, int] = {}
    for iteration in current:
        now, number = time_of(iteration, "request", scope), _number_of(iteration, scope)[-1]
        last[now] = max(last.get(now, 0), number if is_kept[time_of(iteration, scope, scope)] else 0)
    for iteration in iterations:
        is_later = (
            iteration in current and _number_of(iteration, scope)[-1] > last[time_of(iteration, "request", scope)]
        )
        if (is_later or is_kept[time_of(iteration, scope, scope)]) != (iteration in present):
            return None
    return Kept(is_kept, last, scope == "round" and len(current) < len(iterations))


def _number_of(iteration: Iteration, scope: LoopScope) -> tuple[int, ...]:
    """Return the turn, or the turn and the round, of an iteration of a loop."""
    return (iteration.turn, iteration.step) if scope == "round" else (iteration.turn,)
