"""Which point in time each recorded request belongs to, counted from its messages.

A turn begins where the user speaks, also with an empty message; several user messages in a row are one turn, because
providers join them. A step of a turn is an answer of the model together with the results of its tools. User text right
behind calls is taken for their results, sent in the wrong role; user text right behind results can be read in several
ways, see `READINGS`. Counting continues through a run, so that a request that leaves out the beginning of a
conversation still gets its point.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.traces.episodes import MOST_OPEN, Step, Trail, Trails, step
from acdl_mkdocs.traces.recorded import Recorded

Reading: TypeAlias = Literal["results", "tags", "turns", "requests", "one-turn"]
READINGS: Mapping[Reading, str] = {
    "results": "user text right behind tool results belongs to these results",
    "tags": "user text right behind tool results begins a turn, unless it is only an attachment or text in tags",
    "turns": "user text right behind tool results begins a turn",
    "requests": "each request is a turn",
    "one-turn": "each request of a run is a step of one turn",
}
"""Ways to count turns and steps, the usual one first, and what each means."""
LIKELY: tuple[Reading, ...] = ("results", "tags", "turns")
"""The readings that a conversation itself may mean; the others only explain why a spec disagrees."""


@dataclass(frozen=True, slots=True)
class _Last:
    """Where a run is after a request, by every reading."""

    trail: Trail
    points: Mapping[Reading, Time]


def assigned(
    requests: Iterable[Recorded], first: Time | None = None, trails: Trails | None = None
) -> Iterator[Recorded]:
    """Give each request its point by the usual reading, as `counted()` counts it."""
    for each, points in counted(requests, first, trails):
        yield each if each.at is not None else replace(each, at=points["results"])


def counted(
    requests: Iterable[Recorded], first: Time | None = None, trails: Trails | None = None
) -> Iterator[tuple[Recorded, Mapping[Reading, Time]]]:
    """Count the point of each request by every reading.

    A request that has a point keeps it in all readings, and later ones are counted from there.

    Parameters:
        requests: As `grouped()` gives them.
        first: Point of the first request of each run, where examples stand before the first question, or where
            the beginning was not recorded.
        trails: Makes the trails of the requests, as `grouped()` had them.
    """
    trails = trails or Trails()
    runs: dict[str, _Last] = {}
    for each in requests:
        name = each.episode or ""
        trail = trails.of(each)
        last = runs.pop(name, None)
        points = _points(each.at, first, last, trail)
        runs[name] = _Last(trail, points)
        if len(runs) > MOST_OPEN:
            del runs[next(iter(runs))]
        yield each, points


def _points(at: Time | None, first: Time | None, last: _Last | None, trail: Trail) -> Mapping[Reading, Time]:
    """The point of a request by every reading; one object where all agree."""
    known = at or (first if last is None else None)
    if known is not None:
        return dict.fromkeys(READINGS, Time((known.part(0), known.part(1))))
    if last is None:
        found = {reading: _begun(trail, reading) for reading in READINGS}
    else:
        how = step(last.trail, trail)
        found = {
            reading: _next(point.part(0), point.part(1), how, last.trail, trail, reading)
            for reading, point in last.points.items()
        }
    made = {point: Time(point) for point in found.values()}
    return {reading: made[point] for reading, point in found.items()}


def _begun(trail: Trail, reading: Reading) -> tuple[int, int]:
    """The point of a request of which nothing earlier is known."""
    if reading in ("requests", "one-turn"):
        return 1, 0
    end = len(trail.roles)
    if trail.roles[-1:] == ("assistant",):
        end -= 1  # the beginning of an answer that is asked for
    n_turns, n_rounds = _counted(trail, 0, end, reading)
    return max(n_turns, 1), n_rounds


def _next(turn: int, n_rounds: int, how: Step | None, before: Trail, trail: Trail, reading: Reading) -> tuple[int, int]:
    """The point of a request after one at another point."""
    if reading == "requests":
        return turn + 1, 0
    if reading == "one-turn" or (how is not None and how.is_grown):
        return turn, n_rounds + 1
    if how is None:
        n_since = _counted(trail, 0, len(trail.roles), reading)[1]
        is_asked = _question(trail) != _question(before)
        return (turn + 1, n_since) if is_asked else (turn, max(n_rounds + 1, n_since))
    n_turns, n_since = _counted(trail, how.start, how.end, reading)
    return (turn + n_turns, n_since) if n_turns else (turn, n_rounds + n_since)


def _question(trail: Trail) -> int | None:
    """What the user said last."""
    asked = [key for key, role in zip(trail.keys, trail.roles, strict=True) if role == "user"]
    return asked[-1] if asked else None


def _counted(trail: Trail, start: int, end: int, reading: Reading) -> tuple[int, int]:
    """Count the turns that begin in a part of a request, and the rounds since the last of them began."""
    n_turns = n_rounds = 0
    before, has_open_calls = "", False
    part = slice(start, end)
    for said, is_note, has_calls in zip(trail.roles[part], trail.are_notes[part], trail.are_asking[part], strict=True):
        is_result = said == "tool" or (said == "user" and has_open_calls)
        is_beside = said == "user" and before == "tool" and (reading == "results" or (reading == "tags" and is_note))
        role = "tool" if is_result or is_beside else said
        has_open_calls = has_calls or (is_result and said == "user")
        if role in ("user", "none"):
            n_turns += before != role
            n_rounds = 0
        elif role == "assistant":
            n_rounds += before != "assistant"
        elif role == "tool":
            n_rounds += before not in ("assistant", "tool")
        before = role
    return n_turns, n_rounds
