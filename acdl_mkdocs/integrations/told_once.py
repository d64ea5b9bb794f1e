"""One line of the log for each problem of a spec file, however many blocks of a site show that file."""

from acdl_mkdocs.diagnostics import Severity
from acdl_mkdocs.integrations.host import Report

_SHOWN_BY = " (shown by "
"""What follows a problem in the log of a block that shows a file."""


class ToldOnce:
    """Reports for one build."""

    def __init__(self, report: Report) -> None:
        """Begin a build.

        Parameters:
            report: Where lines go.
        """
        self._report = report
        self._told: set[str] = set()
        self.n_left_out = 0
        """So many lines said again what another block had said."""

    def __call__(self, severity: Severity, line: str) -> None:
        """Pass a line on, unless it is about a file and was told before with another block."""
        problem, mark, _ = line.rpartition(_SHOWN_BY)
        if mark and problem in self._told:
            self.n_left_out += 1
            return
        self._told.add(problem)
        self._report(severity, line)
