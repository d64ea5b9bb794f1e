"""The prompt of each step of a recorded run, without a spec; `INSPECTIONS` lists the formats.

`inspect_runs.inspect_requests()` makes an `Inspection` of recordings. A format is `write(found, options) -> str`; its
module is imported when it is first used.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from acdl_mkdocs.runs.inspect.inspection import Inspection
    from acdl_mkdocs.runs.inspect.options import InspectionOptions

WriteInspection: TypeAlias = "Callable[[Inspection, InspectionOptions | None], str]"


def _load_on_first_use(module: str) -> WriteInspection:
    def write(found: "Inspection", options: "InspectionOptions | None" = None) -> str:
        written: WriteInspection = import_module(f"acdl_mkdocs.runs.inspect.{module}").write
        return written(found, options)

    return write


INSPECTIONS: Mapping[str, WriteInspection] = {
    "terminal": _load_on_first_use("terminal"),
    "json": _load_on_first_use("json_tree"),
    "html": _load_on_first_use("html"),
}

__all__ = ["INSPECTIONS", "WriteInspection"]
