"""The tool `unroll`: the messages that a spec sends at points in time, with a sample state."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS, ShowOptions
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.mismatches import said_unfilled, unread_names
from acdl_mkdocs.evaluation.state.sample_state import EmptyMode, MissingMode, State
from acdl_mkdocs.evaluation.transcript import Transcript, each_once
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.read import RULE as STATE_RULE
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data, fits
from acdl_mkdocs.frontends.mcp.arguments import Argument, Given
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import FLAG, STRING, with_problems
from acdl_mkdocs.frontends.mcp.state_secrets import without_secrets
from acdl_mkdocs.frontends.mcp.texts import (
    called,
    errors_of,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    range_of,
    state_of,
)
from acdl_mkdocs.frontends.mcp.tool import AT, LINES, PATH, RANGE, SPEC, STATE, STATE_PATH, TEXT, Tool
from acdl_mkdocs.language.analyse import diagnose
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.rejected import explain_rejected

_ABOUT = (
    "Show exactly what a spec sends at a point in time, with a sample state: every message with its pieces "
    "(`transcript`), how the prompt grows over several points (`growth`), or the body of a request to a provider. "
    "Without a state, names stand for values, and conditions count as false. Use it to see whether loops and "
    "conditions do what the code does."
)
_FORMATS = tuple(each for each in TRANSCRIPTS if each != "html")
_MOST_POINTS = 50
_STRINGS: Data = {"type": "array", "items": STRING}


@dataclass(frozen=True, slots=True)
class _Sent:
    """What is sent at the wanted points, and what is wrong."""

    transcripts: tuple[Transcript, ...]
    findings: tuple[Finding, ...]
    state: State | None
    unfilled: tuple[str, ...] = ()
    """Values of the state that are still placeholders."""


def _run(given: Given, folders: Folders) -> Answer:
    sent = _sent(given, folders)
    kind = given.choice("format", "transcript")
    errors = errors_of(sent.findings)
    shown_problems = [each for each in sent.findings if each[0].severity != "note" or each[0].rule == STATE_RULE]
    data: Data = {"spec": "", "format": kind, "points": [], "has_errors": bool(errors), "transcript": None}
    if not sent.transcripts or (errors and kind in EXPORTS):
        text = f"nothing is sent: solve the errors first\n\n{problem_text(shown_problems)}"
        return Answer(text, data=data | {"remarks": []} | problem_data(shown_problems))
    options = ShowOptions(
        counter=None if kind in EXPORTS else counter(),
        model=given.text("model"),
        place_of=sent.state.place_of if sent.state is not None else None,
    )
    shown = TRANSCRIPTS[kind](sent.transcripts, options)
    document = json.loads(TRANSCRIPTS["json"](sent.transcripts, ShowOptions()).text)
    data |= {
        "spec": sent.transcripts[0].spec,
        "points": [str(each.at) for each in sent.transcripts],
        "transcript": document if fits(document) else None,
    }
    remarks = [*shown.remarks, *([said_unfilled(list(sent.unfilled))] if sent.unfilled else [])]
    notes = "\n\n".join(filter(None, [*remarks, problem_text(shown_problems)]))
    return Answer(shown.text, notes, data | {"remarks": remarks} | problem_data(shown_problems))


def _sent(given: Given, folders: Folders) -> _Sent:
    texts, name = named_texts(given, folders)
    chosen = one_text(texts, name, called(given)) if name or len(texts) == 1 else texts[0] if texts else None
    file = state_of(given, folders, chosen, name) if chosen is not None else None
    name = name or (file.state.spec if file is not None and file.state is not None else None)
    chosen = one_text(texts, name, called(given))
    examined = chosen.examined()
    findings = list(chosen.findings(examined))
    if file is not None:
        findings += [(each, file.source) for each in file.problems]
        if file.state is None:
            return _Sent((), tuple(findings), None)
        unread = unread_names(examined.resolved, file.state, file.source)
        findings += [(each, file.source) for each in unread if each.severity != "note"]
    state = without_secrets(file.state) if file is not None and file.state is not None else None
    wanted = given.text("at") or (state.at if state is not None else None) or "1"
    points = parse_points(wanted, state or State())
    if len(points) > _MOST_POINTS:
        raise CallError(f"`{wanted[:40]}` is {len(points)} points", f"ask for no more than {_MOST_POINTS}")
    options = Options(
        spec=name,
        range=range_of(given),
        missing=_missing(given, state),
        empty=cast(EmptyMode | None, given.text("empty")),
    )
    config = Config(range=chosen.range)
    transcripts = tuple(evaluate(examined.resolved, state, point, options, config) for point in points)
    unfilled = tuple(file.unfilled) if file is not None else ()
    checked = diagnose(examined.resolved, replace(chosen.config, range=chosen.range))
    explained = explain_rejected(_once(transcripts), checked, examined.resolved, transcripts[0].spec)
    findings += [each for each in explained if each not in findings]
    return _Sent(transcripts, tuple(findings), state, unfilled)


def _missing(given: Given, state: State | None) -> MissingMode:
    """What becomes of what the state lacks; of a request, nothing may be made up silently."""
    asked = given.text("missing") or (state.options.missing if state is not None else None)
    is_sent = given.choice("format", "transcript") in EXPORTS
    return cast(MissingMode, asked or ("error" if is_sent else "placeholder"))


def _once(transcripts: Sequence[Transcript]) -> list[Finding]:
    """What was found at any point, each once."""
    found = each_once(finding for transcript in transcripts for finding in transcript.findings)
    return [(each.diagnostic, each.source) for each in found]


TOOL = Tool(
    "unroll",
    "Show what an ACDL spec sends",
    _ABOUT,
    (
        TEXT,
        PATH,
        SPEC,
        STATE,
        STATE_PATH,
        AT,
        Argument("format", "`transcript` is the default; the others are requests to providers", choices=_FORMATS),
        Argument("missing", "what becomes of values that the state lacks", choices=("error", "placeholder", "empty")),
        Argument("empty", "what becomes of messages without content", choices=("drop", "keep")),
        Argument("model", "name of the model, for a request"),
        RANGE,
        LINES,
    ),
    with_problems(
        {"spec": STRING, "format": STRING, "points": _STRINGS, "has_errors": FLAG, "remarks": _STRINGS},
        transcript="transcript",
    ),
    _run,
)
