"""The tool `unroll`: the messages that a spec sends at points in time, with a sample state."""

import json
from dataclasses import replace
from typing import cast

from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.app.unroll import Unrolled, UnrollOptions, unroll, write_unrolled
from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS, TranscriptOptions
from acdl_mkdocs.evaluation.state.sample_state import EmptyMode, MissingMode
from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data, is_small_enough
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments, option_words
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import FLAG, STRING, with_problems
from acdl_mkdocs.frontends.mcp.state_secrets import without_secrets
from acdl_mkdocs.frontends.mcp.texts import (
    name_of_text,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    range_of,
    state_of,
)
from acdl_mkdocs.frontends.mcp.tool import AT, LINES, PATH, RANGE, SPEC, STATE, STATE_PATH, TEXT, Tool
from acdl_mkdocs.prompts.tokens.counter import counter

_ABOUT = (
    "Show exactly which messages a spec sends at a point in time, with a sample state: every message with its pieces "
    "(`transcript`), how the prompt grows over several points (`growth`), or the body of a request to a provider. "
    "Without a state, values are shown by their names, and conditions count as false. Use it to check that loops and "
    "conditions match what the code does."
)
_FORMATS = tuple(each for each in TRANSCRIPTS if each != "html")
_MOST_POINTS = 50
_STRINGS: Data = {"type": "array", "items": STRING}


def _run(args: ToolArguments, folders: Folders) -> Answer:
    unrolled = _unroll_spec(args, folders)
    kind = unrolled.options.format
    problems = [(each.diagnostic, each.source) for each in unrolled.reported]
    is_refused = unrolled.refusal is not None
    data: Data = {"spec": "", "format": kind, "points": [], "has_errors": unrolled.has_errors or is_refused}
    if unrolled.refusal is not None:
        why = f"nothing is sent: {unrolled.refusal.write_sentence(option_words)}"
        text = "\n\n".join(filter(None, [why, problem_text(problems)]))
        return Answer(text, data=data | {"transcript": None, "remarks": []} | problem_data(problems))
    output = write_unrolled(unrolled)
    problems += [(each.diagnostic, each.source) for each in output.findings]
    document = json.loads(TRANSCRIPTS["json"](unrolled.transcripts, TranscriptOptions()).text)
    data |= {
        "spec": unrolled.transcripts[0].spec,
        "points": [str(each.at) for each in unrolled.transcripts],
        "transcript": document if is_small_enough(document) else None,
        "remarks": list(output.remarks),
    }
    notes = "\n\n".join(filter(None, [*output.remarks, problem_text(problems)]))
    return Answer(output.text, notes, data | problem_data(problems))


def _unroll_spec(args: ToolArguments, folders: Folders) -> Unrolled:
    texts, name = named_texts(args, folders)
    chosen = one_text(texts, name, name_of_text(args)) if name or len(texts) == 1 else texts[0] if texts else None
    file = state_of(args, folders, chosen, name) if chosen is not None else None
    name = name or (file.state.spec if file is not None and file.state is not None else None)
    chosen = one_text(texts, name, name_of_text(args))
    if file is not None and file.state is not None:
        file = replace(file, state=without_secrets(file.state))
    kind = args.choice_of("format", "transcript")
    options = UnrollOptions(
        spec=name,
        at=args.text_of("at"),
        format=kind,
        range=range_of(args),
        missing=cast(MissingMode | None, args.text_of("missing")),
        empty=cast(EmptyMode | None, args.text_of("empty")),
        show=TranscriptOptions(counter=None if kind in EXPORTS else counter(), model=args.text_of("model")),
        most_points=_MOST_POINTS,
    )
    try:
        return unroll(understand_input(chosen), file, options)
    except RefusedError as reason:
        raise CallError(reason.message, reason.help) from None


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
        Argument(
            "missing", "how to treat values that the state does not have", choices=("error", "placeholder", "empty")
        ),
        Argument("empty", "what to do with messages without content", choices=("drop", "keep")),
        Argument("model", "name of the model in a request"),
        RANGE,
        LINES,
    ),
    with_problems(
        {"spec": STRING, "format": STRING, "points": _STRINGS, "has_errors": FLAG, "remarks": _STRINGS},
        transcript="transcript",
    ),
    _run,
)
