"""`check_runs()`: the verdicts of recorded runs about each line of a spec.

Knows nothing about files, or about formats of requests and reports.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from typing import TypeAlias, TypeVar

from acdl_mkdocs.evaluation.evaluate import Options, find_spec
from acdl_mkdocs.evaluation.state.sample_state import Key, State
from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.prompt import Output
from acdl_mkdocs.prompts.providers.provider import PROVIDERS, MessageLayout
from acdl_mkdocs.runs.episodes import Cut, GrowingUnits, find_cuts
from acdl_mkdocs.runs.match.compile import CompiledMessages, compile_pattern
from acdl_mkdocs.runs.match.coverage import Coverage, list_lines
from acdl_mkdocs.runs.match.evidence import CheckedCall, Evidence, LineVerdict, Verdict
from acdl_mkdocs.runs.match.match import MOST_CELLS, SearchOptions, match_units
from acdl_mkdocs.runs.match.moves import Fits
from acdl_mkdocs.runs.match.pattern import ExpectedMessage, Pattern, PatternError
from acdl_mkdocs.runs.read.recorded import Recorded

ReportProgress: TypeAlias = Callable[[int, int | None], None]
"""Called with the number of requests done, and their total; `None` while it is unknown."""
_Item = TypeVar("_Item")


def report_progress(items: Iterable[_Item], report: ReportProgress | None, n_all: int | None = None) -> Iterator[_Item]:
    """Yield items, and report each."""
    for number, each in enumerate(items, 1):
        if report is not None:
            report(number, n_all)
        yield each


MOST_LOCATING = 500_000
"""Work limit for locating wrong lines; beyond it, further requests are only reported not to agree."""

MOST_KEPT = 50_000
"""Limit of positions in patterns that are cached for further requests."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking recorded runs against a spec."""

    spec: str
    """Name of the spec; empty for a text without a title."""
    calls: tuple[CheckedCall, ...]
    """All requests, in the order of runs and points."""
    lines: tuple[LineVerdict, ...]
    """The verdict about each line, in the order of the spec; other lines that requests refute come last."""
    coverage: Coverage
    """How often each loop and branch was taken by requests that agree."""
    cuts: tuple[Cut, ...]
    """The places where a later request of a run does not extend an earlier one."""

    @property
    def is_refuted(self) -> bool:
        """Whether any request shows that the spec differs from the recorded messages."""
        is_any_wrong = any(line.verdict == "refuted" for line in self.lines)
        return is_any_wrong or any(request.is_disagreeing for request in self.calls)

    @property
    def n_agreeing(self) -> int:
        """How many requests agree with the spec, each for itself."""
        return sum(request.match is not None and request.match.is_agreeing for request in self.calls)

    @property
    def n_checked(self) -> int:
        """How many requests were checked against the spec."""
        return sum(request.match is not None for request in self.calls)

    def list_lines(self, verdict: Verdict) -> tuple[LineVerdict, ...]:
        """Return the lines with a verdict.

        Parameters:
            verdict: `confirmed`, `refuted`, `unexercised` or `uncontrollable`.
        """
        return tuple(line for line in self.lines if line.verdict == verdict)


def check_runs(
    resolved: Resolved,
    runs: Sequence[Sequence[Recorded]],
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    report: ReportProgress | None = None,
    *,
    is_brief: bool = False,
    has_steps: bool = True,
) -> Checked:
    """Check recorded runs against a spec.

    Parameters:
        resolved: The text with the spec.
        runs: Requests of each run in their order, with their points.
        state: Values known beside the requests; contents are compared if the state has them.
        options: Which spec of the text, and how ranges are read.
        config: How to read ranges if neither options, state nor text specify it.
        is_brief: Whether to stop at the first refutation: nothing is located, and requests after one that does not
            agree are not checked.
        has_steps: Whether to keep the steps of requests that agree, message by message, which takes much memory.

    Raises:
        UnknownSpecError: The text has no spec of that name, or no spec.
    """
    options = options or Options()
    prompt = find_spec(resolved, options.spec or (state.spec if state is not None else None))
    title = Origin(resolved.source, (prompt or resolved.parsed.file).span if prompt is None else prompt.name.span)
    requests: list[CheckedCall] = []
    evidence, coverage = Evidence(title), Coverage()
    seen_in = None if is_brief else evidence.constancy.list_contents
    matched = match_runs(resolved, runs, state, options, config, seen_in=seen_in)
    for request in report_progress(matched, report, sum(map(len, runs))):
        evidence.add_request(request)
        coverage.add_match(request.match)
        requests.append(request if has_steps else request.without_steps())
        if is_brief and request.is_disagreeing:
            break
    evidence.compare_contents()
    verdicts = [evidence.find_verdict(line.kind, line.origin) for line in list_lines(resolved, prompt)]
    places = {(each.origin.source.name, each.line) for each in verdicts}
    others = [each for each in evidence.refuted if each not in places]
    verdicts += [evidence.find_verdict("message", evidence.refuted[each].origin) for each in others]
    name = prompt.name.name if prompt is not None else ""
    cuts = () if is_brief else tuple(find_cuts(runs))
    return Checked(name, tuple(requests), tuple(verdicts), coverage, cuts)


def match_runs(
    resolved: Resolved,
    runs: Sequence[Sequence[Recorded]],
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    *,
    seen_in: Callable[[int, ExpectedMessage], tuple[object, ...] | None] | None = None,
) -> Iterator[CheckedCall]:
    """Match recorded requests with a spec, one after the other.

    Parameters:
        resolved: The text with the spec.
        runs: Requests of each run in their order, with their points.
        state: Values known beside the requests.
        options: Which spec of the text, and how ranges are read.
        config: How to read ranges if neither options, state nor text specify it.
        seen_in: Finds the content of a message of the spec in earlier requests of a run; without it, disagreements are
            not located.
    """
    patterns = _PatternCache(resolved, state, options or Options(), config)
    n_located = number = 0
    for run, requests in enumerate(runs):
        counts, units, fits = count_substeps(requests), GrowingUnits(), dict[MessageLayout | None, Fits]()
        for recorded in requests:
            search_options = None
            if seen_in is not None and n_located < MOST_LOCATING:
                most = MOST_LOCATING - n_located if n_located else MOST_CELLS
                search_options = SearchOptions(partial(seen_in, run), most)
            request = _check_request(
                CheckedCall(number, run, recorded, None), patterns.get_pattern, counts, units, search_options, fits
            )
            n_located += request.match.n_cells if request.match is not None and request.is_disagreeing else 0
            number += 1
            yield request


def count_substeps(requests: Sequence[Recorded]) -> dict[Key, int]:
    """Count the steps of each turn of a run, by the points of its requests; the last turn may not be over.

    A turn is left out if it had more of them after its last request, whose results no request sent.
    """
    points = [each.at.parts for each in requests if each.at is not None]
    counts: dict[Key, int] = {}
    last = max((point[0] for point in points), default=0)
    for point in points:
        if len(point) > 1 and point[0] < last:
            counts[point[:1]] = max(counts.get(point[:1], 0), point[1])
    for before, after in pairwise(requests):
        if before.at is not None and after.at is not None and before.at.get_part(0) < after.at.get_part(0):
            earlier, sent = before.request.messages, after.request.messages
            if sent[: len(earlier)] == earlier and any(
                isinstance(part, Output) for message in sent[len(earlier) :] for part in message.parts
            ):
                counts.pop(before.at.parts[:1], None)
    return counts


@dataclass(slots=True)
class _PatternCache:
    """The patterns of a spec; the same one serves all requests at the same point while it is kept."""

    resolved: Resolved
    state: State | None
    options: Options
    config: Config | None
    patterns: dict[tuple[Time, tuple[tuple[Key, int], ...]], Pattern] = field(default_factory=dict)
    """Patterns in the order of their last use."""
    n_positions: int = 0
    messages: CompiledMessages = field(default_factory=CompiledMessages)

    def get_pattern(self, point: Time, counts: Mapping[Key, int]) -> Pattern:
        """Return the pattern at a point; later points of the run do not matter there."""
        before = {key: count for key, count in counts.items() if key < point.parts[:1]}
        key = (point, tuple(sorted(before.items())))
        pattern = self.patterns.pop(key, None)
        if pattern is None:
            pattern = compile_pattern(
                self.resolved, point, self.state, before, self.options, self.config, self.messages
            )
            self.n_positions += len(pattern.edges)
        self.patterns[key] = pattern
        while self.n_positions > MOST_KEPT and len(self.patterns) > 1:
            self.n_positions -= len(self.patterns.pop(next(iter(self.patterns))).edges)
        return pattern


def _find_layout(recorded: Recorded) -> MessageLayout | None:
    """Return how the messages of a request change, and which of them are not recorded."""
    layout = PROVIDERS[recorded.format].layout if recorded.format in PROVIDERS else None
    if recorded.incomplete is None or recorded.incomplete.has_instructions:
        return layout
    return replace(layout or MessageLayout(), is_system_unrecorded=True)


def _check_request(
    request: CheckedCall,
    get_pattern: Callable[[Time, Mapping[Key, int]], Pattern],
    counts: Mapping[Key, int],
    units: GrowingUnits,
    search_options: SearchOptions | None,
    fits: dict[MessageLayout | None, Fits],
) -> CheckedCall:
    """Return a request with its match."""
    recorded = request.recorded
    if recorded.at is None:
        return replace(request, problem="its point in time is not known; set it with `--manifest`")
    try:
        pattern = get_pattern(recorded.at, counts)
        sent = units.list_units(recorded.request)
        layout = _find_layout(recorded)
        return replace(request, match=match_units(pattern, sent, layout, search_options, fits.setdefault(layout, {})))
    except PatternError as why:
        return replace(request, problem=str(why))
