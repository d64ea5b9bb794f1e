"""The differences between two specs in different formats: `diff.diff` finds them, `COMPARISONS` lists the formats."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.errors import UnknownFormatError

if TYPE_CHECKING:
    from acdl_mkdocs.compare.formats.options import CompareOptions
    from acdl_mkdocs.compare.structure.edits import Difference

COMPARISONS: Mapping[str, str] = {
    "text": "acdl_mkdocs.compare.formats.text",
    "json": "acdl_mkdocs.compare.formats.json_tree",
    "markdown": "acdl_mkdocs.compare.formats.markdown",
    "svg": "acdl_mkdocs.compare.formats.svg",
    "html": "acdl_mkdocs.compare.formats.html",
}
"""The module of each way to show a difference; each has a `write(difference, options)`."""


def format_difference(difference: "Difference", format: str = "text", options: "CompareOptions | None" = None) -> str:
    """Format a difference in one of `COMPARISONS`, whose module is imported on first use.

    Raises:
        UnknownFormatError: There is no such format.
    """
    if format not in COMPARISONS:
        raise UnknownFormatError(f"no format `{format}` of a difference; there are {', '.join(COMPARISONS)}")
    written: str = import_module(COMPARISONS[format]).write(difference, options)
    return written


show = format_difference
"""The former name, which programs know."""
