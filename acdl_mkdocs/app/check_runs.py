"""Check recorded requests against a spec, line by line, unless the text or the state has errors."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.runs.check_files import CheckedFiles, Recordings, RunRequests, check_run_requests, read_runs
from acdl_mkdocs.runs.claims import Claim, parse_claim, split_requests
from acdl_mkdocs.runs.match.verdicts import ReportProgress
from acdl_mkdocs.runs.points import read_manifest
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.requests import read_only
from acdl_mkdocs.workspace.files import read_text
from acdl_mkdocs.workspace.front_comments import find_definition_comments
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.recorded_runs import RunsText

NOT_CHECKED = "nothing was checked: solve these errors first"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a check of recorded requests."""

    spec: str | None = None
    """Name of the spec; without it the one that the state names, else the first of the text."""
    range: RangeMode | None = None
    """How ranges are read, overriding text and state."""
    at: str | None = None
    """Point of the first request of each run; without it, points are counted from the messages."""
    only: Sequence[str] = ()
    """Which requests, as `model=gpt-*`; all conditions must hold."""
    mutants: int = 0
    """Maximum number of deliberate errors to try; the requests should detect them."""
    report: ReportProgress | None = None
    """Called for each request that has been read, and for each that has been checked."""


@dataclass(frozen=True, slots=True)
class CheckedRuns:
    """The result of checking recorded requests against a spec."""

    errors: tuple[Finding, ...]
    """Errors of the text and of the state that prevented the check."""
    found: tuple[CheckedFiles, ...]
    """The result of each prompt that was checked, usually one; empty if there are errors."""
    state: State | None
    """The values known beside the requests."""
    options: Options
    """How the spec was evaluated, with `config`."""
    config: Config
    """How ranges are read if neither options, state nor text specify it."""


def open_runs(runs: RunsText) -> Recordings:
    """Open the recordings that a person names.

    Raises:
        TraceError: The manifest is invalid; while reading, a file cannot be read.
        UnreadableFileError: The manifest cannot be read.
    """
    manifest = None if runs.manifest is None else read_manifest(read_text(runs.manifest), runs.manifest.name)
    pairs = zip(runs.paths, runs.names, strict=True)
    return Recordings(runs.names, chain.from_iterable(read_trace(path, called=name) for path, name in pairs), manifest)


def check_runs(
    text: ResolvedText, state_file: StateFile | None, recordings: Callable[[], Recordings], options: RunOptions
) -> CheckedRuns:
    """Check recorded requests against a spec, or against all prompts of a text whose comments share them out.

    Where a comment above a prompt says which requests it describes, and neither a spec nor requests are chosen, each
    request is checked against the prompt that claims it; with a spec that is chosen, only its requests are.

    Parameters:
        text: The text with the spec.
        state_file: Values known beside the requests; contents are compared if the state has them.
        recordings: Opens the recordings, once there are no errors.
        options: The options.

    Raises:
        TraceError: A recording cannot be read, or no request matches.
        PointError: `at` is not a point in time.
        UnknownFormatError: There is no such format of recordings.
        UnknownSpecError: The text has no spec of that name, or none at all.
    """
    how, config = Options(spec=options.spec, range=options.range), Config(range=text.config.range)
    state = state_file.state if state_file is not None else None
    errors = text.errors
    if state_file is not None:
        errors += tuple((each, state_file.source) for each in state_file.problems if each.severity == "error")
    if errors:
        return CheckedRuns(errors, (), state, how, config)
    first = None if options.at is None else parse_point(options.at)
    claims = {} if options.only else find_claims(text.resolved)
    name = options.spec or (state.spec if state is not None else None)
    runs_read = read_runs(recordings(), first=first, only=read_only(options.only), report=options.report)
    requests: list[tuple[str | None, RunRequests]] = [(options.spec, runs_read)]
    if claims and name is None:
        requests = [*split_requests(runs_read, claims, first).items()]
    elif name in claims:
        requests = [(options.spec, split_requests(runs_read, claims, first, is_partial=True)[name])]
    found = [
        check_run_requests(
            text.resolved,
            each,
            state=state,
            options=replace(how, spec=spec),
            config=config,
            mutants=options.mutants,
            report=options.report,
        )
        for spec, each in requests
    ]
    return CheckedRuns((), tuple(found), state, how, config)


def find_claims(resolved: Resolved) -> dict[str, Claim]:
    """Return which requests each prompt describes, as the comments above them say it.

    Raises:
        TraceError: A comment does not say which requests.
    """
    comments = find_definition_comments(resolved.parsed.file, resolved.source)
    fields = {each.name.name: comments.find_fields(each) for each in comments.definitions if isinstance(each, Prompt)}
    return {name: parse_claim(each["requests"]) for name, each in fields.items() if "requests" in each}
