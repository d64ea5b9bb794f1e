"""Diagnostics as a panel in a page: what a terminal would show, escaped and with classes for the style sheet."""

from collections.abc import Sequence
from html import escape

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports.excerpt import Row, make_excerpt
from acdl_mkdocs.foundation.reports.options import ReportOptions, rule_address
from acdl_mkdocs.foundation.safe_text import mark_code, mask_controls
from acdl_mkdocs.foundation.source import Source

_TITLES = {"error": "problem", "warning": "warning", "note": "note"}
_SEVERITIES = ("error", "warning", "note")
_MAX_SHOWN = 20
"""The maximum number of problems in a panel; the build log has more of them."""


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format all diagnostics of one source as one panel; empty if there are none."""
    return render_panel([(diagnostic, source) for diagnostic in diagnostics], options)


def render_panel(
    findings: Sequence[tuple[Diagnostic, Source]], options: ReportOptions | None = None, shown_by: str = ""
) -> str:
    """Format the diagnostics of several sources as one panel, such as a fence's header and the file that it names.

    Parameters:
        findings: The diagnostics; only the worst are shown of a great many.
        options: As for every report.
        shown_by: Name of a page and its line, for problems in a file that the page shows.
    """
    if not findings:
        return ""
    options = options or ReportOptions()
    worst = min((diagnostic.severity for diagnostic, _ in findings), key=_SEVERITIES.index)
    n_worst = sum(diagnostic.severity == worst for diagnostic, _ in findings)
    title = f"{n_worst} {_TITLES[worst]}{'s' if n_worst > 1 else ''} in this {options.thing} block"
    shortlist = findings
    if len(findings) > _MAX_SHOWN:
        shortlist = sorted(findings, key=lambda each: _SEVERITIES.index(each[0].severity))[:_MAX_SHOWN]
    entries = "".join(_render_entry(diagnostic, source, options, shown_by) for diagnostic, source in shortlist)
    if len(shortlist) < len(findings):
        entries += f'<p class="acdl-problem-message">and {len(findings) - len(shortlist)} more</p>'
    opening = f'<div class="acdl-problem acdl-problem-{worst}" role="note" aria-label="{title}">'
    return f'{opening}<p class="acdl-problem-title">{title}</p>{entries}</div>'


def _render_entry(diagnostic: Diagnostic, source: Source, options: ReportOptions, shown_by: str) -> str:
    """Format message, place, excerpt and help of one diagnostic."""
    place = source.find_place(diagnostic.label.span.start)
    excerpt = make_excerpt(diagnostic, source)
    margin = " " * excerpt.gutter
    where = f"{margin}--> {source.name}:{place.line}:{place.column}\n"
    if shown_by and not shown_by.startswith(f"{source.name}:"):
        where += f"{margin}::: shown by {shown_by}\n"
    where += f"{margin} |"
    rows = "\n".join(_render_row(row) for row in excerpt.rows)
    name = f"{diagnostic.severity}[{escape(diagnostic.rule)}]"
    if options.rule_url:
        name = f'<a href="{escape(rule_address(diagnostic.rule, options))}">{name}</a>'
    helps = "".join(f"<li>{_render_sentence(cure)}</li>" for cure in diagnostic.help)
    return (
        f'<p class="acdl-problem-message"><strong>{name}</strong>: {_render_sentence(diagnostic.message)}</p>'
        f'<pre class="acdl-excerpt" tabindex="0">{_escape_lines(where)}\n{rows}\n</pre>'
        + (f'<ul class="acdl-problem-help">{helps}</ul>' if helps else "")
    )


def _render_row(row: Row) -> str:
    return "".join(
        _escape_lines(piece.text)
        if piece.style == "plain"
        else f'<span class="acdl-{piece.style}">{_escape_lines(piece.text)}</span>'
        for piece in row
    )


def _render_sentence(text: str) -> str:
    """Format a sentence, with text between backticks as code."""
    return mark_code(_escape_lines(text))


def _escape_lines(text: str) -> str:
    return escape("\n".join(mask_controls(line) for line in text.split("\n")))
