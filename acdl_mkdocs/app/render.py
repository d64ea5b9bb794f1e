"""Draw a text in any format, and collect warnings about what a picture cannot show."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import FORMATS, OUTPUTS, PICTURES
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.errors import FontWarning, UnknownFormatError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.resolve import Resolved


def render(
    resolved: Resolved, format: str = "svg", view: View | None = None, options: OutputOptions | None = None
) -> str | bytes:
    """Draw a text; parts that cannot be parsed are shown as written. Return a string, or bytes for a picture.

    Parameters:
        resolved: The text.
        format: One of `FORMATS`.
        view: The part to show.
        options: Options of the output.

    Raises:
        UnknownFormatError: There is no such format.
        UnknownSpecError: `view.spec` names no definition of the text.
        MissingExtraError: The packages that the format needs are not installed.
        TooLargeError: A picture would have more pixels than programs can open.
        UnusableFontError: One of `options.fonts` is not a font.
    """
    return write(describe(resolved, view), format, options)


def write(figure: Box, format: str, options: OutputOptions | None = None) -> str | bytes:
    """Write a figure that was described; raises what `render()` does."""
    if format not in FORMATS:
        near = find_closest(format, FORMATS)
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(FORMATS)}"
        raise UnknownFormatError(f"no output format `{format}`; {hint}")
    return (OUTPUTS | PICTURES)[format](figure, options or OutputOptions())


@contextmanager
def collected_remarks() -> Iterator[list[str]]:
    """Collect what pictures do not show as it should look, once they are written, instead of warning of it."""
    remarks: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FontWarning)
        yield remarks
    remarks += (str(each.message) for each in caught)
