"""The pipeline every front end uses: text in, tree, names and diagnostics out."""

from acdl_mkdocs import collector
from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.names.library import Library
from acdl_mkdocs.names.resolve import Resolved, resolve
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.parse import Parsed, parse


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
    return checked(understand(source, library), config or Config())


def checked(understood: Analysis, config: Config) -> Analysis:
    """What `understand` gave with the findings of the rules, in source order.

    Parameters:
        understood: The text and its names.
        config: How it is read and checked.
    """
    from acdl_mkdocs.rules import check  # one module a rule: a caller that only draws does not wait for them

    with collector.paused():
        found = (*understood.diagnostics, *check(understood.resolved, config))
    ordered = tuple(sorted(found, key=lambda each: (each.label.span.start, each.rule)))
    return Analysis(understood.source, understood.resolved, ordered)


def understand(source: Source, library: Library | None = None, parsed: Parsed | None = None) -> Analysis:
    """Parse and resolve, without asking the rules: its diagnostics are those of text that is not understood.

    Parameters:
        source: The text.
        library: Definitions of other texts that this one may use.
        parsed: Its tree, if it was parsed before.
    """
    with collector.paused():
        parsed = parsed or parse(source)
        resolved = resolve(parsed, library)
    return Analysis(source, resolved, parsed.diagnostics)
