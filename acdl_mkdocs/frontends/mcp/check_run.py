"""The tool `check_run`: recorded requests of an agent, checked against its spec."""

import json
from collections.abc import Sequence

from acdl_mkdocs.app.check_runs import NOT_CHECKED, RunOptions, check_runs, open_runs
from acdl_mkdocs.app.inspect import inspect
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.frontends.mcp.answers import MAX_CHARACTERS, Answer, CallError, Data, is_small_enough
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders, FoundPath
from acdl_mkdocs.frontends.mcp.schemas import STRING, answer_schema, with_problems
from acdl_mkdocs.frontends.mcp.state_secrets import secrets_of
from acdl_mkdocs.frontends.mcp.texts import (
    name_of_text,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    range_of,
    state_of,
)
from acdl_mkdocs.frontends.mcp.tool import LINES, PATH, RANGE, SPEC, STATE, STATE_PATH, TEXT, Tool
from acdl_mkdocs.prompts.redact import REDACTED
from acdl_mkdocs.prompts.tokens.counter import ENCODINGS
from acdl_mkdocs.runs.check_files import Recordings
from acdl_mkdocs.runs.inspect import INSPECTIONS
from acdl_mkdocs.runs.inspect.json_tree import build_tree
from acdl_mkdocs.runs.inspect.options import InspectionOptions, Price
from acdl_mkdocs.runs.inspect.summary import describe_inspection
from acdl_mkdocs.runs.read.files import ENDINGS, TEXT_ENDINGS
from acdl_mkdocs.runs.read.forms import FORMS_IN_WORDS
from acdl_mkdocs.runs.report import write_reports
from acdl_mkdocs.runs.report.summary import summarize_prompts
from acdl_mkdocs.workspace.recorded_runs import RunsText

_ENDINGS = (*ENDINGS, *(f"{each}.gz" for each in ENDINGS))


def open_named_recordings(names: Sequence[str], argument: str, folders: Folders) -> Recordings:
    """Open the recordings in files; folders are expanded here, since links may lead out of them.

    Parameters:
        names: Paths of files and folders.
        argument: Name of the argument that has them.
        folders: The folders that may be read.

    Raises:
        CallError: One is not there, may not be read, or there is no file.
    """
    files: list[FoundPath] = []
    for name in names:
        found = folders.find_file(name, (*_ENDINGS, *TEXT_ENDINGS), can_be_sent=False)
        if not found.path.exists():
            raise CallError(f"`{name}` does not exist", f"paths start at {found.root}")
        files += folders.list_files(found, _ENDINGS) if found.path.is_dir() else [found]
    if not files:
        cure = f"name files that end in {', '.join(ENDINGS)}, or their folder"
        raise CallError(f"`{argument}` leads to no file", cure)
    return open_runs(RunsText(tuple(each.path for each in files), tuple(each.name for each in files), watched=()))


_ABOUT = (
    "Check recorded requests of an agent against its spec, line by line: a line is confirmed, refuted by the first "
    "request that disagrees, or not exercised. Use it to find out whether a spec describes what the agent really "
    f"sends. Recordings: {FORMS_IN_WORDS}."
)
MOST_MUTANTS = 200


def _run(args: ToolArguments, folders: Folders) -> Answer:
    texts, name = named_texts(args, folders)
    has_state = args.text_of("state") is not None or args.text_of("state_path") is not None
    chosen = one_text(texts, name, name_of_text(args))
    file = state_of(args, folders, chosen, name) if has_state else None
    options = RunOptions(name, range_of(args), mutants=min(args.number_of("mutants", 0), MOST_MUTANTS))
    checked = check_runs(
        understand_input(chosen),
        file,
        lambda: open_named_recordings(args.texts_of("traces"), "traces", folders),
        options,
    )
    data: Data = {"verdict": "", "report": None}
    if not checked.found:
        text = f"{NOT_CHECKED}\n\n{problem_text(checked.errors)}"
        return Answer(text, data=data | problem_data(checked.errors))
    secrets = secrets_of(checked.state) if checked.state is not None else frozenset()
    report = _mask_secrets(json.loads(write_reports("json", checked.found)), secrets)
    data |= {"verdict": summarize_prompts(checked.found), "report": report if is_small_enough(report) else None}
    text = write_reports("terminal", checked.found)
    return Answer(str(_mask_secrets(text, secrets)), data=data | problem_data(()))


def _mask_secrets(value: object, secrets: frozenset[str]) -> object:
    """Mask the secrets of the state in a report; checks compare the originals, which recordings contain."""
    if isinstance(value, str):
        for secret in sorted(secrets, key=len, reverse=True):
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, list):
        return [_mask_secrets(each, secrets) for each in value]
    return {key: _mask_secrets(each, secrets) for key, each in value.items()} if isinstance(value, dict) else value


TOOL = Tool(
    "check_run",
    "Check recorded requests against an ACDL spec",
    _ABOUT,
    (
        TEXT,
        PATH,
        SPEC,
        Argument("traces", "paths of recordings, or of folders with them", "strings", is_required=True),
        STATE,
        STATE_PATH,
        Argument(
            "mutants",
            "number of deliberate errors to put into the spec, one at a time, to see whether the requests reveal them",
            "integer",
        ),
        RANGE,
        LINES,
    ),
    with_problems({"verdict": STRING}, report="check-run"),
    _run,
)


_ABOUT_INSPECTION = (
    "Show what an agent sent at each step, from a recording alone: which messages are new, changed or no longer sent, "
    "how many model tokens they have, and where and why the prompt cache was lost. No spec is needed. Use it to find "
    f"out why an agent is slow or expensive, or what its model really saw. Recordings: {FORMS_IN_WORDS}."
)


def _inspect_recording(args: ToolArguments, folders: Folders) -> Answer:
    inspection = inspect(
        lambda: open_named_recordings(args.texts_of("recordings"), "recordings", folders),
        only=args.texts_of("only"),
        tokens=args.text_of("tokens"),
    )
    options = InspectionOptions(price=_parse_price(args.text_of("price")))
    text, report = INSPECTIONS["terminal"](inspection, options), build_tree(inspection, options)
    sentence = describe_inspection(inspection)
    data: Data = {"sentence": sentence, "report": report if is_small_enough(report) else None}
    return Answer(text, notes=sentence if len(text) > MAX_CHARACTERS else "", data=data)


def _parse_price(text: str | None) -> Price | None:
    """Parse a price.

    Raises:
        CallError: It is none.
    """
    if text is None:
        return None
    price = Price.parse_price(text)
    if price is None:
        raise CallError(f"`price` is `{text[:40]}`", "send two numbers such as `2.50,0.25`, the larger one first")
    return price


INSPECT_TOOL = Tool(
    "inspect_recording",
    "Inspect recorded requests",
    _ABOUT_INSPECTION,
    (
        Argument("recordings", "paths of recordings, or of folders with them", "strings", is_required=True),
        Argument(
            "only", "only these requests: `model=GLOB`, `episode=GLOB` or `system=WORDS`; default: all", "strings"
        ),
        Argument("tokens", "how model tokens are counted", choices=tuple(ENCODINGS)),
        Argument(
            "price", "price of a million input tokens and of a million cached ones, such as `2.50,0.25`, to list costs"
        ),
        LINES,
    ),
    answer_schema({"sentence": STRING}, report="inspect"),
    _inspect_recording,
)
