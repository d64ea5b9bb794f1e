"""One line for each diagnostic, as build logs and editors that jump to `file:line:column` want it."""

from collections.abc import Sequence

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports.options import ReportOptions
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.source import Source


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format lines such as `docs/agents.md:57:8: error[unknown-fragment]: no fragment named ...`."""
    del options
    return "".join(f"{format_log_line(diagnostic, source)}\n" for diagnostic in diagnostics)


def format_line_with_help(diagnostic: Diagnostic, source: Source) -> str:
    """Format the line of one diagnostic for a build log, with its first help line."""
    cure = "".join(f"; {mask_controls(each)}" for each in diagnostic.help[:1])
    return f"{format_log_line(diagnostic, source)}{cure}"


def format_log_line(diagnostic: Diagnostic, source: Source) -> str:
    """Format the line of one diagnostic, without a line end."""
    place = source.find_place(diagnostic.label.span.start)
    where = f"{mask_controls(source.name)}:{place.line}:{place.column}"
    return f"{where}: {diagnostic.severity}[{diagnostic.rule}]: {mask_controls(diagnostic.message)}"
