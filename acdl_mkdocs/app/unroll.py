"""Return the messages of a spec at points in time, with or without a state, and their problems.

Every front end calls `unroll()`, then `write_unrolled()` for the text. Reads no file, prints nothing, and knows no
front end.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.app.cures import Option, Refusal
from acdl_mkdocs.app.rejected import explain_rejected
from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS, TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.mismatches import describe_unfilled, find_unread_names
from acdl_mkdocs.evaluation.state.sample_state import MissingMode, State
from acdl_mkdocs.evaluation.transcript import Finding, Piece, Transcript, drop_repeated_findings
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.foundation.yaml.read import RULE as STATE_RULE

if TYPE_CHECKING:
    from acdl_mkdocs.evaluation.state.read import StateFile
    from acdl_mkdocs.evaluation.state.sample_state import EmptyMode

Track: TypeAlias = Callable[[Sequence[Time], Callable[[Time], Transcript]], Iterable[Transcript]]
"""Calls a function for each point, in order, so that a command can show progress."""

_MOST_NAMES = 5
_MISSING = ("missing-value", "undecided-condition")
_LEFT_OUT = ("no-message", "missing-value", "undecided-condition")
"""Notes about omissions in a request."""
_PLACEHOLDERS = Option("missing", "placeholder")
_PATH = re.compile(r"`((?:agents|args|env|functions|resp|steps|sys|templates)\.[^`\s]+)`")


@dataclass(frozen=True, slots=True)
class UnrollOptions:
    """The options of an evaluation; `None` means the choice of the state or the text."""

    spec: str | None = None
    """Name of the spec; by default the one that the state names, else the first of the text."""
    at: str | Sequence[Time] | None = None
    """The points in time; by default those that the state names, else the first turn."""
    format: str = "transcript"
    """One of `evaluation.formats.TRANSCRIPTS`; a request for a model is refused if it would be unintended."""
    range: RangeMode | None = None
    """How `range(a, b)` is read."""
    missing: MissingMode | None = None
    """How values that the state lacks are handled; by default, unless the state sets it, they are errors in a request,
    and shown by their names to people."""
    empty: "EmptyMode | None" = None
    """Whether messages without content are dropped (`drop`) or sent (`keep`)."""
    joiner: str | None = None
    """The text between two pieces of a message."""
    show: TranscriptOptions = field(default_factory=TranscriptOptions)
    """How the text is written; the positions in the state are filled in here."""
    most_points: int | None = None
    """The maximum number of points."""
    most_messages: int | None = None
    """The maximum number of messages of all points together."""

    @property
    def is_sent(self) -> bool:
        """True if the text goes to a model, and not to a person."""
        return self.format in EXPORTS


@dataclass(frozen=True, slots=True)
class Unrolled:
    """The evaluation of a spec and a state."""

    transcripts: tuple[Transcript, ...]
    """One for each point; empty if the state cannot be read."""
    findings: tuple[Finding, ...]
    """The problems of the text, the state, and both together, each once."""
    options: UnrollOptions
    """The options of the evaluation."""
    state_file: "StateFile | None" = None
    """The state file; `None` if none was given."""
    refusal: Refusal | None = None
    """Why there is no text in the format, if there is none."""

    @property
    def has_errors(self) -> bool:
        """True if the messages are not those that would be sent."""
        return any(each.diagnostic.severity == "error" for each in self.findings)

    @property
    def reported(self) -> tuple[Finding, ...]:
        """The findings that a person needs: no notes except those about the state and about omissions of a request.

        The messages themselves show how something was read, and which names replace texts. Warnings and notes are
        reported once for each place, regardless of the times and values that they name; errors with other messages are
        different ones.
        """
        notes = (STATE_RULE, *(_LEFT_OUT if self.options.is_sent else ()))
        by_key: dict[tuple[object, ...], Finding] = {}
        for each in self.findings:
            diagnostic = each.diagnostic
            if diagnostic.severity != "note" or diagnostic.rule in notes:
                message = diagnostic.message if diagnostic.severity == "error" else ""
                by_key.setdefault((each.source.name, diagnostic.rule, diagnostic.label.span, message), each)
        return tuple(by_key.values())


def unroll(
    text: ResolvedText, state_file: "StateFile | None", options: UnrollOptions, track: Track | None = None
) -> Unrolled:
    """Evaluate a spec at all requested points.

    Parameters:
        text: The text with the spec.
        state_file: Its state; without it, names replace unknown values.
        options: The options.
        track: Calls the evaluation of each point.

    Raises:
        PointError: `at` names no point in time.
        UnknownSpecError: The text has no spec of that name.
        RefusedError: There are too many points or messages.
    """
    state = state_file.state if state_file is not None else None
    findings = [Finding(source, each) for each, source in text.findings]
    if state_file is not None:
        findings += [Finding(state_file.source, each) for each in state_file.problems]
        if state is None:
            return Unrolled((), tuple(findings), options, state_file, _refusal_of_errors(findings))
        unread = find_unread_names(text.resolved, state, state_file.source)
        findings += [Finding(state_file.source, each) for each in unread if each.severity != "note"]
    points = _find_points(state or State(), options)
    how = Options(
        spec=options.spec,
        range=options.range,
        missing=_choose_missing_mode(options, state),
        empty=options.empty,
        joiner=options.joiner,
    )
    transcripts = evaluate_points(text, state, points, how, most_messages=options.most_messages, track=track)
    findings += [each for each in _evaluation_findings(text, state, transcripts) if each not in findings]
    refusal = _find_refusal(state_file, options, transcripts, findings) if options.is_sent else None
    return Unrolled(transcripts, tuple(findings), options, state_file, refusal)


def evaluate_points(
    text: ResolvedText,
    state: State | None,
    points: Sequence[Time],
    options: Options,
    *,
    most_messages: int | None = None,
    track: Track | None = None,
) -> tuple[Transcript, ...]:
    """Evaluate a spec at points in time.

    Parameters:
        text: The text with the spec.
        state: Its state; without it, nothing is known.
        points: The points, in order.
        options: How each is evaluated.
        most_messages: Of all points together.
        track: Calls the evaluation of each point.

    Raises:
        UnknownSpecError: The text has no spec of that name.
        RefusedError: There are too many messages.
    """

    def evaluate_at(point: Time) -> Transcript:
        return evaluate(text.resolved, state, point, options, text.config)

    transcripts: list[Transcript] = []
    n_messages = 0
    for each in map(evaluate_at, points) if track is None else track(points, evaluate_at):
        transcripts.append(each)
        n_messages += len(each.messages)
        if most_messages is not None and n_messages > most_messages:
            raise RefusedError("at", f"the points have more than {most_messages:,} messages", "name fewer points")
    return tuple(transcripts)


def write_unrolled(unrolled: Unrolled) -> TranscriptOutput:
    """Write the messages in the requested format; its remarks explain the names and placeholders in it.

    Parameters:
        unrolled: It has at least one transcript, and is not refused.

    Raises:
        SettingsError: The format cannot be written with these options.
    """
    options, file = unrolled.options, unrolled.state_file
    state = file.state if file is not None else None
    how = replace(options.show, place_of=state.place_of if state is not None else None)
    output = TRANSCRIPTS[options.format](unrolled.transcripts, how)
    notes = _describe_placeholders(unrolled.transcripts, file, is_sent=options.is_sent)
    return replace(output, remarks=(*output.remarks, *notes))


# ---------------------------------------------------------------------------------------------------------- evaluation


def _find_points(state: State, options: UnrollOptions) -> Sequence[Time]:
    at = options.at or state.at or "1"
    points = parse_points(at, state) if isinstance(at, str) else at
    if options.most_points is not None and len(points) > options.most_points:
        raise RefusedError("at", f"these are {len(points):,} points", f"name no more than {options.most_points}")
    return points


def _choose_missing_mode(options: UnrollOptions, state: State | None) -> MissingMode | None:
    """Return how values that the state lacks are handled: by their names for people, as errors in requests."""
    if options.missing or (state is not None and state.options.missing):
        return options.missing
    return "error" if state is not None and options.is_sent else "placeholder"


def _evaluation_findings(
    text: ResolvedText, state: State | None, transcripts: Sequence[Transcript]
) -> Iterator[Finding]:
    """Yield the findings at any point, each once, in the words of the rules if these know more."""
    once = drop_repeated_findings(each for transcript in transcripts for each in transcript.findings)
    placed = (_add_state_position(each, state) for each in once)
    evaluated = [(each.diagnostic, each.source) for each in placed]
    explained = explain_rejected(evaluated, text.find_diagnostics(), text.resolved, transcripts[0].spec)
    return (Finding(source, each) for each, source in explained)


def _add_state_position(finding: Finding, state: State | None) -> Finding:
    """Add to a finding the position of its cure in the state file: the nearest existing one."""
    if state is None or not state.places:
        return finding
    places = [
        _find_nearest_position(match[1], state) for cure in finding.diagnostic.help for match in _PATH.finditer(cure)
    ]
    new = tuple(dict.fromkeys(filter(None, places)))
    if not new:
        return finding
    return replace(finding, diagnostic=replace(finding.diagnostic, help=(*finding.diagnostic.help, *new)))


def _find_nearest_position(path: str, state: State) -> str:
    while path and path not in state.places:
        path = path.rpartition(".")[0]
    return f"`{path}` is at {state.place_of(path)}" if path else ""


# ------------------------------------------------------------------------------------------------------------ refusals


def _find_refusal(
    file: "StateFile | None", options: UnrollOptions, transcripts: Sequence[Transcript], findings: Sequence[Finding]
) -> Refusal | None:
    """Return why the messages must not be sent; `None` if they may be."""
    if any(each.diagnostic.severity == "error" for each in findings):
        return _refusal_of_errors(findings)
    if file is None and options.missing is None and _needs_state(transcripts):
        cure = ("name one with ", Option("state", "FILE"), ", or send names with ", _PLACEHOLDERS)
        return Refusal("there is no state", cure)
    if options.missing != "placeholder" and (still := _still_unfilled(transcripts, file)):
        return Refusal(still, ("fill in what the agent sees, or send it as it is with ", _PLACEHOLDERS))
    return None


def _refusal_of_errors(findings: Sequence[Finding]) -> Refusal:
    is_missing = any(each.diagnostic.rule in _MISSING for each in findings)
    alternative = (", or send names with ", _PLACEHOLDERS) if is_missing else ()
    return Refusal("", ("solve the errors first", *alternative))


def _needs_state(transcripts: Sequence[Transcript]) -> bool:
    """Return whether the messages contain names or undecided conditions because there is no state."""
    is_named = any(piece.status != "given" for transcript in transcripts for piece in transcript.pieces)
    return is_named or any(transcript.choices for transcript in transcripts)


# -------------------------------------------------------------------------------------------------------- placeholders


def _describe_placeholders(
    transcripts: Sequence[Transcript], file: "StateFile | None", *, is_sent: bool
) -> Iterator[str]:
    """Describe what the names and placeholders in the output represent."""
    if still := _still_unfilled(transcripts, file):
        yield still
    templates, functions, values = set[str](), set[str](), set[str]()
    for piece in (each for transcript in transcripts for each in transcript.pieces):
        if piece.status == "placeholder":
            (functions if piece.kind == "function" else templates).add(_name(piece))
        elif piece.status == "missing":
            values.add(piece.resolved)
    for names, noun, lacks in ((templates, "template", "text"), (functions, "function", "sample")):
        if names:
            has = "has" if len(names) == 1 else "have"
            yield (
                f"{format_count(len(names), noun)} {has} no {lacks}{_consequence(names, is_sent)}: {_join_names(names)}"
            )
    if values:
        are = "is" if len(values) == 1 else "are"
        yield f"{format_count(len(values), 'value')} {are} not in the state: {_join_names(values)}"


def _still_unfilled(transcripts: Sequence[Transcript], file: "StateFile | None") -> str:
    """Describe which sent values are still placeholders of a first state; empty if none is."""
    if file is None or not file.unfilled:
        return ""
    above: dict[str, str] = {}
    for path in file.unfilled:
        parts = path.split(".")
        above |= {".".join(parts[:size]): path for size in range(len(parts), 0, -1)}
    names: set[str] = set()
    for piece in (each for transcript in transcripts for each in transcript.pieces):
        path = piece.state_path or f"templates.{_name(piece)}"
        if path in above:
            names.add(above[path])
        elif not piece.state_path and piece.kind not in ("literal", "number") and _has_placeholder(piece, file.state):
            names.add(piece.expression)
    return f"{describe_unfilled(list(names))}: {_join_names(names)}" if names else ""


def _has_placeholder(piece: Piece, state: State | None) -> bool:
    """Return whether a piece made of several values contains a placeholder that is not part of its template."""
    template = state.templates.get(_name(piece)) if state is not None else None
    own = template.text.count(PLACEHOLDER) if template is not None else 0
    return piece.status == "given" and piece.text.count(PLACEHOLDER) > own


def _name(piece: Piece) -> str:
    return re.split(r"[(\[]", piece.resolved)[0]


def _consequence(names: set[str], is_sent: bool) -> str:
    if not is_sent:
        return ""
    return ", so its name is sent" if len(names) == 1 else ", so their names are sent"


def _join_names(names: set[str]) -> str:
    listed = ", ".join(f"`{make_visible(name)}`" for name in sorted(names)[:_MOST_NAMES])
    return listed if len(names) <= _MOST_NAMES else f"{listed} and {len(names) - _MOST_NAMES} more"
