"""A font for one PDF: only the characters that it shows, each as wide as its columns, whatever font they came from.

A character is a number in the order of its first use. The same number is that of the glyph, so that no tables of
encodings are needed, and copying gives back exactly the text. Knows nothing about figures and pages.
"""

from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.text_width import advances
from acdl_mkdocs.outputs import fonts

if TYPE_CHECKING:
    from fontTools.ttLib.tables._g_l_y_f import Glyph as Outline

UNITS_PER_EM = 1000
COLUMN = 600
"""Advance of a column in these units."""
ASCENT, DESCENT, CAP_HEIGHT = 1020, -300, 730
BOX = (-1000, -400, 2400, 1200)
"""Room for any glyph, in the same units."""
_MAX_CURVE_ERROR = 1.0
_PER_BLOCK = 100
"""How many characters a block of a character map may have."""


class _Shown(NamedTuple):
    """A character and the columns it takes where it stands."""

    character: str
    n_columns: int


class PdfFont:
    """One face, which grows while text is written with it."""

    def __init__(self, face: str, named: tuple[str, ...]) -> None:
        self.name = f"{fonts.FAMILY.replace(' ', '')}-{face}"
        self._typeface = fonts.Typeface([fonts.bundled(face), *named], "pdf")
        self._numbers: dict[_Shown, int] = {}
        self.lacking: set[str] = set()

    def encoded(self, text: str) -> str:
        """The text as the PDF has it: four hexadecimal digits for each character."""
        shown = map(_Shown, text, advances(text))
        return "".join([f"{self._numbers.setdefault(each, len(self._numbers) + 1):04x}" for each in shown])

    def widths(self) -> list[int]:
        """Advance of every glyph, from number 1 on."""
        return [shown.n_columns * COLUMN for shown in self._numbers]

    def character_map(self) -> bytes:
        """The PDF's table from numbers to text."""
        pairs = [
            f"<{number:04x}> <{shown.character.encode('utf-16-be').hex()}>" for shown, number in self._numbers.items()
        ]
        blocks = [pairs[at : at + _PER_BLOCK] for at in range(0, len(pairs), _PER_BLOCK)]
        lines = [
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
            "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def",
            "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
            "1 begincodespacerange <0000> <ffff> endcodespacerange",
            *[line for block in blocks for line in (f"{len(block)} beginbfchar", *block, "endbfchar")],
            "endcmap CMapName currentdict /CMap defineresource pop end end",
        ]
        return "\n".join(lines).encode()

    def program(self) -> bytes:
        """The font as a TrueType file. Notes on the way which characters no font has."""
        builder = extras.load("fontTools.fontBuilder", "pdf").FontBuilder(UNITS_PER_EM, isTTF=True)
        outlines = {".notdef": self._outline(_Shown("", 1))}
        outlines |= {f"g{number}": self._outline(shown) for shown, number in self._numbers.items()}
        builder.setupGlyphOrder(list(outlines))
        builder.setupGlyf(outlines)
        builder.setupHorizontalMetrics(
            {
                name: (width, getattr(outline, "xMin", 0))
                for (name, outline), width in zip(outlines.items(), [COLUMN, *self.widths()], strict=True)
            }
        )
        builder.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
        builder.updateHead(created=0, modified=0)
        file = BytesIO()
        builder.font.save(file)
        return file.getvalue()

    def _outline(self, shown: _Shown) -> "Outline":
        """A glyph that fits into the columns of its character."""
        glyph = self._typeface.glyph(shown.character) if shown.character else self._typeface.missing()
        pen = extras.load("fontTools.pens.ttGlyphPen", "pdf").TTGlyphPen(None)
        if glyph is None:
            self.lacking.add(shown.character)
            glyph = self._typeface.missing() if shown.n_columns else None
        if glyph is not None and glyph.outline:
            curves = extras.load("fontTools.pens.cu2quPen", "pdf").Cu2QuPen(pen, _MAX_CURVE_ERROR)
            transform = extras.load("fontTools.pens.transformPen", "pdf").TransformPen
            glyph.draw(transform(curves, _fitting(glyph, shown.n_columns * COLUMN)))
        return pen.glyph()


def _fitting(glyph: fonts.Glyph, room: int) -> tuple[float, float, float, float, float, float]:
    """The transformation that sets a glyph into its room: in the middle, narrower if it must be.

    What has no room is a mark on the character before it.
    """
    scale = UNITS_PER_EM / glyph.units_per_em
    width = glyph.advance * scale
    if not room:
        return (scale, 0, 0, scale, -width, 0)
    narrower = min(room / width, 1) if width else 1
    return (scale * narrower, 0, 0, scale, (room - width * narrower) / 2, 0)
