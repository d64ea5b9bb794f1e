"""`list_mutants()` and `score_mutants()`: whether recorded runs detect deliberate errors in a spec.

A mutant is the text of a spec with one small change: a negated condition, a bound moved by one, another role, a
message split in two or left out. If runs agree with the spec and also with a mutant of it, they are weak evidence for
the changed line. Knows nothing about files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypeVar

from acdl_mkdocs.evaluation.evaluate import Options, find_spec
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.resolve import Resolved, resolve
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Comment,
    Content,
    EndsHere,
    Expression,
    ForEach,
    Fragment,
    FragUse,
    Node,
    Number,
    Prompt,
    Range,
    RoleMessage,
    RoleName,
    walk,
)
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.read.recorded import Recorded

MOST_MUTANTS = 200
"""Default limit of mutants to try."""
MOST_MESSAGES = 5_000
"""Above this number of messages in all requests, only some are checked against mutants."""
_T = TypeVar("_T")
Change: TypeAlias = Literal["condition", "bound", "role", "split", "drop"]
_OTHER_ROLE: dict[RoleName, str] = {"system": "U", "user": "A", "assistant": "U", "tool": "U", "none": "U"}
_LETTERS: dict[RoleName, str] = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A spec with one small change; its lines are those of the spec."""

    change: Change
    """What was changed: `condition`, `bound`, `role`, `split` or `drop`."""
    origin: Origin
    """The changed place in the spec."""
    description: str
    """The change in words."""
    resolved: Resolved
    """The changed spec."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """The result of recorded runs for a mutant."""

    mutant: Mutant
    """The deliberate error."""
    is_killed: bool
    """Whether a request refutes it."""


@dataclass(frozen=True, slots=True)
class MutationScore:
    """The mutation score of recorded runs."""

    results: tuple[MutantResult, ...]
    """Each deliberate error that was tried, with its result."""
    n_left_out: int = 0
    """Number of mutants that were not tried, because there are too many."""
    n_requests_left_out: int = 0
    """Number of requests that were not checked against mutants, because there are too many messages."""

    @property
    def n_killed(self) -> int:
        """Number of mutants that a request refutes."""
        return sum(each.is_killed for each in self.results)

    @property
    def survivors(self) -> tuple[Mutant, ...]:
        """The changes that no request detects."""
        return tuple(each.mutant for each in self.results if not each.is_killed)


@dataclass(frozen=True, slots=True)
class _Edit:
    """One small change."""

    change: Change
    span: Span
    text: str
    """The replacement text."""
    description: str
    line_start: int
    """Start of the changed line."""


def score_mutants(
    resolved: Resolved,
    runs: Sequence[Sequence[Recorded]],
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    most: int = MOST_MUTANTS,
) -> MutationScore:
    """Count the mutants of a spec that recorded runs refute; at most `most`, spread over the spec."""
    options = options or Options()
    spec = options.spec or (state.spec if state is not None else None)
    prompt = find_spec(resolved, spec)
    edits = [
        each
        for node in _walk_used_nodes(resolved, prompt or resolved.parsed.file)
        for each in _list_edits(node, resolved.source)
    ]
    mutants, n_parsed = _make_mutants(resolved, edits, most)
    sample = _thin_requests(runs)
    tried = tuple(
        MutantResult(mutant, check_runs(mutant.resolved, sample, state, options, config, is_brief=True).is_refuted)
        for mutant in mutants
    )
    return MutationScore(tried, len(edits) - n_parsed, sum(map(len, runs)) - sum(map(len, sample)))


def _make_mutants(resolved: Resolved, edits: Sequence[_Edit], most: int) -> tuple[list[Mutant], int]:
    """Make at most `most` mutants, spread over a spec; also return how many edits were tried.

    If a change leaves no valid spec, the next change is taken instead.
    """
    chosen = _spread_evenly(range(len(edits)), most)
    mutants: dict[int, Mutant] = {}
    seen = set[int]()
    for first in chosen:
        for at in range(first, len(edits)):
            mutant = None if at in seen else _make_mutant(resolved, edits[at])
            seen.add(at)
            if mutant is not None:
                mutants[at] = mutant
                break
    return [mutants[at] for at in sorted(mutants)], len(seen)


def _spread_evenly(values: Sequence[_T], most: int) -> Sequence[_T]:
    """Return at most `most` values, evenly spread."""
    return values if len(values) <= most else [values[idx * len(values) // most] for idx in range(most)]


def _thin_requests(runs: Sequence[Sequence[Recorded]]) -> Sequence[Sequence[Recorded]]:
    """Return runs with as many requests, evenly spread, as can be checked again and again."""
    n_messages = sum(len(each.request.messages) for run in runs for each in run)
    if n_messages <= MOST_MESSAGES:
        return runs
    return [_spread_evenly(run, max(1, len(run) * MOST_MESSAGES // n_messages)) for run in runs]


def list_mutants(resolved: Resolved, spec: str | None = None) -> Iterator[Mutant]:
    """Yield all mutants of a spec and of the fragments of its text that it uses."""
    prompt = find_spec(resolved, spec)
    for node in _walk_used_nodes(resolved, prompt or resolved.parsed.file):
        for edit in _list_edits(node, resolved.source):
            mutant = _make_mutant(resolved, edit)
            if mutant is not None:
                yield mutant


def _make_mutant(resolved: Resolved, edit: _Edit) -> Mutant | None:
    """Return a spec with an edit; `None` if the result is not a spec."""
    source = resolved.source
    text = f"{source.text[: edit.span.start]}{edit.text}{source.text[edit.span.end :]}"
    parsed = parse(replace(source, text=text))
    if any(each.severity == "error" for each in parsed.diagnostics):
        return None
    origin = Origin(source, Span(edit.line_start, edit.span.end))
    return Mutant(edit.change, origin, edit.description, resolve(parsed, resolved.library))


def _walk_used_nodes(resolved: Resolved, top: Node) -> Iterator[Node]:
    """Yield every node that takes part, once; fragments of other texts stay unchanged."""
    queue, seen = [top], set[Node]()
    while queue:
        node = queue.pop(0)
        if node in seen:
            continue
        seen.add(node)
        for each in walk(node):
            if isinstance(each, (Prompt, Fragment)) and each is not node:
                seen.add(each)
                continue
            yield each
            if isinstance(each, FragUse) and each.name.name in resolved.fragments:
                queue.append(resolved.fragments[each.name.name])


def _list_edits(node: Node, source: Source) -> Iterator[_Edit]:
    """Yield the small edits of one construct."""
    match node:
        case Arm(test=test) if test is not None and node.kind in ("if", "elseif"):
            yield _negate_condition(test, source, node.keyword.start)
        case EndsHere(condition=condition) if condition is not None:
            yield _negate_condition(condition, source, node.span.start)
        case ForEach(iterable=Range() as iterable):
            yield from _shift_bounds(iterable, source, node.keyword.start)
        case RoleMessage():
            yield from _list_message_edits(node, source)


def _negate_condition(test: Expression, source: Source, line_start: int) -> _Edit:
    words = source.text[test.span.start : test.span.end]
    return _Edit("condition", test.span, f"!({words})", f"the condition `{words}` is negated", line_start)


def _shift_bounds(node: Range, source: Source, line_start: int) -> Iterator[_Edit]:
    for bound, name in ((node.start, "start"), (node.stop, "end")):
        words = source.text[bound.span.start : bound.span.end]
        for sign, where in (("+", "later"), ("-", "earlier")):
            if sign == "-" and isinstance(bound, Number) and bound.text.strip() in ("0", "1"):
                continue  # there is no step before the first
            yield _Edit(
                "bound",
                bound.span,
                f"{words} {sign} 1",
                f"the {name} `{words}` of the range is one {where}",
                line_start,
            )


def _list_message_edits(node: RoleMessage, source: Source) -> Iterator[_Edit]:
    other, line_start = _OTHER_ROLE[node.role], node.marker.start
    marker = source.text[node.marker.start : node.marker.end]
    ending = marker[len(marker.rstrip(": \t")) :]
    yield _Edit(
        "role", node.marker, other + ending, f"the role `{_LETTERS[node.role]}` is changed to `{other}`", line_start
    )
    statements = [each for each in node.body if not isinstance(each, Comment)]
    if node.is_braced and len(statements) > 1 and all(isinstance(each, Content) for each in statements):
        at = statements[1].span.start
        letter = _LETTERS[node.role]
        yield _Edit(
            "split", Span(at, at), f"}} {letter}: {{ ", "the message is split before its second piece", line_start
        )
    blank = "".join("\n" if each == "\n" else " " for each in source.text[node.span.start : node.span.end])
    yield _Edit("drop", node.span, blank, "the message is removed", line_start)
