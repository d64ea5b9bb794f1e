"""`RunFindings`: the verdicts of recorded runs on a spec, beside the lines of a figure and of its source.

Knows nothing about runs.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, Severity
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.read_block import BlockText, Finding

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box


@dataclass(frozen=True, slots=True)
class LineMark:
    """The verdict on a line."""

    file: str
    line: int
    verdict: str
    words: str
    """A short text, such as `3 of 3`."""


@dataclass(frozen=True, slots=True)
class RunProblem:
    """A problem, with the name of the text that it is in."""

    file: str
    rule: str
    severity: Severity
    message: str
    start: int
    end: int
    label: str
    help: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunFindings:
    """The verdict of recorded runs on a spec."""

    headline: str = ""
    """`verified against 42 recorded calls`; empty if nothing could be checked."""
    sentence: str = ""
    """The whole verdict in one line."""
    summary: str = ""
    """The headline and what it omits, in one line."""
    verdict: str = ""
    """`agrees`, `weak` or `refuted`."""
    numbers: Mapping[str, int] | None = None
    marks: tuple[LineMark, ...] = ()
    html: str = ""
    """The section of a page."""
    badge: str = ""
    """JSON for services that draw badges."""
    troubles: tuple[RunProblem, ...] = ()

    def list_findings(self, text: BlockText) -> tuple[Finding, ...]:
        """Return the problems, each with its text; those of other texts are placed where the block names the runs."""
        return tuple(_build_finding(each, text) for each in self.troubles)


def _build_finding(problem: RunProblem, text: BlockText) -> Finding:
    span, source = Span(problem.start, problem.end), text.source
    message = problem.message
    if problem.file != source.name:
        span, source = text.find_option("runs")
        message = f"{problem.file}: {message}" if problem.file else message
    label = Label(span, problem.label)
    diagnostic = Diagnostic(
        rule=problem.rule, severity=problem.severity, message=message, label=label, help=problem.help
    )
    return diagnostic, source


def mark_figure(box: "Box", source: Source, run_findings: RunFindings) -> "Box":
    """Add the verdict of each line to the first box of that line."""
    marks = {each.line: each for each in run_findings.marks if each.file == source.name}
    return _mark_box(box, source, marks) if marks else box


def _mark_box(box: "Box", source: Source, left: dict[int, LineMark]) -> "Box":
    mark = None if box.span is None or box.kind in ("figure", "comment") else left.pop(_line_of(box, source), None)
    children = tuple(_mark_box(each, source, left) for each in box.children)
    if mark is None:
        return replace(box, children=children)
    return replace(box, children=children, sign=mark.verdict)


def _line_of(box: "Box", source: Source) -> int:
    return source.find_place(box.span.start).line if box.span is not None else 0


def render_margin(excerpt: str, source: Source, run_findings: RunFindings) -> str:
    """Return a sign for each shown line of a text; empty if there are none.

    Parameters:
        excerpt: Consecutive lines of the source.
        source: The whole text.
        run_findings: The verdicts on its lines.
    """
    from acdl_mkdocs.drawing.figure.boxes import SIGNS  # a build where nothing changed draws nothing

    marks: Mapping[int, LineMark] = {each.line: each for each in run_findings.marks if each.file == source.name}
    text = excerpt.strip("\n")
    at = source.text.find(text)
    if not marks or at < 0:
        return ""
    first = source.find_place(at).line
    lines = range(first, first + text.count("\n") + 1)
    return "\n".join(SIGNS[marks[line].verdict] if line in marks else " " for line in lines)
