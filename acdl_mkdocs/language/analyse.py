"""The pipeline every front end uses: text in, tree, names and diagnostics out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.library import Library
from acdl_mkdocs.language.names.resolve import Resolved, resolve
from acdl_mkdocs.language.syntax.format import Formatted, format_text
from acdl_mkdocs.language.syntax.kept_lines import is_left_whole, is_on_kept_lines, kept_lines
from acdl_mkdocs.language.syntax.nodes import Fragment, Prompt
from acdl_mkdocs.language.syntax.parse import Parsed, parse


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is known of a piece of ACDL text."""

    source: Source
    resolved: Resolved
    diagnostics: tuple[Diagnostic, ...]
    """Syntax problems and rule findings together, in source order."""


def analyse(source: Source, config: Config | None = None, library: Library | None = None) -> Analysis:
    """Parse, resolve and check; never raises on any text.

    Parameters:
        source: The text.
        config: How it is read and checked.
        library: Definitions of other texts that this one may use.
    """
    return check_analysis(parse_and_resolve(source, library), config or Config())


def check_analysis(analysis: Analysis, config: Config) -> Analysis:
    """Add the findings of the rules to the result of `parse_and_resolve`, in source order.

    Parameters:
        analysis: The text and its names.
        config: How it is read and checked.
    """
    from acdl_mkdocs.language.rules import check  # one module per rule: callers that only draw do not load them

    with system.pause_collector():
        diagnostics = (*analysis.diagnostics, *check(analysis.resolved, config))
    ordered = sorted(diagnostics, key=lambda each: (each.label.span.start, each.rule))
    return Analysis(analysis.source, analysis.resolved, _defer_fixes(analysis.resolved.parsed, ordered))


def diagnose(resolved: Resolved, config: Config) -> tuple[Diagnostic, ...]:
    """Return what `analyse` would find in a text that was parsed and resolved before, in source order."""
    parsed = resolved.parsed
    return check_analysis(Analysis(parsed.source, resolved, parsed.diagnostics), config).diagnostics


def format_analysis(
    analysis: Analysis, lines: tuple[int, int] | None = None, mode: RangeMode = "half-open"
) -> Formatted:
    """Format the definitions of a text that contain no error; never raises.

    A text without any definition is part of a spec, wherever it is: that this is an error in a file does not affect its
    meaning.

    Parameters:
        analysis: The text with the findings of the rules.
        lines: First and last line to format, counted from 1; `None` formats everything.
        mode: How `range(a, b)` is read by default.
    """
    parsed = analysis.resolved.parsed
    errors = _blocking_errors(parsed, analysis.diagnostics)
    return format_text(analysis.source, lines, mode, parsed=parsed, errors=errors)


def _blocking_errors(parsed: Parsed, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the errors that keep definitions unformatted, and words that only belong together on one line.

    `U: env query` is read as two pieces, and is an error as soon as each of them has a line.
    """
    is_piece = not any(isinstance(item, (Prompt, Fragment)) for item in parsed.file.items)
    ignored = {"snippet-in-file"} if is_piece else set()
    return [
        each
        for each in diagnostics
        if (each.severity == "error" and each.rule not in ignored)
        or (each.rule == "implicit-namespace" and each.fix is not None and each.fix.edits[0].text == ".")
    ]


def _defer_fixes(parsed: Parsed, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings without safe fixes in definitions that contain an error, except the fix of that error.

    What looks like another spelling may mean something different in text that was not understood.
    """
    if not any(each.fix and each.fix.is_safe and each.severity != "error" for each in diagnostics):
        return tuple(diagnostics)
    errors = _blocking_errors(parsed, diagnostics)
    lines = kept_lines(parsed, errors) if errors else []
    return tuple(
        replace(each, fix=replace(each.fix, is_safe=False))
        if each.fix
        and each.severity != "error"
        and (is_left_whole(errors) or is_on_kept_lines(lines, parsed.source, each))
        else each
        for each in diagnostics
    )


def parse_and_resolve(source: Source, library: Library | None = None, parsed: Parsed | None = None) -> Analysis:
    """Parse and resolve without running the rules; the diagnostics are those of the parser.

    Parameters:
        source: The text.
        library: Definitions of other texts that this one may use.
        parsed: Its tree, if it was parsed before.
    """
    with system.pause_collector():
        parsed = parsed or parse(source)
        resolved = resolve(parsed, library)
    return Analysis(source, resolved, parsed.diagnostics)
