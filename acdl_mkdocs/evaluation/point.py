"""Points in time: their notation, and the points in a range.

`3` and `3.2` are points, `1..3` and `1.0..2.3` all from one to another, `2.*` a turn and all its steps, `*` all
turns and `*.*` all points of a state.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time, shorten_text
from acdl_mkdocs.foundation.errors import PointError
from acdl_mkdocs.language.syntax.nodes import Field, Prompt, TimeIndex

MOST_POINTS = 1000
"""More points than anyone looks at."""
_POINT = r"@?\d{1,9}(?:\.\d{1,9}){0,7}"
_ONE = re.compile(_POINT)
_RANGE = re.compile(rf"({_POINT})\s*(?:\.\.\.?|-)\s*({_POINT})")
_ALL_BELOW = re.compile(rf"({_POINT})\.\*")


def parse_point(text: str) -> Time:
    """Parse one point: `3`, `@3.2`.

    Raises:
        PointError: The text is not a point.
    """
    text = text.strip()
    if not _ONE.fullmatch(text):
        raise PointError(
            f"`{_shorten_text(text)}` is not a point in time; write a step such as `3`, or a step and sub-step "
            "such as `3.2`"
        )
    point = Time(tuple(map(int, text.lstrip("@").split("."))))
    if point.parts[0] < 1:
        raise PointError(f"`{_shorten_text(text)}` is before the first step; steps count from 1")
    return point


def parse_points(text: str, state: State) -> tuple[Time, ...]:
    """Parse points in order: `3`, `1..3`, `2.*`, `*`, `*.*`, and several of them with commas.

    Raises:
        PointError: The text is not a list of points, or names too many.
    """
    points: list[Time] = []
    for word in text.split(","):
        points.extend(islice(_expand_points(word.strip(), state), MOST_POINTS + 1))
        if len(points) > MOST_POINTS:
            raise PointError(f"`{_shorten_text(text)}` are more than {MOST_POINTS} points; name fewer")
    return tuple(dict.fromkeys(points))


def list_points(state: State, most: int = MOST_POINTS) -> tuple[Time, ...]:
    """Return the first points of a state in order: its turns, and their steps if it has any."""
    steps = range(1, state.last_step + 1)
    has_substeps = any(each.children for each in (state.records, *state.agents.values()))
    points = (point for step in steps for point in (_list_substeps(step, state) if has_substeps else [Time((step,))]))
    return tuple(islice(points, most))


def distinguish_points(points: Iterable[Time], prompt: Prompt | None) -> Iterator[Time]:
    """Yield the points that the title of the spec distinguishes: `[@T]` has turns only."""
    sizes = [1 + sum(isinstance(part, Field) for part in each.parts) for each in _times(prompt)]
    if len(sizes) != 1 or sizes[0] != 1:
        yield from points
        return
    yield from dict.fromkeys(Time(point.parts[:1]) for point in points)


def _times(prompt: Prompt | None) -> list[TimeIndex]:
    return [each for each in prompt.parameters if isinstance(each, TimeIndex)] if prompt else []


def _shorten_text(text: str) -> str:
    """Shorten a text for a sentence of one line."""
    return shorten_text(" ".join(text.split()))


def _expand_points(text: str, state: State) -> Iterator[Time]:
    """Yield the points that a word means, one at a time, because there can be very many."""
    if text in ("*", "*.*"):
        steps = range(1, state.last_step + 1)
        return (point for step in steps for point in ([Time((step,))] if text == "*" else _list_substeps(step, state)))
    if below := _ALL_BELOW.fullmatch(text):
        start = parse_point(below[1])
        return (Time((*start.parts, last)) for last in range(state.substeps(start.parts) + 1))
    ends = _RANGE.fullmatch(text)
    return _list_between(parse_point(ends[1]), parse_point(ends[2]), text, state) if ends else iter([parse_point(text)])


def _list_between(start: Time, stop: Time, text: str, state: State) -> Iterator[Time]:
    if stop < start:
        raise PointError(f"`{_shorten_text(text)}` ends before it begins; write `{stop}..{start}`")
    steps = range(start.parts[0], stop.parts[0] + 1)
    if len(steps) > MOST_POINTS:
        raise PointError(f"`{_shorten_text(text)}` are more than {MOST_POINTS} points; name fewer")
    if len(start.parts) == len(stop.parts) == 1:
        return (Time((step,)) for step in steps)
    if len(start.parts) > 2 or len(stop.parts) > 2:
        if start.parts[:-1] != stop.parts[:-1]:
            raise PointError(f"`{_shorten_text(text)}` goes over several levels of sub-steps; name them with commas")
        return (Time((*start.parts[:-1], last)) for last in range(start.parts[-1], stop.parts[-1] + 1))
    (first, begin), (last, end) = (*start.parts, 0)[:2], (*stop.parts, 0)[:2]
    return (
        point
        for step in steps
        for point in _list_substeps(step, state, begin if step == first else 0, end if step == last else None)
    )


def _list_substeps(step: int, state: State, first: int = 0, last: int | None = None) -> Iterator[Time]:
    """Yield a turn before its first step, then each of its steps, or those in a range."""
    stop = state.substeps((step,)) if last is None else last
    return (Time((step, substep)) for substep in range(first, stop + 1))
