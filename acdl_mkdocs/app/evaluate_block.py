"""Evaluate the spec of a block with its sample state, at every requested point, and collect the problems.

A state that names no spec is a sample for all specs of its text. It need not have the values that each of them reads,
so a missing value of one of several is shown beside its messages and is not a problem of the block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.app.unroll import evaluate_points
from acdl_mkdocs.evaluation.evaluate import Options, find_spec
from acdl_mkdocs.evaluation.point import distinguish_points, parse_points
from acdl_mkdocs.evaluation.state.mismatches import find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript, drop_repeated_findings
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Label, error
from acdl_mkdocs.foundation.errors import PointError, RefusedError, UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.workspace.examine import Examined
from acdl_mkdocs.workspace.read_block import BlockText, Finding

MOST_POINTS = 100
"""More than a reader would step through."""
MOST_MESSAGES = 5_000
"""Of all points together; a page with more would be too slow."""


@dataclass(frozen=True, slots=True)
class EvaluatedBlock:
    """The evaluation of a block with its state."""

    state: State | None = None
    """The state; `None` if the block has none, or if it cannot be read."""
    transcripts: tuple[Transcript, ...] = ()
    """One for each point; empty without a state."""
    findings: tuple[Finding, ...] = ()
    """Problems of the state, and of the evaluation."""


def evaluate_block(text: BlockText, examined: Examined, config: Config) -> EvaluatedBlock:
    """Evaluate a block that has a state.

    Parameters:
        text: The block.
        examined: The analysed block.
        config: How the text is read.
    """
    if text.state is None or text.state.source is None:
        return EvaluatedBlock()
    source = text.state.source
    file = read_state(source.text, source.name, text.state.path.parent)
    findings: list[Finding] = [(each, file.source) for each in file.problems]
    if file.state is None:
        return EvaluatedBlock(findings=tuple(findings))
    resolved, state = examined.resolved, file.state
    unread = find_unread_names(resolved, state, file.source)
    findings += [(each, file.source) for each in unread if each.severity != "note"]
    try:
        transcripts = _evaluate_points(text, resolved, state, config)
    except _NotShownError as reason:
        span, header = text.find_option(reason.option)
        findings.append((error("state-file", str(reason), Label(span, "asked for here")), header))
        return EvaluatedBlock(state, (), tuple(findings))
    is_sound = not any(diagnostic.severity == "error" for diagnostic, _ in examined.findings)
    if is_sound and (state.spec or len(_prompts(resolved)) == 1):
        findings += _errors(transcripts)
    return EvaluatedBlock(state, transcripts, tuple(findings))


class _NotShownError(Exception):
    """The evaluation cannot be shown."""

    def __init__(self, option: str, reason: object) -> None:
        super().__init__(str(reason))
        self.option = option


def _evaluate_points(text: BlockText, resolved: Resolved, state: State, config: Config) -> tuple[Transcript, ...]:
    options = text.options
    try:
        prompt = find_spec(resolved, options.spec or state.spec)
    except UnknownSpecError as reason:
        raise _NotShownError("spec" if options.spec else "state", reason) from None
    try:
        points = parse_points(options.at or state.at or "*.*", state)
    except PointError as reason:
        raise _NotShownError("at" if options.at else "state", reason) from None
    if len(points) > MOST_POINTS:
        message = f"these are {len(points):,} points, and a page shows {MOST_POINTS} at most; name fewer with `at`"
        raise _NotShownError("at" if options.at else "state", message)
    understood = ResolvedText(resolved, replace(config, range=options.range))
    points = tuple(distinguish_points(points, prompt))
    how = Options(spec=prompt.name.name if prompt else None)
    try:
        return evaluate_points(understood, state, points, how, most_messages=MOST_MESSAGES)
    except RefusedError as reason:
        raise _NotShownError("at" if options.at else "state", f"{reason}; name fewer with `at`") from None


def _prompts(resolved: Resolved) -> list[Prompt]:
    return [item for item in resolved.parsed.file.items if isinstance(item, Prompt)]


def _errors(transcripts: Sequence[Transcript]) -> Iterator[Finding]:
    """Yield the errors at any point, each once."""
    errors = drop_repeated_findings(error for transcript in transcripts for error in transcript.errors)
    return ((each.diagnostic, each.source) for each in errors)
