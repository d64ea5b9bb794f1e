"""Which point in time each recorded request belongs to: counted from its messages.

A step begins where the user says something; several messages of the user in a row are one, because providers join
them. A sub-step is an answer of the model and what its tools gave; what the user says right behind calls is taken for
their results, sent in the wrong role. What is counted goes on through a run, so that a request that leaves out the
beginning of a conversation still has its place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.traces.episodes import MOST_OPEN, Trail, step, trail_of
from acdl_mkdocs.traces.recorded import Recorded


@dataclass(frozen=True, slots=True)
class _Last:
    """Where a run is."""

    trail: Trail
    turn: int
    round: int


def assigned(requests: Iterable[Recorded], first: Time | None = None) -> Iterator[Recorded]:
    """The requests, each with its point; one that has a point keeps it, and later ones are counted from there.

    Args:
        requests: As `grouped()` gives them.
        first: Point of the first request of each run, where examples stand before the first question, or where
            the beginning was not recorded.
    """
    runs: dict[str, _Last] = {}
    for each in requests:
        name = each.episode or ""
        trail = trail_of(each)
        last = runs.pop(name, None)
        if each.at is not None:
            turn, n_rounds = each.at.part(0), each.at.part(1)
        elif last is None:
            turn, n_rounds = _begun(trail) if first is None else (first.part(0), first.part(1))
        else:
            turn, n_rounds = _next(last, trail)
        runs[name] = _Last(trail, turn, n_rounds)
        if len(runs) > MOST_OPEN:
            del runs[next(iter(runs))]
        yield each if each.at is not None else replace(each, at=Time((turn, n_rounds)))


def _begun(trail: Trail) -> tuple[int, int]:
    """The point of a request of which nothing earlier is known."""
    end = len(trail.roles)
    if trail.roles[-1:] == ("assistant",):
        end -= 1  # the beginning of an answer that is asked for
    n_turns, n_rounds = _counted(trail, 0, end)
    return max(n_turns, 1), n_rounds


def _next(last: _Last, trail: Trail) -> tuple[int, int]:
    """The point of a request after another one."""
    found = step(last.trail, trail)
    if found is None:
        return _elsewhere(last, trail)
    if found.is_grown:
        return last.turn, last.round + 1
    n_turns, n_rounds = _counted(trail, found.start, found.end)
    return (last.turn + n_turns, n_rounds) if n_turns else (last.turn, last.round + n_rounds)


def _elsewhere(last: _Last, trail: Trail) -> tuple[int, int]:
    """The point of a request that has nothing of the one before it, although it belongs to the same run."""
    n_rounds = _counted(trail, 0, len(trail.roles))[1]
    if _question(trail) != _question(last.trail):
        return last.turn + 1, n_rounds
    return last.turn, max(last.round + 1, n_rounds)


def _question(trail: Trail) -> int | None:
    """What the user said last."""
    filled = zip(trail.keys, trail.roles, trail.are_filled, strict=True)
    asked = [key for key, role, is_filled in filled if role == "user" and is_filled]
    return asked[-1] if asked else None


def _counted(trail: Trail, start: int, end: int) -> tuple[int, int]:
    """How many turns of the user begin in a part of a request, and how many rounds there are since the last of them."""
    n_turns = n_rounds = 0
    before, has_open_calls = "", False
    part = slice(start, end)
    for said, is_filled, has_calls in zip(
        trail.roles[part], trail.are_filled[part], trail.are_asking[part], strict=True
    ):
        if said == "user" and not is_filled:
            continue
        is_result = said == "tool" or (said == "user" and has_open_calls)
        role = "tool" if is_result else said
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
