"""Diagnostics for programs: one JSON object a line.

Lines and columns are 1-based; `end_line` and `end_column` name the place after the last character. `fix` is `null` or
`{"title", "is_safe", "edits": [{"line", "column", "end_line", "end_column", "text"}]}`.
"""

from collections.abc import Sequence

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix
from acdl_mkdocs.foundation.reports.options import ReportOptions
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.source import Source, Span

SCHEMA_VERSION = 1
"""Incremented when a key changes its meaning or is removed."""


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format one line per diagnostic, in order."""
    del options
    return "".join(json_text(to_object(each, source), None) + "\n" for each in diagnostics)


def report_unread(sentence: str) -> str:
    """Format a line about something that could not be read: an error without file and place."""
    start = {"line": 1, "column": 1, "end_line": 1, "end_column": 1}
    about = {"version": SCHEMA_VERSION, "rule": "unreadable", "severity": "error", "file": None, **start}
    return json_text({**about, "message": sentence, "help": [], "fix": None}, None) + "\n"


def to_object(diagnostic: Diagnostic, source: Source) -> dict[str, object]:
    """Convert a diagnostic to plain data."""
    return {
        "version": SCHEMA_VERSION,
        "rule": diagnostic.rule,
        "severity": diagnostic.severity,
        "file": source.name,
        **_range_object(diagnostic.label.span, source),
        "message": diagnostic.message,
        "help": list(diagnostic.help),
        "fix": _fix_object(diagnostic.fix, source) if diagnostic.fix else None,
    }


def _fix_object(fix: Fix, source: Source) -> dict[str, object]:
    edits = [{**_range_object(edit.span, source), "text": source.in_host(edit.text)} for edit in fix.edits]
    return {"title": fix.title, "is_safe": fix.is_safe, "edits": edits}


def _range_object(span: Span, source: Source) -> dict[str, int]:
    start, end = source.find_place(span.start), source.find_place(span.end)
    return {"line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column}
