"""The result of checking recorded runs for a terminal: the spec with a margin, then what is wrong."""

from collections.abc import Iterator

from acdl_mkdocs.drawing.figure import boxes
from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.reports.excerpt import make_excerpt
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.episodes import Cut
from acdl_mkdocs.runs.match.evidence import LineVerdict, Verdict
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import describe_refutation, format_position, list_rows, shorten_line
from acdl_mkdocs.runs.report.summary import (
    ListedFile,
    ListedLine,
    Summary,
    describe_counting,
    describe_missed_branches,
    list_files,
    summarize_check,
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
"""Limit of listed entries of one kind."""


def write(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write the whole report."""
    return _ReportWriter(checked_files, options or RunReportOptions()).write_report()


def write_refuted(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write only what is wrong, and the final sentence."""
    terminal = _ReportWriter(checked_files, options or RunReportOptions())
    counting = [f"counting: {words}"] if (words := describe_counting(checked_files)) else []
    return (
        "\n".join((*terminal.write_refuted(), *terminal.write_unchecked(), *counting, terminal.summary.sentence)) + "\n"
    )


def write_example(line: LineVerdict, options: RunReportOptions) -> Iterator[str]:
    """Write a refuted line with its place in the spec and in the request."""
    example, origin = line.counterexample, line.origin
    if example is None:
        return
    reason = make_visible(line.reason) if options.has_excerpts else "the request differs"
    yield f"{_color_text('refuted', _COLORS['refuted'], options)}: {reason}"
    diagnostic = Diagnostic(rule="refuted", severity="error", message=reason, label=Label(example.origin.span, ""))
    rows = make_excerpt(diagnostic, origin.source)
    margin = " " * rows.gutter
    arrow = _color_text("-->", _GUTTER, options)
    yield f"{margin}{arrow} {_format_position(origin, has_column=True)}"
    for row in rows.rows:
        yield "".join(_color_text(each.text, _STYLES.get(each.style, ""), options) for each in row).rstrip()
    yield f"{margin}{arrow} {', '.join(describe_refutation(example))}"
    bar = f"{margin} {_color_text('|', _GUTTER, options)}"
    for message in list_rows(example) if options.has_excerpts else ():
        sign = _color_text(">", _COLORS["refuted"], options) if message.is_wrong else " "
        path = f"{message.path} {message.role}: " if message.path else ""
        yield f"{bar} {sign} {path}{message.text}"
    if line.n_refuted > 1:
        yield f"{margin} {_color_text('=', _GUTTER, options)} {line.n_refuted} requests show it; this is the first"


def _color_text(text: str, color: str, options: RunReportOptions) -> str:
    return f"{color}{text}{_RESET}" if options.color and color else text


class _ReportWriter:
    """Writes one report."""

    def __init__(self, checked_files: CheckedFiles, options: RunReportOptions) -> None:
        self.found = checked_files
        self.options = options
        self.summary: Summary = summarize_check(checked_files)

    def write_report(self) -> str:
        parts = [self.write_head(), ""]
        for file in list_files(self.found):
            parts += [*self.write_listing(file), ""]
        parts += [*self.write_refuted(), *self.write_unchecked()]
        parts += [*self.write_rest(), self.write_verdict()]
        return "\n".join(parts) + "\n"

    # ------------------------------------------------------------------------------------------------------------- head

    def write_head(self) -> str:
        """Write the spec and the recordings that were checked."""
        checked_files = self.found
        formats = ", ".join(name for name, _ in checked_files.formats)
        spec = f"`{make_visible(checked_files.checked.spec)}` of " if checked_files.checked.spec else ""
        state = "with a state" if checked_files.has_state else "without a state"
        requests = format_count(self.summary.n_requests, "request")
        runs = format_count(self.summary.n_runs, "run")
        return f"{spec}{make_visible(checked_files.resolved.source.name)}: {requests} of {runs} ({formats}), {state}"

    # ---------------------------------------------------------------------------------------------------------- listing

    def write_listing(self, file: ListedFile) -> Iterator[str]:
        """Write a text with a margin."""
        yield f" {self.color_text('-->', _GUTTER)} {file.name}"
        width = max((len(str(line.number)) for line in file.lines), default=1)
        n_most = max((line.count for line in file.lines), default=0)
        for line in file.lines:
            yield self._write_line(line, width, len(str(n_most)))

    def _write_line(self, line: ListedLine, width: int, count_width: int) -> str:
        blank = " " * (count_width + 3)
        if line.n_left_out:
            return (
                f"{blank}{self.color_text(f'{chr(32) * width} ...', _GUTTER)} {format_count(line.n_left_out, 'line')}"
            )
        number = self.color_text(f"{line.number:>{width}} |", _GUTTER)
        margin = blank
        if line.verdict is not None:
            verdict = line.verdict.verdict
            count = str(line.count) if line.count else ""
            margin = self.color_text(f" {self.get_sign(verdict)} {count:>{count_width}}", _COLORS[verdict])
        return f"{margin} {number} {line.text}".rstrip()

    def get_sign(self, verdict: Verdict) -> str:
        """Return the sign of a verdict."""
        return SIGNS[verdict][self.options.is_ascii]

    def color_text(self, text: str, color: str) -> str:
        """Color text, if colors are enabled."""
        return _color_text(text, color, self.options)

    # ---------------------------------------------------------------------------------------------------------- refuted

    def write_refuted(self) -> Iterator[str]:
        """Write each refuted line with its place in the spec and in the request."""
        wrong = self.found.checked.list_lines("refuted")
        for number, line in enumerate(wrong):
            if line.counterexample is None:
                continue
            if number < _MOST:
                yield from (*write_example(line, self.options), "")
            else:
                yield f"{_format_position(line.origin)}: {make_visible(line.reason)}"
        if len(wrong) > _MOST:
            yield ""

    def write_unchecked(self) -> Iterator[str]:
        """Write the requests that could not be checked."""
        problems = [request for request in self.found.checked.calls if request.match is None]
        for request in problems[:_MOST]:
            yield f"not checked: {format_position(request.recorded)}: {make_visible(request.problem)}"
        if len(problems) > _MOST:
            yield f"not checked: {len(problems) - _MOST} more"
        if problems:
            yield ""

    # ------------------------------------------------------------------------------------------------------------- rest

    def write_rest(self) -> Iterator[str]:
        """Write coverage, mutants, growth, and what was skipped."""
        summary, score = self.summary, self.found.score
        yield self._write_row("lines", self._count_lines())
        if summary.n_ways:
            yield self._write_row(
                "branches", f"{summary.n_ways_gone} of {summary.n_ways} taken: loops, alternatives, early ends"
            )
            yield from self._join_sentences(
                f"{_format_position(origin)}: {words}" for origin, words in describe_missed_branches(self.found)
            )
        if score is not None:
            left_out = f", {score.n_left_out} not tried" if score.n_left_out else ""
            n_held = summary.n_requests - summary.n_thinned
            checked = f", checked against {n_held} of {summary.n_requests} requests" if summary.n_thinned else ""
            rest = "; not detected:" if score.survivors else ""
            detected = f"{score.n_killed} of {len(score.results)} detected{left_out}{checked}{rest}"
            yield self._write_row("mutants", detected)
            yield from self._join_sentences(
                f"{_format_position(each.origin)}: {make_visible(each.description)}" for each in score.survivors
            )
        if counting := describe_counting(self.found):
            yield self._write_row("counting", counting)
        if self.found.checked.cuts:
            yield self._write_row("growth", "some requests do not extend the previous one")
            yield from self._join_sentences(self._describe_cut(each) for each in self.found.checked.cuts)
        if self.found.tally.skipped:
            number = self.found.tally.n_skipped
            verb = "is not a request or cannot" if number == 1 else "are not requests or cannot"
            yield self._write_row("skipped", f"{format_count(number, 'value')} that {verb} be read")
            yield from self._join_sentences(map(make_visible, self.found.tally.describe_skipped()))
        if notes := self.found.tally.describe_incomplete():
            yield self._write_row("recorded", "not everything that was sent")
            yield from self._join_sentences(map(make_visible, notes))
        if self.found.tally.n_with_problems:
            number = self.found.tally.n_with_problems
            verb = "does not follow its" if number == 1 else "do not follow their"
            yield self._write_row("format", f"{format_count(number, 'request')} {verb} format")

    def _write_row(self, name: str, words: str) -> str:
        return f"{name:<9} {words}"

    def _count_lines(self) -> str:
        """Return the number of lines of each verdict, with its sign."""
        listed = [(verdict, len(self.found.checked.list_lines(verdict))) for verdict in SIGNS]
        counts = [f"{self.get_sign(verdict)} {number} {verdict}" for verdict, number in listed if number]
        return f"{', '.join(counts) or 'none'} of {self.summary.n_lines}"

    def _join_sentences(self, sentences: Iterator[str]) -> Iterator[str]:
        listed = list(sentences)
        yield from (f"{'':<9} {each}" for each in listed[:_MOST])
        if len(listed) > _MOST:
            yield f"{'':<9} and {len(listed) - _MOST} more"

    def _describe_cut(self, cut: Cut) -> str:
        was = (
            f": `{shorten_line(cut.before.text, 40)}`" if self.options.has_excerpts and cut.before.text.strip() else ""
        )
        lost = f"{cut.before.path} of {format_position(cut.earlier)} is not kept{was}"
        return f"{format_position(cut.later)}: {lost}"

    def write_verdict(self) -> str:
        """Return the final sentence."""
        summary = self.summary
        color = _COLORS["refuted"] if summary.is_refuted else _COLORS["unexercised" if summary.is_weak else "confirmed"]
        return "\n" + self.color_text(summary.sentence, color)


_STYLES = {"gutter": _GUTTER, "primary": _COLORS["refuted"]}


def _format_position(origin: Origin, *, has_column: bool = False) -> str:
    place = origin.source.find_place(origin.span.start)
    return f"{make_visible(origin.source.name)}:{place.line}" + (f":{place.column}" if has_column else "")
