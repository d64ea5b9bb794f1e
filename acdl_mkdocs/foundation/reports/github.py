"""Diagnostics as workflow commands, which GitHub Actions shows as annotations beside the lines of a change."""

from collections.abc import Mapping, Sequence
from pathlib import PureWindowsPath

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports.options import ReportOptions
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.source import Source

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_IN_MESSAGE = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
_IN_PROPERTY: Mapping[int, str] = {**_IN_MESSAGE, ord(":"): "%3A", ord(","): "%2C"}


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format one line per diagnostic: `::error file=...,line=...::message`, its help as further lines."""
    del options
    return "".join(f"{_format_command(diagnostic, source)}\n" for diagnostic in diagnostics)


def report_unread(sentence: str) -> str:
    """Format a line about something that could not be read."""
    return f"::error::{mask_controls(sentence).translate(_IN_MESSAGE)}\n"


def _format_command(diagnostic: Diagnostic, source: Source) -> str:
    span = diagnostic.label.span
    start, end = source.find_place(span.start), source.find_place(max(span.start, span.end))
    places: dict[str, object] = {"line": start.line, "endLine": end.line}
    if start.line == end.line:  # columns of an annotation over several lines are not understood
        places |= {"col": start.column, "endColumn": end.column}
    name = PureWindowsPath(source.name).as_posix() if "\\" in source.name else source.name
    properties = {"file": name, **places, "title": f"{diagnostic.severity}[{diagnostic.rule}]"}
    listed = ",".join(f"{key}={mask_controls(str(value)).translate(_IN_PROPERTY)}" for key, value in properties.items())
    words = [f"{diagnostic.message}: {diagnostic.label.text}", *(f"help: {cure}" for cure in diagnostic.help)]
    message = "\n".join(mask_controls(line) for line in words)
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{message.translate(_IN_MESSAGE)}"
