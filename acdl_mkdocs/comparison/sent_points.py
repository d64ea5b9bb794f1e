"""The points at which two specs are compared: those that are named, else all that the states have."""

from acdl_mkdocs.evaluation.point import MOST_POINTS, parse_points
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time


def points_of(at: str | None, old: State | None, new: State | None) -> tuple[Time, ...]:
    """The points, in order and each once.

    Parameters:
        at: As a person writes them, `3.2` or `1..5`; without it all points of both states, and of a state that has too
            many those that it names.
        old: The state of the one.
        new: That of the other, which may be the same.

    Raises:
        PointError: They are none, or too many.
    """
    if old is new and at is not None:
        return parse_points(at, old or State())
    states = (old or State(),) if old is new else (old or State(), new or State())
    found = {point for state in states for point in (_all_of(state) if at is None else parse_points(at, state))}
    return tuple(sorted(found, key=lambda point: point.parts))


def _all_of(state: State) -> tuple[Time, ...]:
    """All points of a state; if that is more than anyone tests, those that it names itself."""
    has_substeps = any(state.substeps((step,)) for step in range(1, min(state.last_step, MOST_POINTS) + 1))
    if state.last_step > MOST_POINTS and state.at:
        return parse_points(state.at, state)
    return parse_points("*.*" if has_substeps else "*", state)
