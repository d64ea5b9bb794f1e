"""The result of checking recorded runs as JUnit XML: a case for each line, and one for each request with a problem.

A refuted line is a failure. Lines that no request reaches, or that nothing decides, are skipped, so a report in which
everything is green covers every line.
"""

from collections.abc import Sequence

from acdl_mkdocs.foundation.reports.junit import count_attributes, escape_lines, open_tag
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.match.evidence import CheckedCall, LineVerdict
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import format_position
from acdl_mkdocs.runs.report.summary import summarize_check
from acdl_mkdocs.runs.report.terminal import write_example


def write(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write the whole report."""
    return write_suites([checked_files], options or RunReportOptions())


def write_suites(checked_prompts: Sequence[CheckedFiles], options: RunReportOptions) -> str:
    """Write a report with a suite for each prompt."""
    suites = [_write_suite(each, options) for each in checked_prompts]
    totals = {name: str(sum(int(numbers[name]) for numbers, _ in suites)) for name in suites[0][0]}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        open_tag("testsuites", name=options.command, **totals),
        *(line for _, suite in suites for line in suite),
        "</testsuites>",
        "",
    ]
    return "\n".join(lines)


def _write_suite(checked_files: CheckedFiles, options: RunReportOptions) -> tuple[dict[str, str], list[str]]:
    """Return the counts and the lines of a suite."""
    checked = checked_files.checked
    unchecked = [request for request in checked.calls if request.match is None]
    open_lines = [each for each in checked.lines if each.verdict in ("unexercised", "uncontrollable")]
    numbers = count_attributes(
        len(checked.lines) + len(unchecked), len(checked.list_lines("refuted")), len(unchecked), len(open_lines)
    )
    name = (
        f"{checked.spec} of {checked_files.resolved.source.name}"
        if checked.spec
        else checked_files.resolved.source.name
    )
    return numbers, [
        f"  {open_tag('testsuite', name=name, **numbers)}",
        *(f"    {_write_case(each, options)}" for each in checked.lines),
        *(f"    {_write_request(each)}" for each in unchecked),
        f"    <system-out>{escape_lines(summarize_check(checked_files).sentence)}</system-out>",
        "  </testsuite>",
    ]


def _write_case(line: LineVerdict, options: RunReportOptions) -> str:
    source = line.origin.source
    place = source.find_place(line.origin.span.start)
    name = f"{place.line} {line.kind}: {_quote_line(line, source)}"
    opening = open_tag("testcase", classname=source.name, name=name, file=source.name, line=str(place.line), time="0")
    return f"{opening}{_write_outcome(line, options)}</testcase>"


def _write_outcome(line: LineVerdict, options: RunReportOptions) -> str:
    if line.verdict == "refuted":
        example = "\n".join(write_example(line, RunReportOptions(has_excerpts=options.has_excerpts)))
        reason = line.reason if options.has_excerpts else "the request differs"
        return f"{open_tag('failure', message=reason, type='refuted')}{escape_lines(example)}</failure>"
    if line.verdict == "confirmed":
        return ""
    return open_tag("skipped", "/", message=f"{line.verdict}: {line.reason}")


def _write_request(request: CheckedCall) -> str:
    opening = open_tag("testcase", classname="requests", name=format_position(request.recorded), time="0")
    return f"{opening}{open_tag('error', '/', message=request.problem, type='unchecked')}</testcase>"


def _quote_line(line: LineVerdict, source: Source) -> str:
    """Return the beginning of the line as it is written."""
    words = source.line_text(source.line_index(line.origin.span.start)).strip()
    return words if len(words) <= 60 else f"{words[:59]}…"
