"""Formats of a figure, one file each; `OUTPUTS` and `PICTURES` are the lists. Writers know no ACDL.

A writer is imported when it is first used, since drawing needs libraries that text does not.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias

from acdl_mkdocs.drawing.formats.options import OutputOptions

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box

Output: TypeAlias = Callable[["Box", OutputOptions], str]
"""Writes a figure, the root box, as text of one format."""
Picture: TypeAlias = Callable[["Box", OutputOptions], bytes]
"""Writes a figure as a file that is no text; needs an extra of the package."""

TextFormat = Literal["svg", "text", "html", "json"]
PictureFormat = Literal["png", "pdf"]


def _text(module: str) -> Output:
    def write(figure: "Box", options: OutputOptions) -> str:
        writer: Output = import_module(f"acdl_mkdocs.drawing.formats.{module}").write
        return writer(figure, options)

    return write


def _picture(module: str) -> Picture:
    def write(figure: "Box", options: OutputOptions) -> bytes:
        writer: Picture = import_module(f"acdl_mkdocs.drawing.formats.{module}").write
        return writer(figure, options)

    return write


OUTPUTS: dict[str, Output] = {
    "svg": _text("svg"),
    "text": _text("text"),
    "html": _text("html"),
    "json": _text("json_tree"),
}

PICTURES: dict[str, Picture] = {"png": _picture("png"), "pdf": _picture("pdf")}

FORMATS = (*OUTPUTS, *PICTURES)
"""Every format that a figure can be written in."""

SUFFIXES: dict[str, str] = {
    "svg": ".svg",
    "text": ".txt",
    "html": ".html",
    "json": ".json",
    "png": ".png",
    "pdf": ".pdf",
}
"""The ending of the name of a file in each format."""

MEDIA_TYPES: dict[str, str] = {
    "svg": "image/svg+xml",
    "text": "text/plain",
    "html": "text/html",
    "json": "application/json",
    "png": "image/png",
    "pdf": "application/pdf",
}
"""What a file in each format is said to be where it is saved or sent."""
