"""The figure as a PDF of one page, drawn from the scene: vector shapes, text that can be selected, found and copied.

The page is as large as the figure, 3/4 pt for each CSS px. Fonts are embedded, with the characters that are used; there
are no dates and no random numbers. Knows no ACDL.
"""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from acdl_mkdocs.drawing.figure import scene
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.theme import BOLD, PAGES, PALETTES, Theme
from acdl_mkdocs.drawing.formats import box_text, fonts, paths
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.drawing.formats.xml import format_number, make_id
from acdl_mkdocs.foundation import extras, system
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.text_width import count_columns, is_right_to_left, measure_advances
from acdl_mkdocs.language.syntax.words import Run

if TYPE_CHECKING:
    from fontTools.ttLib.tables._g_l_y_f import Glyph as Outline
    from pydyf import PDF, Object

UNITS_PER_EM = 1000
COLUMN = 600
"""Advance of a column in these units."""
ASCENT, DESCENT, CAP_HEIGHT = 1020, -300, 730
BOX = (-1000, -400, 2400, 1200)
"""Room for any glyph, in the same units."""
_MAX_CURVE_ERROR = 1.0
_PER_BLOCK = 100
"""The maximum number of characters in a block of a character map."""


class _SizedCharacter(NamedTuple):
    """A character and its width in columns."""

    character: str
    n_columns: int


class PdfFont:
    """One face, which grows while text is written with it."""

    def __init__(self, face: str, named: tuple[str, ...]) -> None:
        self.name = f"{fonts.FAMILY.replace(' ', '')}-{face}"
        self._typeface = fonts.Typeface([fonts.font_path(face), *named], "pdf")
        self._numbers: dict[_SizedCharacter, int] = {}
        self.missing: set[str] = set()

    def encode_text(self, text: str) -> str:
        """Return the text as PDF stores it: four hexadecimal digits per character."""
        characters = map(_SizedCharacter, text, measure_advances(text))
        return "".join([f"{self._numbers.setdefault(each, len(self._numbers) + 1):04x}" for each in characters])

    def glyph_widths(self) -> list[int]:
        """Return the advance of every glyph, from number 1 on."""
        return [character.n_columns * COLUMN for character in self._numbers]

    def character_map(self) -> bytes:
        """Return the PDF table that maps numbers to text."""
        pairs = [
            f"<{number:04x}> <{character.character.encode('utf-16-be').hex()}>"
            for character, number in self._numbers.items()
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

    def font_program(self) -> bytes:
        """Return the font as a TrueType file, and note the characters that no font has."""
        builder = extras.import_extra("fontTools.fontBuilder", "pdf").FontBuilder(UNITS_PER_EM, isTTF=True)
        outlines = {".notdef": self._fit_outline(_SizedCharacter("", 1))}
        outlines |= {f"g{number}": self._fit_outline(character) for character, number in self._numbers.items()}
        builder.setupGlyphOrder(list(outlines))
        builder.setupGlyf(outlines)
        builder.setupHorizontalMetrics(
            {
                name: (width, getattr(outline, "xMin", 0))
                for (name, outline), width in zip(outlines.items(), [COLUMN, *self.glyph_widths()], strict=True)
            }
        )
        builder.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
        builder.updateHead(created=0, modified=0)
        file = BytesIO()
        builder.font.save(file)
        return file.getvalue()

    def _fit_outline(self, character: _SizedCharacter) -> "Outline":
        """Return a glyph scaled to the columns of its character."""
        glyph = (
            self._typeface.find_glyph(character.character) if character.character else self._typeface.missing_glyph()
        )
        pen = extras.import_extra("fontTools.pens.ttGlyphPen", "pdf").TTGlyphPen(None)
        if glyph is None:
            self.missing.add(character.character)
            glyph = self._typeface.missing_glyph() if character.n_columns else None
        if glyph is not None and glyph.outline:
            curves = extras.import_extra("fontTools.pens.cu2quPen", "pdf").Cu2QuPen(pen, _MAX_CURVE_ERROR)
            transform = extras.import_extra("fontTools.pens.transformPen", "pdf").TransformPen
            glyph.draw_outline(transform(curves, _fit_glyph(glyph, character.n_columns * COLUMN)))
        return pen.glyph()


def _fit_glyph(glyph: fonts.Glyph, room: int) -> tuple[float, float, float, float, float, float]:
    """Return the transformation that fits a glyph into its room: centred, and narrower if necessary.

    What has no room is a mark on the character before it.
    """
    scale = UNITS_PER_EM / glyph.units_per_em
    width = glyph.advance * scale
    if not room:
        return (scale, 0, 0, scale, -width, 0)
    narrower = min(room / width, 1) if width else 1
    return (scale * narrower, 0, 0, scale, (room - width * narrower) / 2, 0)


_PT_PER_PX = 0.75
_LONGEST_PT = 14400
"""Programs open no longer pages, unless the unit is larger than 1 pt."""
_SYMBOLIC = 4
_STEM = 80
_SAFE = "%/:?#[]@!$&'()*+,;=~"
"""Characters that an address may contain besides letters and digits; all others are quoted."""
_LATEST_VERSION = b"1.7"


class Link(NamedTuple):
    """A rectangle in CSS px from the top left that leads somewhere."""

    x: float
    y: float
    width: float
    height: float
    to: str | tuple[float, float]
    """An address, or a place on the page."""


class Page(NamedTuple):
    """The content of a page, with its size in CSS px."""

    width: float
    height: float
    content: str
    """Drawing commands, with their origin at the top left and y growing downwards."""
    links: tuple[Link, ...]


def pdf_file(page: Page, faces: Mapping[str, PdfFont], title: str) -> bytes:
    """Write a PDF of one page; `faces` maps font names in the content to the fonts it was written with."""
    pydyf = extras.import_extra("pydyf", "pdf")
    document = pydyf.PDF()
    scale = _PT_PER_PX / max(1, _PT_PER_PX * max(page.width, page.height) / _LONGEST_PT)
    move = f"{scale:.6g} 0 0 {-scale:.6g} 0 {format_number(page.height * scale)} cm"
    content = pydyf.Stream([f"{move}\n{page.content}".encode()], compress=True)
    document.add_object(content)
    used = {name: _embed_font(document, face) for name, face in faces.items() if face.glyph_widths()}
    sheet = {
        "Type": "/Page",
        "Parent": document.pages.reference,
        "MediaBox": pydyf.Array([0, 0, format_number(page.width * scale), format_number(page.height * scale)]),
        "Resources": pydyf.Dictionary({"Font": pydyf.Dictionary(used)}),
        "Contents": content.reference,
    }
    if scale < _PT_PER_PX:
        sheet["UserUnit"] = f"{_PT_PER_PX / scale:.6g}"
    leaf = pydyf.Dictionary(sheet)
    document.add_page(leaf)
    if page.links:
        leaf["Annots"] = pydyf.Array(_add_annotations(document, page, scale))
    document.info["Title"] = pydyf.String(title)
    document.catalog["ViewerPreferences"] = pydyf.Dictionary({"DisplayDocTitle": "true"})
    file = BytesIO()
    document.write(file, version=_LATEST_VERSION)
    return file.getvalue()


def _add_annotations(document: "PDF", page: Page, scale: float) -> Iterator[bytes]:
    pydyf = extras.import_extra("pydyf", "pdf")
    (sheet,) = document.page_references
    for link in page.links:
        corners = (link.x, page.height - link.y - link.height, link.x + link.width, page.height - link.y)
        annotation = pydyf.Dictionary(
            {
                "Type": "/Annot",
                "Subtype": "/Link",
                "Border": pydyf.Array([0, 0, 0]),
                "Rect": pydyf.Array([format_number(corner * scale) for corner in corners]),
            }
        )
        if isinstance(link.to, str):
            annotation["A"] = pydyf.Dictionary({"S": "/URI", "URI": pydyf.String(quote(link.to, safe=_SAFE))})
        else:
            x, y = (format_number(link.to[0] * scale), format_number((page.height - link.to[1]) * scale))
            annotation["Dest"] = pydyf.Array([sheet, "/XYZ", x, y, "null"])
        yield _add_object(document, annotation)


def _embed_font(document: "PDF", face: PdfFont) -> bytes:
    """Embed a font and return the reference to it."""
    pydyf = extras.import_extra("pydyf", "pdf")
    name = f"/ACDLMK+{face.name}"
    program = face.font_program()
    file = _add_object(document, pydyf.Stream([program], {"Length1": len(program)}, compress=True))
    to_unicode = _add_object(document, pydyf.Stream([face.character_map()], compress=True))
    descriptor = {
        "Type": "/FontDescriptor",
        "FontName": name,
        "Flags": _SYMBOLIC,
        "FontBBox": pydyf.Array(BOX),
        "ItalicAngle": 0,
        "Ascent": ASCENT,
        "Descent": DESCENT,
        "CapHeight": CAP_HEIGHT,
        "StemV": _STEM,
        "FontFile2": file,
    }
    font = {
        "Type": "/Font",
        "Subtype": "/Type0",
        "BaseFont": name,
        "Encoding": "/Identity-H",
        "DescendantFonts": pydyf.Array([_describe_characters(document, face, descriptor)]),
        "ToUnicode": to_unicode,
    }
    return _add_object(document, pydyf.Dictionary(font))


def _describe_characters(document: "PDF", face: PdfFont, descriptor: dict[str, object]) -> bytes:
    """Add the part of a font that defines the widths of its characters, and return the reference to it."""
    pydyf = extras.import_extra("pydyf", "pdf")
    system = {"Registry": pydyf.String("Adobe"), "Ordering": pydyf.String("Identity"), "Supplement": 0}
    part = {
        "Type": "/Font",
        "Subtype": "/CIDFontType2",
        "BaseFont": descriptor["FontName"],
        "CIDSystemInfo": pydyf.Dictionary(system),
        "FontDescriptor": _add_object(document, pydyf.Dictionary(descriptor)),
        "DW": COLUMN,
        "W": pydyf.Array([1, pydyf.Array(face.glyph_widths())]),
        "CIDToGIDMap": "/Identity",
    }
    return _add_object(document, pydyf.Dictionary(part))


def _add_object(document: "PDF", part: "Object") -> bytes:
    """Add an object to a document and return the reference to it."""
    document.add_object(part)
    reference: bytes = part.reference
    return reference


_THEME = Theme()


def write(figure: Box, options: OutputOptions) -> bytes:
    """Write the figure on a page of its size: white paper, or a dark page with the dark theme.

    Raises:
        MissingExtraError: The packages of the extra `pdf` are not installed.
        UnusableFontError: One of `options.fonts` is not a font.
    """
    extras.import_extra("pydyf", "pdf")
    with system.pause_collector():
        drawing = layout(figure, _THEME, options.width_px)
        writer = _PdfWriter(figure, options)
        writer.read_group(drawing.root)
        page = Page(drawing.width, drawing.height, writer.drawing_commands(drawing), tuple(writer.find_links()))
        file = pdf_file(page, writer.faces, make_visible(options.title or box_text.figure_title(figure)))
    fonts.warn_about_missing({each for face in writer.faces.values() for each in face.missing})
    fonts.warn_about_joined(writer.has_joined)
    return file


class _PdfWriter:
    """One figure on its way to drawing commands, in CSS px from the top left."""

    def __init__(self, figure: Box, options: OutputOptions) -> None:
        self._options = options
        self._palette = PALETTES["dark" if options.theme == "dark" else "light"]
        self._anchors = box_text.definition_anchors(figure)
        self._shapes: dict[tuple[int, str], list[str]] = {}
        self._texts: list[str] = []
        self._places: dict[str, tuple[float, float]] = {}
        self._linked: list[tuple[scene.Piece, str]] = []
        self.has_joined = False
        """Whether there is text whose letters should be joined or set from right to left."""
        self.faces = {face: PdfFont(face, options.fonts) for face in fonts.FACES}

    def read_group(self, root: scene.Group) -> None:
        """Collect everything that is drawn, in reading order."""
        pending: list[scene.Item] = [root]
        while pending:
            item = pending.pop()
            if isinstance(item, scene.Group):
                if item.anchor:
                    self._places.setdefault(make_id(item.anchor), (item.x, item.y))
                pending.extend(reversed(item.items))
            elif isinstance(item, scene.Text):
                self._texts += self._write_statement(item)
            else:
                layer, style, data = paths.place_shape(item, self._palette)
                self._shapes.setdefault((layer, style), []).append(data)

    def drawing_commands(self, drawing: scene.Scene) -> str:
        """Return the drawing commands: the page, the shapes from the lowest layer up, the text."""
        commands = []
        if self._options.theme == "dark":
            commands.append(
                f"{_format_colour(PAGES['dark'])} rg 0 0 {format_number(drawing.width)} "
                f"{format_number(drawing.height)} re f"
            )
        for (_, style), data in sorted(self._shapes.items(), key=lambda entry: entry[0][0]):
            commands += self._paint_shapes(style, "".join(data))
        return "\n".join([*commands, "BT", *self._texts, "ET"])

    def find_links(self) -> Iterator[Link]:
        """Yield the words that are links."""
        for piece, href in self._linked:
            top = piece.y - _THEME.rise
            target = self._places.get(href[1:]) if href.startswith("#") else None
            if target or not href.startswith("#"):
                yield Link(piece.x, top, piece.width, _THEME.line, href if target is None else target)

    def _paint_shapes(self, style: str, data: str) -> Iterator[str]:
        """Yield the commands for all shapes of one style."""
        fill, stroke = self._palette[style]
        line = paths.STROKES.get(style, {})
        if stroke:
            yield (
                f"{_format_colour(stroke)} RG {line.get('stroke-width', '1')} w "
                f"[{line.get('stroke-dasharray', '')}] 0 d"
            )
        if fill:
            yield f"{_format_colour(fill)} rg"
        yield from _path_commands(data)
        yield "B" if fill and stroke else "f" if fill else "S"

    def _write_statement(self, text: scene.Text) -> Iterator[str]:
        """Write the pieces of a statement; text between two pieces that only shows when copied follows the first."""
        spaces = [*(piece.space for piece in text.pieces[1:]), ""]
        for piece, space in zip(text.pieces, spaces, strict=True):
            href = self._find_href(piece)
            if href:
                self._linked.append((piece, href))
            yield from self._write_piece(piece, space)

    def _find_href(self, piece: scene.Piece) -> str:
        if piece.target:
            return box_text.target_href(piece.target, self._anchors, self._options.links, "")
        if piece.runs[0].style == "comment":
            return box_text.source_href(piece.runs[0].text, self._options.source_url)
        return ""

    def _write_piece(self, piece: scene.Piece, space: str) -> Iterator[str]:
        size = _THEME.small_px if piece.is_small else _THEME.text_px
        x = piece.x
        spaces = [""] * (len(piece.runs) - 1) + [space]
        for run, after in zip(piece.runs, spaces, strict=True):
            self.has_joined |= is_right_to_left(run.text)
            face = _choose_face(run, piece)
            written = self.faces[face].encode_text(run.text + after)
            yield f"/{face} {size:.3f} Tf {_format_colour(self._palette[run.style][0])} rg"
            yield f"1 0 0 -1 {format_number(x)} {format_number(piece.y)} Tm <{written}> Tj"
            x += count_columns(run.text) * _THEME.column_width(piece.is_small)


def _choose_face(run: Run, piece: scene.Piece) -> str:
    if run.style in BOLD or piece.is_bold:
        return "Bold"
    return "Italic" if run.style == "comment" else "Regular"


def _format_colour(hexadecimal: str) -> str:
    """Format a colour such as `#fff` or `#07703f` for a PDF."""
    digits = hexadecimal[1:] if len(hexadecimal) > len("#fff") else "".join(digit * 2 for digit in hexadecimal[1:])
    return " ".join(f"{value / 255:.3g}" for value in bytes.fromhex(digits))


def _path_commands(data: str) -> Iterator[str]:
    """Convert SVG path data to PDF commands."""
    pen = extras.import_extra("fontTools.pens.recordingPen", "pdf").RecordingPen()
    extras.import_extra("fontTools.svgLib.path", "pdf").parse_path(data, pen)
    x = y = 0.0
    for method, points in pen.value:
        if method == "qCurveTo":
            points = _make_cubic((x, y), *points)
        if points:
            x, y = points[-1]
            numbers = " ".join(f"{format_number(across)} {format_number(down)}" for across, down in points)
            yield f"{numbers} {_OPERATORS[method]}"
        elif method == "closePath":
            yield "h"


_OPERATORS = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "qCurveTo": "c"}


def _make_cubic(
    start: tuple[float, float], control: tuple[float, float], end: tuple[float, float]
) -> tuple[tuple[float, float], ...]:
    """Convert a curve with one control point to one with two."""
    first, second = (
        tuple(edge + 2 / 3 * (middle - edge) for edge, middle in zip(point, control, strict=True))
        for point in (start, end)
    )
    return (first[0], first[1]), (second[0], second[1]), end
