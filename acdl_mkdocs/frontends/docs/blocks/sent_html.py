"""The messages of a spec beside its figure: a chart of how the prompt grows, then a section for each point.

Complete without scripts; `acdl-steps.js` shows one point at a time and links messages and lines of the figure. It reads
`data-acdl` for the part of the spec of an element, and on each section the effects of its point on the figure. No
scripts, no `style`: the look of the sections is in `acdl.css`.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from acdl_mkdocs.evaluation.coverage import StatementCoverage
from acdl_mkdocs.evaluation.formats import TranscriptOptions, html
from acdl_mkdocs.evaluation.formats.growth import Comparison, compare_transcripts
from acdl_mkdocs.evaluation.formats.message_html import Tools
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.evaluation.weights import Weights, weigh_transcript
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.tokens.counter import Counter
from acdl_mkdocs.runs.inspect.growth_chart import Bar, draw_growth_chart


@dataclass(frozen=True, slots=True)
class SentSpec:
    """A spec that was evaluated at several points."""

    name: str
    """The anchor of the figure."""
    points: Sequence[tuple[Transcript, StatementCoverage]]
    state: State
    counter: Counter
    is_dark: bool = False
    """Whether the block is dark on any page."""


@dataclass(frozen=True, slots=True)
class _PointView:
    """One point, and the transcript that it is compared with."""

    transcript: Transcript
    reached: StatementCoverage
    weights: Weights
    earlier: Transcript | None
    comparison: Comparison | None
    anchor: str


def sent_html(spec: SentSpec) -> str:
    """Render the element beside the figure; empty without points."""
    points = list(_list_points(spec))
    if not points:
        return ""
    first = points[0]
    called = escape(make_visible(first.transcript.spec)) or "this text"
    tools = html.collect_tools(first.transcript, spec.name)
    classes = "acdl-sent acdl-dark" if spec.is_dark else "acdl-sent"
    data = f'data-acdl-figure="{escape(spec.name)}" data-acdl-spec="{_format_span(first.reached.spec)}"'
    return "".join(
        [
            f'<div class="{classes}" role="group" aria-label="What {called} sends" {data} data-search-exclude>',
            f'<p class="acdl-sent-intro">{_render_intro(called, spec, first)}</p>',
            *html.write_memory_and_tools(first.transcript, tools),
            _render_chart(points, spec.name) if len(points) > 1 else "",
            '<div class="acdl-sent-points">',
            *(_render_section(point, spec, tools) for point in points),
            "</div></div>",
        ]
    )


def _list_points(spec: SentSpec) -> Iterator[_PointView]:
    transcripts = [transcript for transcript, _ in spec.points]
    for earlier, (transcript, reached) in zip((None, *transcripts), spec.points, strict=False):
        yield _PointView(
            transcript,
            reached,
            weigh_transcript(transcript, spec.counter),
            earlier,
            compare_transcripts(earlier, transcript) if earlier else None,
            f"{spec.name}-at-{transcript.at}",
        )


def _render_intro(called: str, spec: SentSpec, first: _PointView) -> str:
    state = escape(make_visible(spec.state.name))
    return (
        f"What <strong>{called}</strong> sends with <code>{state}</code>. "
        f"<small>{first.transcript.range} ranges, model tokens in {escape(spec.counter.encoding)}</small>"
    )


# ------------------------------------------------------------------------------------------------------------ the chart


def _render_chart(points: Sequence[_PointView], name: str) -> str:
    """Render a bar for each point that links to it."""
    return draw_growth_chart([_build_bar(point) for point in points], name)


def _build_bar(point: _PointView) -> Bar:
    """Return the bar of a prompt, its first message first."""
    changes = point.comparison.changes if point.comparison else ("new",) * len(point.transcript.messages)
    roles = [
        "kept" if change == "kept" else message.role
        for message, change in zip(point.transcript.messages, changes, strict=True)
    ]
    grouped = groupby(zip(roles, point.weights.messages, strict=True), key=lambda each: each[0])
    slices = [(role, sum(weight for _, weight in group)) for role, group in grouped]
    is_turn = point.earlier is None or _step_of(point.earlier) != _step_of(point.transcript)
    return Bar(point.anchor, str(point.transcript.at), _describe_point(point), slices, is_turn)


def _step_of(transcript: Transcript) -> int:
    return transcript.at.get_part(0)


# ------------------------------------------------------------------------------------------------------------ one point


def _render_section(point: _PointView, spec: SentSpec, tools: Tools) -> str:
    options = TranscriptOptions(counter=spec.counter, place_of=spec.state.place_of)
    anchor = escape(point.anchor)
    return "".join(
        [
            f'<section class="acdl-sent-point" id="{anchor}" aria-label="{escape(spec.name)} @{point.transcript.at}"',
            f"{_effects_of(point)}>",
            '<div class="acdl-sent-top"><p class="acdl-sent-title">',
            f"<code>@{point.transcript.at}</code></p>",
            f'<p class="acdl-sent-summary">{escape(_describe_point(point))}</p></div>',
            _describe_loops(point),
            '<div class="acdl-sent-list">',
            *html.write_messages(point.transcript, options, point.weights, point.comparison, point.anchor, tools),
            *html.write_remarks(point.transcript),
            "</div></section>",
        ]
    )


def _describe_point(point: _PointView) -> str:
    """Describe the point in words; the encoding of tokens is named once for all of them."""
    description = html.summarize_transcript(point.transcript, point.weights, point.earlier, point.comparison)
    return description.replace(f" ({point.weights.encoding})", "", 1)


def _effects_of(point: _PointView) -> str:
    """Describe the effects of the point on the figure."""
    own = point.transcript.source
    ended = point.transcript.ended
    effects = {
        "rounds": " ".join(f"{_format_span(loop.span)}:{loop.rounds}" for loop in point.reached.loops),
        "unreached": " ".join(map(_format_span, point.reached.unreached)),
        "ended": _format_span(ended.span) if ended and ended.source == own else "",
    }
    return "".join(f' data-acdl-{name}="{value}"' for name, value in effects.items() if value)


def _describe_loops(point: _PointView) -> str:
    """Describe how often loops ran, and which alternatives were not taken."""
    source = point.transcript.source
    facts = []
    for loop in point.reached.loops:
        name = f"<b>ForEach {escape(make_visible(loop.variable))}</b>"
        if sum(other.variable == loop.variable for other in point.reached.loops) > 1:
            name += f" in line {source.find_place(loop.span.start).line}"
        facts.append(f'<li data-acdl="{_format_span(loop.span)}">{name} {_describe_rounds(loop.rounds)}</li>')
    for arm in point.reached.untaken:
        line = source.find_place(arm.span.start).line
        facts.append(f'<li data-acdl="{_format_span(arm.span)}"><b>{_ARMS[arm.kind]}</b> in line {line} not taken</li>')
    return f'<ul class="acdl-sent-facts">{"".join(facts)}</ul>' if facts else ""


_ARMS = {"if": "If", "elseif": "ElseIf", "else": "Else", "case": "Case", "default": "Default"}


def _describe_rounds(rounds: int) -> str:
    return "ran once" if rounds == 1 else f"ran {rounds:,} times" if rounds else "did not run"


def _format_span(span: Span) -> str:
    return f"{span.start}-{span.end}"
