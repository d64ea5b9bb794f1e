"""What a spec sends with a state that someone is writing: the messages of every point, problems, requests."""

from collections.abc import Sequence
from dataclasses import replace

from acdl_mkdocs.evaluation.coverage import reached
from acdl_mkdocs.evaluation.evaluate import Options, spec_of
from acdl_mkdocs.evaluation.evaluate import evaluate as evaluate_at
from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS, ShowOptions
from acdl_mkdocs.evaluation.point import all_points, parse_points
from acdl_mkdocs.evaluation.state.mismatches import prompts_of, unread_names
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.evaluation.state.sample_state import MissingMode, State
from acdl_mkdocs.evaluation.state.skeleton import skeleton
from acdl_mkdocs.evaluation.state.spec_reads import reads_of
from acdl_mkdocs.evaluation.transcript import Finding, Transcript, each_once
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.evaluation.weights import weigh
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.frontends.docs.blocks.sent_html import SentSpec, sent_html
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.playground.on_page import on_page
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.frontends.playground.texts import STATE, Text, problem, text_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.evaluated import MOST_MESSAGES, MOST_POINTS, told_apart
from acdl_mkdocs.workspace.rejected import explain_rejected

_FIGURE = "playground"
"""The anchor of the figure that the messages stand beside."""
_MISSING: tuple[MissingMode, ...] = ("error", "placeholder", "empty")
_REFUSED = "nothing would be sent: solve the errors first"
_PROVIDERS = ("", *WIRES, "json", "text")


def evaluate(params: Params) -> Data:
    """The messages of the points that are asked for, and the request of the last of them."""
    text = text_of(params)
    if not params.text("state").strip():
        return _answer()
    file = read_state(params.text("state"), STATE)
    places = Positions(file.source.text)
    problems = [{"where": "state", **problem(each, places)} for each in file.problems]
    if file.state is None:
        return _answer(problems=problems)
    resolved = text.resolved
    unread = (each for each in unread_names(resolved, file.state, file.source) if each.severity != "note")
    problems += [{"where": "state", **problem(each, places)} for each in unread]
    transcripts = _transcripts(text, resolved, file.state, params)
    problems += _found(transcripts, text, file, places)
    shown = next((each for each in transcripts if str(each.at) == params.text("at", "")), transcripts[-1])
    provider = params.choice("provider", _PROVIDERS, "")
    found = (*text.diagnostics, *file.problems, *(each.diagnostic for each in shown.findings))
    is_refused = provider in EXPORTS and any(each.severity == "error" for each in found)
    body, notes = ("", [_REFUSED]) if is_refused else _request(provider, shown, file.state)
    return _answer(
        html=_html(resolved, transcripts, file.state),
        problems=problems,
        points=[str(each.at) for each in transcripts],
        at=str(shown.at),
        body=body,
        notes=notes,
        tokens=weigh(shown, counter()).total,
    )


def new_state(params: Params) -> Data:
    """A first state of a spec.

    Raises:
        RefusedError: The spec has errors.
    """
    text = text_of(params)
    resolved = text.resolved
    if any(each.severity == "error" for each in text.analysis.diagnostics):
        raise RefusedError("text", "the spec has errors", "solve them first")
    name = params.text("spec", "")
    prompts = prompts_of(resolved, None)
    chosen = [each for each in prompts if each.name.name == name][:1] or prompts[:1]
    written = skeleton(reads_of(resolved, chosen), chosen[0].name.name if chosen else "", "state.schema.json")
    return {"state": written.split("\n", 1)[1]}  # the first line is for editors with files


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


def _transcripts(text: Text, resolved: Resolved, state: State, params: Params) -> list[Transcript]:
    """What is sent at every point; at least one.

    Raises:
        PointError: The state names no points.
        UnknownSpecError: There is no such spec.
        RefusedError: The messages are too many to be shown.
    """
    prompt = _prompt(resolved, state, params.text("spec", ""))
    points = _points(state, prompt, params.text("at", ""))
    if len(points) > MOST_POINTS:
        raise RefusedError("at", f"the state has {len(points):,} points", f"name at most {MOST_POINTS} with `at`")
    missing = params.choice("missing", _MISSING, state.options.missing or "placeholder")
    mode: RangeMode | None = text.range if params.inside("settings").text("range", "") else None
    how = Options(spec=prompt.name.name if prompt else None, missing=missing, range=mode)
    found: list[Transcript] = []
    n_messages = 0
    for point in points:
        found.append(evaluate_at(resolved, state, point, how, text.config))
        n_messages += len(found[-1].messages)
        if n_messages > MOST_MESSAGES:
            raise RefusedError("at", f"the points have more than {MOST_MESSAGES:,} messages", "name fewer with `at`")
    return found


def _prompt(resolved: Resolved, state: State, wanted: str) -> Prompt | None:
    """The spec that is wanted, if the text has it; else that of the state, else the first."""
    named = [item.name.name for item in resolved.parsed.file.items if isinstance(item, Prompt)]
    return spec_of(resolved, wanted if wanted in named else state.spec)


def _points(state: State, prompt: Prompt | None, at: str) -> list[Time]:
    """All points of the state that the spec tells apart, unless they are too many, and those that are asked for."""
    asked = [*(parse_points(at, state) if at else ()), *(parse_points(state.at, state) if state.at else ())]
    every = all_points(state)
    listed = [*every, *asked] if len(every) <= MOST_POINTS else asked
    points = list(dict.fromkeys(told_apart(sorted(listed), prompt)))
    return points or list(parse_points("1", state))


def _html(resolved: Resolved, transcripts: Sequence[Transcript], state: State) -> str:
    points = tuple((each, reached(resolved, each)) for each in transcripts)
    return sent_html(SentSpec(_FIGURE, points, replace(state, name=STATE), counter()))


def _found(transcripts: Sequence[Transcript], text: Text, file: StateFile, places: Positions) -> list[Data]:
    """What came up at any point, each once: in the text, in the state, or in a file of fragments."""
    once = each_once(each for transcript in transcripts for each in transcript.findings)
    evaluated = [(each.diagnostic, each.source) for each in once]
    found = explain_rejected(evaluated, text.diagnostics, text.resolved, transcripts[0].spec)
    checked = [(each, text.source) for each in text.diagnostics]  # the page shows them anyway
    return [
        _placed(Finding(source, each), text, file, places) for each, source in found if (each, source) not in checked
    ]


def _placed(finding: Finding, text: Text, file: StateFile, places: Positions) -> Data:
    if finding.source is file.source:
        return {"where": "state", **problem(finding.diagnostic, places)}
    if finding.source == text.source:
        return {"where": "text", **problem(finding.diagnostic, text.places)}
    return {"where": finding.source.name, **problem(finding.diagnostic, Positions(finding.source.text))}


def _request(provider: str, transcript: Transcript, state: State) -> tuple[str, list[str]]:
    """The messages as a request, and what it cannot say; nothing if none is asked for."""
    if not provider:
        return "", []
    options = ShowOptions(counter=counter(), place_of=replace(state, name=STATE).place_of)
    shown = TRANSCRIPTS["transcript" if provider == "text" else provider]([transcript], options)
    notes = [f"{each.diagnostic.message}; {each.diagnostic.help[0]}" for each in shown.findings if each.diagnostic.help]
    return shown.text, [on_page(each) for each in (*notes, *shown.remarks)]
