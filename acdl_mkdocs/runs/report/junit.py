"""The result of checking recorded runs as JUnit XML: a case for each line, and one for each request with a problem.

A refuted line is a failure. Lines that no request comes to, or that nothing decides, are skipped: a report in which all
is green has seen every line.
"""

from acdl_mkdocs.foundation.reports.junit import counts, tag, text_of
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.match.evidence import CheckedCall, LineVerdict
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import place_of
from acdl_mkdocs.runs.report.summary import summary_of
from acdl_mkdocs.runs.report.terminal import example_of


def write(found: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write the whole report."""
    options = options or RunReportOptions()
    checked = found.checked
    unchecked = [call for call in checked.calls if call.match is None]
    open_lines = [each for each in checked.lines if each.verdict in ("unexercised", "uncontrollable")]
    numbers = counts(
        len(checked.lines) + len(unchecked), len(checked.lines_with("refuted")), len(unchecked), len(open_lines)
    )
    name = f"{checked.spec} of {found.resolved.source.name}" if checked.spec else found.resolved.source.name
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        tag("testsuites", name=options.command, **numbers),
        f"  {tag('testsuite', name=name, **numbers)}",
        *(f"    {_case(each, options)}" for each in checked.lines),
        *(f"    {_call(each)}" for each in unchecked),
        f"    <system-out>{text_of(summary_of(found).sentence)}</system-out>",
        "  </testsuite>",
        "</testsuites>",
        "",
    ]
    return "\n".join(lines)


def _case(line: LineVerdict, options: RunReportOptions) -> str:
    source = line.origin.source
    place = source.place(line.origin.span.start)
    name = f"{place.line} {line.kind}: {_words(line, source)}"
    opening = tag("testcase", classname=source.name, name=name, file=source.name, line=str(place.line), time="0")
    return f"{opening}{_inside(line, options)}</testcase>"


def _inside(line: LineVerdict, options: RunReportOptions) -> str:
    if line.verdict == "refuted":
        shown = "\n".join(example_of(line, RunReportOptions(has_excerpts=options.has_excerpts)))
        reason = line.reason if options.has_excerpts else "it is not what is sent"
        return f"{tag('failure', message=reason, type='refuted')}{text_of(shown)}</failure>"
    if line.verdict == "confirmed":
        return ""
    return tag("skipped", "/", message=f"{line.verdict}: {line.reason}")


def _call(call: CheckedCall) -> str:
    opening = tag("testcase", classname="requests", name=place_of(call.recorded), time="0")
    return f"{opening}{tag('error', '/', message=call.problem, type='unchecked')}</testcase>"


def _words(line: LineVerdict, source: Source) -> str:
    """Return the beginning of the line as it is written."""
    words = source.line_text(source.line_index(line.origin.span.start)).strip()
    return words if len(words) <= 60 else f"{words[:59]}…"
