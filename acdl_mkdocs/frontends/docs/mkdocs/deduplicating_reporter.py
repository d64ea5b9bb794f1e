"""One line of the log for each problem of a spec file, however many blocks of a site show that file."""

from collections.abc import Container

from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.frontends.docs.markdown.host import Report

_SHOWN_BY = " (shown by "
"""The suffix of a problem in the log of a block that shows a file."""
_MOST_NAMED = 3
"""The most blocks that are named for one problem."""


class DeduplicatingReporter:
    """A reporter for one build that logs each problem of a file once."""

    def __init__(
        self, report: Report, generated: Container[str] = (), before: "DeduplicatingReporter | None" = None
    ) -> None:
        """Begin a build.

        Parameters:
            report: The reporter to pass lines on to.
            generated: The names of generated pages, which have no file.
            before: The reporter of a build that this one is part of.
        """
        self._report = report
        self._generated = generated
        self._reported: set[str] = before._reported if before else set()
        self._left_out: dict[str, None] = {}

    @property
    def summary(self) -> str:
        """The other blocks that show reported problems; empty if there are none."""
        places = list(self._left_out)
        if not places:
            return ""
        rest = len(places) - _MOST_NAMED
        named = ", ".join(places[:_MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
        return f"the same problems of spec files are shown by {named}"

    def __call__(self, severity: Severity, line: str) -> None:
        """Pass a line on, unless it was reported before, possibly for another block that shows the same file."""
        problem, mark, shown_by = line.rpartition(_SHOWN_BY)
        if not mark:
            self._report_once(severity, line)
            return
        place = shown_by.removesuffix(")")
        is_made = place.rpartition(":")[0] in self._generated
        if problem in self._reported:
            self._left_out |= {} if is_made else {place: None}
            return
        self._reported.add(problem)
        self._report(severity, problem if is_made else line)

    def _report_once(self, severity: Severity, line: str) -> None:
        if line not in self._reported:
            self._reported.add(line)
            self._report(severity, line)
