"""The messages of two specs, point by point: which were added, removed or changed."""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.compare.choose_specs import find_counterpart, first_spec, require_definition
from acdl_mkdocs.compare.sent.messages import (
    ComparedMessage,
    MessageChange,
    MessageSimilarity,
    compare_messages,
    make_compared,
)
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import MOST_POINTS, parse_points
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Finding, Transcript
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.evaluation.weights import weigh_transcript
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.tokens.counter import Counter

Verdict: TypeAlias = Literal["same", "same as far as known", "undecided", "different", "failed"]
"""`undecided`: the same if all conditions that the state leaves open are false; other cases were not compared."""
_MOST_WITH_WORDS = 2_000
"""Messages whose words are kept, over all points."""
_MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class Sender:
    """A spec with everything that determines its messages."""

    resolved: Resolved
    state: State | None = None
    options: Options = field(default_factory=Options)
    config: Config = field(default_factory=Config)
    problems: tuple[Finding, ...] = ()
    """The problems of the state; with errors, the messages are unknown."""


@dataclass(frozen=True, slots=True)
class SentSide:
    """Counts and problems of the prompt of one side at a point."""

    n_messages: int
    """The number of messages; with errors, of those that were evaluated."""
    n_tokens: int | None
    """Model tokens of all messages; `None` where nothing is counted."""
    errors: tuple[str, ...]
    """Reasons why these are not the messages that would be sent."""
    unknown: tuple[str, ...]
    """Contents that the state does not have."""
    undecided: tuple[str, ...]
    """Conditions that the state does not decide; they count as false."""
    is_prefix_kept: bool | None
    """Whether the prompt of the previous point is a prefix; `None` at the first point."""


@dataclass(frozen=True, slots=True)
class PointDifference:
    """Both prompts at one point."""

    at: Time
    """The point in time; `str()` gives `3` or `3.2`."""
    verdict: Verdict
    """`same`; `same as far as known` if contents that the state lacks were compared by name; `undecided` if it lacks
    the value of a condition; `different`; or `failed` if a side has errors."""
    old: SentSide
    """Counts and problems of the old prompt."""
    new: SentSide
    """Counts and problems of the new prompt."""
    changes: tuple[MessageChange, ...] = ()
    """In the order of the new prompt; removed messages are at their old place. Empty if the point failed."""
    n_kept: int = 0
    """Messages that both have in the same order."""
    n_same_start: int = 0
    """Messages that both have in common from the beginning: those that a cache of the old prompts can still reuse."""
    n_same_tokens: int | None = None
    """The model tokens of these messages in the new prompt; `None` if nothing is counted, or if the point failed."""
    other_beside: tuple[str, ...] = ()
    """Other parts of the request that differ: `tools`, `memory`."""


@dataclass(frozen=True, slots=True)
class SentDifference:
    """The differences between the messages of two specs at several points."""

    old_spec: str
    """Name of the old spec; empty for a text without a title."""
    new_spec: str
    """Name of the new spec; empty for a text without a title."""
    points: tuple[PointDifference, ...]
    """The comparison at each point, in order of time."""
    encoding: str = ""
    """The encoding in which model tokens are counted; empty if nothing is counted."""
    is_estimate: bool = False
    """Whether model tokens are estimated instead of counted."""
    is_one_state: bool = True
    """Whether both are evaluated with the same state."""

    @property
    def is_same(self) -> bool:
        """Whether the messages are the same at every point, and every point could be compared with certainty."""
        return bool(self.points) and all(each.verdict in ("same", "same as far as known") for each in self.points)

    @property
    def first_difference(self) -> PointDifference | None:
        """The first point at which they differ."""
        return next((each for each in self.points if each.verdict == "different"), None)

    @property
    def undecided(self) -> tuple[PointDifference, ...]:
        """The points at which the state leaves conditions open."""
        return tuple(each for each in self.points if each.verdict == "undecided")

    @property
    def failed(self) -> tuple[PointDifference, ...]:
        """The points that could not be compared."""
        return tuple(each for each in self.points if each.verdict == "failed")


def sent_difference(
    old: Sender, new: Sender, points: Iterable[Time], counter: Counter | None = None, *, is_equal: bool = False
) -> SentDifference:
    """Evaluate both sides at every point and compare their messages.

    Parameters:
        old: The old side.
        new: The new side.
        points: Where they are compared, in order.
        counter: Counts model tokens; without it they are not counted.
        is_equal: Whether both specs and states are equal, so that evaluating one of them is enough.

    Raises:
        UnknownSpecError: A text has no spec of the name in its options or its state.
    """
    sides = (
        (_SideEvaluator(old, counter),) if is_equal else (_SideEvaluator(old, counter), _SideEvaluator(new, counter))
    )
    differences: list[PointDifference] = []
    names, n_changes, likeness = ("", ""), 0, MessageSimilarity()
    for at in points:
        both = [side.evaluate_at(at) for side in sides]
        one, other = both[0], both[-1]
        names = one.transcript.spec, other.transcript.spec
        differences.append(_compare_point(at, one, other, likeness, with_words=n_changes < _MOST_WITH_WORDS))
        n_changes += len(differences[-1].changes)
    counted = (counter.encoding, counter.is_estimate) if counter else ("", False)
    return SentDifference(*names, tuple(differences), *counted, is_one_state=old.state is new.state)


@dataclass(frozen=True, slots=True)
class _SidePrompt:
    """One side at one point."""

    transcript: Transcript
    messages: list[ComparedMessage]
    tokens: tuple[int, ...] | None
    summary: SentSide


class _SideEvaluator:
    """One side, with its previous prompt."""

    def __init__(self, sender: Sender, counter: Counter | None) -> None:
        self.sender, self.counter = sender, counter
        self.before: list[bytes] | None = None
        self.problems = tuple(_find_errors(sender))

    def evaluate_at(self, at: Time) -> _SidePrompt:
        """Evaluate the side at a point."""
        sender = self.sender
        transcript = evaluate(sender.resolved, sender.state, at, sender.options, sender.config)
        sent = [make_compared(number, each) for number, each in enumerate(transcript.messages, 1)]
        tokens = weigh_transcript(transcript, self.counter).messages if self.counter else None
        keys = [each.key for each in sent]
        is_prefix_kept = None if self.before is None else keys[: len(self.before)] == self.before
        self.before = keys
        side = SentSide(
            n_messages=len(sent),
            n_tokens=None if tokens is None else sum(tokens),
            errors=_first_names((*self.problems, *_format_errors(transcript.errors))),
            unknown=_first_names(dict.fromkeys(name for each in sent for name in each.unknown)),
            undecided=_first_names(dict.fromkeys(each.condition for each in transcript.choices)),
            is_prefix_kept=is_prefix_kept,
        )
        return _SidePrompt(transcript, sent, tokens, side)


def _compare_point(
    at: Time, old: _SidePrompt, new: _SidePrompt, similarity: MessageSimilarity, *, with_words: bool
) -> PointDifference:
    if old.summary.errors or new.summary.errors:
        return PointDifference(at, "failed", old.summary, new.summary)
    pairs = zip(old.messages, new.messages, strict=False)
    n_both = min(len(old.messages), len(new.messages))
    n_same = next((number for number, (one, other) in enumerate(pairs) if one.key != other.key), n_both)
    changes, n_kept = compare_messages(old.messages, new.messages, similarity, with_words=with_words)
    beside = tuple(_other_beside(old.transcript, new.transcript))
    is_known = not any((side.unknown or side.undecided) for side in (old.summary, new.summary))
    verdict: Verdict = "same" if is_known else "same as far as known"
    if changes or beside:
        verdict = "different"
    elif old.summary.undecided or new.summary.undecided:
        verdict = "undecided"
    n_tokens = sum(new.tokens[:n_same]) if new.tokens is not None else None
    return PointDifference(at, verdict, old.summary, new.summary, changes, n_kept, n_same, n_tokens, beside)


def _other_beside(old: Transcript, new: Transcript) -> Iterator[str]:
    if repr(old.tools) != repr(new.tools):
        yield "tools"
    if repr(old.memory) != repr(new.memory):
        yield "memory"


def _find_errors(sender: Sender) -> Iterator[str]:
    """Yield errors of the text or the state, with which the messages are unknown."""
    source = sender.resolved.source
    findings = (*(Finding(source, each) for each in sender.resolved.parsed.diagnostics), *sender.problems)
    yield from _format_errors(each for each in findings if each.diagnostic.severity == "error")


def _format_errors(errors: Iterable[Finding]) -> Iterator[str]:
    for each in errors:
        line = each.source.find_place(each.diagnostic.label.span.start).line
        yield f"{each.source.name}:{line}: {each.diagnostic.message}"


def _first_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the first names, and how many more there are."""
    unique = tuple(dict.fromkeys(names))
    if len(unique) <= _MOST_NAMES:
        return unique
    return (*unique[:_MOST_NAMES], f"{len(unique) - _MOST_NAMES:,} more")


def points_of(at: str | None, old: State | None, new: State | None) -> tuple[Time, ...]:
    """Return the points, in order and without repetition.

    Parameters:
        at: Points as people write them, `3.2` or `1..5`; by default all points of both states, or, if a state has too
            many, those that it names.
        old: The state of the old side.
        new: The state of the new side, which may be the same.

    Raises:
        PointError: The points are not valid, or too many.
    """
    if old is new and at is not None:
        return parse_points(at, old or State())
    states = (old or State(),) if old is new else (old or State(), new or State())
    points = {point for state in states for point in (_all_of(state) if at is None else parse_points(at, state))}
    return tuple(sorted(points, key=lambda point: point.parts))


def _all_of(state: State) -> tuple[Time, ...]:
    """Return all points of a state; if there are too many to test, those that the state names."""
    has_substeps = any(state.substeps((step,)) for step in range(1, min(state.last_step, MOST_POINTS) + 1))
    if state.last_step > MOST_POINTS and state.at:
        return parse_points(state.at, state)
    return parse_points("*.*" if has_substeps else "*", state)


Senders: TypeAlias = tuple[Sender, Sender]


@dataclass(frozen=True, slots=True)
class SenderOptions:
    """Explicit choices that override the states and texts."""

    spec: str | None = None
    new_spec: str | None = None
    range: RangeMode | None = None
    """How ranges are read, regardless of states and texts."""
    modes: tuple[RangeMode, RangeMode] = ("half-open", "half-open")
    """How they are read on both sides by default."""


def make_senders(
    old: Resolved, new: Resolved, state: State, new_state: State | None = None, options: SenderOptions | None = None
) -> Senders:
    """Create both senders.

    Without the name of a spec it is that of the state, else the first. Its counterpart is the one named by the state of
    the new side, else the counterpart of the old spec.

    Parameters:
        old: The old text.
        new: The new text.
        state: The state of both.
        new_state: The state of the new text, if it has its own.
        options: Explicit choices.

    Raises:
        UnknownSpecError: A text has no spec of a requested name.
    """
    options = options or SenderOptions()
    name = options.spec or state.spec
    name = first_spec(old.parsed) if name is None else require_definition(old.parsed, name)
    new_name = options.new_spec or (new_state.spec if new_state is not None else None)
    if new_name is not None:
        new_name = require_definition(new.parsed, new_name)
    else:
        new_name = first_spec(new.parsed) if name is None else find_counterpart(name, old.parsed, new.parsed)
    one = _make_sender(old, state, name, options.range, options.modes[0])
    return one, _make_sender(new, new_state or state, new_name, options.range, options.modes[1])


def _make_sender(
    resolved: Resolved, state: State, name: str | None, range_mode: RangeMode | None, mode: RangeMode
) -> Sender:
    """Create a sender; missing values are placeholders unless the state defines something else."""
    options = Options(spec=name, range=range_mode, missing=state.options.missing or "placeholder")
    return Sender(resolved, state, options, Config(range=mode))
