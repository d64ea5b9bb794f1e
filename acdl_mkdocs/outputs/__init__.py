"""Formats of a figure, one file each; `OUTPUTS` is the list. Writers know no ACDL.

A writer is imported when it is first used, since drawing needs libraries that text does not.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from acdl_mkdocs.figure.boxes import Box
from acdl_mkdocs.outputs.options import OutputOptions

Output: TypeAlias = Callable[[Box, OutputOptions], str]
"""Writes a figure, the root box, as text of one format."""


def _on_first_use(module: str) -> Output:
    def write(figure: Box, options: OutputOptions) -> str:
        writer: Output = import_module(f"acdl_mkdocs.outputs.{module}").write
        return writer(figure, options)

    return write


OUTPUTS: dict[str, Output] = {
    "svg": _on_first_use("svg"),
    "text": _on_first_use("text"),
    "html": _on_first_use("html"),
    "json": _on_first_use("json_tree"),
}

SUFFIXES: dict[str, str] = {"svg": ".svg", "text": ".txt", "html": ".html", "json": ".json"}
"""The ending of the name of a file in each format."""
