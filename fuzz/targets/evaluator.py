"""Any spec with any state: what would be sent, at the points that the state has."""

import json

from acdl_mkdocs.evaluation.context import Limits
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS, TranscriptOptions
from acdl_mkdocs.evaluation.point import list_points, parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import PointError, UnknownSpecError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import parse_and_resolve
from fuzz.target import Target, pairs, parts_of, text_of
from fuzz.words import acdl, state

_FEW = Limits(iterations=500, statements=5_000, messages=200, characters=100_000, depth=16)
_MOST_POINTS = 3


def run(data: bytes) -> None:
    """Evaluate at the points that the state names, else at its first ones, and show what is sent in every way."""
    spec, given = parts_of(text_of(data), 2)
    resolved = parse_and_resolve(Source(spec)).resolved
    state = read_state(given).state if given else None
    options = Options(limits=_FEW)
    transcripts = []
    for point in _points(state) if state is not None else [None]:
        try:
            transcript = evaluate(resolved, state, point, options)
        except UnknownSpecError:
            return
        again = evaluate(resolved, state, point, options)
        assert again.messages == transcript.messages
        assert _told(again) == _told(transcript)
        for finding in transcript.findings:
            span = finding.diagnostic.label.span
            assert finding.diagnostic.message
            assert 0 <= span.start <= span.end <= max(len(finding.source.text), 1)
        transcripts.append(transcript)
    for name, show in TRANSCRIPTS.items():
        shown = show(transcripts[-1:] if name in EXPORTS else transcripts, TranscriptOptions())
        if name == "json":
            json.loads(shown.text)


def _told(transcript: Transcript) -> list[tuple[str, str, Span]]:
    return [(each.rule, each.message, each.label.span) for each in (found.diagnostic for found in transcript.findings)]


def _points(state: State) -> list[Time | None]:
    """The first points of a state."""
    try:
        found = parse_points(state.at, state) if state.at is not None else list_points(state)
    except PointError:
        found = ()
    return [*found[:_MOST_POINTS]] or [None]


TARGET = Target(
    run=run,
    promise="of a spec and a state has messages, and findings with a place, the same every time, in bounded time",
    seeds=lambda: pairs("tests/golden/evaluate/*.acdl", "examples/*.acdl", suffix=".state.yaml", most_bytes=2000),
    words=(*acdl(), *state()),
    max_bytes=2000,
)
