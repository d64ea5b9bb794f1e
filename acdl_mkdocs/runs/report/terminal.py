"""The result of checking recorded runs for a terminal: the spec with a margin, then what is wrong."""

from collections.abc import Iterator

from acdl_mkdocs.drawing.figure import boxes
from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.reports.excerpt import excerpt
from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.episodes import Cut
from acdl_mkdocs.runs.match.evidence import LineVerdict, Verdict
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import place_of, refuting, rows_of, shown
from acdl_mkdocs.runs.report.summary import (
    ListedFile,
    ListedLine,
    Summary,
    counting_of,
    listing_of,
    summary_of,
    ways_not_gone,
)

_LETTERS: dict[Verdict, str] = {"confirmed": "+", "refuted": "x", "unexercised": "-", "uncontrollable": "?"}
SIGNS: dict[Verdict, tuple[str, str]] = {verdict: (boxes.SIGNS[verdict], each) for verdict, each in _LETTERS.items()}
"""The sign of each verdict, and the one for terminals that have only letters."""
_COLORS: dict[Verdict, str] = {
    "confirmed": "\x1b[32m",
    "refuted": "\x1b[1;31m",
    "unexercised": "\x1b[33m",
    "uncontrollable": "\x1b[36m",
}
_GUTTER, _RESET = "\x1b[1;34m", "\x1b[0m"
_MOST = 10
"""Of one kind of things that are listed."""


def write(found: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write the whole report."""
    return _Terminal(found, options or RunReportOptions()).text()


def write_refuted(found: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write only what is wrong, and the final sentence."""
    terminal = _Terminal(found, options or RunReportOptions())
    counting = [f"counting: {words}"] if (words := counting_of(found)) else []
    return "\n".join((*terminal.refuted(), *terminal.unchecked(), *counting, terminal.summary.sentence)) + "\n"


def example_of(line: LineVerdict, options: RunReportOptions) -> Iterator[str]:
    """Write a refuted line with its place in the spec and in the request."""
    example, origin = line.counterexample, line.origin
    if example is None:
        return
    reason = visible(line.reason) if options.has_excerpts else "it is not what is sent"
    yield f"{_painted('refuted', _COLORS['refuted'], options)}: {reason}"
    told = Diagnostic(rule="refuted", severity="error", message=reason, label=Label(example.origin.span, ""))
    rows = excerpt(told, origin.source)
    margin = " " * rows.gutter
    arrow = _painted("-->", _GUTTER, options)
    yield f"{margin}{arrow} {_place(origin, has_column=True)}"
    for row in rows.rows:
        yield "".join(_painted(each.text, _STYLES.get(each.style, ""), options) for each in row).rstrip()
    yield f"{margin}{arrow} {', '.join(refuting(example))}"
    bar = f"{margin} {_painted('|', _GUTTER, options)}"
    for message in rows_of(example) if options.has_excerpts else ():
        sign = _painted(">", _COLORS["refuted"], options) if message.is_wrong else " "
        path = f"{message.path} {message.role}: " if message.path else ""
        yield f"{bar} {sign} {path}{message.text}"
    if line.n_refuted > 1:
        yield f"{margin} {_painted('=', _GUTTER, options)} {line.n_refuted} requests show it; this is the first"


def _painted(text: str, color: str, options: RunReportOptions) -> str:
    return f"{color}{text}{_RESET}" if options.color and color else text


class _Terminal:
    """One report."""

    def __init__(self, found: CheckedFiles, options: RunReportOptions) -> None:
        self.found = found
        self.options = options
        self.summary: Summary = summary_of(found)

    def text(self) -> str:
        parts = [self.head(), ""]
        for file in listing_of(self.found):
            parts += [*self.listed(file), ""]
        parts += [*self.refuted(), *self.unchecked()]
        parts += [*self.rest(), self.verdict()]
        return "\n".join(parts) + "\n"

    # ------------------------------------------------------------------------------------------------------------- head

    def head(self) -> str:
        """Write what was checked against what."""
        found = self.found
        formats = ", ".join(name for name, _ in found.formats)
        spec = f"`{visible(found.checked.spec)}` of " if found.checked.spec else ""
        state = "a state says what is known beside them" if found.has_state else "no state"
        calls = counted(self.summary.n_calls, "request")
        runs = counted(self.summary.n_runs, "run")
        return f"{spec}{visible(found.resolved.source.name)}: {calls} of {runs} ({formats}), {state}"

    # ---------------------------------------------------------------------------------------------------------- listing

    def listed(self, file: ListedFile) -> Iterator[str]:
        """Write a text with a margin."""
        yield f" {self.painted('-->', _GUTTER)} {file.name}"
        width = max((len(str(line.number)) for line in file.lines), default=1)
        n_most = max((line.count for line in file.lines), default=0)
        for line in file.lines:
            yield self._line(line, width, len(str(n_most)))

    def _line(self, line: ListedLine, width: int, count_width: int) -> str:
        blank = " " * (count_width + 3)
        if line.n_left_out:
            return f"{blank}{self.painted(f'{chr(32) * width} ...', _GUTTER)} {counted(line.n_left_out, 'line')}"
        number = self.painted(f"{line.number:>{width}} |", _GUTTER)
        margin = blank
        if line.verdict is not None:
            verdict = line.verdict.verdict
            count = str(line.count) if line.count else ""
            margin = self.painted(f" {self.sign(verdict)} {count:>{count_width}}", _COLORS[verdict])
        return f"{margin} {number} {line.text}".rstrip()

    def sign(self, verdict: Verdict) -> str:
        """Return the sign of a verdict."""
        return SIGNS[verdict][self.options.is_ascii]

    def painted(self, text: str, color: str) -> str:
        """Color text, if colors are enabled."""
        return _painted(text, color, self.options)

    # ---------------------------------------------------------------------------------------------------------- refuted

    def refuted(self) -> Iterator[str]:
        """Write each refuted line with its place in the spec and in the request."""
        wrong = self.found.checked.lines_with("refuted")
        for number, line in enumerate(wrong):
            if line.counterexample is None:
                continue
            if number < _MOST:
                yield from (*example_of(line, self.options), "")
            else:
                yield f"{_place(line.origin)}: {visible(line.reason)}"
        if len(wrong) > _MOST:
            yield ""

    def unchecked(self) -> Iterator[str]:
        """Write the requests that could not be checked."""
        problems = [call for call in self.found.checked.calls if call.match is None]
        for call in problems[:_MOST]:
            yield f"not checked: {place_of(call.recorded)}: {visible(call.problem)}"
        if len(problems) > _MOST:
            yield f"not checked: {len(problems) - _MOST} more"
        if problems:
            yield ""

    # ------------------------------------------------------------------------------------------------------------- rest

    def rest(self) -> Iterator[str]:
        """Write coverage, mutants, growth, and what was skipped."""
        summary, score = self.summary, self.found.score
        yield self._row("lines", self._lines())
        if summary.n_ways:
            yield self._row("ways", f"{summary.n_ways_gone} of {summary.n_ways} through loops, alternatives and ends")
            yield from self._several(f"{_place(origin)}: {words}" for origin, words in ways_not_gone(self.found))
        if score is not None:
            left_out = f", {score.n_left_out} not tried" if score.n_left_out else ""
            n_held = summary.n_calls - summary.n_thinned
            held = f", held against {n_held} of {summary.n_calls} requests" if summary.n_thinned else ""
            yield self._row("mutants", f"{score.n_killed} of {len(score.tried)} killed{left_out}{held}")
            yield from self._several(f"{_place(each.origin)}: {visible(each.description)}" for each in score.survivors)
        if counting := counting_of(self.found):
            yield self._row("counting", counting)
        if self.found.checked.cuts:
            yield self._row("growth", "what was sent before is not the beginning of what is sent later")
            yield from self._several(self._cut(each) for each in self.found.checked.cuts)
        if self.found.tally.skipped:
            yield self._row("skipped", f"{self.found.tally.n_skipped} that are no request, or cannot be read")
            yield from self._several(map(visible, self.found.tally.told()))
        if notes := self.found.tally.notes():
            yield self._row("recorded", "not all that was sent")
            yield from self._several(map(visible, notes))
        if self.found.tally.n_with_problems:
            words = counted(self.found.tally.n_with_problems, "request")
            yield self._row("format", f"{words} not as the format says")

    def _row(self, name: str, words: str) -> str:
        return f"{name:<9} {words}"

    def _lines(self) -> str:
        """Return the number of lines of each verdict, with its sign."""
        listed = [(verdict, len(self.found.checked.lines_with(verdict))) for verdict in SIGNS]
        counts = [f"{self.sign(verdict)} {number} {verdict}" for verdict, number in listed if number]
        return f"{', '.join(counts) or 'none'} of {self.summary.n_lines}"

    def _several(self, sentences: Iterator[str]) -> Iterator[str]:
        listed = list(sentences)
        yield from (f"{'':<9} {each}" for each in listed[:_MOST])
        if len(listed) > _MOST:
            yield f"{'':<9} and {len(listed) - _MOST} more"

    def _cut(self, cut: Cut) -> str:
        was = f": `{shown(cut.before.text, 40)}`" if self.options.has_excerpts and cut.before.text.strip() else ""
        lost = f"{cut.before.path} of {place_of(cut.earlier)} is not kept{was}"
        return f"{place_of(cut.later)}: {lost}"

    def verdict(self) -> str:
        """Return the final sentence."""
        summary = self.summary
        color = _COLORS["refuted"] if summary.is_refuted else _COLORS["unexercised" if summary.is_weak else "confirmed"]
        return "\n" + self.painted(summary.sentence, color)


_STYLES = {"gutter": _GUTTER, "primary": _COLORS["refuted"]}


def _place(origin: Origin, *, has_column: bool = False) -> str:
    place = origin.source.place(origin.span.start)
    return f"{visible(origin.source.name)}:{place.line}" + (f":{place.column}" if has_column else "")
