"""`explain_rejected()`: explain the errors of an evaluated spec in the words of `acdl check`.

A rule sees the whole text and can infer the intention; an evaluation only sees one invalid statement, or sends
something unintended.
"""

from collections.abc import Iterable

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.workspace.read_block import Finding

REJECTED = frozenset(("misplaced-statement", "not-computable", "not-iterable", "unbound-value"))
"""Rules of an evaluation that reject a statement or an expression, independent of the state."""


def explain_rejected(
    findings: Iterable[Finding], checked: Iterable[Diagnostic], resolved: Resolved, spec: str
) -> list[Finding]:
    """Replace each rejection by the errors that `acdl check` has for the same lines, and add its other errors.

    Parameters:
        findings: The findings of an evaluation.
        checked: The diagnostics of `acdl check` for the same text.
        resolved: The text.
        spec: Name of the evaluated spec, whose errors are added: its messages are not as intended. Of a text without a
            title, all errors are added.
    """
    source = resolved.parsed.source
    errors = [(each, source) for each in checked if each.severity == "error"]
    by_line: dict[int, list[Finding]] = {}
    for error in errors:
        for line in _lines(error[0], source):
            by_line.setdefault(line, []).append(error)
    explained: dict[Finding, None] = {}
    for each in findings:
        of_source, line = _line_of(each)
        is_known = each[0].rule in REJECTED and of_source == source and line in by_line
        explained.update(dict.fromkeys(by_line[line] if is_known else [each]))
    spans = [each.node.span for each in resolved.definitions.get(spec, ())[:1]]
    lines = {_line_of(each) for each in explained if each[0].severity == "error"}
    for error in errors:
        start = error[0].label.span.start
        is_inside = not spans or spans[0].start <= start < spans[0].end
        if is_inside and _line_of(error) not in lines:
            explained[error] = None
    return list(explained)


def _line_of(finding: Finding) -> tuple[Source, int]:
    diagnostic, source = finding
    return source, source.line_index(diagnostic.label.span.start)


def _lines(diagnostic: Diagnostic, source: Source) -> range:
    span = diagnostic.label.span
    return range(source.line_index(span.start), source.line_index(max(span.start, span.end - 1)) + 1)
