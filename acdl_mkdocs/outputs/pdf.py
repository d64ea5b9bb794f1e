"""The figure as a PDF of one page, drawn from the scene: vector shapes, text that can be selected, found and copied.

The page is as large as the figure, 3/4 pt for each CSS px. Fonts are embedded, with the characters that are used; there
are no dates and no random numbers. Knows no ACDL.
"""

from collections.abc import Iterator

from acdl_mkdocs.figure import scene
from acdl_mkdocs.figure.boxes import Box
from acdl_mkdocs.figure.layout import layout
from acdl_mkdocs.figure.theme import BOLD, PAGES, PALETTES, Theme
from acdl_mkdocs.foundation import extras, system
from acdl_mkdocs.foundation.text_width import columns, is_right_to_left, visible
from acdl_mkdocs.language.syntax.words import Run
from acdl_mkdocs.outputs import fonts, paths, reading
from acdl_mkdocs.outputs.identifiers import identifier
from acdl_mkdocs.outputs.options import OutputOptions
from acdl_mkdocs.outputs.pdf_file import Link, Page, pdf_file
from acdl_mkdocs.outputs.pdf_font import PdfFont
from acdl_mkdocs.outputs.xml import number

_THEME = Theme()


def write(figure: Box, options: OutputOptions) -> bytes:
    """The figure on a page of its size: white paper, or a dark page with the dark theme.

    Raises:
        MissingExtraError: The packages of the extra `pdf` are not installed.
        UnusableFontError: One of `options.fonts` is no font.
    """
    extras.load("pydyf", "pdf")
    with system.paused():
        drawn = layout(figure, _THEME, options.width_px)
        writer = _Writer(figure, options)
        writer.read(drawn.root)
        page = Page(drawn.width, drawn.height, writer.content(drawn), tuple(writer.links()))
        file = pdf_file(page, writer.faces, visible(options.title or reading.title(figure)))
    fonts.warn_of_missing({each for face in writer.faces.values() for each in face.lacking})
    fonts.warn_of_joined(writer.has_joined)
    return file


class _Writer:
    """One figure on its way to drawing commands, in CSS px from the top left."""

    def __init__(self, figure: Box, options: OutputOptions) -> None:
        self._options = options
        self._palette = PALETTES["dark" if options.theme == "dark" else "light"]
        self._anchors = reading.definition_anchors(figure)
        self._shapes: dict[tuple[int, str], list[str]] = {}
        self._texts: list[str] = []
        self._places: dict[str, tuple[float, float]] = {}
        self._linked: list[tuple[scene.Piece, str]] = []
        self.has_joined = False
        """Whether there is text whose letters would have to be joined or set from right to left."""
        self.faces = {face: PdfFont(face, options.fonts) for face in fonts.FACES}

    def read(self, root: scene.Group) -> None:
        """Take in everything that is drawn, in reading order."""
        pending: list[scene.Item] = [root]
        while pending:
            item = pending.pop()
            if isinstance(item, scene.Group):
                if item.anchor:
                    self._places.setdefault(identifier(item.anchor), (item.x, item.y))
                pending.extend(reversed(item.items))
            elif isinstance(item, scene.Text):
                self._texts += self._statement(item)
            else:
                layer, style, data = paths.placed(item, self._palette)
                self._shapes.setdefault((layer, style), []).append(data)

    def content(self, drawn: scene.Scene) -> str:
        """The drawing commands: the page, the shapes from the lowest layer up, the text."""
        commands = []
        if self._options.theme == "dark":
            commands.append(f"{_colour(PAGES['dark'])} rg 0 0 {number(drawn.width)} {number(drawn.height)} re f")
        for (_, style), data in sorted(self._shapes.items(), key=lambda entry: entry[0][0]):
            commands += self._painted(style, "".join(data))
        return "\n".join([*commands, "BT", *self._texts, "ET"])

    def links(self) -> Iterator[Link]:
        """The words that lead somewhere."""
        for piece, href in self._linked:
            top = piece.y - _THEME.rise
            place = self._places.get(href[1:]) if href.startswith("#") else None
            if place or not href.startswith("#"):
                yield Link(piece.x, top, piece.width, _THEME.line, href if place is None else place)

    def _painted(self, style: str, data: str) -> Iterator[str]:
        """All shapes of one style."""
        fill, stroke = self._palette[style]
        line = paths.STROKES.get(style, {})
        if stroke:
            yield f"{_colour(stroke)} RG {line.get('stroke-width', '1')} w [{line.get('stroke-dasharray', '')}] 0 d"
        if fill:
            yield f"{_colour(fill)} rg"
        yield from _commands(data)
        yield "B" if fill and stroke else "f" if fill else "S"

    def _statement(self, text: scene.Text) -> Iterator[str]:
        """The pieces of a statement; what stands between two when they are copied is written behind the first."""
        spaces = [*(piece.space for piece in text.pieces[1:]), ""]
        for piece, space in zip(text.pieces, spaces, strict=True):
            href = self._href(piece)
            if href:
                self._linked.append((piece, href))
            yield from self._piece(piece, space)

    def _href(self, piece: scene.Piece) -> str:
        if piece.target:
            return reading.target_href(piece.target, self._anchors, self._options.links, "")
        if piece.runs[0].style == "comment":
            return reading.source_href(piece.runs[0].text, self._options.source_url)
        return ""

    def _piece(self, piece: scene.Piece, space: str) -> Iterator[str]:
        size = _THEME.small_px if piece.is_small else _THEME.text_px
        x = piece.x
        spaces = [""] * (len(piece.runs) - 1) + [space]
        for run, after in zip(piece.runs, spaces, strict=True):
            self.has_joined |= is_right_to_left(run.text)
            face = _face(run, piece)
            written = self.faces[face].encoded(run.text + after)
            yield f"/{face} {size:.3f} Tf {_colour(self._palette[run.style][0])} rg"
            yield f"1 0 0 -1 {number(x)} {number(piece.y)} Tm <{written}> Tj"
            x += columns(run.text) * _THEME.column(piece.is_small)


def _face(run: Run, piece: scene.Piece) -> str:
    if run.style in BOLD or piece.is_bold:
        return "Bold"
    return "Italic" if run.style == "comment" else "Regular"


def _colour(hexadecimal: str) -> str:
    """A colour such as `#fff` or `#07703f` as a PDF has it."""
    digits = hexadecimal[1:] if len(hexadecimal) > len("#fff") else "".join(digit * 2 for digit in hexadecimal[1:])
    return " ".join(f"{value / 255:.3g}" for value in bytes.fromhex(digits))


def _commands(data: str) -> Iterator[str]:
    """SVG path data as commands of a PDF."""
    pen = extras.load("fontTools.pens.recordingPen", "pdf").RecordingPen()
    extras.load("fontTools.svgLib.path", "pdf").parse_path(data, pen)
    x = y = 0.0
    for method, points in pen.value:
        if method == "qCurveTo":
            points = _cubic((x, y), *points)
        if points:
            x, y = points[-1]
            numbers = " ".join(f"{number(across)} {number(down)}" for across, down in points)
            yield f"{numbers} {_OPERATORS[method]}"
        elif method == "closePath":
            yield "h"


_OPERATORS = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "qCurveTo": "c"}


def _cubic(
    start: tuple[float, float], control: tuple[float, float], end: tuple[float, float]
) -> tuple[tuple[float, float], ...]:
    """A curve with one control point as the same curve with two."""
    first, second = (
        tuple(edge + 2 / 3 * (middle - edge) for edge, middle in zip(point, control, strict=True))
        for point in (start, end)
    )
    return (first[0], first[1]), (second[0], second[1]), end
