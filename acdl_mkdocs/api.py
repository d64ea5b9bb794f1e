"""The public functions: on text or paths, with plain results."""

from os import PathLike
from pathlib import Path

from acdl_mkdocs.analyse import analyse
from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.errors import UnknownFormatError
from acdl_mkdocs.figure.describe import View, describe
from acdl_mkdocs.outputs import OUTPUTS
from acdl_mkdocs.outputs.options import OutputOptions
from acdl_mkdocs.source import Source
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.parse import Parsed
from acdl_mkdocs.syntax.parse import parse as parse_source


def parse(text: str | PathLike[str]) -> Parsed:
    """The tree of ACDL text, or of the file at a path. Problems are in `Parsed.diagnostics`.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
    """
    return parse_source(_source(text))


def check(text: str | PathLike[str], config: Config | None = None) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with ACDL text or with the file at a path, in source order.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
    """
    return analyse(_source(text), config).diagnostics


def render(
    text: str | PathLike[str], format: str = "svg", *, view: View | None = None, options: OutputOptions | None = None
) -> str:
    """The figure of ACDL text, or of the file at a path.

    Parameters:
        text: The text itself, or a path object.
        format: A key of `OUTPUTS`: `svg`, `text`, `html`, `json`.
        view: What of the text is shown.
        options: How it is written.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        UnknownFormatError: There is no such format.
        UnknownSpecError: `view.spec` names no definition of the text.
    """
    if format not in OUTPUTS:
        near = closest(format, OUTPUTS)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(OUTPUTS)}"
        raise UnknownFormatError(f"no output format `{format}`{hint}")
    figure = describe(analyse(_source(text), Config(snippet=True)).resolved, view)
    return OUTPUTS[format](figure, options or OutputOptions())


def _source(text: str | PathLike[str]) -> Source:
    if isinstance(text, str):
        return Source(text)
    path = Path(text)
    return Source(path.read_text("utf-8"), str(path))
