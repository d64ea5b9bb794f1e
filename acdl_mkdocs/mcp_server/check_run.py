"""The tool `check_run`: recorded requests of an agent, checked against its spec."""

import json

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.mcp_server.answers import Answer, Data, fits
from acdl_mkdocs.mcp_server.arguments import Argument, Given
from acdl_mkdocs.mcp_server.folders import Folders
from acdl_mkdocs.mcp_server.recordings import find_recordings
from acdl_mkdocs.mcp_server.schemas import STRING, with_problems
from acdl_mkdocs.mcp_server.state_secrets import secrets_of
from acdl_mkdocs.mcp_server.texts import (
    called,
    errors_of,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    range_of,
    state_of,
)
from acdl_mkdocs.mcp_server.tool import LINES, PATH, RANGE, SPEC, STATE, STATE_PATH, TEXT, Tool
from acdl_mkdocs.prompts.redact import REDACTED
from acdl_mkdocs.runs.check_files import check_files
from acdl_mkdocs.runs.read.forms import FORMS_IN_WORDS
from acdl_mkdocs.runs.report import RUN_REPORTS, RunReportOptions
from acdl_mkdocs.runs.report.summary import summary_of

_ABOUT = (
    "Check recorded requests of an agent against its spec: each line of the spec is confirmed, refuted with the first "
    "request that disagrees, or unexercised. Use it to learn whether a spec tells the truth. Recordings: "
    f"{FORMS_IN_WORDS}."
)
_MOST_MUTANTS = 200


def _run(given: Given, folders: Folders) -> Answer:
    texts, name = named_texts(given, folders)
    has_state = given.text("state") is not None or given.text("state_path") is not None
    chosen = one_text(texts, name, called(given))
    file = state_of(given, folders, chosen, name) if has_state else None
    examined = chosen.examined()
    findings = errors_of(chosen.findings(examined))
    if file is not None:
        findings += errors_of((each, file.source) for each in file.problems)
    data: Data = {"verdict": "", "report": None}
    if findings:
        text = f"nothing was checked: solve these errors first\n\n{problem_text(findings)}"
        return Answer(text, data=data | problem_data(findings))
    checked = check_files(
        examined.resolved,
        [str(each.path) for each in find_recordings(given.texts("traces"), "traces", folders)],
        state=file.state if file is not None else None,
        options=Options(spec=name, range=range_of(given)),
        config=Config(range=chosen.range),
        mutants=min(given.number("mutants", 0), _MOST_MUTANTS),
    )
    secrets = secrets_of(file.state) if file is not None and file.state is not None else frozenset()
    report = _without(json.loads(RUN_REPORTS["json"](checked, RunReportOptions())), secrets)
    data |= {"verdict": summary_of(checked).sentence, "report": report if fits(report) else None}
    text = RUN_REPORTS["terminal"](checked, RunReportOptions())
    return Answer(str(_without(text, secrets)), data=data | problem_data(()))


def _without(value: object, secrets: frozenset[str]) -> object:
    """A report without the secrets of the state, which are compared as they are: recordings have them too."""
    if isinstance(value, str):
        for secret in sorted(secrets, key=len, reverse=True):
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, list):
        return [_without(each, secrets) for each in value]
    return {key: _without(each, secrets) for key, each in value.items()} if isinstance(value, dict) else value


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
        Argument("mutants", "how many small changes of the spec are tried that requests should refute", "integer"),
        RANGE,
        LINES,
    ),
    with_problems({"verdict": STRING}, report="check-run"),
    _run,
)
