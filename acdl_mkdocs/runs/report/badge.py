"""The result of checking recorded runs as a badge: JSON in the form of shields.io's endpoint."""

import json

from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.summary import Summary, summarize_check


def write(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Return the badge."""
    del options
    return format_badge(*_describe_summary(summarize_check(checked_files)))


def format_badge(message: str, color: str) -> str:
    """Return a badge with a message."""
    return (
        json.dumps({"schemaVersion": 1, "label": "context spec", "message": message, "color": color}, indent=1) + "\n"
    )


def _describe_summary(summary: Summary) -> tuple[str, str]:
    if summary.n_checked == 0:
        return "not checked", "lightgrey"
    if summary.is_refuted:
        return f"{summary.n_refuted} of {summary.n_lines} lines refuted", "red"
    if summary.n_lines == 0:
        return "no line to confirm", "lightgrey"
    seen = f"{summary.n_confirmed} of {summary.n_lines} lines confirmed"
    requests = "1 call" if summary.n_checked == 1 else f"{summary.n_checked} calls"
    return f"{seen} by {requests}", "yellow" if summary.is_weak else "brightgreen"
