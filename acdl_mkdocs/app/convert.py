"""Convert a spec: drawn notation to ACDL, and ACDL to drawn notation."""

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
    """The text in the target form."""
    diagnostics: tuple[Diagnostic, ...]
    """What was inferred or dropped, at positions of the original text."""


def convert(source: Source, from_: str, to: str, mode: RangeMode = "half-open") -> Converted | None:
    """Convert a text to another form; `None` if that conversion does not exist.

    Parameters:
        source: The text.
        from_: Its form, one of `FORMS`; `form_of` detects it.
        to: The target form.
        mode: How `range(a, b)` is read unless the text sets it.
    """
    conversion = _CONVERSIONS.get((from_, to))
    return conversion(source, mode) if conversion is not None else None


def form_of(text: str) -> str:
    """Detect the form of a text: a drawing, or ACDL."""
    from acdl_mkdocs.drawing.from_drawing.read import is_drawing

    return "drawing" if is_drawing(text) else "acdl"


def drawing_to_acdl(source: Source, mode: RangeMode = "half-open") -> Converted:
    """Read a drawing and write it as ACDL in its normal form."""
    from acdl_mkdocs.drawing.from_drawing.read import read_drawing

    drawing = read_drawing(source.text, mode)
    return Converted(drawing.text, drawing.diagnostics)


def acdl_to_drawing(source: Source, mode: RangeMode = "half-open") -> Converted:
    """Write ACDL as the text of its figure; what is not understood is drawn as it is written."""
    from acdl_mkdocs.app.render import render
    from acdl_mkdocs.drawing.figure.describe import View
    from acdl_mkdocs.language.analyse import parse_and_resolve

    resolved = parse_and_resolve(source).resolved
    return Converted(str(render(resolved, "text", View(range=mode))), resolved.parsed.diagnostics)


_Conversion: TypeAlias = Callable[[Source, RangeMode], Converted]
_CONVERSIONS: Mapping[tuple[str, str], _Conversion] = MappingProxyType(
    {("drawing", "acdl"): drawing_to_acdl, ("acdl", "drawing"): acdl_to_drawing}
)
FORMS = tuple(sorted({form for pair in _CONVERSIONS for form in pair}))
"""The names of all forms."""
