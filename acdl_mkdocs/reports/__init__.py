"""Ways to show diagnostics, one module each; `REPORTS` names them all.

A report is `report(diagnostics, source, options) -> str`: text that ends with a line end, or nothing at all. Its
module is imported when it is first used.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TypeAlias

from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.reports.options import ReportOptions
from acdl_mkdocs.source import Source

Report: TypeAlias = Callable[[Sequence[Diagnostic], Source, ReportOptions | None], str]


def _on_first_use(module: str) -> Report:
    def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
        written: Report = import_module(f"acdl_mkdocs.reports.{module}").report
        return written(diagnostics, source, options)

    return report


REPORTS: Mapping[str, Report] = {
    "terminal": _on_first_use("terminal"),
    "json": _on_first_use("json_lines"),
    "line": _on_first_use("log_line"),
    "html": _on_first_use("html_panel"),
}

__all__ = ["REPORTS", "Report", "ReportOptions"]
