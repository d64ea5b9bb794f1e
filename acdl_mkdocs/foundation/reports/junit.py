"""Diagnostics as JUnit XML, for GitLab, Jenkins and other tools that show test results.

A suite is a file. Each problem is a failed case; warnings and notes are passed cases with output, unless warnings count
as failures. A file without problems is one passed case.
"""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports import terminal
from acdl_mkdocs.foundation.reports.log_line import format_log_line
from acdl_mkdocs.foundation.reports.options import CheckedFile, ReportOptions, WholeRun
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.source import Source

_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")
"""Characters that XML forbids and that are printable, so that nothing else has replaced them."""


def open_tag(element: str, end: str = "", /, **attributes: str) -> str:
    """Return the opening tag of an element, or the whole empty element if `end` is `/`."""
    listed = "".join(f" {key}={quoteattr(_mask_text(value))}" for key, value in attributes.items())
    return f"<{element}{listed}{end}>"


def escape_lines(text: str) -> str:
    """Escape a text of several lines inside an element."""
    return escape("\n".join(_mask_text(line) for line in text.split("\n")))


def count_attributes(tests: int, failures: int, errors: int, skipped: int = 0) -> dict[str, str]:
    """Return the attributes of a suite that count its cases by result."""
    numbers = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped, "time": 0}
    return {name: str(number) for name, number in numbers.items()}


def _mask_text(text: str) -> str:
    return mask_controls(text).translate(_NO_CHARACTERS)


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format the results of one text."""
    return report_run(WholeRun((CheckedFile(source.name, tuple((each, source) for each in diagnostics)),)), options)


def report_run(run: WholeRun, options: ReportOptions | None = None) -> str:
    """Format all results, with a suite per file and one for what could not be read."""
    plain = ReportOptions(rule_url=options.rule_url if options else "")
    failing = ("error", "warning") if run.is_strict else ("error",)
    suites = [_write_suite(file, failing, plain) for file in run.files]
    n_cases = sum(max(len(file.findings), 1) for file in run.files) + len(run.unread)
    n_failures = sum(_count_failures(file, failing) for file in run.files)
    if run.unread:
        suites.append(_write_unread_suite(run.unread))
    opening = open_tag("testsuites", name=run.command, **count_attributes(n_cases, n_failures, len(run.unread)))
    return "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', opening, *suites, "</testsuites>", ""))


def _write_suite(file: CheckedFile, failing: tuple[str, ...], options: ReportOptions) -> str:
    numbers = count_attributes(max(len(file.findings), 1), _count_failures(file, failing), 0)
    opening = open_tag("testsuite", name=file.name, **numbers)
    cases = [_write_case(file, each, source, failing, options) for each, source in file.findings]
    if not cases:
        cases = [open_tag("testcase", "/", classname=file.name, name="no problems", file=file.name, time="0")]
    return "\n".join((f"  {opening}", *(f"    {case}" for case in cases), "  </testsuite>"))


def _write_case(
    file: CheckedFile, diagnostic: Diagnostic, source: Source, failing: tuple[str, ...], options: ReportOptions
) -> str:
    """Format a problem as a case; its name includes the place, since names of cases must differ."""
    place = source.find_place(diagnostic.label.span.start)
    where = f"{place.line}:{place.column}" if source.name == file.name else f"{source.name}:{place.line}:{place.column}"
    name = f"{where} {diagnostic.rule}"
    opening = open_tag("testcase", classname=file.name, name=name, file=source.name, line=str(place.line), time="0")
    text = escape_lines(terminal.report([diagnostic], source, options))
    if diagnostic.severity in failing:
        kind = f"{diagnostic.severity}[{diagnostic.rule}]"
        inside = f"{open_tag('failure', message=diagnostic.message, type=kind)}{text}</failure>"
    else:
        inside = f"<system-out>{escape_lines(format_log_line(diagnostic, source))}\n{text}</system-out>"
    return f"{opening}{inside}</testcase>"


def _write_unread_suite(unread: Sequence[str]) -> str:
    lines = [f"  {open_tag('testsuite', name='files', **count_attributes(len(unread), 0, len(unread)))}"]
    for sentence in unread:
        case = open_tag("testcase", classname="files", name=sentence, time="0")
        lines.append(f"    {case}{open_tag('error', '/', message=sentence, type='unreadable')}</testcase>")
    return "\n".join((*lines, "  </testsuite>"))


def _count_failures(file: CheckedFile, failing: tuple[str, ...]) -> int:
    return sum(diagnostic.severity in failing for diagnostic, _ in file.findings)
