"""Ways to show diagnostics, one module each; `REPORTS` names them all.

A report is `report(diagnostics, source, options) -> str`: text that ends with a line end, or nothing at all. Those that
are in `DOCUMENTS` too are one document about everything that was checked, also if nothing is wrong: the results of
several files cannot be put one after another. Their modules have `report_run(run, options)` beside it. Those that are
in `UNREAD` have `report_unread(sentence)`: a line about what could not be read. A module is imported when it is first
used.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.reports.options import Checked, CheckedFile, ReportOptions, RuleText, WholeRun
from acdl_mkdocs.foundation.source import Source

Unread: TypeAlias = Callable[[str], str]
Report: TypeAlias = Callable[[Sequence[Diagnostic], Source, ReportOptions | None], str]
Document: TypeAlias = Callable[[WholeRun, ReportOptions | None], str]


def _on_first_use(module: str) -> Report:
    def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
        written: Report = import_module(f"acdl_mkdocs.foundation.reports.{module}").report
        return written(diagnostics, source, options)

    return report


def _unread_on_first_use(module: str) -> Unread:
    def unread(sentence: str) -> str:
        written: str = import_module(f"acdl_mkdocs.foundation.reports.{module}").report_unread(sentence)
        return written

    return unread


def _document_on_first_use(module: str) -> Document:
    def document(run: WholeRun, options: ReportOptions | None = None) -> str:
        written: Document = import_module(f"acdl_mkdocs.foundation.reports.{module}").report_run
        return written(run, options)

    return document


REPORTS: Mapping[str, Report] = {
    "terminal": _on_first_use("terminal"),
    "json": _on_first_use("json_lines"),
    "line": _on_first_use("log_line"),
    "html": _on_first_use("html_panel"),
    "github": _on_first_use("github"),
    "sarif": _on_first_use("sarif"),
    "junit": _on_first_use("junit"),
}
DOCUMENTS: Mapping[str, Document] = {
    "sarif": _document_on_first_use("sarif"),
    "junit": _document_on_first_use("junit"),
}
UNREAD: Mapping[str, Unread] = {
    "json": _unread_on_first_use("json_lines"),
    "github": _unread_on_first_use("github"),
}

__all__ = [
    "DOCUMENTS",
    "REPORTS",
    "UNREAD",
    "Checked",
    "CheckedFile",
    "Document",
    "Report",
    "ReportOptions",
    "RuleText",
    "Unread",
    "WholeRun",
]
