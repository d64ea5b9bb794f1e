"""Diagnostics for a person at a terminal: message, place, excerpt, help."""

from collections.abc import Sequence

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports.excerpt import make_excerpt
from acdl_mkdocs.foundation.reports.options import ReportOptions, rule_address
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.source import Source

_RESET = "\x1b[0m"
_SEVERITY_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_STYLE_COLORS = {"plain": "", "gutter": "\x1b[1;34m", "related": "\x1b[1;34m"}


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format one paragraph per diagnostic, separated by blank lines; empty if there are none."""
    options = options or ReportOptions()
    return "\n".join(_format_paragraph(diagnostic, source, options) for diagnostic in diagnostics)


def _format_paragraph(diagnostic: Diagnostic, source: Source, options: ReportOptions) -> str:
    severity = _SEVERITY_COLORS[diagnostic.severity]
    place = source.find_place(diagnostic.label.span.start)
    excerpt = make_excerpt(diagnostic, source)
    margin = " " * excerpt.gutter
    bar = _paint_text(f"{margin} |", "gutter", severity, options)
    head = f"{diagnostic.severity}[{diagnostic.rule}]"
    name = mask_controls(source.name)
    lines = [
        f"{severity}{head}{_RESET}: " if options.color else f"{head}: ",
        f"{_paint_text(f'{margin}-->', 'gutter', severity, options)} {name}:{place.line}:{place.column}",
        bar,
        *("".join(_paint_text(piece.text, piece.style, severity, options) for piece in row) for row in excerpt.rows),
    ]
    lines[0] += mask_controls(diagnostic.message)
    notes = [f"help: {mask_controls(cure)}" for cure in diagnostic.help]
    if options.rule_url:
        notes.append(f"rule: {rule_address(diagnostic.rule, options)}")
    sign = _paint_text(f"{margin} =", "gutter", severity, options)
    lines += [bar, *(f"{sign} {note}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def _paint_text(text: str, style: str, severity: str, options: ReportOptions) -> str:
    color = severity if style == "primary" else _STYLE_COLORS[style]
    return f"{color}{text}{_RESET}" if options.color and color else text
