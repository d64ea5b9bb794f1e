"""`document_problems()`: all that is wrong with a document, in one list."""

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.pml.call_problems import call_problems
from acdl_mkdocs.pml.other_spelling import spelling_problems
from acdl_mkdocs.pml.problems import repaired
from acdl_mkdocs.pml.read import ReadPml


def document_problems(document: ReadPml) -> tuple[Diagnostic, ...]:
    """What is wrong with a document, what was mended, and its calls measured by its own tools; by their places."""
    return _sorted(*read_problems(document), *call_problems(document), *spelling_problems(document))


def read_problems(document: ReadPml) -> tuple[Diagnostic, ...]:
    """What is wrong with a document whatever its calls are, and what was mended; by their places."""
    return _sorted(*document.problems, *map(repaired, document.repairs))


def _sorted(*problems: Diagnostic) -> tuple[Diagnostic, ...]:
    return tuple(sorted(problems, key=lambda each: each.label.span.start))
