"""Formats of a figure, one module each; `OUTPUTS` (text) and `PICTURES` (bytes) list them. Writers know no ACDL.

A writer is imported when it is first used, since drawing needs libraries that text does not.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from acdl_mkdocs.drawing.formats.options import OutputOptions

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box

Output: TypeAlias = Callable[["Box", OutputOptions], str]
"""Writes a figure, the root box, as text of one format."""
Picture: TypeAlias = Callable[["Box", OutputOptions], bytes]
"""Writes a figure as a file that is not text; needs an extra of the package."""

TextFormat = Literal["svg", "text", "html", "json"]
PictureFormat = Literal["png", "pdf"]


class _Format(NamedTuple):
    module: str
    """Beside this file; has `write`."""
    suffix: str
    media_type: str


_OUTPUTS: dict[str, _Format] = {
    "svg": _Format("svg", ".svg", "image/svg+xml"),
    "text": _Format("text", ".txt", "text/plain"),
    "html": _Format("html", ".html", "text/html"),
    "json": _Format("json_tree", ".json", "application/json"),
}
_PICTURES: dict[str, _Format] = {
    "png": _Format("png", ".png", "image/png"),
    "pdf": _Format("pdf", ".pdf", "application/pdf"),
}


def _load_text_writer(module: str) -> Output:
    def write(figure: "Box", options: OutputOptions) -> str:
        writer: Output = import_module(f"acdl_mkdocs.drawing.formats.{module}").write
        return writer(figure, options)

    return write


def _load_picture_writer(module: str) -> Picture:
    def write(figure: "Box", options: OutputOptions) -> bytes:
        writer: Picture = import_module(f"acdl_mkdocs.drawing.formats.{module}").write
        return writer(figure, options)

    return write


OUTPUTS: dict[str, Output] = {name: _load_text_writer(each.module) for name, each in _OUTPUTS.items()}

PICTURES: dict[str, Picture] = {name: _load_picture_writer(each.module) for name, each in _PICTURES.items()}

FORMATS = (*OUTPUTS, *PICTURES)
"""Every format that a figure can be written in."""

MODULES: tuple[str, ...] = tuple(each.module for each in _OUTPUTS.values())
"""The modules beside this one that write text."""

SUFFIXES: dict[str, str] = {name: each.suffix for name, each in (_OUTPUTS | _PICTURES).items()}
"""The ending of the name of a file in each format."""

MEDIA_TYPES: dict[str, str] = {name: each.media_type for name, each in (_OUTPUTS | _PICTURES).items()}
"""The media type of a file in each format, for saving and sending."""
