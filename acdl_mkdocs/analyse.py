"""The pipeline every front end uses: text in, tree, names and diagnostics out."""

from dataclasses import dataclass

from acdl_mkdocs import collector
from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.names.resolve import Resolved, resolve
from acdl_mkdocs.rules import check
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.parse import parse


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is known of a piece of ACDL text."""

    source: Source
    resolved: Resolved
    diagnostics: tuple[Diagnostic, ...]
    """Syntax problems and rule findings together, in source order."""


def analyse(source: Source, config: Config | None = None) -> Analysis:
    """Parse, resolve and check; never raises on any text."""
    config = config or Config()
    with collector.paused():
        parsed = parse(source)
        resolved = resolve(parsed)
        found = (*parsed.diagnostics, *check(resolved, config))
    return Analysis(source, resolved, tuple(sorted(found, key=lambda each: (each.label.span.start, each.rule))))
