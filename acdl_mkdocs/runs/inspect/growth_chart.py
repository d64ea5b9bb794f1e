"""`draw_growth_chart()`: a bar for each point in time, as high as its prompt is long; new content is highlighted.

Links to the points; `acdl-steps.js` makes them steps. Draws evaluations and recordings alike, and knows neither.
"""

from collections.abc import Sequence
from html import escape

from acdl_mkdocs.drawing.figure.theme import PALETTES
from acdl_mkdocs.drawing.formats.svg import CLASSES
from acdl_mkdocs.drawing.formats.xml import format_number
from acdl_mkdocs.foundation.frozen import dataclass

_HEIGHT, _LEAST_BAR = 100.0, 2.0
"""Minimum height, so that an empty prompt is visible."""
_LABELLED = 24
"""Maximum number of points with labels."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A point."""

    anchor: str
    """The id of its section."""
    at: str
    title: str
    """About it, in words."""
    slices: Sequence[tuple[str, int]]
    """Model tokens from the bottom to the top, each with a role; `kept` was sent before; `lost` was sent before and
    has to be processed again."""
    is_turn: bool
    """Whether a turn begins."""


def draw_growth_chart(bars: Sequence[Bar], name: str) -> str:
    """Draw the chart.

    Parameters:
        bars: The points.
        name: The name of the run or the spec.
    """
    most = max(sum(tokens for _, tokens in bar.slices) for bar in bars) or 1
    classes = "acdl-growth" if len(bars) <= _LABELLED else "acdl-growth acdl-growth-many"
    items = []
    for bar in bars:
        start = ' class="acdl-growth-step"' if bar.is_turn else ""
        link = f'<a href="#{escape(bar.anchor)}" title="@{bar.at}: {escape(bar.title)}">'
        items.append(f"<li{start}>{link}{_draw_bar(bar, most)}<span>{bar.at}</span></a></li>")
    return f'<nav class="{classes}" aria-label="Points in time, {escape(name)}"><ol>{"".join(items)}</ol></nav>'


def _draw_bar(bar: Bar, most: int) -> str:
    """Draw a prompt, its first message at the bottom: new content in the colours of its roles, the rest in one."""
    bottom, shapes = _HEIGHT, []
    for role, tokens in bar.slices:
        top = bottom - tokens * _HEIGHT / most
        shapes.append(_draw_slice(role, top, bottom))
        bottom = top
    if bottom > _HEIGHT - _LEAST_BAR:
        shapes = [_draw_slice("none", _HEIGHT - _LEAST_BAR, _HEIGHT)]
    attributes = f'viewBox="0 0 10 {_HEIGHT:.0f}" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg {attributes} class="acdl-auto">{"".join(shapes)}</svg>'


def _draw_slice(role: str, top: float, bottom: float) -> str:
    shape = f'd="M0 {format_number(top)}h10v{format_number(bottom - top)}h-10z"/>'
    if role == "lost":
        return f'<path class="acdl-growth-lost" fill="{PALETTES["light"]["edge-gone"][1]}" {shape}'
    style = "role-none" if role == "kept" else f"role-{role}"
    kept_class = " acdl-growth-kept" if role == "kept" else ""
    return f'<path class="acdl-{CLASSES[style]}{kept_class}" fill="{PALETTES["light"][style][0]}" {shape}'
