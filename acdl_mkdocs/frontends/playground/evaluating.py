"""The messages of a spec with a state that is being written: of every point, with problems and requests."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from acdl_mkdocs.app.new_state import new_state as state_of_spec
from acdl_mkdocs.app.unroll import Unrolled, UnrollOptions, show, unroll
from acdl_mkdocs.evaluation.coverage import reached
from acdl_mkdocs.evaluation.evaluate import spec_of
from acdl_mkdocs.evaluation.formats import ShowOptions
from acdl_mkdocs.evaluation.point import all_points, parse_points
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.evaluation.state.sample_state import MissingMode, State
from acdl_mkdocs.evaluation.transcript import Finding, Transcript
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.evaluation.weights import weigh
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.sent_html import SentSpec, sent_html
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.playground.on_page import on_page, option_words
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.frontends.playground.texts import STATE, Text, problem, text_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.evaluated import MOST_MESSAGES, MOST_POINTS, told_apart

_FIGURE = "playground"
"""The anchor of the figure that the messages belong to."""
_MISSING: tuple[MissingMode | Literal[""], ...] = ("", "error", "placeholder", "empty")
_PROVIDERS = ("", *WIRES, "json", "text")


def evaluate(params: Params) -> Data:
    """Return the messages of the requested points, and the provider request of the last of them."""
    text = text_of(params)
    file = _state_file(params)
    state = file.state if file is not None else None
    unrolled = unroll(text.understood, file, _options(text, state, params))
    problems = _problems(unrolled, text, file)
    if not unrolled.transcripts:
        return _answer(problems=problems)
    transcripts = unrolled.transcripts
    chosen = next((each for each in transcripts if str(each.at) == params.text("at", "")), transcripts[-1])
    body, notes = _text(text, file, unrolled.options, chosen, params)
    return _answer(
        html=_html(text.resolved, transcripts, state or State()),
        problems=problems,
        points=[str(each.at) for each in transcripts],
        at=str(chosen.at),
        body=body,
        notes=notes,
        tokens=weigh(chosen, counter()).total,
    )


def _state_file(params: Params) -> StateFile | None:
    """Return the state, named as on the page; `None` if there is none."""
    given = params.text("state")
    if not given.strip():
        return None
    file = read_state(given, STATE)
    return file if file.state is None else replace(file, state=replace(file.state, name=STATE))


def new_state(params: Params) -> Data:
    """Return a first state of a spec.

    Raises:
        RefusedError: The spec is not understood.
        UnknownSpecError: The text has no spec.
    """
    text = text_of(params)
    name = params.text("spec", "")
    made = state_of_spec(text.understood, name if name in _prompts(text.resolved) else None)
    if made.errors:
        raise RefusedError("text", "the spec has errors", "solve them first")
    return {"state": made.text.split("\n", 1)[1]}  # the first line is for editors with files


def _answer(
    html: str = "",
    problems: Sequence[Data] = (),
    points: Sequence[str] = (),
    at: str = "",
    body: str = "",
    notes: Sequence[str] = (),
    tokens: int = 0,
) -> Data:
    return {
        "html": html,
        "problems": list(problems),
        "points": list(points),
        "at": at,
        "body": body,
        "notes": list(notes),
        "tokens": tokens,
    }


def _options(text: Text, state: State | None, params: Params) -> UnrollOptions:
    """Return the options to evaluate every point that the state distinguishes.

    Raises:
        PointError: The state names no points.
        UnknownSpecError: There is no such spec.
    """
    asked = params.choice("missing", _MISSING, "")
    mode: RangeMode | None = text.range if params.inside("settings").text("range", "") else None
    options = UnrollOptions(range=mode, missing=asked or None, most_points=MOST_POINTS, most_messages=MOST_MESSAGES)
    state = state or State()
    prompt = _prompt(text.resolved, state, params.text("spec", ""))
    at = _points(state, prompt, params.text("at", ""))
    return replace(options, spec=prompt.name.name if prompt else None, at=at)


def _prompt(resolved: Resolved, state: State, wanted: str) -> Prompt | None:
    """Return the requested spec, if the text has it; else that of the state, else the first."""
    return spec_of(resolved, wanted if wanted in _prompts(resolved) else state.spec)


def _prompts(resolved: Resolved) -> list[str]:
    return [item.name.name for item in resolved.parsed.file.items if isinstance(item, Prompt)]


def _points(state: State, prompt: Prompt | None, at: str) -> list[Time]:
    """Return all points of the state that the spec distinguishes, unless they are too many, and the requested ones."""
    asked = [*(parse_points(at, state) if at else ()), *(parse_points(state.at, state) if state.at else ())]
    every = all_points(state)
    listed = [*every, *asked] if len(every) <= MOST_POINTS else asked
    points = list(dict.fromkeys(told_apart(sorted(listed), prompt)))
    return points or list(parse_points("1", state))


def _html(resolved: Resolved, transcripts: Sequence[Transcript], state: State) -> str:
    points = tuple((each, reached(resolved, each)) for each in transcripts)
    return sent_html(SentSpec(_FIGURE, points, state, counter()))


def _problems(unrolled: Unrolled, text: Text, file: StateFile | None) -> list[Data]:
    """Return the problems of the text, the state, or a file of fragments, except those that the page shows anyway."""
    checked = [Finding(text.source, each) for each in text.diagnostics]
    state = file.source if file is not None else None
    places = Positions(state.text if state is not None else "")
    return [_placed(each, text, state, places) for each in unrolled.findings if each not in checked]


def _placed(finding: Finding, text: Text, state: Source | None, places: Positions) -> Data:
    if finding.source is state:
        return {"where": "state", **problem(finding.diagnostic, places)}
    if finding.source == text.source:
        return {"where": "text", **problem(finding.diagnostic, text.places)}
    return {"where": finding.source.name, **problem(finding.diagnostic, Positions(finding.source.text))}


def _text(
    text: Text, file: StateFile | None, options: UnrollOptions, chosen: Transcript, params: Params
) -> tuple[str, list[str]]:
    """Format the messages of one point in the requested format, with notes; empty if there is none."""
    provider = params.choice("provider", _PROVIDERS, "")
    if not provider:
        return "", []
    kind = "transcript" if provider == "text" else provider
    options = replace(options, at=[chosen.at], format=kind, show=ShowOptions(counter=counter()))
    unrolled = unroll(text.understood, file, options)
    if unrolled.refusal is not None:
        why = f"nothing is sent: {unrolled.refusal.sentence(option_words)}"
        errors = [each.diagnostic for each in unrolled.findings if each.diagnostic.severity == "error"]
        return "", [on_page(each) for each in (why, *map(_sentence, errors))]
    shown = show(unrolled)
    left_out = unrolled.reported if unrolled.options.is_sent else ()
    notes = (_sentence(each.diagnostic) for each in (*left_out, *shown.findings))
    return shown.text, [on_page(each) for each in (*notes, *shown.remarks)]


def _sentence(found: Diagnostic) -> str:
    """Format a problem with the first of its cures."""
    return "; ".join((found.message, *found.help[:1]))
