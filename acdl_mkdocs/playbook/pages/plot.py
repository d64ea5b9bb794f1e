"""A chart of the size of a playbook and its accuracy over revisions, as SVG.

Drawn with presentation attributes and classes, so that a style sheet can recolour it and a page without one still
shows it. Deterministic; knows nothing about how accuracy was measured.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from acdl_mkdocs.drawing.formats.xml import escape_text, format_number
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.pages.history_html import Data
from acdl_mkdocs.playbook.pages.published import Published

WIDTH, HEIGHT = 480.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 48.0, 28.0, 30.0
MOST_POINTS = 320
"""Limit of points, since more are indistinguishable; the last one is always kept."""
_N_TICKS = 4
_SIZE_COLOUR, _ACCURACY_COLOUR = "#0969da", "#a06a00"


@dataclass(frozen=True, slots=True)
class Point:
    """A playbook at one revision."""

    revision: int
    n_bullets: int
    """Bullets in use."""
    accuracy: float | None = None
    """Share of samples that were solved, from 0 to 1; `None` if not measured."""


def measure_growth(published: Published, accuracy: Mapping[int, float] | None = None) -> tuple[Point, ...]:
    """Return the size at each revision of the history, counted back from the current playbook."""
    measured = accuracy or {}
    size = len(published.playbook.active)
    points = []
    for revision in reversed(published.revisions):
        points.append(Point(revision.number, size, measured.get(revision.number)))
        size -= sum(
            _is_active(each.after) - _is_active(each.before) for each in revision.steps if each.kind == "bullet"
        )
    return tuple(reversed(points))


def render_plot(points: Sequence[Point], title: str) -> str:
    """Render the chart as an element; empty for fewer than two points."""
    if len(points) < 2:
        return ""
    thinned = _thin_points(points)
    most = _round_up(max(point.n_bullets for point in thinned))
    first, last = thinned[0].revision, thinned[-1].revision
    has_accuracy = any(point.accuracy is not None for point in thinned)
    parts = [
        f'<svg class="acdl-plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {format_number(WIDTH)} '
        f'{format_number(HEIGHT)}" '
        'role="img" fill="none" font-family="sans-serif" font-size="13">',
        f"<title>{escape_text(title)}</title><desc>{escape_text(describe_plot(points))}</desc>",
        *_grid(most, has_accuracy=has_accuracy),
        _text(LEFT, HEIGHT - 10, f"revision {first}", "start"),
        _text(WIDTH - RIGHT, HEIGHT - 10, f"revision {last}", "end"),
        _sizes(thinned, most),
        _accuracies(thinned) if has_accuracy else "",
        "</svg>",
    ]
    return "".join(parts)


def describe_plot(points: Sequence[Point]) -> str:
    """Describe the chart in a sentence or two."""
    first, last = points[0], points[-1]
    sentence = (
        f"From {first.n_bullets} bullets in revision {first.revision} to {last.n_bullets} in revision {last.revision}."
    )
    measured = [point for point in points if point.accuracy is not None]
    if not measured:
        return sentence
    start, end = measured[0], measured[-1]
    return (
        f"{sentence} Accuracy {_percent(start.accuracy)} in revision {start.revision}, "
        f"{_percent(end.accuracy)} in revision {end.revision}."
    )


def _is_active(data: Data | None) -> bool:
    return data is not None and data.get("status", "active") == "active"


def _percent(share: float | None) -> str:
    return f"{(share or 0) * 100:.0f} %"


def _thin_points(points: Sequence[Point]) -> list[Point]:
    """Return at most as many points as are distinguishable, and all measured ones."""
    step = -(-len(points) // MOST_POINTS)
    return [point for at, point in enumerate(reversed(points)) if at % step == 0 or point.accuracy is not None][::-1]


def _round_up(most: int) -> int:
    """Return the next larger round number that the ticks divide."""
    unit = 1
    while True:
        for factor in (1, 2, 3, 4, 5, 6, 8):
            if most <= unit * factor * _N_TICKS:
                return unit * factor * _N_TICKS
        unit *= 10


def _x(point: Point, points: Sequence[Point]) -> float:
    first, last = points[0].revision, points[-1].revision
    share = (point.revision - first) / (last - first) if last > first else 0.0
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def _grid(most: int, *, has_accuracy: bool) -> list[str]:
    parts = [_text(LEFT - 8, TOP - 14, "bullets", "end", "acdl-plot-size", _SIZE_COLOUR)]
    if has_accuracy:
        parts.append(_text(WIDTH - RIGHT + 8, TOP - 14, "solved", "start", "acdl-plot-accuracy", _ACCURACY_COLOUR))
    for tick in range(_N_TICKS + 1):
        y = _y(tick / _N_TICKS)
        parts.append(
            f'<path class="acdl-plot-grid" d="M{format_number(LEFT)} '
            f'{format_number(y)}H{format_number(WIDTH - RIGHT)}" '
            'stroke="currentColor" stroke-opacity=".25"/>'
        )
        parts.append(_text(LEFT - 8, y + 4, str(most * tick // _N_TICKS), "end"))
        if has_accuracy:
            parts.append(_text(WIDTH - RIGHT + 8, y + 4, _percent(tick / _N_TICKS), "start"))
    return parts


def _sizes(points: Sequence[Point], most: int) -> str:
    """Render a step line: a playbook keeps its size until the next revision."""
    path = f"M{format_number(_x(points[0], points))} {format_number(_y(points[0].n_bullets / most))}"
    for _, point in pairwise(points):
        path += f"H{format_number(_x(point, points))}V{format_number(_y(point.n_bullets / most))}"
    return f'<path class="acdl-plot-size" d="{path}" stroke="{_SIZE_COLOUR}" stroke-width="2"/>'


def _accuracies(points: Sequence[Point]) -> str:
    measured = [(_x(point, points), _y(point.accuracy), point) for point in points if point.accuracy is not None]
    line = "L".join(f"{format_number(x)} {format_number(y)}" for x, y, _ in measured)
    dots = "".join(
        f'<circle class="acdl-plot-dot" cx="{format_number(x)}" cy="{format_number(y)}" r="3.5" '
        f'fill="{_ACCURACY_COLOUR}">'
        f"<title>revision {point.revision}: {_percent(point.accuracy)}</title></circle>"
        for x, y, point in measured
    )
    return f'<path class="acdl-plot-accuracy" d="M{line}" stroke="{_ACCURACY_COLOUR}" stroke-width="2"/>{dots}'


def _text(x: float, y: float, words: str, anchor: str, classes: str = "", colour: str = "currentColor") -> str:
    named = f' class="{classes}-label"' if classes else ""
    return (
        f'<text{named} x="{format_number(x)}" y="{format_number(y)}" text-anchor="{anchor}" '
        f'fill="{colour}">{escape_text(words)}</text>'
    )
