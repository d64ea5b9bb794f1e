"""Ways to write a spec that are no ACDL, and how each is read and written. Knows nothing of files.

To add one: a function from text to `Converted` and a line in `CONVERSIONS`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source


@dataclass(frozen=True, slots=True)
class Converted:
    """A spec in another form."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    """What was guessed or given up, at places of the text that was given."""


Conversion: TypeAlias = Callable[[Source, RangeMode], Converted]


def drawing_to_acdl(source: Source, mode: RangeMode) -> Converted:
    """A drawing as ACDL in its normal form."""
    from acdl_mkdocs.drawing.from_drawing.read import read_drawing

    drawing = read_drawing(source.text, mode)
    return Converted(drawing.text, drawing.diagnostics)


def acdl_to_drawing(source: Source, mode: RangeMode) -> Converted:
    """ACDL as the text of its figure; what is not understood is drawn as it is written."""
    from acdl_mkdocs.drawing.figure.describe import View, describe
    from acdl_mkdocs.drawing.formats import text as text_output
    from acdl_mkdocs.drawing.formats.options import OutputOptions
    from acdl_mkdocs.language.analyse import understand

    understood = understand(source)
    figure = describe(understood.resolved, View(range=mode))
    return Converted(text_output.write(figure, OutputOptions()), understood.resolved.parsed.diagnostics)


CONVERSIONS: Mapping[tuple[str, str], Conversion] = MappingProxyType(
    {("drawing", "acdl"): drawing_to_acdl, ("acdl", "drawing"): acdl_to_drawing}
)
"""From a form to another one."""
FORMS = tuple(sorted({form for pair in CONVERSIONS for form in pair}))
"""The names of all forms."""


def form_of(text: str) -> str:
    """The form that a text is in."""
    from acdl_mkdocs.drawing.from_drawing.read import is_drawing

    return "drawing" if is_drawing(text) else "acdl"
