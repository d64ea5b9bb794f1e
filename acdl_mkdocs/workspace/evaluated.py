"""Evaluate the spec of a block with its sample state, at every requested point, and collect the problems.

A state that names no spec is a sample for all specs of its text. It need not have the values that each of them reads,
so a missing value of one of several is shown beside its messages and is not a problem of the block.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.evaluation.evaluate import Options, evaluate, find_spec
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.mismatches import find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript, drop_repeated_findings
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Label, error
from acdl_mkdocs.foundation.errors import PointError, UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Field, Prompt, TimeIndex
from acdl_mkdocs.workspace.read_block import BlockText, Examined, Finding

MOST_POINTS = 100
"""More than a reader would step through."""
MOST_MESSAGES = 5_000
"""Of all points together; a page with more would be too slow."""


@dataclass(frozen=True, slots=True)
class EvaluatedBlock:
    """The evaluation of a block with its state."""

    state: State | None = None
    transcripts: tuple[Transcript, ...] = ()
    findings: tuple[Finding, ...] = ()


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
        place, header = text.find_option(reason.option)
        findings.append((error("state-file", str(reason), Label(place, "asked for here")), header))
        return EvaluatedBlock(state, (), tuple(findings))
    is_sound = not any(diagnostic.severity == "error" for diagnostic, _ in examined.findings)
    if is_sound and (state.spec or len(_prompts(resolved)) == 1):
        findings += _errors(transcripts)
    return EvaluatedBlock(state, tuple(transcripts), tuple(findings))


class _NotShownError(Exception):
    """The evaluation cannot be shown."""

    def __init__(self, option: str, reason: object) -> None:
        super().__init__(str(reason))
        self.option = option


def _evaluate_points(text: BlockText, resolved: Resolved, state: State, config: Config) -> list[Transcript]:
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
    how = Options(spec=prompt.name.name if prompt else None)
    config = replace(config, range=options.range)
    transcripts: list[Transcript] = []
    n_messages = 0
    for point in distinguish_points(points, prompt):
        transcripts.append(evaluate(resolved, state, point, how, config))
        n_messages += len(transcripts[-1].messages)
        if n_messages > MOST_MESSAGES:
            message = f"the points have more than {MOST_MESSAGES:,} messages; name fewer with `at`"
            raise _NotShownError("at" if options.at else "state", message)
    return transcripts


def _prompts(resolved: Resolved) -> list[Prompt]:
    return [item for item in resolved.parsed.file.items if isinstance(item, Prompt)]


def distinguish_points(points: Iterable[Time], prompt: Prompt | None) -> Iterator[Time]:
    """Yield the points that the title of the spec distinguishes: `[@T]` has steps only."""
    sizes = [1 + sum(isinstance(part, Field) for part in each.parts) for each in _times(prompt)]
    if len(sizes) != 1 or sizes[0] != 1:
        yield from points
        return
    yield from dict.fromkeys(Time(point.parts[:1]) for point in points)


def _times(prompt: Prompt | None) -> list[TimeIndex]:
    return [each for each in prompt.parameters if isinstance(each, TimeIndex)] if prompt else []


def _errors(transcripts: Sequence[Transcript]) -> Iterator[Finding]:
    """Yield the errors at any point, each once."""
    errors = drop_repeated_findings(error for transcript in transcripts for error in transcript.errors)
    return ((each.diagnostic, each.source) for each in errors)
