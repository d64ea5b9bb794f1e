"""Reports of checked runs, one module each; `RUN_REPORTS` lists them all.

A report is `write(found, options) -> str`. A module is imported when it is first used.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.runs.report.options import RunReportOptions

if TYPE_CHECKING:
    from acdl_mkdocs.runs.check_files import CheckedFiles

RunReport: TypeAlias = Callable[["CheckedFiles", RunReportOptions | None], str]


def _load_on_first_use(module: str) -> RunReport:
    def write(found: "CheckedFiles", options: RunReportOptions | None = None) -> str:
        written: RunReport = import_module(f"acdl_mkdocs.runs.report.{module}").write
        return written(found, options)

    return write


RUN_REPORTS: Mapping[str, RunReport] = {
    "terminal": _load_on_first_use("terminal"),
    "json": _load_on_first_use("json_tree"),
    "junit": _load_on_first_use("junit"),
    "markdown": _load_on_first_use("markdown"),
    "badge": _load_on_first_use("badge"),
}


def write_reports(name: str, checked_prompts: "Sequence[CheckedFiles]", options: RunReportOptions | None = None) -> str:
    """Write a report of the prompts of a file: of a single one, what `RUN_REPORTS` writes.

    Parameters:
        name: Key in `RUN_REPORTS`.
        checked_prompts: The result of each prompt.
        options: Options of the report.
    """
    if len(checked_prompts) == 1:
        return RUN_REPORTS[name](checked_prompts[0], options)
    from acdl_mkdocs.runs.report.several import JOINS  # few files have several prompts

    return JOINS[name](checked_prompts, options or RunReportOptions())


__all__ = ["RUN_REPORTS", "RunReport", "RunReportOptions", "write_reports"]
