"""`explain_rejected()`: what an evaluation rejects, in the words of `acdl check` where both mean the same mistake.

A rule sees the whole text and knows what its author meant; an evaluation sees the one statement that has no meaning.
"""

from collections.abc import Callable, Iterable, Sequence

from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.source import Source

REJECTED = frozenset(("misplaced-statement", "not-computable", "not-iterable", "unbound-value"))
"""Rules of an evaluation that reject a statement or an expression, whatever the state says."""


def explain_rejected(found: Iterable[Finding], check: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """Replace each rejection by the errors that `acdl check` has for the same lines, each once, in place.

    Parameters:
        found: What an evaluation found.
        check: Gives what `acdl check` finds in the same text; called only if something was rejected.
    """
    given = list(found)
    if not any(each.rule in REJECTED for each, _ in given):
        return given
    errors = [(each, source) for each, source in check() if each.severity == "error"]
    made: list[Finding] = []
    for each in given:
        same = _about(each, errors) if each[0].rule in REJECTED else []
        made += [one for one in same or [each] if one not in made]
    return made


def _about(rejected: Finding, errors: Sequence[Finding]) -> list[Finding]:
    """The errors with the line of a rejection among the lines of their label."""
    diagnostic, source = rejected
    line = source.line_index(diagnostic.label.span.start)
    return [each for each in errors if each[1] == source and line in _lines(each[0], source)]


def _lines(diagnostic: Diagnostic, source: Source) -> range:
    span = diagnostic.label.span
    return range(source.line_index(span.start), source.line_index(max(span.start, span.end - 1)) + 1)
