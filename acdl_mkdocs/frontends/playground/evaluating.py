"""The messages of a spec with a state that is being written: of every point, with problems and requests."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from acdl_mkdocs.app.evaluate_block import MOST_MESSAGES, MOST_POINTS
from acdl_mkdocs.app.new_state import new_state as state_of_spec
from acdl_mkdocs.app.unroll import Unrolled, UnrollOptions, unroll, write_unrolled
from acdl_mkdocs.evaluation.coverage import find_coverage
from acdl_mkdocs.evaluation.evaluate import find_spec
from acdl_mkdocs.evaluation.formats import TranscriptOptions
from acdl_mkdocs.evaluation.point import distinguish_points, list_points, parse_points
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.evaluation.state.sample_state import MissingMode, State
from acdl_mkdocs.evaluation.transcript import Finding, Transcript
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.evaluation.weights import weigh_transcript
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.sent_html import SentSpec, sent_html
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.playground.on_page import on_page, option_words
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.frontends.playground.texts import STATE, PlaygroundText, problem_data, text_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.tokens.counter import counter

_FIGURE = "playground"
"""The anchor of the figure that the messages belong to."""
_MISSING: tuple[MissingMode | Literal[""], ...] = ("", "error", "placeholder", "empty")
_PROVIDERS = ("", *WIRES, "json", "text")


def evaluate(params: Params) -> Data:
    """Return the messages of the requested points, and the provider request of the last of them."""
    text = text_of(params)
    file = _state_file(params)
    state = file.state if file is not None else None
    unrolled = unroll(text.understood, file, _unroll_options(text, state, params))
    problems = _list_problems(unrolled, text, file)
    if not unrolled.transcripts:
        return _build_answer(problems=problems)
    transcripts = unrolled.transcripts
    chosen = next((each for each in transcripts if str(each.at) == params.text_of("at", "")), transcripts[-1])
    body, notes = _format_messages(text, file, unrolled.options, chosen, params)
    return _build_answer(
        html=_render_html(text.resolved, transcripts, state or State()),
        problems=problems,
        points=[str(each.at) for each in transcripts],
        at=str(chosen.at),
        body=body,
        notes=notes,
        tokens=weigh_transcript(chosen, counter()).total,
    )


def _state_file(params: Params) -> StateFile | None:
    """Return the state, named as on the page; `None` if there is none."""
    text = params.text_of("state")
    if not text.strip():
        return None
    file = read_state(text, STATE)
    return file if file.state is None else replace(file, state=replace(file.state, name=STATE))


def new_state(params: Params) -> Data:
    """Return a first state of a spec.

    Raises:
        RefusedError: The spec is not understood.
        UnknownSpecError: The text has no spec.
    """
    text = text_of(params)
    name = params.text_of("spec", "")
    result = state_of_spec(text.understood, name if name in _list_prompts(text.resolved) else None)
    if result.errors:
        raise RefusedError("text", "the spec has errors", "solve them first")
    return {"state": result.text.split("\n", 1)[1]}  # the first line is for editors with files


def _build_answer(
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


def _unroll_options(text: PlaygroundText, state: State | None, params: Params) -> UnrollOptions:
    """Return the options to evaluate every point that the state distinguishes.

    Raises:
        PointError: The state names no points.
        UnknownSpecError: There is no such spec.
    """
    missing = params.choice_of("missing", _MISSING, "")
    mode: RangeMode | None = text.range if params.params_in("settings").text_of("range", "") else None
    options = UnrollOptions(range=mode, missing=missing or None, most_points=MOST_POINTS, most_messages=MOST_MESSAGES)
    state = state or State()
    prompt = _choose_prompt(text.resolved, state, params.text_of("spec", ""))
    at = _list_points(state, prompt, params.text_of("at", ""))
    return replace(options, spec=prompt.name.name if prompt else None, at=at)


def _choose_prompt(resolved: Resolved, state: State, wanted: str) -> Prompt | None:
    """Return the requested spec, if the text has it; else that of the state, else the first."""
    return find_spec(resolved, wanted if wanted in _list_prompts(resolved) else state.spec)


def _list_prompts(resolved: Resolved) -> list[str]:
    return [item.name.name for item in resolved.parsed.file.items if isinstance(item, Prompt)]


def _list_points(state: State, prompt: Prompt | None, at: str) -> list[Time]:
    """Return all points of the state that the spec distinguishes, unless they are too many, and the requested ones."""
    requested = [*(parse_points(at, state) if at else ()), *(parse_points(state.at, state) if state.at else ())]
    every = list_points(state)
    listed = [*every, *requested] if len(every) <= MOST_POINTS else requested
    points = list(dict.fromkeys(distinguish_points(sorted(listed), prompt)))
    return points or list(parse_points("1", state))


def _render_html(resolved: Resolved, transcripts: Sequence[Transcript], state: State) -> str:
    points = tuple((each, find_coverage(resolved, each)) for each in transcripts)
    return sent_html(SentSpec(_FIGURE, points, state, counter()))


def _list_problems(unrolled: Unrolled, text: PlaygroundText, file: StateFile | None) -> list[Data]:
    """Return the problems of the text, the state, or a file of fragments, except those that the page shows anyway."""
    checked = [Finding(text.source, each) for each in text.diagnostics]
    state = file.source if file is not None else None
    positions = Positions(state.text if state is not None else "")
    return [_locate_finding(each, text, state, positions) for each in unrolled.findings if each not in checked]


def _locate_finding(finding: Finding, text: PlaygroundText, state: Source | None, positions: Positions) -> Data:
    if finding.source is state:
        return {"where": "state", **problem_data(finding.diagnostic, positions)}
    if finding.source == text.source:
        return {"where": "text", **problem_data(finding.diagnostic, text.positions)}
    return {"where": finding.source.name, **problem_data(finding.diagnostic, Positions(finding.source.text))}


def _format_messages(
    text: PlaygroundText, file: StateFile | None, options: UnrollOptions, chosen: Transcript, params: Params
) -> tuple[str, list[str]]:
    """Format the messages of one point in the requested format, with notes; empty if there is none."""
    provider = params.choice_of("provider", _PROVIDERS, "")
    if not provider:
        return "", []
    kind = "transcript" if provider == "text" else provider
    options = replace(options, at=[chosen.at], format=kind, show=TranscriptOptions(counter=counter()))
    unrolled = unroll(text.understood, file, options)
    if unrolled.refusal is not None:
        why = f"nothing is sent: {unrolled.refusal.write_sentence(option_words)}"
        errors = [each.diagnostic for each in unrolled.findings if each.diagnostic.severity == "error"]
        return "", [on_page(each) for each in (why, *map(_format_problem, errors))]
    output = write_unrolled(unrolled)
    left_out = unrolled.reported if unrolled.options.is_sent else ()
    notes = (_format_problem(each.diagnostic) for each in (*left_out, *output.findings))
    return output.text, [on_page(each) for each in (*notes, *output.remarks)]


def _format_problem(diagnostic: Diagnostic) -> str:
    """Format a problem with the first of its cures."""
    return "; ".join((diagnostic.message, *diagnostic.help[:1]))
