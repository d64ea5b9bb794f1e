"""The result of checking recorded runs, as a whole and line by line."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from acdl_mkdocs.evaluation.evaluate import find_spec
from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import Arm, EndsHere, ForEach
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.match.coverage import BranchCoverage, LoopCoverage, is_last, list_choices, list_definitions
from acdl_mkdocs.runs.match.evidence import LineVerdict
from acdl_mkdocs.runs.points import LIKELY, READINGS

_ENOUGH = 0.75
"""The share of confirmed lines, and of detected mutants, below which evidence is weak."""


@dataclass(frozen=True)
class Summary:
    """The result of recorded runs for a spec as a whole."""

    n_runs: int
    n_requests: int
    """Number of requests that were read."""
    n_checked: int
    """Number of requests that could be checked against the spec."""
    n_agreeing: int
    n_lines: int
    """Lines of the spec that requests can confirm or refute."""
    n_confirmed: int
    n_refuted: int
    n_unexercised: int
    n_uncontrollable: int
    n_ways_gone: int
    n_ways: int
    """Loops with no round, one and several; alternatives and ends taken or not."""
    n_mutants: int
    """Mutants that were tried."""
    n_killed: int
    """Mutants that a request refutes."""
    n_thinned: int
    """Number of requests that were not checked against mutants, because there are too many messages."""
    n_damaged: int
    """Unreadable parts that may be requests."""
    is_refuted: bool
    is_apart: bool
    """Whether requests were grouped into several runs by content, and none is long enough to go through each loop
    several times: this is typical of an agent that forgets its history."""

    @property
    def coverage_percent(self) -> int:
        """The percentage of lines that any request reaches, rounded down; 0 for a spec without lines."""
        return 100 * (self.n_lines - self.n_unexercised) // self.n_lines if self.n_lines else 0

    @property
    def score_percent(self) -> int | None:
        """The percentage of detected mutants, rounded down; `None` if none was tried."""
        return 100 * self.n_killed // self.n_mutants if self.n_mutants else None

    @property
    def is_weak(self) -> bool:
        """Whether the evidence is too weak for an agreement to mean much."""
        is_all_read = self.n_checked == self.n_requests and self.n_damaged == 0
        is_seen = self.n_lines > 0 and self.n_confirmed >= _ENOUGH * self.n_lines
        return self.is_apart or not (is_all_read and is_seen) or self.n_killed < _ENOUGH * self.n_mutants

    @cached_property
    def sentence(self) -> str:
        """The whole result in one line: the verdict, then what is missing."""
        if self.n_checked == 0:
            return "no request could be checked"
        apart = f", grouped into {self.n_runs} runs" if self.is_apart else ""
        clauses = [f"agrees with {_count_all(self.n_checked, 'request')}{apart}"]
        if self.is_refuted:
            n_wrong = self.n_checked - self.n_agreeing
            verb = "disagrees" if n_wrong == 1 else "disagree"
            every = _count_all(self.n_checked, "request")
            share = every if n_wrong == self.n_checked else f"{n_wrong} of {format_count(self.n_checked, 'request')}"
            requests = f"{share} {verb}"
            clauses = [
                f"refuted: {self.n_refuted} of {format_count(self.n_lines, 'line')}",
                requests if n_wrong else "the requests contradict one another",
            ]
        if self.n_checked < self.n_requests:
            clauses.append(f"{format_count(self.n_requests - self.n_checked, 'request')} could not be checked")
        clauses += filter(None, (self.unread_description,))
        if self.is_refuted:
            return "; ".join(clauses)
        return "; ".join((*clauses, self.coverage_description)) + (": weak evidence" if self.is_weak else "")

    @property
    def unread_description(self) -> str:
        """The lost parts of the recordings that may be requests, in words; empty if there are none."""
        return f"{format_count(self.n_damaged, 'value')} could not be read" if self.n_damaged else ""

    @cached_property
    def coverage_description(self) -> str:
        """How much of the spec was covered."""
        if self.n_lines == 0:
            parts = ["the spec has no line that a request could confirm"]
        elif self.n_confirmed == self.n_lines:
            parts = [f"{_count_all(self.n_lines, 'line')} confirmed"]
        else:
            parts = [
                f"{number} of {format_count(self.n_lines, 'line')} {words}"
                for number, words in (
                    (self.n_unexercised, "unexercised"),
                    (self.n_uncontrollable, "uncontrollable"),
                )
                if number
            ]
        if self.n_mutants:
            sample = f" by {self.n_requests - self.n_thinned} of the requests" if self.n_thinned else ""
            parts.append(f"{self.n_killed} of {format_count(self.n_mutants, 'deliberate error')} detected{sample}")
        return ", ".join(parts)


def summarize_check(checked_files: CheckedFiles) -> Summary:
    """Summarize the result of recorded runs for a spec."""
    checked, score = checked_files.checked, checked_files.score
    prompt = find_spec(checked_files.resolved, checked.spec or None)
    choices = list(list_choices(checked_files.resolved, prompt))
    n_gone, n_ways = checked.coverage.count_branches(choices)
    loops = [checked.coverage.loops.get(each) for each in choices if isinstance(each, ForEach)]
    has_short = any(loop is None or loop.n_several == 0 for loop in loops)
    return Summary(
        len(checked_files.runs),
        len(checked.calls),
        checked.n_checked,
        checked.n_agreeing,
        len(checked.lines),
        len(checked.list_lines("confirmed")),
        len(checked.list_lines("refuted")),
        len(checked.list_lines("unexercised")),
        len(checked.list_lines("uncontrollable")),
        n_gone,
        n_ways,
        0 if score is None else len(score.results),
        0 if score is None else score.n_killed,
        0 if score is None else score.n_requests_left_out,
        checked_files.tally.n_damaged,
        checked.is_refuted,
        is_apart=checked_files.n_runs_found > 1 and has_short,
    )


def describe_counting(checked_files: CheckedFiles) -> str:
    """Describe an unusual way of counting turns and steps, or the way that would make the spec agree."""
    if checked_files.reading != LIKELY[0]:
        reading = READINGS[checked_files.reading]
        return f"{reading}: counted this way, all requests agree; set it explicitly with `--manifest`"
    if checked_files.agreeing_reading is not None:
        points = {"requests": '`["1", "2", ...]`', "one-turn": '`["1", "1.1", ...]`'}[checked_files.agreeing_reading]
        return (
            f"all requests agree if {READINGS[checked_files.agreeing_reading]}; if this is right, set it "
            f"with `--manifest`: {points}"
        )
    return ""


def describe_missed_branches(checked_files: CheckedFiles) -> Iterator[tuple[Origin, str]]:
    """Yield the loops and alternatives that requests reached and did not take in all ways, and the missing ways."""
    coverage = checked_files.checked.coverage
    for node in list_choices(
        checked_files.resolved, find_spec(checked_files.resolved, checked_files.checked.spec or None)
    ):
        if isinstance(node, ForEach):
            loop = coverage.loops.get(node)
            if loop is not None and (missing := _describe_rounds(loop)):
                yield loop.origin, f"the loop was never seen {missing}"
        else:
            way = coverage.ways.get(node)
            if way is not None and (missing := _describe_branch(node, way)):
                yield way.origin, missing


def _describe_rounds(loop: LoopCoverage) -> str:
    counts = ((loop.n_none, "without a round"), (loop.n_one, "with one round"), (loop.n_several, "with several rounds"))
    return " or ".join(words for count, words in counts if count == 0)


def _describe_branch(node: Arm | EndsHere, way: BranchCoverage) -> str:
    if way.n_taken and (way.n_passed or is_last(node)):
        return ""
    if isinstance(node, EndsHere):
        return "the prompt always ends here" if way.n_taken else "the prompt never ends here"
    return "this alternative is always taken" if way.n_taken else "this alternative is never taken"


def _count_all(number: int, noun: str) -> str:
    return f"the only {noun}" if number == 1 else f"all {number} {noun}s"


_MOST_LINES = 200
"""Lines of a longer spec are shown only around those that are not confirmed, and if these are too many, only around
those that are refuted."""
_AROUND = 2
_TAB = 4
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of a spec; or lines that are left out."""

    number: int
    """In its file, from 1."""
    text: str
    """Its printable text; a long one is cut."""
    verdict: LineVerdict | None
    """`None` if requests can show nothing about it."""
    n_left_out: int = 0
    """Number of lines left out here; there is no text then."""

    @property
    def count(self) -> int:
        """How often it was confirmed, or refuted."""
        verdict = self.verdict
        if verdict is None:
            return 0
        return {"confirmed": verdict.n_confirmed, "refuted": verdict.n_refuted, "uncontrollable": verdict.n_free}.get(
            verdict.verdict, 0
        )


@dataclass(frozen=True, slots=True)
class ListedFile:
    """The listed lines of a text: the spec, and the fragments that it uses."""

    name: str
    lines: tuple[ListedLine, ...]


def list_files(checked_files: CheckedFiles) -> tuple[ListedFile, ...]:
    """Return the spec and its fragments, with the verdict about each line."""
    verdicts = {(each.origin.source.name, each.line): each for each in checked_files.checked.lines}
    spans: dict[str, tuple[Source, set[int]]] = {}
    prompt = find_spec(checked_files.resolved, checked_files.checked.spec or None)
    for definition in list_definitions(checked_files.resolved, prompt):
        source = definition.source
        first = source.line_index(definition.node.span.start)
        last = source.line_index(max(definition.node.span.start, definition.node.span.end - 1))
        spans.setdefault(source.name, (source, set()))[1].update(range(first, last + 1))
    listed = []
    for name, (source, indexes) in spans.items():
        lines = [_make_line(source, idx, verdicts.get((name, source.first_line + idx))) for idx in sorted(indexes)]
        listed_lines = lines if len(lines) <= _MOST_LINES else list(_fold_lines(lines))
        listed.append(ListedFile(make_visible(name), tuple(_add_gaps(listed_lines))))
    return tuple(listed)


def _make_line(source: Source, idx: int, verdict: LineVerdict | None) -> ListedLine:
    text = make_visible(source.line_text(idx)[: 4 * _WIDTH].expandtabs(_TAB)).rstrip()
    return ListedLine(source.first_line + idx, text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…", verdict)


def _add_gaps(lines: list[ListedLine]) -> Iterator[ListedLine]:
    """Yield the lines, and the number of lines between definitions."""
    expected = lines[0].number if lines else 0
    for line in lines:
        if line.number > expected:
            yield ListedLine(expected, "", None, line.number - expected)
        yield line
        expected = line.number + max(line.n_left_out, 1)


def _fold_lines(lines: list[ListedLine]) -> Iterator[ListedLine]:
    """Yield the lines around unconfirmed ones, and the number of lines left out between them."""
    telling = [
        idx for idx, line in enumerate(lines) if line.verdict is not None and line.verdict.verdict != "confirmed"
    ]
    visible = {near for idx in telling for near in range(idx - _AROUND, idx + _AROUND + 1)} | {0}
    if len(visible) > _MOST_LINES:
        wrong = [
            idx for idx, line in enumerate(lines) if line.verdict is not None and line.verdict.verdict == "refuted"
        ]
        near = [idx + beside for idx in wrong for beside in range(-_AROUND, _AROUND + 1)]
        visible = {0, *near[:_MOST_LINES]}
    n_left_out = 0
    for idx, line in enumerate(lines):
        if idx not in visible:
            n_left_out += 1
            continue
        if n_left_out:
            yield ListedLine(line.number - n_left_out, "", None, n_left_out)
        n_left_out = 0
        yield line
    if n_left_out:
        yield ListedLine(lines[-1].number - n_left_out + 1, "", None, n_left_out)


def summarize_prompts(checked_prompts: Sequence[CheckedFiles]) -> str:
    """Return the result of several prompts in one line."""
    summaries = [summarize_check(each) for each in checked_prompts]
    if len(summaries) == 1:
        return summaries[0].sentence
    wrong = [each.checked.spec for each, summary in zip(checked_prompts, summaries, strict=True) if summary.is_refuted]
    names = ", ".join(f"`{name}`" for name in wrong)
    requests = format_count(sum(each.n_checked for each in summaries), "request")
    if wrong:
        return f"refuted: {names} of {format_count(len(summaries), 'prompt')}, by {requests}"
    checked = [each for each in summaries if each.n_checked]
    n_weak, n_without = sum(each.is_weak for each in checked), len(summaries) - len(checked)
    verb = "agrees" if len(checked) == 1 else "agree"
    clauses = [f"{format_count(len(checked), 'prompt')} {verb} with {requests}"] if checked else []
    clauses += [f"{n_weak} of them on weak evidence"] if n_weak else []
    clauses += [f"{format_count(n_without, 'prompt')} without a request"] if n_without else []
    return "; ".join(clauses)
