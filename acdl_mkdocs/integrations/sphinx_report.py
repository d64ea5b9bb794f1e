"""Problems of blocks as warnings of Sphinx: at their own place, with a type that `suppress_warnings` knows."""

import re
from collections.abc import Callable
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

from acdl_mkdocs.foundation.diagnostics import Severity

_log = logging.getLogger(__name__)

_LINE = re.compile(r"(?P<place>.*?:\d+:\d+): (?:error|warning|note)\[(?P<rule>[\w-]+)\]: (?P<message>.*)", re.DOTALL)
_BROKEN_REFERENCES = frozenset({"unknown-fragment"})
"""Notes in a block, since another page may have what it lacks; a project has no other pages."""


def tell(severity: Severity, rule: str, message: str, location: str | nodes.Node) -> None:
    """Log one problem. Errors and warnings make `sphinx-build -W` fail; notes are shown by `-v`."""
    if severity == "note":
        _log.verbose("%s: %s [acdl.%s]", location, message, rule)
    else:
        log = _log.error if severity == "error" else _log.warning
        log("%s", message, location=location, type="acdl", subtype=rule)


def report_to_sphinx(docname: str, folder: Path, told: set[str]) -> Callable[[Severity, str], None]:
    """Report the lines that blocks give to a build log.

    Parameters:
        docname: The page that shows the blocks.
        folder: The project's folder, from which the names of files are paths.
        told: Lines that have been reported in this build; builders of books draw a page more than once. Grows here.
    """

    def report(severity: Severity, line: str) -> None:
        if line in told:
            return
        told.add(line)
        found = _LINE.fullmatch(line)
        if found is None:
            tell(severity, "many-problems", line, docname)
            return
        is_broken = severity == "note" and found["rule"] in _BROKEN_REFERENCES
        tell("warning" if is_broken else severity, found["rule"], found["message"], str(folder / found["place"]))

    return report
