"""The public functions: on text or paths, with plain results."""

from os import PathLike
from pathlib import Path
from typing import overload

from acdl_mkdocs.analyse import analyse, understand
from acdl_mkdocs.config import Config, RangeMode
from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.errors import UnknownFormatError
from acdl_mkdocs.figure.describe import View, describe
from acdl_mkdocs.outputs import FORMATS, OUTPUTS, PICTURES, PictureFormat, TextFormat
from acdl_mkdocs.outputs.options import OutputOptions
from acdl_mkdocs.source import Source
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.format import format_text
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


def format(  # noqa: A001  # the word that users know it by
    text: str | PathLike[str], *, lines: tuple[int, int] | None = None, range: RangeMode = "half-open"
) -> str:
    """ACDL text, or that of the file at a path, in its normal form; the file is not written.

    Text with syntax errors is given back as it is: ask `check` for them.

    Parameters:
        text: The text itself, or a path object.
        lines: First and last line to format, counted from 1: the smallest group of whole statements that holds them.
        range: How `range(a, b)` is read where the text does not say it. With `inclusive`, a loop over `a ... b` becomes
            one over `range(a, b)`.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
    """
    return format_text(_source(text), lines, range).text


@overload
def render(
    text: str | PathLike[str],
    format: PictureFormat,
    *,
    view: View | None = None,
    options: OutputOptions | None = None,
) -> bytes: ...


@overload
def render(
    text: str | PathLike[str],
    format: TextFormat = "svg",
    *,
    view: View | None = None,
    options: OutputOptions | None = None,
) -> str: ...


@overload
def render(
    text: str | PathLike[str], format: str, *, view: View | None = None, options: OutputOptions | None = None
) -> str | bytes: ...


def render(
    text: str | PathLike[str], format: str = "svg", *, view: View | None = None, options: OutputOptions | None = None
) -> str | bytes:
    """The figure of ACDL text, or of the file at a path; a text without a title is drawn too.

    What could not be understood is drawn as it is written, and nothing is said about it: ask `check` for that.

    Parameters:
        text: The text itself, or a path object.
        format: `svg`, `text`, `html` or `json`, which give text; `png` or `pdf`, which give bytes and need the extra of
            that name.
        view: What of the text is shown.
        options: How it is written.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
        UnknownFormatError: There is no such format.
        UnknownSpecError: `view.spec` names no definition of the text.
        MissingExtraError: The packages that the format needs are not installed.
        TooLargeError: A PNG would have more pixels than programs can open.
        UnusableFontError: One of `options.fonts` is no font.
    """
    if format not in FORMATS:
        near = closest(format, FORMATS)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(FORMATS)}"
        raise UnknownFormatError(f"no output format `{format}`{hint}")
    figure = describe(understand(_source(text)).resolved, view)
    return (OUTPUTS | PICTURES)[format](figure, options or OutputOptions())


def _source(text: str | PathLike[str]) -> Source:
    if isinstance(text, str):
        return Source(text)
    path = Path(text)
    return Source(path.read_text("utf-8"), str(path))
